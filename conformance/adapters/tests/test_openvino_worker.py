# SPDX-License-Identifier: Apache-2.0
# Tests of the OpenVINO worker on literal calls of every operator version and route.
import os
import subprocess
import sys
import unittest

import engine_calls
from worker_process import ADAPTERS, WorkerProcess, missing, routes, run_source, tensor

REASON = missing("numpy", "openvino")
DATA = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
INDICES = tensor("i64", [2], [2, -1])
AXIS = tensor("i64", [], [0])
INPUTS = {"data": DATA, "indices": INDICES, "axis": AXIS}


@unittest.skipIf(REASON, REASON)
class OpenVinoWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess(os.path.join(ADAPTERS, "openvino_worker.py"))
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def check(self, operators, count, calls, known=()):
        for operator in operators:
            on = routes(self.hello["claims"], f"openvino.{operator}")
            self.assertEqual(len(on), count)
            for route in on:
                # A run-time axis of a model with static shapes: the plug-in refuses the model or dies.
                if route["axis"] == "constant" or route["shapes"] == "dynamic":
                    engine_calls.check(self, self.worker, f"openvino.{operator}", route, calls, known)

    # Departures of the plug-in: it cuts 64-bit data to 32 bits, makes signalling NaNs of f16 quiet, and dies of Gather
    # without indices when shapes are static.
    KNOWN = ("integers of 64 bits", "bits of f16", "no indices")

    def test_gather_answers_literal_calls_on_every_route(self):
        self.check(("Gather-1", "Gather-7", "Gather-8"), 7, engine_calls.GATHER, self.KNOWN)

    def test_gather_elements_answers_literal_calls_on_every_route(self):
        self.check(("GatherElements-6",), 5, engine_calls.GATHER_ELEMENTS, self.KNOWN)

    def test_gather_nd_answers_literal_calls_on_every_route(self):
        self.check(("GatherND-5", "GatherND-8"), 4, engine_calls.GATHER_ND, self.KNOWN)

    def test_batch_dims_is_handed_over(self):
        data = tensor("i32", [2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        inputs = {"data": data, "indices": tensor("i32", [2, 3], [0, 0, 4, 4, 0, 0]), "axis": tensor("i64", [], [1])}
        for operator in ("openvino.Gather-7", "openvino.Gather-8"):
            for batch_dims in (1, -1):
                answer = self.worker.call(operator, inputs, {"batch_dims": batch_dims})
                self.assertEqual(answer, {"output": tensor("i32", [2, 3], [1, 1, 5, 10, 6, 6])})

    def test_gather_8_fills_with_zeros(self):
        for route in routes(self.hello["claims"], "openvino.Gather-8"):
            if route["axis"] == "constant":
                inputs = {**INPUTS, "indices": tensor("i64", [3], [3, -1, -4])}
                answer = self.worker.call("openvino.Gather-8", inputs, {}, route)
                self.assertEqual(answer, {"output": tensor("f32", [3, 2], [0.0, 0.0, 5.0, 6.0, 0.0, 0.0])})

    def test_types_of_one_byte_and_packed_nibbles_pass_unchanged(self):
        for element_type, data, expected in (
            ("f8e4m3", "007f80ff", "ff00"),
            ("f8e5m2", "007d80ff", "ff00"),
            ("f8e8m0", "007f80ff", "ff00"),
            ("i4", "9f83", "f8"),
            ("u4", "9f83", "f8"),
        ):
            with self.subTest(type=element_type):
                packed = tensor(element_type, [4], bytes.fromhex(data))
                inputs = {"data": packed, "indices": tensor("i64", [2], [3, 0]), "axis": AXIS}
                answer = self.worker.call("openvino.Gather-8", inputs)
                self.assertEqual(answer, {"output": tensor(element_type, [2], bytes.fromhex(expected))})

    def test_indices_and_axis_of_every_integer_type_are_taken(self):
        for element_type in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
            with self.subTest(type=element_type):
                inputs = {
                    "data": DATA,
                    "indices": tensor(element_type, [1], [2]),
                    "axis": tensor(element_type, [1], [0]),
                }
                answer = self.worker.call("openvino.Gather-8", inputs)
                self.assertEqual(answer, {"output": tensor("f32", [1, 2], [5.0, 6.0])})

    def test_a_type_whose_outputs_overflow_is_answered_in_a_process_of_its_own(self):
        inputs = {"data": tensor("nf4", [4], bytes.fromhex("2143")), "indices": tensor("i64", [4], [3, 2, 1, 0])}
        for _ in range(3):
            answer = self.worker.call("openvino.Gather-8", {**inputs, "axis": AXIS})
            self.assertEqual(answer["output"]["shape"], [4])
        self.assertIn("output", self.worker.call("openvino.Gather-8", INPUTS))

    def test_attributes_are_handed_over_as_they_are(self):
        inputs = {"data": DATA, "indices": tensor("i64", [3, 2], [0] * 6)}
        for value, word, phase in (
            (1.0, "float", "build"),
            ("1", "str", "build"),
            ([1], "list", "build"),
            (None, "NoneType", "build"),
            (2**70, "int", "build"),
            (9, "Axis 9 out of the tensor rank range", "shape"),
        ):
            with self.subTest(value=value):
                answer = self.worker.call("openvino.GatherElements-6", inputs, {"axis": value})
                self.assertEqual(answer["rejected"]["phase"], phase)
                self.assertIn(word, answer["rejected"]["message"])

    def test_surplus_and_missing_inputs_reach_the_engine(self):
        for inputs in ({}, {"data": DATA}, {"indices": INDICES, "axis": AXIS}, {**INPUTS, "more": AXIS}):
            with self.subTest(inputs=list(inputs)):
                self.assertEqual(self.worker.call("openvino.Gather-8", inputs)["rejected"]["phase"], "build")

    def test_the_phase_of_a_rejection_is_that_of_the_failed_check(self):
        for change, phase in (
            ({"indices": tensor("f32", [1], [0.0])}, "build"),
            ({"axis": tensor("f32", [], [0.0])}, "build"),
            ({"axis": tensor("i64", [2], [0, 1])}, "shape"),
            ({"axis": tensor("i64", [], [2])}, "shape"),
            ({"data": tensor("f32", [], [0.0])}, "shape"),
        ):
            with self.subTest(change=change):
                answer = self.worker.call("openvino.Gather-8", {**INPUTS, **change})
                self.assertEqual(answer["rejected"]["phase"], phase)

    def test_types_that_the_engine_does_not_implement_are_unsupported(self):
        for data in (tensor("u3", [1], b"\1"), tensor("c64", [1], bytes(8)), tensor("f8e4m3fnuz", [1], b"\1")):
            self.assertIn("unsupported", self.worker.call("openvino.Gather-8", {**INPUTS, "data": data}))
        inputs = {"data": tensor("string", [1], ["a"]), "indices": tensor("i64", [1], [0])}
        self.assertIn("unsupported", self.worker.call("openvino.GatherElements-6", inputs))
        self.assertIn("unsupported", self.worker.call("onnx.Gather-13", {"data": DATA, "indices": INDICES}))

    def test_described_calls_answer_unknown_extents_as_null(self):
        data, indices = {"type": "u3", "shape": [6, 12, 10, 24]}, {"type": "i64", "shape": [15, 4]}
        inputs = {"data": data, "indices": indices, "axis": tensor("i64", [1], [1])}
        for route, shape in (
            ({}, [6, 15, 4, 10, 24]),
            ({"shapes": "dynamic"}, [None] * 5),
            ({"axis": "runtime"}, [None] * 5),
        ):
            with self.subTest(route=route):
                answer = self.worker.call("openvino.Gather-1", inputs, {}, route, message="describe")
                self.assertEqual(answer, {"descriptor": {"type": "u3", "shape": shape}})

    def test_a_reproducer_shows_the_same_output(self):
        for route in routes(self.hello["claims"], "openvino.Gather-8"):
            if route["axis"] == "constant":
                with self.subTest(route=route):
                    self.worker.call("openvino.Gather-8", INPUTS, {"batch_dims": 0}, route)
                    asked = {"message": "reproduce", "seq": self.worker.seq, "language": "python"}
                    source = self.worker.ask(asked)["source"]
                    self.assertNotIn("gathercheck", source)
                    self.assertIn("output [2, 2] 0000a0400000c0400000a0400000c040", run_source(source))

    def test_a_reproducer_that_passes_another_element_type_fails(self):
        inputs = {**INPUTS, "data": tensor("u8", [3], [1, 2, 255])}
        self.worker.call("openvino.Gather-8", inputs, {"batch_dims": 0})
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
        self.assertIn("output [2] ff", run_source(source))
        wrong = source.replace("tensor('u8'", "tensor('i8'").replace("ov.Type.u8", "ov.Type.i8")
        done = subprocess.run([sys.executable, "-c", wrong], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("AssertionError: ['i8', 'i64', 'i64']", done.stderr)

    def test_the_calls_of_a_sequence_share_a_model(self):
        self.assertIn("models", self.hello["features"])
        for picks, expected in (([2, 0], [5.0, 6.0, 1.0, 2.0]), ([1, 1], [3.0, 4.0, 3.0, 4.0])):
            inputs = {**INPUTS, "indices": tensor("i64", [2], picks)}
            answer = self.worker.call("openvino.Gather-8", inputs, route={"shapes": "dynamic"}, model=1)
            self.assertEqual(answer, {"output": tensor("f32", [2, 2], expected)})

    def test_a_reproducer_of_a_sequence_makes_all_its_calls(self):
        def call(picks):
            inputs = {**INPUTS, "indices": tensor("i64", [1], picks)}
            return {"operator": "openvino.Gather-8", "route": {}, "attributes": {}, "inputs": inputs}

        asked = {"message": "reproduce", "seq": 99, "language": "python", **call([1]), "before": [call([0]), call([2])]}
        source = self.worker.ask(asked)["source"]
        self.assertEqual(source.count("compile_model"), 1)
        printed = [line for line in run_source(source).splitlines() if line.startswith("output")]
        self.assertEqual(
            printed,
            ["output [1, 2] 0000803f00000040", "output [1, 2] 0000a0400000c040", "output [1, 2] 0000404000008040"],
        )


if __name__ == "__main__":
    unittest.main()
