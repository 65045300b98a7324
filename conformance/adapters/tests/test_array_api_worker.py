# SPDX-License-Identifier: Apache-2.0
# Tests of the worker of the array API standard, with each module that is here, on literal calls.
import os
import sys
import unittest

from worker_process import ADAPTERS, WorkerProcess, missing, run_source, tensor

TABLE = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
TAKE, ALONG = "array_api.take", "array_api.take_along_axis"


class OfModule:
    """The tests of one module; those of `along` are of take_along_axis."""

    module = ""
    along = True

    @classmethod
    def setUpClass(cls):
        package = cls.module.split(".")[0]
        if reason := missing("numpy", package):
            raise unittest.SkipTest(reason)
        cls.worker = WorkerProcess([sys.executable, os.path.join(ADAPTERS, "array_api_worker.py"), cls.module])
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def check(self, operator, data, indices, attributes, expected):
        with self.subTest(operator=operator, data=data, indices=indices, attributes=attributes):
            answer = self.worker.call(operator, {"data": data, "indices": indices}, attributes)
            if expected is None:
                self.assertIn("rejected", answer)
            else:
                self.assertEqual(answer, {"output": expected})

    def test_it_says_what_it_is(self):
        self.assertEqual(self.hello["implementation"]["name"], self.module)
        claimed = {operator for claim in self.hello["claims"] for operator in claim["operators"]}
        self.assertEqual(claimed, {TAKE, ALONG} if self.along else {TAKE})

    def test_take(self):
        rows = tensor("f32", [4, 2], [5.0, 6.0, 1.0, 2.0, 5.0, 6.0, 3.0, 4.0])
        self.check(TAKE, TABLE, tensor("i64", [4], [2, 0, -1, -2]), {"axis": 0}, rows)
        columns = tensor("f32", [3, 1], [2.0, 4.0, 6.0])
        for axis in (1, -1):
            self.check(TAKE, TABLE, tensor("i32", [1], [1]), {"axis": axis}, columns)
        vector = tensor("i64", [3], [-(2**63), 2**53 + 1, 2**63 - 1])
        self.check(TAKE, vector, tensor("u8", [2], [2, 1]), {}, tensor("i64", [2], [2**63 - 1, 2**53 + 1]))
        self.check(TAKE, TABLE, tensor("i64", [0], []), {"axis": 1}, tensor("f32", [3, 0], []))

    def test_take_along_axis(self):
        if not self.along:
            answer = self.worker.call(ALONG, {"data": TABLE, "indices": tensor("i64", [1, 2], [2, 0])})
            self.assertIn(f"{self.module} has no take_along_axis", answer["unsupported"])
            return
        self.check(ALONG, TABLE, tensor("i64", [1, 2], [2, -3]), {"axis": 0}, tensor("f32", [1, 2], [5.0, 2.0]))
        last = tensor("f32", [3, 2], [2.0, 1.0, 3.0, 4.0, 6.0, 6.0])
        for attributes in ({}, {"axis": 1}):
            self.check(ALONG, TABLE, tensor("i64", [3, 2], [1, 0, 0, 1, -1, -1]), attributes, last)
        row = tensor("f32", [3, 1], [2.0, 4.0, 6.0])
        self.check(ALONG, TABLE, tensor("i64", [1, 1], [1]), {}, row)  # indices are broadcast

    def test_bits_are_kept(self):
        signalling = bytes.fromhex("0100807f0100c0ff00000080")
        expected = bytes.fromhex("000000800100c0ff0100807f")
        self.check(TAKE, tensor("f32", [3], signalling), tensor("i16", [3], [2, 1, 0]), {}, tensor("f32", [3], expected))
        c64 = tensor("c64", [2], bytes(range(0x70, 0x80)))
        self.check(TAKE, c64, tensor("u64", [1], [1]), {"axis": 0}, tensor("c64", [1], bytes(range(0x78, 0x80))))
        flags = tensor("boolean", [2], [True, False])
        self.check(TAKE, flags, tensor("i8", [3], [1, 0, -1]), {"axis": 0}, tensor("boolean", [3], [False, True, False]))

    def test_what_the_module_refuses_is_rejected_in_its_words(self):
        one = tensor("i64", [1], [0])
        for attributes in ({"axis": 2}, {"axis": -3}, {"axis": 0.5}, {"axis": "first"}, {"axis": 0, "batch_dims": 0}):
            self.check(TAKE, TABLE, one, attributes, None)
        self.check(TAKE, TABLE, tensor("f32", [1], [0.0]), {"axis": 0}, None)
        self.assertIn("Error: ", self.worker.call(TAKE, {"data": TABLE}, {"axis": 0})["rejected"]["message"])
        surplus = {"data": TABLE, "indices": one, "more": one}
        self.assertIn("rejected", self.worker.call(TAKE, surplus, {"axis": 0}))

    def test_what_is_none_of_the_standard_is_unsupported(self):
        one = tensor("i64", [1], [0])
        half = tensor("f16", [1], [0.5])
        self.assertIn("no type f16", self.worker.call(TAKE, {"data": half, "indices": one})["unsupported"])
        self.assertIn("no operator", self.worker.call("onnx.Gather-13", {"data": TABLE, "indices": one})["unsupported"])

    def test_a_shape_that_numpy_has_no_array_of_is_unsupported(self):
        empty = tensor("f32", [2**40, 2**40, 0], [])
        answer = self.worker.call(TAKE, {"data": empty, "indices": tensor("i64", [1], [0])}, {"axis": 0})
        self.assertIn("numpy has no array of shape", answer["unsupported"])

    def test_a_reproducer_shows_the_same_output(self):
        indices = tensor("i64", [2], [-1, 0])
        self.assertIn("output", self.worker.call(TAKE, {"data": TABLE, "indices": indices}, {"axis": 0}))
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
        self.assertNotIn("worker", source)
        self.assertIn("output [2, 2] 0000a0400000c0400000803f00000040", run_source(source))


class ArrayApiStrict(OfModule, unittest.TestCase):
    module = "array_api_strict"

    def test_it_demands_an_axis_of_matrices(self):
        self.check(TAKE, TABLE, tensor("i64", [1], [0]), {}, None)


class Numpy(OfModule, unittest.TestCase):
    module = "numpy"


class Jax(OfModule, unittest.TestCase):
    module = "jax.numpy"


class Dask(OfModule, unittest.TestCase):
    module = "dask.array"
    along = False


if __name__ == "__main__":
    unittest.main()
