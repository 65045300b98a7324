# SPDX-License-Identifier: Apache-2.0
# Tests of the workers that run TensorFlow's operators, on literal calls.
import os
import signal
import subprocess
import unittest

import engine_calls
from worker_process import ADAPTERS, WorkerProcess, engine, missing, routes, run_source, tensor

GATHER, GATHER_ND = "tensorflow.GatherV2", "tensorflow.GatherNd"
AXIS = tensor("i32", [], [0])
DATA = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
INPUTS = {"data": DATA, "indices": tensor("i32", [2], [2, 0]), "axis": AXIS}
PAIRS = {"data": DATA, "indices": tensor("i32", [2, 1], [2, 0])}
NO_TFJS = "" if engine("tfjs") else "not installed: tfjs (tools/setup.sh tfjs)"
PICKED = "output [2, 2] 0000a0400000c0400000803f00000040"


class TensorFlowEngine:
    """The tests of every such worker; `known` names the literal calls that its engine answers in another way. Each call is
    asked on one route of `every`, with its indices in the first of the types `indices` where their own is none of these."""

    known = ()
    every = 1
    indices = ("i32", "i64")

    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess(cls.command())
        cls.hello = cls.worker.hello()

    @classmethod
    def command(cls):
        return os.path.join(ADAPTERS, cls.script)

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def claimed(self, operator, name):
        return any(operator in claim["operators"] and name in claim["data"] for claim in self.hello["claims"])

    def check(self, operator, calls):
        on = routes(self.hello["claims"], operator)
        self.assertEqual(len(on), self.routes[operator])
        calls = [
            (*first, data, (indices[0] if indices[0] in self.indices else self.indices[0], *indices[1:]), expected)
            for *first, data, indices, expected in calls
            if self.claimed(operator, data[0])
        ]
        for number, route in enumerate(on):
            share = calls[number % self.every :: self.every]
            engine_calls.check(self, self.worker, operator, route, share, self.known)

    def test_gather_answers_literal_calls_on_every_route(self):
        self.check(GATHER, engine_calls.GATHER_V2)

    def test_gather_nd_answers_literal_calls_on_every_route(self):
        self.check(GATHER_ND, engine_calls.GATHER_ND_OF_TENSORFLOW)

    def test_a_reproducer_shows_the_same_output(self):
        for operator, inputs in ((GATHER, INPUTS), (GATHER_ND, PAIRS)):
            for route in routes(self.hello["claims"], operator)[:: self.every]:
                with self.subTest(operator=operator, route=route):
                    self.assertIn("output", self.worker.call(operator, inputs, route=route))
                    self.assertIn(PICKED, self.reproduced())

    def reproduced(self):
        """What the program for the last call prints."""
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
        self.assertNotIn("worker", source)
        return run_source(source)


class Sequences:
    """Tests of workers that keep models."""

    def test_calls_of_a_sequence_have_one_model(self):
        route = {"operands": "runtime", "shapes": "dynamic"}
        other = {**INPUTS, "data": tensor("f32", [1, 1], [7.0]), "indices": tensor("i32", [3], [0, 0, 0])}
        beyond = {**INPUTS, "indices": tensor("i32", [1], [3])}
        calls = [INPUTS, other, beyond, INPUTS]
        answers = [self.worker.call(GATHER, inputs, route=route, model=1) for inputs in calls]
        self.assertEqual(answers[1], {"output": tensor("f32", [3, 1], [7.0, 7.0, 7.0])})
        self.assertEqual(answers[0], answers[3])
        self.assertEqual(answers[0], {"output": tensor("f32", [2, 2], [5.0, 6.0, 1.0, 2.0])})
        asked = {"message": "reproduce", "seq": self.worker.seq, "operator": GATHER, "route": route, "attributes": {}}
        before = [{"operator": GATHER, "route": route, "attributes": {}, "inputs": inputs} for inputs in calls[:-1]]
        source = self.worker.ask({**asked, "inputs": INPUTS, "before": before})["source"]
        shown = run_source(source)
        self.assertEqual(shown.count(PICKED), 2)
        self.assertIn("output [3, 1] 0000e0400000e0400000e040", shown)


@unittest.skipIf(missing("numpy", "ai_edge_litert"), missing("numpy", "ai_edge_litert"))
class LiteRt(TensorFlowEngine, Sequences, unittest.TestCase):
    script, routes = "litert_worker.py", {GATHER: 5, GATHER_ND: 5}

    def test_what_the_model_cannot_say_is_unsupported(self):
        floats = {**INPUTS, "axis": tensor("f32", [], [0.0])}
        for inputs, attributes in (
            ({"data": DATA, "indices": INPUTS["indices"]}, {}),
            ({**INPUTS, "axis": tensor("i32", [1], [0])}, {}),
            ({**INPUTS, "axis": tensor("i64", [], [2**31])}, {}),
            (floats, {}),
            (INPUTS, {"axis": 0}),
            (INPUTS, {"batch_dims": 1.5}),
            (INPUTS, {"batch_dims": 2**31}),
            (INPUTS, {"mode": 0}),
            ({**INPUTS, "data": tensor("u1", [3], b"\5")}, {}),
        ):
            with self.subTest(inputs=inputs, attributes=attributes):
                self.assertIn("unsupported", self.worker.call(GATHER, inputs, attributes))
        for name in ("data", "indices"):  # of a model that was built for other types
            self.assertIn("output", self.worker.call(GATHER, INPUTS, model=2))
            answer = self.worker.call(GATHER, {**INPUTS, name: tensor("u1", [3], b"\5")}, model=2)
            self.assertEqual(answer, {"unsupported": "LiteRT has no element type u1"})
        self.assertIn("unsupported", self.worker.call(GATHER, INPUTS, route={"axis": "runtime"}))
        self.assertIn("unsupported", self.worker.call(GATHER_ND, PAIRS, {"batch_dims": 0}))
        self.assertIn("unsupported", self.worker.call("onnx.Gather-13", PAIRS))

    def test_surplus_and_absent_operands_come_to_the_engine(self):
        surplus = self.worker.call(GATHER, {**INPUTS, "more": AXIS})
        self.assertIn("NumInputs(node) != 2 (3 != 2)", surplus["rejected"]["message"])
        for name in ("data", "indices"):
            rest = {key: value for key, value in INPUTS.items() if key != name}
            self.assertIn("rejected", self.worker.call(GATHER, rest))

    def test_rejections_tell_the_phase(self):
        for inputs, phase in (
            ({**INPUTS, "axis": tensor("i64", [], [2])}, "shape"),
            ({**INPUTS, "indices": tensor("i64", [1], [3])}, "run"),
        ):
            self.assertEqual(self.worker.call(GATHER, inputs)["rejected"]["phase"], phase)

    def test_a_dimension_beyond_31_bits_is_rejected(self):
        empty = tensor("f32", [2**31, 0], [])
        for operator, inputs in (
            (GATHER, {**INPUTS, "data": empty}),
            (GATHER_ND, {"data": empty, "indices": tensor("i32", [1, 1], [0])}),
        ):
            for operands, shapes in (("runtime", "static"), ("runtime", "dynamic"), ("folded", "static")):
                with self.subTest(operator=operator, operands=operands, shapes=shapes):
                    answer = self.worker.call(operator, inputs, route={"operands": operands, "shapes": shapes})
                    self.assertEqual(answer["rejected"]["phase"], "shape" if shapes == "dynamic" else "build")

    def test_types_pass_as_bits(self):
        for name, raw in (("f16", "017c"), ("bf16", "817f"), ("f32", "0100807f"), ("boolean", "01")):
            for operator, indices in ((GATHER, tensor("i16", [1], [0])), (GATHER_ND, tensor("i64", [1, 1], [0]))):
                with self.subTest(operator=operator, type=name):
                    inputs = {"data": tensor(name, [1], bytes.fromhex(raw)), "indices": indices}
                    inputs |= {"axis": AXIS} if operator == GATHER else {}
                    answer = self.worker.call(operator, inputs)
                    self.assertEqual(answer, {"output": tensor(name, [1], bytes.fromhex(raw))})

    def test_integers_below_a_byte_travel_packed(self):
        inputs = {**INPUTS, "data": tensor("i4", [3, 2], b"\x21\x83\xf7")}  # 1, 2; 3, -8; 7, -1
        for operands in ("runtime", "constant", "folded"):
            answer = self.worker.call(GATHER, inputs, route={"operands": operands})
            self.assertEqual(answer, {"output": tensor("i4", [2, 2], b"\xf7\x21")})
            self.assertIn("output [2, 2] f721", self.reproduced())

    def test_strings_and_empty_outputs_have_reproducers(self):
        letters = {**INPUTS, "data": tensor("string", [3], ["a", "b\0", "naïve"])}
        self.worker.call(GATHER, letters)
        self.assertIn("output [2] ['naïve', 'a']", self.reproduced())
        self.worker.call(GATHER, {**INPUTS, "indices": tensor("i32", [0], [])}, route={"operands": "folded"})
        self.assertIn("output [0, 2] \n", self.reproduced())


class PlainLiteRt(LiteRt):
    script = "litert_plain_worker.py"


@unittest.skipIf(missing("numpy", "tensorflow"), missing("numpy", "tensorflow"))
class TensorFlow(TensorFlowEngine, unittest.TestCase):
    script, routes = "tensorflow_worker.py", {GATHER: 1, GATHER_ND: 1}

    def test_what_is_no_argument_is_rejected(self):
        for inputs, attributes, words in (
            ({"data": DATA, "indices": INPUTS["indices"]}, {}, "missing 1 required positional argument: 'axis'"),
            (
                {**INPUTS, "axis": tensor("i32", [1], [0])},
                {},
                "InvalidArgumentError: .*axis must be scalar|ValueError: Shape must be rank 0",
            ),
            ({**INPUTS, "indices": tensor("u8", [1], [0])}, {}, "not in (the )?list of allowed values"),
            ({**INPUTS, "more": AXIS}, {}, "unexpected keyword argument 'more'"),
            (INPUTS, {"mode": 0}, "unexpected keyword argument 'mode'"),
            (INPUTS, {"batch_dims": 2**64}, "int too big|Value out of range"),
        ):
            with self.subTest(words=words):
                self.assertRegex(self.worker.call(GATHER, inputs, attributes)["rejected"]["message"], words)
        self.assertIn("unsupported", self.worker.call(GATHER, INPUTS, {"axis": 0}))
        self.assertIn("unsupported", self.worker.call("onnx.Gather-13", PAIRS))
        self.assertIn("nf4", self.worker.call(GATHER, {**INPUTS, "data": tensor("nf4", [1], b"\1")})["unsupported"])

    def test_types_pass_as_bits(self):
        for name, raw in (("f16", "017c"), ("bf16", "817f"), ("f32", "0100807f"), ("c64", "0100807f010080ff"), ("f8e4m3", "7f")):
            for operator, indices in ((GATHER, tensor("i16", [1], [0])), (GATHER_ND, tensor("i64", [1, 1], [0]))):
                with self.subTest(operator=operator, type=name):
                    inputs = {"data": tensor(name, [1], bytes.fromhex(raw)), "indices": indices}
                    inputs |= {"axis": AXIS} if operator == GATHER else {}
                    answer = self.worker.call(operator, inputs)
                    self.assertEqual(answer, {"output": tensor(name, [1], bytes.fromhex(raw))})

    def test_strings_have_reproducers(self):
        if self.claimed(GATHER, "string"):
            self.worker.call(GATHER, {**INPUTS, "data": tensor("string", [3], ["a", "b\0", "naïve"])})
            self.assertIn("output [2] ['naïve', 'a']", self.reproduced())


class Xla(TensorFlow, Sequences):
    script, routes = "tensorflow_xla_worker.py", {GATHER: 7, GATHER_ND: 5}
    # It clamps indices to the range, and does not compare batch dimensions.
    known = ("an index equal to the size of the axis", "a negative index", "an index equal to a size", "batch sizes that differ")
    every = 5  # to build a model takes it a tenth of a second


@unittest.skipIf(NO_TFJS, NO_TFJS)
class TensorFlowJs(TensorFlowEngine, unittest.TestCase):
    script, routes = "tfjs/worker.mjs", {GATHER: 1, GATHER_ND: 1}
    backend = "cpu"
    indices = ("i32",)
    known = ("an index equal to a size",)  # where it is inside all the same once the tuple is one number
    shown = PICKED.replace("output [2, 2]", "output float32 [2,2]")

    @classmethod
    def command(cls):
        return ["node", os.path.join(ADAPTERS, cls.script), engine("tfjs")]

    def test_a_reproducer_shows_the_same_output(self):
        for operator, inputs in ((GATHER, INPUTS), (GATHER_ND, PAIRS)):
            self.assertIn("output", self.worker.call(operator, inputs))
            self.assertIn(self.shown, self.shown_by(operator, inputs).stdout)

    def shown_by(self, operator, inputs):
        """The process of the program for a call."""
        asked = {"message": "reproduce", "seq": 1, "language": "javascript", "operator": operator, "inputs": inputs}
        source = self.worker.ask({**asked, "route": {}, "attributes": {}})["source"]
        self.assertIn(f"tf.setBackend('{self.backend}')", source)
        return subprocess.run(
            ["node", "-"], input=source, capture_output=True, text=True, timeout=120, check=False, cwd=engine("tfjs")
        )

    def test_what_javascript_cannot_say_is_unsupported(self):
        for inputs, attributes, words in (
            ({"data": DATA, "indices": INPUTS["indices"]}, {}, "an axis of its own"),
            ({**INPUTS, "axis": tensor("i32", [1], [0])}, {}, "one integer"),
            ({**INPUTS, "axis": tensor("i64", [], [2**53 + 1])}, {}, "9007199254740993 is not"),
            ({**INPUTS, "indices": tensor("i64", [1], [0])}, {}, "no tensors of i64"),
            ({**INPUTS, "more": AXIS}, {}, "no argument for more"),
            (INPUTS, {"axis": 0}, "no argument for axis"),
            (INPUTS, {"batch_dims": 0.0}, "batch_dims is a number"),
            (INPUTS, {"batch_dims": "0"}, "batch_dims is a number"),
        ):
            with self.subTest(words=words):
                self.assertIn(words, self.worker.call(GATHER, inputs, attributes)["unsupported"])
        self.assertIn("unsupported", self.worker.call(GATHER, INPUTS, route={"axis": "runtime"}))
        self.assertIn("unsupported", self.worker.call("onnx.Gather-13", PAIRS))

    def test_what_the_engine_refuses_is_rejected(self):
        self.assertIn("(0.5)", self.worker.call(GATHER, INPUTS, {"batch_dims": 0.5})["rejected"]["message"])
        for absent in ("data", "indices"):
            rest = {name: value for name, value in INPUTS.items() if name != absent}
            self.assertIn("rejected", self.worker.call(GATHER, rest))

    def test_what_is_refused_is_not_claimed(self):
        refused = {(data, entry["why"]) for entry in self.hello["not_implemented"] for data in entry["data"]}
        self.assertTrue(any(data == "c64" and ("complex" in why.lower()) for data, why in refused), refused)
        self.assertFalse(self.claimed(GATHER, "string"))
        self.assertTrue(self.claimed(GATHER_ND, "string"))


class TensorFlowJsWasm(TensorFlowJs):
    script, backend = "tfjs/wasm_worker.mjs", "wasm"
    # It takes the batches of indices for those of data, and compares no index of a tuple with the size.
    known = (
        ("a batch", "a batch, and a scalar of each", "a batch before the last axis")
        + ("an index equal to a size", "a negative index")
        + tuple(name for name, *_, data, _, _ in engine_calls.GATHER_ND_OF_TENSORFLOW if data[0] == "string")
    )

    def test_a_trap_ends_the_worker(self):
        letters = {"data": tensor("string", [1], ["a"]), "indices": tensor("i32", [1, 1], [0])}
        self.assertEqual(self.worker.call(GATHER_ND, letters), {"died": -signal.SIGABRT})
        self.assertEqual(self.shown_by(GATHER_ND, letters).returncode, -signal.SIGABRT)


if __name__ == "__main__":
    unittest.main()
