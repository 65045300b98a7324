# SPDX-License-Identifier: Apache-2.0
# Tests of the ONNX Runtime worker on literal calls of every operator version and route.
import os
import unittest

import engine_calls
from worker_process import ADAPTERS, WorkerProcess, missing, routes, run_source, tensor

REASON = missing("numpy", "onnx", "onnxruntime")
DATA = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
INDICES = tensor("i64", [2], [2, -1])


@unittest.skipIf(REASON, REASON)
class OnnxRuntimeWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess(os.path.join(ADAPTERS, "onnxruntime_worker.py"))
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def check(self, name, versions, calls, known=()):
        for version in versions:
            operator = f"onnx.{name}-{version}"
            on = routes(self.hello["claims"], operator)
            self.assertEqual(len(on), 5)
            for route in on:
                engine_calls.check(self, self.worker, operator, route, calls, known)

    def test_gather_answers_literal_calls_on_every_route(self):
        self.check("Gather", (1, 11, 13), engine_calls.GATHER)

    def test_gather_elements_answers_literal_calls_on_every_route(self):
        self.check("GatherElements", (11, 13), engine_calls.GATHER_ELEMENTS)

    def test_gather_nd_answers_literal_calls_on_every_route(self):
        without_batch = [call for call in engine_calls.GATHER_ND if call[1] is None]
        self.check("GatherND", (11,), without_batch)
        # The kernel lets batch sizes differ.
        self.check("GatherND", (12, 13), engine_calls.GATHER_ND, known=["batch sizes that differ"])

    def test_negative_indices_count_from_the_end(self):
        answer = self.worker.call("onnx.Gather-13", {"data": DATA, "indices": INDICES})
        self.assertEqual(answer, {"output": tensor("f32", [2, 2], [5.0, 6.0, 5.0, 6.0])})

    def test_an_index_out_of_bounds_is_rejected_at_run(self):
        for operands in ("runtime", "constant", "folded"):
            inputs = {"data": DATA, "indices": tensor("i64", [1], [3])}
            answer = self.worker.call("onnx.Gather-13", inputs, route={"operands": operands})
            self.assertEqual(answer["rejected"]["phase"], "run")
            self.assertIn("idx=3", answer["rejected"]["message"])

    def test_bf16_is_data_of_version_13_only(self):
        inputs = {"data": tensor("bf16", [2], bytes.fromhex("817f0080")), "indices": tensor("i32", [1], [0])}
        answer = self.worker.call("onnx.Gather-13", inputs)
        self.assertEqual(answer, {"output": tensor("bf16", [1], bytes.fromhex("817f"))})
        self.assertEqual(self.worker.call("onnx.Gather-11", inputs)["rejected"]["phase"], "build")

    def test_attributes_are_handed_over_as_they_are(self):
        for value, word, phase in (
            (1.0, "FLOAT", "build"),
            ("1", "STRING", "build"),
            ([1], "INTS", "build"),
            ([0.5], "FLOATS", "build"),
            (["a"], "STRINGS", "build"),
            (9, "ShapeInferenceError", "shape"),
        ):
            with self.subTest(value=value):
                answer = self.worker.call("onnx.Gather-13", {"data": DATA, "indices": INDICES}, {"axis": value})
                self.assertEqual(answer["rejected"]["phase"], phase)
                self.assertIn(word, answer["rejected"]["message"])
        for value in (True, None, {}, 2**63, ["a", 1]):
            with self.subTest(value=value):
                answer = self.worker.call("onnx.Gather-13", {"data": DATA, "indices": INDICES}, {"axis": value})
                self.assertIn("attribute axis", answer["unsupported"])

    def test_surplus_and_missing_inputs_reach_the_engine(self):
        for inputs in ({"data": DATA}, {"indices": INDICES}, {}, {"data": DATA, "indices": INDICES, "axis": INDICES}):
            with self.subTest(inputs=list(inputs)):
                self.assertEqual(self.worker.call("onnx.Gather-13", inputs)["rejected"]["phase"], "build")
        answer = self.worker.call("onnx.Gather-13", {"data": DATA, "indices": INDICES}, {"bogus": 1})
        self.assertIn("bogus", answer["rejected"]["message"])

    def test_types_that_the_engine_does_not_implement_are_unsupported(self):
        data = tensor("c64", [1], bytes(8))
        answer = self.worker.call("onnx.Gather-13", {"data": data, "indices": INDICES})
        self.assertIn("complex64", answer["unsupported"])
        self.assertIn("unsupported", self.worker.call("openvino.Gather-7", {"data": DATA, "indices": INDICES}))

    def test_described_calls_tell_scalars_from_unknown_shapes(self):
        for data, indices, shapes, expected in (
            ([2**40, 2**40], [5], "static", [5, 2**40]),
            ([3], [], "static", []),
            ([3], [], "dynamic", []),
            ([3, 2], [4], "dynamic", [None, None]),
        ):
            with self.subTest(data=data, shapes=shapes):
                inputs = {"data": {"type": "f32", "shape": data}, "indices": {"type": "i64", "shape": indices}}
                answer = self.worker.call("onnx.Gather-13", inputs, route={"shapes": shapes}, message="describe")
                self.assertEqual(answer, {"descriptor": {"type": "f32", "shape": expected}})
        inputs = {"data": {"type": "f32", "shape": []}, "indices": {"type": "i64", "shape": [1]}}
        answer = self.worker.call("onnx.Gather-13", inputs, message="describe")
        self.assertEqual(answer["rejected"]["phase"], "shape")

    def test_a_reproducer_shows_the_same_output(self):
        for route in routes(self.hello["claims"], "onnx.Gather-13"):
            with self.subTest(route=route):
                self.worker.call("onnx.Gather-13", {"data": DATA, "indices": INDICES}, {"axis": 0}, route)
                asked = {"message": "reproduce", "seq": self.worker.seq, "language": "python"}
                source = self.worker.ask(asked)["source"]
                self.assertNotIn("gathercheck", source)
                self.assertIn("output [2, 2] 0000a0400000c0400000a0400000c040", run_source(source))

    def test_the_calls_of_a_sequence_share_a_model_and_a_rejected_one_does_not_end_it(self):
        self.assertIn("models", self.hello["features"])
        for shapes in ("static", "dynamic"):
            with self.subTest(shapes=shapes):
                model = self.worker.seq + 1
                answers = []
                for picks in ([2, 0], [3, 0], [1, -1]):
                    inputs = {"data": DATA, "indices": tensor("i64", [2], picks)}
                    answers.append(self.worker.call("onnx.Gather-13", inputs, {"axis": 0}, {"shapes": shapes}, model=model))
                self.assertEqual(answers[0], {"output": tensor("f32", [2, 2], [5.0, 6.0, 1.0, 2.0])})
                self.assertEqual(answers[1]["rejected"]["phase"], "run")
                self.assertEqual(answers[2], {"output": tensor("f32", [2, 2], [3.0, 4.0, 5.0, 6.0])})

    def test_a_model_of_dynamic_shapes_is_asked_of_other_ones(self):
        small = {"data": tensor("f32", [1, 2], [7.0, 8.0]), "indices": tensor("i64", [1], [0])}
        for inputs in ({"data": DATA, "indices": INDICES}, small, {"data": DATA, "indices": INDICES}):
            answer = self.worker.call("onnx.Gather-13", inputs, {"axis": 0}, {"shapes": "dynamic"}, model=1000)
            expected = inputs is small and tensor("f32", [1, 2], [7.0, 8.0])
            self.assertEqual(answer, {"output": expected or tensor("f32", [2, 2], [5.0, 6.0, 5.0, 6.0])})

    def test_a_reproducer_of_a_sequence_makes_all_its_calls(self):
        def call(picks):
            inputs = {"data": DATA, "indices": tensor("i64", [1], picks)}
            return {"operator": "onnx.Gather-13", "route": {}, "attributes": {"axis": 0}, "inputs": inputs}

        asked = {"message": "reproduce", "seq": 99, "language": "python", **call([1]), "before": [call([0]), call([3])]}
        source = self.worker.ask(asked)["source"]
        self.assertEqual(source.count("InferenceSession"), 1)
        printed = run_source(source).splitlines()
        self.assertEqual(printed[1], "output [1, 2] 0000803f00000040")
        self.assertTrue(printed[2].startswith("rejected"), printed)
        self.assertEqual(printed[-1], "output [1, 2] 0000404000008040")


if __name__ == "__main__":
    unittest.main()
