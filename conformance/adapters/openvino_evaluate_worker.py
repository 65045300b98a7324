# SPDX-License-Identifier: Apache-2.0
# Worker that runs OpenVINO's Gather nodes by their own evaluate(), without a plug-in.
"""The code that OpenVINO folds constants with, and a second implementation in the same package. Only Gather has one: the
nodes of GatherElements and GatherND answer that they cannot evaluate.

All operands are given at run time; the axis is a Constant or, on its route, a Parameter.
"""

import gathercheck.worker as worker
import openvino_worker
from openvino_worker import openvino


def routes(operator):
    """All operands are given to evaluate()."""
    return [route for route in openvino_worker.routes(operator) if route[0] == "runtime"]


def has_legal_axis(call):
    """Whether a run-time axis is one that the specification allows."""
    axis, data, indices = (call.inputs.get(name) for name in ("axis", "data", "indices"))
    if data is None or indices is None or axis is None or axis.type.name not in ("i8", "i16", "i32", "i64"):
        return False
    values = axis.array().reshape(-1)
    rank = len(data.shape)
    batch_dims = call.attributes.get("batch_dims", 0)
    if len(values) != 1 or not -rank <= values[0] < rank or not isinstance(batch_dims, int):
        return False
    if batch_dims < 0:
        batch_dims += len(indices.shape)
    return 0 <= batch_dims <= values[0] % rank


class Evaluate(openvino_worker.OpenVino):
    name = "openvino:evaluate"
    keeps_models = False  # a node alone: nothing is prepared
    reports_unsafe = True
    describe = None  # the node's shape inference is that of "openvino"

    def __init__(self):
        super().__init__()
        self.asked = worker.Asked(openvino_worker.OPERATORS, routes, lambda calls: [self.run(call) for call in calls])

    def run(self, call):
        if call.axis == "runtime" and not has_legal_axis(call) and not worker.is_apart():
            # What evaluate() writes outside then damages its process unseen, and a later call would seem to die of itself.
            return worker.run_apart(call)
        outside, inside = worker.poison_of(call)
        node, _, _ = self.node(call)
        declared, homes = node.get_output_partial_shape(0), []
        shape = declared.to_shape() if declared.is_static else openvino.Shape([0])
        with worker.engine_at_work(openvino_worker.at_run):  # there are shapes without a size
            output = openvino.Tensor(node.get_output_element_type(0), shape)
        self.fill(output, inside)
        names = openvino_worker.OPERATORS[call.operator][2]
        inputs = [self.tensor(tensor, outside, homes) for _, tensor in call.positional(names) if tensor is not None]
        with worker.engine_at_work(openvino_worker.at_run):
            done = node.evaluate([output], inputs)
        if not done:
            raise worker.Unsupported("evaluate() answers that it cannot")
        if len(output.shape) > 64 or any(extent >= 2**63 for extent in output.shape):
            # No legal call has such an output: a run-time axis out of range takes the shape from memory outside.
            raise worker.UnsafeMemory(f"evaluate() made an output of {len(output.shape)} dimensions, with extents of no operand")
        return self.result(output)

    def reproduce(self, call, language):
        return openvino_worker.reproducer(call, EVALUATES_NODE)


EVALUATES_NODE = [
    "declared = node.get_output_partial_shape(0)",
    "shape = declared.to_shape() if declared.is_static else ov.Shape([0])",
    "output = ov.Tensor(node.get_output_element_type(0), shape)",
    "print(node.evaluate([output], operands))",
    *openvino_worker.PRINTS_OUTPUT,
]

if __name__ == "__main__":
    worker.serve(openvino_worker.channel, Evaluate())
