# SPDX-License-Identifier: Apache-2.0
# Tests of the numpy worker on literal calls of every operator version.
import os
import unittest

import engine_calls
from worker_process import ADAPTERS, WorkerProcess, missing, routes, run_source, tensor

REASON = missing("numpy")
DATA = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
INDICES = tensor("i64", [2], [2, -1])
AXIS = tensor("i64", [], [0])
INPUTS = {"data": DATA, "indices": INDICES, "axis": AXIS}


@unittest.skipIf(REASON, REASON)
class NumpyWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess(os.path.join(ADAPTERS, "numpy_worker.py"))
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def check(self, operators, calls):
        for operator in operators:
            on = routes(self.hello["claims"], operator)
            self.assertEqual(on, [{"operands": "runtime", "shapes": "static", "axis": "constant"}])
            engine_calls.check(self, self.worker, operator, on[0], calls, ())

    def test_gather_answers_literal_calls(self):
        self.check([f"openvino.Gather-{version}" for version in (1, 7, 8)], engine_calls.GATHER)
        self.check([f"onnx.Gather-{version}" for version in (1, 11, 13)], engine_calls.GATHER)

    def test_gather_elements_answers_literal_calls(self):
        operators = ["openvino.GatherElements-6", "onnx.GatherElements-11", "onnx.GatherElements-13"]
        self.check(operators, engine_calls.GATHER_ELEMENTS)

    def test_gather_nd_answers_literal_calls(self):
        without_batch = [call for call in engine_calls.GATHER_ND if call[1] is None]
        self.check(["onnx.GatherND-11"], without_batch)
        self.check(["onnx.GatherND-12", "onnx.GatherND-13"], engine_calls.GATHER_ND)
        self.check(["openvino.GatherND-5", "openvino.GatherND-8"], engine_calls.GATHER_ND)

    def reproduced(self, operator, inputs, attributes):
        self.worker.call(operator, inputs, attributes)
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
        self.assertNotIn("worker", source)
        return run_source(source)

    def test_a_reproducer_shows_the_same_output(self):
        output = "output [2, 2] 0000a0400000c0400000a0400000c040"
        self.assertIn(output, self.reproduced("openvino.Gather-8", INPUTS, {"batch_dims": 0}))
        inputs = {"data": DATA, "indices": INDICES}
        self.assertIn(output, self.reproduced("onnx.Gather-13", inputs, {"axis": 0}))
        strings = {"data": tensor("string", [3], ["a", "", "\0"]), "indices": INDICES}
        self.assertIn("output [2] ['\\x00', '\\x00']", self.reproduced("onnx.Gather-13", strings, {}))
        inputs["indices"] = tensor("i64", [1, 2], [2, 0])
        self.assertIn("output [1, 2] 0000a04000000040", self.reproduced("onnx.GatherElements-13", inputs, {}))
        self.assertIn("output [1] 0000a040", self.reproduced("onnx.GatherND-13", inputs, {"batch_dims": 0}))

    def test_indices_past_the_end_are_rejected_at_run(self):
        two = tensor("i64", [1, 2], [0, 2])
        for operator, indices in (("onnx.Gather-13", two), ("onnx.GatherElements-13", two), ("onnx.GatherND-13", two)):
            with self.subTest(operator=operator):
                data = tensor("f32", [1, 2], [1.0, 2.0])
                answer = self.worker.call(operator, {"data": data, "indices": indices})
                self.assertEqual(answer["rejected"]["phase"], "run")
                self.assertIn("IndexError: index 2 is out of bounds", answer["rejected"]["message"])

    def test_gather_8_fills_with_zeros(self):
        inputs = {**INPUTS, "indices": tensor("i8", [4], [3, -3, -4, -128])}
        answer = self.worker.call("openvino.Gather-8", inputs)
        expected = tensor("f32", [4, 2], [0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0])
        self.assertEqual(answer, {"output": expected})
        inputs = {
            "data": tensor("string", [2, 1], ["a", "b"]),
            "indices": tensor("u64", [2, 2], [1, 2**64 - 1, 0, 1]),
            "axis": tensor("i64", [1], [-1]),
        }
        answer = self.worker.call("openvino.Gather-8", inputs, {"batch_dims": 1})
        self.assertEqual(answer, {"output": tensor("string", [2, 2], ["", "", "b", ""])})
        inputs = {"data": tensor("i32", [0], []), "indices": tensor("i64", [2], [0, -1]), "axis": AXIS}
        self.assertEqual(self.worker.call("openvino.Gather-8", inputs), {"output": tensor("i32", [2], [0, 0])})

    def test_batches_are_gathered_one_by_one(self):
        data = tensor("i32", [2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        inputs = {"data": data, "indices": tensor("i32", [2, 3], [0, 0, 4, 4, 0, 0]), "axis": tensor("i64", [], [1])}
        for operator in ("openvino.Gather-7", "openvino.Gather-8"):
            for batch_dims in (1, -1):
                answer = self.worker.call(operator, inputs, {"batch_dims": batch_dims})
                self.assertEqual(answer, {"output": tensor("i32", [2, 3], [1, 1, 5, 10, 6, 6])})
            answer = self.worker.call(operator, {**inputs, "axis": AXIS}, {"batch_dims": 1})
            self.assertEqual(answer["rejected"], {"message": "batch_dims beyond axis", "phase": "shape"})

    def test_gather_nd_5_multiplies_batch_dimensions(self):
        data, indices = tensor("u8", [2, 1, 2], [1, 2, 3, 4]), tensor("i64", [2, 1, 1, 1], [1, 0])
        for operator, shape in (("openvino.GatherND-5", [2, 1]), ("openvino.GatherND-8", [2, 1, 1])):
            answer = self.worker.call(operator, {"data": data, "indices": indices}, {"batch_dims": 2})
            self.assertEqual(answer, {"output": tensor("u8", shape, [2, 3])})

    def test_nothing_is_broadcast(self):
        square, row = tensor("u8", [2, 2], [1, 2, 3, 4]), tensor("u8", [1, 2], [1, 2])
        column, zeros = tensor("i64", [1, 2], [1, 0]), tensor("i64", [2, 2], [0] * 4)
        for operator in ("openvino.GatherElements-6", "onnx.GatherElements-13"):
            answer = self.worker.call(operator, {"data": row, "indices": zeros}, {"axis": 1})
            self.assertEqual(answer["rejected"]["phase"], "shape")
        short = {"data": square, "indices": column}
        answer = self.worker.call("onnx.GatherElements-13", short, {"axis": 1})
        self.assertEqual(answer, {"output": tensor("u8", [1, 2], [2, 1])})
        answer = self.worker.call("openvino.GatherElements-6", short, {"axis": 1})
        self.assertEqual(answer["rejected"]["phase"], "shape")
        for operator in ("onnx.GatherND-13", "openvino.GatherND-8"):
            inputs = {"data": row, "indices": tensor("i64", [2, 1], [0, 0])}
            answer = self.worker.call(operator, inputs, {"batch_dims": 1})
            self.assertEqual(answer["rejected"], {"message": "the batch dimensions differ", "phase": "shape"})

    def test_negative_indices_wrap_but_in_gather_elements_6(self):
        inputs = {"data": tensor("u8", [3], [1, 2, 3]), "indices": tensor("i32", [2], [-1, -3])}
        answer = self.worker.call("onnx.GatherElements-11", inputs)
        self.assertEqual(answer, {"output": tensor("u8", [2], [3, 1])})
        answer = self.worker.call("openvino.GatherElements-6", inputs)
        self.assertEqual(answer["rejected"], {"message": "a negative index", "phase": "run"})

    def test_types_pass_as_bits(self):
        for element_type in ("c128", "bf16", "f8e5m2"):
            with self.subTest(type=element_type):
                width = {"c128": 16, "bf16": 2, "f8e5m2": 1}[element_type]
                data = tensor(element_type, [2], bytes(range(0x78, 0x78 + 2 * width)))
                operator = "openvino.GatherND-8" if element_type == "f8e5m2" else "onnx.GatherND-13"
                answer = self.worker.call(operator, {"data": data, "indices": tensor("i64", [1, 1], [-1])})
                expected = tensor(element_type, [1], bytes(range(0x78 + width, 0x78 + 2 * width)))
                self.assertEqual(answer, {"output": expected})

    def test_what_is_not_claimed_is_unsupported(self):
        for operator, data, indices in (
            ("onnx.Gather-11", tensor("bf16", [1], bytes(2)), INDICES),
            ("onnx.Gather-13", DATA, tensor("u8", [1], [0])),
            ("onnx.GatherND-13", DATA, tensor("i32", [1, 1], [0])),
            ("openvino.Gather-8", tensor("c64", [1], bytes(8)), INDICES),
            ("openvino.Gather-8", tensor("u4", [1], b"\1"), INDICES),
            ("onnx.Scatter-11", DATA, INDICES),
        ):
            with self.subTest(operator=operator):
                self.assertIn("unsupported", self.worker.call(operator, {"data": data, "indices": indices}))

    def test_attributes_and_operands_of_the_wrong_kind_are_rejected(self):
        two = {"data": DATA, "indices": INDICES}
        for operator, inputs, attributes, phase in (
            ("onnx.Gather-13", {"data": DATA}, {}, "build"),
            ("onnx.Gather-13", INPUTS, {}, "build"),
            ("openvino.Gather-8", two, {}, "build"),
            ("onnx.Gather-13", two, {"axis": 1.0}, "build"),
            ("onnx.Gather-13", two, {"axis": True}, "build"),
            ("onnx.Gather-13", two, {"axis": 2}, "shape"),
            ("onnx.GatherND-11", two, {"batch_dims": 0}, "build"),
            ("openvino.Gather-8", {**INPUTS, "axis": tensor("f32", [], [0.0])}, {}, "build"),
            ("openvino.Gather-8", {**INPUTS, "axis": tensor("i64", [1, 1], [0])}, {}, "shape"),
            ("openvino.Gather-8", {**INPUTS, "axis": tensor("u64", [], [2**64 - 1])}, {}, "shape"),
        ):
            with self.subTest(operator=operator, attributes=attributes):
                self.assertEqual(self.worker.call(operator, inputs, attributes)["rejected"]["phase"], phase)


if __name__ == "__main__":
    unittest.main()
