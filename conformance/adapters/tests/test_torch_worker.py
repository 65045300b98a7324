# SPDX-License-Identifier: Apache-2.0
# Tests of the PyTorch workers on literal calls.
import os
import subprocess
import sys
import unittest

import engine_calls
from worker_process import ADAPTERS, WorkerProcess, engine, missing, routes, run_source, tensor


def reason():
    """PyTorch may belong to this Python or to Debian's."""
    if not missing("numpy", "torch"):
        return ""
    done = subprocess.run(["/usr/bin/python3", "-c", "import numpy, torch"], capture_output=True, check=False)
    return "PyTorch is installed neither here nor for /usr/bin/python3" if done.returncode else ""


TABLE = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
PYTHON = "/usr/bin/python3" if missing("torch") else sys.executable
REASON = reason() if sys.platform == "linux" and os.path.exists("/usr/bin/python3") else missing("numpy", "torch")


@unittest.skipIf(REASON, REASON)
class TorchWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess(os.path.join(ADAPTERS, "torch_worker.py"))
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def check(self, operators, calls, indices=("i64",)):
        for operator in operators:
            self.assertEqual(len(routes(self.hello["claims"], operator)), 1)
            claimed = [call for call in calls if call[2][0] != "string" and call[3][0] in indices]
            engine_calls.check(self, self.worker, operator, {}, claimed, ())

    def test_literal_calls(self):
        self.check([f"onnx.Gather-{version}" for version in (1, 11, 13)], engine_calls.GATHER)
        self.check(["openvino.Gather-1", "openvino.Gather-7"], engine_calls.GATHER, ("i32", "i64"))
        whole = [call for call in engine_calls.GATHER_ELEMENTS if "example" not in call[0] or call[1] == 1]
        same = [call for call in whole if call[2][1] == call[3][1]]
        self.check(["openvino.GatherElements-6"], same)
        self.check(["onnx.GatherND-11"], [call for call in engine_calls.GATHER_ND if call[1] is None])
        versions = ["onnx.GatherND-12", "onnx.GatherND-13", "openvino.GatherND-5", "openvino.GatherND-8"]
        self.check(versions, engine_calls.GATHER_ND)

    def test_indices_from_the_end_count_in_onnx_gather_only(self):
        data, indices = tensor("f32", [3], [1.0, 2.0, 3.0]), tensor("i64", [1], [-1])
        answer = self.worker.call("onnx.Gather-13", {"data": data, "indices": indices})
        self.assertEqual(answer, {"output": tensor("f32", [1], [3.0])})
        inputs = {"data": data, "indices": indices, "axis": tensor("i64", [], [0])}
        answer = self.worker.call("openvino.Gather-1", inputs)
        self.assertIn("index out of range in self", answer["rejected"]["message"])

    def test_signalling_nans_pass_as_bits(self):
        for name, raw in (("f16", "017c"), ("bf16", "817f"), ("f32", "0100807f"), ("c64", "0100807f010080ff")):
            inputs = {"data": tensor(name, [1], bytes.fromhex(raw)), "indices": tensor("i64", [1, 1], [0])}
            operator = "onnx.GatherND-13"
            answer = self.worker.call(operator, inputs)
            self.assertEqual(answer, {"output": tensor(name, [1], bytes.fromhex(raw))})

    def test_a_reproducer_shows_the_same_output_with_torch_alone(self):
        data = tensor("f32", [2, 2], [1.0, 2.0, 3.0, 4.0])
        axis = {"axis": tensor("i64", [], [1])}
        pairs, one = tensor("i64", [2, 1], [1, 0]), tensor("i64", [1], [1])
        square = tensor("i64", [2, 2], [1, 0, 1, 1])
        for operator, inputs, call, expected in (
            ("onnx.Gather-13", {"indices": one}, "data[(slice(None),)", "[1, 2] 0000404000008040"),
            ("openvino.Gather-7", {"indices": one, **axis}, "torch.index_select", "[2, 1] 0000004000008040"),
            ("openvino.GatherElements-6", {"indices": square}, "torch.gather", "[2, 2] 00004040000000400000404000008040"),
            ("onnx.GatherND-13", {"indices": pairs}, "unbind", "[2, 2] 00004040000080400000803f00000040"),
        ):
            with self.subTest(operator=operator):
                self.assertIn("output", self.worker.call(operator, {"data": data, **inputs}))
                source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq})["source"]
                self.assertNotIn("worker", source)
                self.assertIn(call, source)
                self.assertIn(f"output {expected}", run_source(source, PYTHON))
        beyond = {"data": data, "indices": tensor("i64", [1], [2])}
        self.assertIn("rejected", self.worker.call("onnx.Gather-13", beyond))
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq})["source"]
        self.assertIn("IndexError: index 2 is out of bounds", run_source(source, PYTHON))

    def test_what_has_no_call_is_unsupported(self):
        inputs = {"data": tensor("f32", [1], [1.0]), "indices": tensor("i64", [1], [0])}
        for operator in ("openvino.Gather-8", "onnx.GatherElements-13"):
            self.assertIn("unsupported", self.worker.call(operator, inputs))
        narrow = {**inputs, "indices": tensor("i32", [1], [0])}
        self.assertIn("unsupported", self.worker.call("onnx.Gather-13", narrow))


class Operators:
    """The tests of PyTorch's own operators, whose axis is its dim."""

    index_types = []  # of torch.gather, torch.index_select and torch.take_along_dim

    def check(self, operator, indices, attributes, expected, data=TABLE):
        with self.subTest(operator=operator, data=data, indices=indices, attributes=attributes):
            answer = self.worker.call(operator, {"data": data, "indices": indices}, attributes)
            if expected is None:
                self.assertTrue({"rejected", "unsupported"} & set(answer), answer)
            else:
                self.assertEqual(answer, {"output": expected})

    def test_index_types_are_what_pytorch_takes(self):
        claimed = {operator: claim["indices"] for claim in self.hello["claims"] for operator in claim["operators"]}
        self.assertEqual([claimed[operator] for operator in sorted(claimed)], self.index_types)

    def test_index_select(self):
        rows = tensor("f32", [2, 2], [5.0, 6.0, 1.0, 2.0])
        for name in ("i32", "i64"):
            self.check("torch.index_select", tensor(name, [2], [2, 0]), {"axis": 0}, rows)
        self.check("torch.index_select", tensor("i64", [1], [1]), {"axis": -1}, tensor("f32", [3, 1], [2.0, 4.0, 6.0]))
        self.check("torch.index_select", tensor("i64", [0], []), {"axis": 1}, tensor("f32", [3, 0], []))
        for indices in ([3], [-1]):
            self.check("torch.index_select", tensor("i64", [1], indices), {"axis": 0}, None)
        for attributes in ({}, {"axis": 2}, {"axis": 1.0}):
            self.check("torch.index_select", tensor("i64", [1], [0]), attributes, None)

    def test_gather(self):
        square = tensor("f32", [2, 2], [1.0, 2.0, 3.0, 4.0])
        example = tensor("f32", [2, 2], [1.0, 1.0, 4.0, 3.0])
        self.check("torch.gather", tensor("i64", [2, 2], [0, 0, 1, 0]), {"axis": 1}, example, square)
        self.check("torch.gather", tensor("i64", [1, 1], [2]), {"axis": -2}, tensor("f32", [1, 1], [5.0]))
        self.check("torch.gather", tensor("i64", [4, 1], [0] * 4), {"axis": 1}, None)
        self.check("torch.gather", tensor("i64", [2], [0, 1]), {"axis": 0}, None)
        self.check("torch.gather", tensor("i64", [1, 1], [3]), {"axis": 0}, None)

    def test_take_along_dim(self):
        self.check("torch.take_along_dim", tensor("i64", [1, 2], [5, 0]), {}, tensor("f32", [2], [6.0, 1.0]))
        column = tensor("f32", [3, 1], [2.0, 3.0, 6.0])
        self.check("torch.take_along_dim", tensor("i64", [3, 1], [1, 0, 1]), {"axis": 1}, column)
        broadcast = tensor("f32", [3, 1], [2.0, 4.0, 6.0])
        self.check("torch.take_along_dim", tensor("i64", [1, 1], [1]), {"axis": 1}, broadcast)

    def test_bits_are_kept(self):
        for name, raw in (("f16", "017c"), ("bf16", "817f"), ("f32", "0100807f"), ("c64", "0100807f010080ff"), ("boolean", "01")):
            data = tensor(name, [1], bytes.fromhex(raw))
            for operator in ("torch.index_select", "torch.gather", "torch.take_along_dim"):
                self.check(operator, tensor("i64", [1], [0]), {"axis": 0}, data, data)


@unittest.skipIf(REASON, REASON)
class NativeWorker(Operators, unittest.TestCase):
    index_types = [["i64"], ["i32", "i64"], ["i64"]]

    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess(os.path.join(ADAPTERS, "torch_native_worker.py"))
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def test_what_is_no_argument_is_rejected_and_what_is_no_type_unsupported(self):
        one = tensor("i64", [1, 1], [0])
        for inputs, attributes in (
            ({"data": TABLE}, {}),
            ({"data": TABLE, "indices": one, "more": one}, {}),
            ({}, {"batch_dims": 0}),
        ):
            answer = self.worker.call("torch.gather", inputs or {"data": TABLE, "indices": one}, {"axis": 0, **attributes})
            self.assertIn("TypeError: gather() ", answer["rejected"]["message"])
        small = {"data": tensor("u4", [1], b"\1"), "indices": one}
        self.assertIn("no type for u4", self.worker.call("torch.gather", small, {"axis": 0})["unsupported"])

    def test_a_reproducer_shows_the_same_output(self):
        inputs = {"data": TABLE, "indices": tensor("i64", [1, 2], [2, 0])}
        self.assertIn("output", self.worker.call("torch.gather", inputs, {"axis": 0}))
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq})["source"]
        self.assertNotIn("worker", source)
        self.assertIn("output [1, 2] 0000a04000000040", run_source(source, PYTHON))


@unittest.skipUnless(engine("torch-current"), "tools/setup.sh torch-current has not been run")
class CurrentWorker(Operators, unittest.TestCase):
    index_types = [["i32", "i64"], ["i32", "i64"], ["i64"]]

    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess([os.path.join(engine("torch-current"), "worker")])
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def test_indices_from_the_end_count_in_take_along_dim_only(self):
        last = tensor("i64", [1, 1], [-1])
        self.check("torch.take_along_dim", last, {"axis": 0}, tensor("f32", [1, 2], [5.0, 6.0]))
        self.check("torch.gather", last, {"axis": 0}, None)

    def test_what_the_interface_cannot_express_is_unsupported(self):
        one = tensor("i64", [1, 1], [0])
        whole = {"data": TABLE, "indices": one}
        for inputs, attributes in (
            ({"data": TABLE}, {"axis": 0}),
            ({**whole, "more": one}, {"axis": 0}),
            (whole, {}),
            (whole, {"axis": 0.0}),
            (whole, {"axis": 0, "batch_dims": 0}),
            ({**whole, "data": tensor("u4", [1], b"\1")}, {"axis": 0}),
        ):
            self.assertIn("unsupported", self.worker.call("torch.gather", inputs, attributes))


if __name__ == "__main__":
    unittest.main()
