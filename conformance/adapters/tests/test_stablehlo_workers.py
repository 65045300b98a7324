# SPDX-License-Identifier: Apache-2.0
# Tests of the workers of XLA and of StableHLO's interpreter on literal calls.
import os
import unittest

from worker_process import ADAPTERS, WorkerProcess, missing, routes, run_source, tensor

REASON = missing("numpy", "jax")
GATHER = "stablehlo.gather"
# The example of the specification.
EXAMPLE = {
    "offset_dims": [3, 4],
    "collapsed_slice_dims": [1],
    "operand_batching_dims": [0],
    "start_indices_batching_dims": [1],
    "start_index_map": [2, 1],
    "index_vector_dim": 3,
    "slice_sizes": [1, 1, 2, 2],
    "indices_are_sorted": False,
}
OPERAND = tensor("i32", [2, 3, 4, 2], list(range(1, 49)))
START = tensor("i64", [2, 2, 3, 2], [0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0])
RESULT = tensor(
    "i32",
    [2, 2, 3, 2, 2],
    [1, 2, 3, 4, 3, 4, 5, 6, 13, 14, 15, 16, 33, 34, 35, 36, 35, 36, 37, 38, 41, 42, 43, 44]
    + [1, 2, 3, 4, 13, 14, 15, 16, 21, 22, 23, 24, 43, 44, 45, 46, 33, 34, 35, 36, 27, 28, 29, 30],
)  # fmt: skip
# Elements of a vector.
ELEMENTS = {
    "offset_dims": [],
    "collapsed_slice_dims": [0],
    "operand_batching_dims": [],
    "start_indices_batching_dims": [],
    "start_index_map": [0],
    "index_vector_dim": 1,
    "slice_sizes": [1],
}
# Slices of a matrix.
SLICES = {**ELEMENTS, "offset_dims": [1, 2], "collapsed_slice_dims": [], "start_index_map": [0, 1], "slice_sizes": [2, 1]}
PICKED = tensor("i64", [4], [2, 0, -5, 99])  # indices are clamped and never count from the end


class OfEngine:
    """The tests of one engine."""

    script = ""
    takes_complex = True
    keeps_nans = True  # each NaN; any will do where one is expected
    reads_unsigned = True

    @classmethod
    def setUpClass(cls):
        if REASON:
            raise unittest.SkipTest(REASON)
        cls.worker = WorkerProcess(os.path.join(ADAPTERS, cls.script))
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def check(self, data, indices, attributes, expected):
        for route in routes(self.hello["claims"], GATHER):
            with self.subTest(data=data, indices=indices, attributes=attributes, route=route):
                answer = self.worker.call(GATHER, {"data": data, "indices": indices}, attributes, route)
                self.assertEqual(answer, {"output": expected})

    def test_three_routes_are_claimed(self):
        claimed = [(route["operands"], route["shapes"]) for route in routes(self.hello["claims"], GATHER)]
        self.assertEqual(claimed, [("runtime", "static"), ("constant", "static"), ("folded", "static")])
        self.assertEqual({operator for claim in self.hello["claims"] for operator in claim["operators"]}, {GATHER})

    def test_the_example_of_the_specification(self):
        self.check(OPERAND, START, EXAMPLE, RESULT)

    def test_slices_are_clamped_as_a_whole(self):
        matrix = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        starts = tensor("i32", [3, 2], [0, 1, 2, 0, -1, 7])
        expected = tensor("f32", [3, 2, 1], [2.0, 4.0, 3.0, 5.0, 2.0, 4.0])
        self.check(matrix, starts, SLICES, expected)

    def test_no_elements(self):
        matrix, none = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), tensor("i64", [0, 2], [])
        self.check(matrix, none, SLICES, tensor("f32", [0, 2, 1], []))
        self.check(matrix, tensor("i64", [2, 2], [0] * 4), {**SLICES, "slice_sizes": [2, 0]}, tensor("f32", [2, 2, 0], []))

    def test_a_scalar(self):
        attributes = {**ELEMENTS, "collapsed_slice_dims": [], "start_index_map": [], "slice_sizes": [], "index_vector_dim": 0}
        self.check(tensor("f64", [], [3.5]), tensor("i64", [0], []), attributes, tensor("f64", [], [3.5]))

    def test_bits_are_kept(self):
        first, last = "0100807f00000080", "0400000005000000"
        for name, given, expected in (
            ("bf16", "0181ff7e8180", "8180018101818180"),
            ("f16", "0180ff7b01fc", "01fc0180018001fc"),
            ("f32", "01000080000000000100c0ff", "0100c0ff01000080010000800100c0ff"),
            ("f8e5m2", "7b8001", "017b7b01"),
            ("f8e4m3", "7e8001", "017e7e01"),
            ("f4e2m1", "9e07", "e77e"),  # 14, 9, 7 -> 7, 14, 14, 7
            ("i4", "9e07", "e77e"),
            ("u2", "1b", "7d"),  # 3, 2, 1 -> 1, 3, 3, 1
            ("boolean", "010001", "01010101"),
            ("boolean", "000001", "01000001"),
            ("c64", first + "00" * 8 + last, last + first + first + last),
        ):  # fmt: skip
            if name != "c64" or self.takes_complex:
                data = tensor(name, [3], bytes.fromhex(given))
                self.check(data, PICKED, ELEMENTS, tensor(name, [4], bytes.fromhex(expected)))
        if self.keeps_nans:
            for name, given, expected in (("bf16", "0181ff7e817f", "817f01810181817f"), ("f8e5m2", "7d80fe", "fe7d7dfe")):
                data = tensor(name, [3], bytes.fromhex(given))
                self.check(data, PICKED, ELEMENTS, tensor(name, [4], bytes.fromhex(expected)))

    def test_unsigned_indices_are_not_taken_for_negative_ones(self):
        if not self.reads_unsigned:
            self.skipTest("the engine takes them for signed")
        data = tensor("u8", [3], [1, 2, 3])
        for name, largest in (("u8", 255), ("u32", 2**32 - 1), ("u64", 2**64 - 1)):
            self.check(data, tensor(name, [2], [largest, 0]), ELEMENTS, tensor("u8", [2], [3, 1]))

    def test_what_the_operation_forbids_is_rejected(self):
        for change in (
            {"index_vector_dim": 5},
            {"index_vector_dim": 1.0},
            {"index_vector_dim": "3"},
            {"index_vector_dim": True},
            {"offset_dims": [4, 3]},
            {"slice_sizes": [1, 1, 2, 3]},
            {"slice_sizes": [1, 1, 2]},
            {"start_index_map": [2, 4]},
            {"indices_are_sorted": 1},
            {"axis": 0},
        ):
            with self.subTest(change=change):
                answer = self.worker.call(GATHER, {"data": OPERAND, "indices": START}, {**EXAMPLE, **change})
                self.assertEqual(answer["rejected"]["phase"], "build")
        floats = tensor("f32", [1], [0.0])
        for inputs in ({"data": floats}, {"data": floats, "indices": floats}, {"data": floats, "indices": PICKED, "more": floats}):
            self.assertEqual(self.worker.call(GATHER, inputs, ELEMENTS)["rejected"]["phase"], "build")

    def test_what_cannot_be_said_is_unsupported(self):
        inputs = {"data": tensor("u8", [3], [1, 2, 3]), "indices": PICKED}
        absent = {name: value for name, value in ELEMENTS.items() if name != "index_vector_dim"}
        self.assertIn("index_vector_dim is absent", self.worker.call(GATHER, inputs, absent)["unsupported"])
        self.assertIn("unsupported", self.worker.call("onnx.Gather-13", inputs))
        self.assertIn("unsupported", self.worker.call(GATHER, inputs, ELEMENTS, {"shapes": "dynamic"}))
        strings = {**inputs, "data": tensor("string", [1], ["a"])}
        self.assertIn("unsupported", self.worker.call(GATHER, strings, ELEMENTS))
        if not self.takes_complex:
            for operands in ("runtime", "folded"):
                answer = self.worker.call(
                    GATHER, {**inputs, "data": tensor("c64", [1], bytes(8))}, ELEMENTS, {"operands": operands}
                )
                self.assertIn("complex", answer["unsupported"])

    def test_a_model_is_kept_for_a_sequence(self):
        for values, expected in (([0, 2], [1, 3]), ([1, 1], [2, 2])):
            inputs = {"data": tensor("u8", [3], [1, 2, 3]), "indices": tensor("i64", [2], values)}
            answer = self.worker.call(GATHER, inputs, ELEMENTS, model=1)
            self.assertEqual(answer, {"output": tensor("u8", [2], expected)})

    def test_a_reproducer_shows_the_same_output(self):
        inputs = {"data": tensor("i4", [3], b"\x9e\x07"), "indices": PICKED}
        for operands in ("runtime", "constant", "folded"):
            self.worker.call(GATHER, inputs, ELEMENTS, {"operands": operands})
            source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
            self.assertNotIn("worker", source)
            self.assertRegex(run_source(source), r"output \[4\] (070e0e07|07fefe07)\n")


class Xla(OfEngine, unittest.TestCase):
    script = "jax_xla_worker.py"
    keeps_nans = False


class Interpreter(OfEngine, unittest.TestCase):
    script = "jax_interpreter_worker.py"
    takes_complex = False
    reads_unsigned = False


if __name__ == "__main__":
    unittest.main()
