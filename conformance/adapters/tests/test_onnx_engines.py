# SPDX-License-Identifier: Apache-2.0
# Tests of the other workers that run ONNX models: the evaluator, ONNX Runtime unoptimized and on the web, OpenCV,
# OpenVINO's front end, TVM, GoMLX, those written in Rust.
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import engine_calls
from worker_process import ADAPTERS, WorkerProcess, engine, missing, routes, run_source, tensor

DATA = tensor("f32", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
INDICES = tensor("i64", [2], [2, -1])
INPUTS = {"data": DATA, "indices": INDICES}


def saved(folder):
    """What the model in a folder, laid out as ONNX's node tests, yields for the inputs beside it."""
    import onnx
    import onnx.numpy_helper
    import onnx.reference

    inputs = {}
    for file in sorted(glob.glob(os.path.join(folder, "test_data_set_0", "input_*.pb"))):
        with open(file, "rb") as opened:
            operand = onnx.TensorProto.FromString(opened.read())
        inputs[operand.name] = onnx.numpy_helper.to_array(operand)
    (output,) = onnx.reference.ReferenceEvaluator(os.path.join(folder, "model.onnx")).run(None, inputs)
    return output.tobytes().hex()


def declared(folder):
    """What the model in a folder declares of its output: the number of the element type, and how many dimensions. ONNX's
    checker must take the model."""
    import onnx
    import onnx.checker

    model = onnx.load(os.path.join(folder, "model.onnx"))
    onnx.checker.check_model(model, full_check=True)
    output = model.graph.output[0].type.tensor_type
    return output.elem_type, len(output.shape.dim)


class OnnxEngine:
    """The tests of every such worker; `known` names the literal calls that its engine answers in another way."""

    known = ()
    refused = ()  # operators and routes of which the engine refuses every call
    nd_routes = 5

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

    def check(self, operator, calls, count=5):
        on = routes(self.hello["claims"], operator)
        self.assertEqual(len(on), count)
        for route in on:
            if (re.sub("onnx.|-.*", "", operator), route["operands"], route["shapes"]) not in self.refused:
                engine_calls.check(self, self.worker, operator, route, calls, self.known)

    def test_gather_answers_literal_calls_on_every_route(self):
        for version in (1, 11, 13):
            self.check(f"onnx.Gather-{version}", engine_calls.GATHER)

    def test_gather_elements_answers_literal_calls_on_every_route(self):
        for version in (11, 13):
            self.check(f"onnx.GatherElements-{version}", engine_calls.GATHER_ELEMENTS)

    def test_gather_nd_answers_literal_calls_on_every_route(self):
        self.check("onnx.GatherND-11", [call for call in engine_calls.GATHER_ND if call[1] is None], self.nd_routes)
        for version in (12, 13):
            self.check(f"onnx.GatherND-{version}", engine_calls.GATHER_ND, self.nd_routes)

    def test_what_the_model_cannot_say_is_unsupported(self):
        self.assertIn("unsupported", self.worker.call("openvino.Gather-7", INPUTS))
        self.assertIn("attribute axis", self.worker.call("onnx.Gather-13", INPUTS, {"axis": {}})["unsupported"])
        nf4 = {"data": tensor("nf4", [1], b"\1"), "indices": INDICES}
        self.assertIn("nf4", self.worker.call("onnx.Gather-13", nf4)["unsupported"])


class PythonEngine(OnnxEngine):
    """What the workers written in Python do besides."""

    def test_bf16_is_data_of_version_13_only(self):
        data = tensor("bf16", [2], bytes.fromhex("817f0080"))
        inputs = {"data": data, "indices": tensor("i32", [1], [0])}
        answer = self.worker.call("onnx.Gather-13", inputs)
        self.assertEqual(answer, {"output": tensor("bf16", [1], bytes.fromhex("817f"))})
        for claim in self.hello["claims"]:
            self.assertEqual("bf16" in claim["data"], claim["operators"][0].endswith("-13") and "f32" in claim["data"])

    def test_a_reproducer_shows_the_same_output(self):
        for route in routes(self.hello["claims"], "onnx.Gather-13"):
            with self.subTest(route=route):
                self.worker.call("onnx.Gather-13", INPUTS, {"axis": 0}, route)
                asked = {"message": "reproduce", "seq": self.worker.seq, "language": "python"}
                source = self.worker.ask(asked)["source"]
                self.assertNotIn("gathercheck", source)
                self.assertIn(self.mark, source)
                with tempfile.TemporaryDirectory() as folder:
                    self.assertIn("0000a0400000c0400000a0400000c040", run_source(source, arguments=[folder]))
                    self.assertEqual(saved(folder), "0000a0400000c0400000a0400000c040")

    def test_a_reproducer_that_passes_another_element_type_fails(self):
        inputs = {"data": tensor("u8", [3], [1, 2, 255]), "indices": INDICES}
        self.worker.call("onnx.Gather-13", inputs, {"axis": 0})
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
        self.assertIn(" [2] ffff", run_source(source))
        number = source.replace("'data', 2,", "'data', 3,").replace("(bits_data, 2)", "(bits_data, 3)")
        value = source.replace("(bits_data, 2)", "(bits_data, 3)").replace("{2: 'u8'", "{3: 'i8', 2: 'u8'")
        for wrong in (number.replace("{2: 'u8'", "{3: 'i8'"), value):
            self.assertNotEqual(wrong, source)
            done = subprocess.run([sys.executable, "-c", wrong], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 1, done.stdout)


@unittest.skipIf(missing("numpy", "onnx"), missing("numpy", "onnx"))
class Evaluator(PythonEngine, unittest.TestCase):
    script = "onnx_worker.py"
    mark = "ReferenceEvaluator"
    # Initializers of strings lose it; of a negative axis it takes the wrong dimensions to compare.
    known = ("strings with U+0000", "a negative axis counts from the last")

    def test_a_reproducer_passes_types_below_a_byte(self):
        for name, expected in (("u4", "33"), ("i4", "33"), ("u2", "0a")):
            with self.subTest(type=name):
                packed = b"\x21\x03" if name[1] == "4" else b"\x24"
                inputs = {"data": tensor(name, [3], packed), "indices": INDICES}
                self.worker.call("onnx.Gather-13", inputs)
                source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
                self.assertIn(f"[2] {expected}\n", run_source(source))

    def test_strings_given_at_run_time_are_exact(self):
        inputs = {"data": tensor("string", [2], ["b\0", "\0"]), "indices": tensor("i64", [2], [1, 0])}
        answer = self.worker.call("onnx.Gather-13", inputs)
        self.assertEqual(answer, {"output": tensor("string", [2], ["\0", "b\0"])})

    def test_complex_numbers_pass_as_bits(self):
        data = tensor("c64", [2], bytes.fromhex("0100807f0000008001000000ffffffff"))
        answer = self.worker.call("onnx.Gather-13", {"data": data, "indices": tensor("i32", [1], [-1])})
        self.assertEqual(answer, {"output": tensor("c64", [1], bytes.fromhex("01000000ffffffff"))})

    def test_what_the_evaluator_raises_is_a_rejection(self):
        for attributes, word in (({"axis": 1.5}, "TypeError"), ({"bogus": 1}, "TypeError"), ({"axis": 9}, "AxisError")):
            answer = self.worker.call("onnx.Gather-13", INPUTS, attributes)
            self.assertNotIn("phase", answer["rejected"])
            self.assertIn(word, answer["rejected"]["message"])


@unittest.skipIf(missing("numpy", "onnx", "onnxruntime"), missing("numpy", "onnx", "onnxruntime"))
class OnnxRuntimeUnoptimized(PythonEngine, unittest.TestCase):
    script = "onnxruntime_unoptimized_worker.py"
    mark = "ORT_DISABLE_ALL"
    known = ("batch sizes that differ",)  # the kernel lets them differ

    def test_it_says_which_of_the_two_it_is(self):
        self.assertEqual(self.hello["implementation"]["name"], "onnxruntime:unoptimized")


@unittest.skipIf(missing("numpy", "onnx", "openvino"), missing("numpy", "onnx", "openvino"))
class OpenVinoFrontEnd(PythonEngine, unittest.TestCase):
    script = "openvino_onnx_worker.py"
    mark = "read_model"
    nd_routes = 4
    # The plug-in's: indices and data without elements, 64-bit integers and f16 through other types.
    known = ("no indices", "bits of f16", "integers of 64 bits", "batch sizes that differ")

    def test_described_calls_tell_unknown_extents(self):
        inputs = {"data": {"type": "f32", "shape": [3, 2]}, "indices": {"type": "i64", "shape": [4]}}
        for shapes, expected in (("static", [4, 2]), ("dynamic", [None, None])):
            answer = self.worker.call("onnx.Gather-13", inputs, route={"shapes": shapes}, message="describe")
            self.assertEqual(answer, {"descriptor": {"type": "f32", "shape": expected}})

    def test_a_reproducer_passes_types_below_a_byte_and_strings(self):
        for data, expected in (
            (tensor("u4", [3], b"\x21\x03"), "[2] 33\n"),
            (tensor("string", [3], ["a", "b\0c", "d"]), "[2] ['d', 'd']\n"),
        ):
            self.worker.call("onnx.Gather-13", {"data": data, "indices": INDICES})
            source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
            self.assertIn(expected, run_source(source))

    def test_a_reproducer_gives_the_front_end_what_it_has_not_dropped(self):
        inputs = {**INPUTS, "extra": tensor("i64", [1], [0])}
        self.worker.call("onnx.Gather-13", inputs)
        source = self.worker.ask({"message": "reproduce", "seq": self.worker.seq, "language": "python"})["source"]
        output = run_source(source)
        self.assertIn("dropped the operand extra", output)
        self.assertIn("output [2, 2] 0000a0400000c0400000a0400000c040", output)

    def test_an_attribute_of_the_wrong_kind_is_rejected_at_build(self):
        answer = self.worker.call("onnx.Gather-13", INPUTS, {"axis": 1.5})
        self.assertEqual(answer["rejected"]["phase"], "build")


@unittest.skipIf(missing("numpy", "onnx", "cv2"), missing("numpy", "onnx", "cv2"))
class OpenCv(PythonEngine, unittest.TestCase):
    script = "opencv_worker.py"
    mark = "readNetFromONNX"
    test_bf16_is_data_of_version_13_only = None  # numpy's bf16 has no way into a Mat
    # Outputs without elements, and GatherND's of rank 0, come as None; f16 as f32, 64 bits cut to 32; shapes are not compared.
    known = ("no indices", "one tuple gives a scalar", "bits of f16", "integers of 64 bits", "strings with U+0000",
             "an axis out of range", "more indices than data along the axis", "batch sizes that differ")  # fmt: skip

    def test_constant_integers_of_64_bits_are_exact(self):
        data = tensor("i64", [2], [2**53 + 1, -(2**63)])
        inputs = {"data": data, "indices": tensor("i64", [1], [-1])}
        answer = self.worker.call("onnx.Gather-13", inputs, route={"operands": "folded"})
        self.assertEqual(answer, {"output": tensor("i64", [1], [-(2**63)])})

    def test_a_lost_output_is_no_rejection(self):
        inputs = {"data": DATA, "indices": tensor("i64", [0], [])}
        self.assertIn("gave None", self.worker.call("onnx.Gather-13", inputs)["unsupported"])

    def test_what_opencv_throws_is_told_in_its_words(self):
        answer = self.worker.call("onnx.Gather-13", {"data": DATA, "indices": tensor("i64", [1], [3])})
        self.assertEqual(answer["rejected"], {"message": "some of indices are outside of range", "phase": "run"})


@unittest.skipIf(missing("numpy", "onnx", "tvm"), missing("numpy", "onnx", "tvm"))
class Tvm(PythonEngine, unittest.TestCase):
    script = "tvm_worker.py"
    mark = "from_onnx"
    known = ("strings with U+0000", "no indices", "batch sizes that differ")
    refused = (("GatherND", "runtime", "dynamic"),)  # it cannot add unknown sizes to negative indices


NO_WEB = "" if engine("onnxruntime-web") else "not installed: onnxruntime-web (tools/setup.sh onnxruntime-web)"


def rust_worker(name):
    """The program of an engine in Rust, whether it is there or not."""
    return os.path.join(engine(name) or "", "release", f"{name}_worker")


def no_rust_worker(name):
    """Why the tests of an engine in Rust are skipped; empty where it is installed."""
    return "" if os.path.exists(rust_worker(name)) else f"not installed: {name} (tools/setup.sh {name})"

GOMLX = os.path.join(engine("gomlx") or "", "gomlx_worker")
NO_GOMLX = "" if os.path.exists(GOMLX) else "not installed: gomlx (tools/setup.sh gomlx)"


@unittest.skipIf(NO_WEB, NO_WEB)
class OnnxRuntimeWeb(OnnxEngine, unittest.TestCase):
    # The kernel lets batch sizes differ; strings travel through the engine's interface up to U+0000.
    known = ("batch sizes that differ", "strings with U+0000")

    @classmethod
    def command(cls):
        return ["node", os.path.join(ADAPTERS, "onnxruntime_web", "worker.mjs"), engine("onnxruntime-web")]

    def test_integers_keep_64_bits_and_decimals_stay_decimals(self):
        answer = self.worker.call("onnx.Gather-13", INPUTS, {"axis": 2**63 - 1})
        self.assertIn("9223372036854775807", answer["rejected"]["message"])
        answer = self.worker.call("onnx.Gather-13", INPUTS, {"axis": 1.0})
        self.assertIn("FLOAT", answer["rejected"]["message"])
        self.assertIn("64 bits", self.worker.call("onnx.Gather-13", INPUTS, {"axis": 2**63})["unsupported"])

    def test_a_reproducer_shows_the_same_output(self):
        strings = {"data": tensor("string", [2], ["'", "\u2028\\"]), "indices": tensor("i64", [1], [1])}
        for inputs, expected in ((INPUTS, "0000a0400000c0400000a0400000c040"), (strings, '["\u2028\\\\"]')):
            asked = {"seq": 1, "operator": "onnx.Gather-13", "attributes": {"axis": 0}, "inputs": inputs}
            for operands in ("runtime", "constant", "folded"):
                route = {"operands": operands, "shapes": "static"}
                answer = self.worker.ask({**asked, "message": "reproduce", "language": "javascript", "route": route})
                with tempfile.TemporaryDirectory() as folder:
                    command, where = ["node", "-", folder], engine("onnxruntime-web")
                    done = subprocess.run(
                        command, input=answer["source"].encode(), capture_output=True, timeout=120, check=True, cwd=where
                    )
                    self.assertIn(expected, done.stdout.decode())
                    if inputs is INPUTS:
                        self.assertEqual(saved(folder), expected)
                        self.assertEqual(declared(folder), (1, 2))

    def test_a_reproducer_that_passes_another_element_type_fails(self):
        inputs = {"data": tensor("u8", [3], [1, 2, 255]), "indices": INDICES}
        asked = {"seq": 1, "operator": "onnx.Gather-13", "attributes": {}, "inputs": inputs}
        source = self.worker.ask({**asked, "message": "reproduce", "language": "javascript"})["source"]
        of_data_or_output = "((?:64617461|6f7574707574)12..0a..08)02"  # the name, and how long its type is
        model = re.sub(of_data_or_output, r"\g<1>03", source)
        value = source.replace("'uint8', new Uint8Array", "'int8', new Int8Array")
        both = re.sub(of_data_or_output, r"\g<1>03", value)
        for wrong, code in ((source, 0), (model, 1), (value, 1), (both, 1)):
            self.assertEqual(wrong == source, code == 0)
            where = engine("onnxruntime-web")
            done = subprocess.run(["node", "-"], input=wrong.encode(), capture_output=True, timeout=120, cwd=where)
            self.assertEqual(done.returncode, code, done.stdout)


class RustEngine(OnnxEngine):
    """What the workers written in Rust do besides."""

    @classmethod
    def command(cls):
        return [rust_worker(cls.name)]

    def refusals(self, operator, data):
        """What the hello says of data of a type for an operator: by type of indices, the routes and the words."""
        listed = [entry for entry in self.hello["not_implemented"] if entry["operators"] == [operator] and data in entry["data"]]
        return {entry["indices"][0]: (entry["operands"], entry["why"]) for entry in listed}

    def test_a_restarted_worker_claims_without_asking(self):
        worker = WorkerProcess(self.command())
        hello = worker.hello(restart=True)
        worker.end()
        self.assertEqual(hello["implementation"], self.hello["implementation"])
        self.assertEqual(hello["not_implemented"], [])

    def test_a_reproducer_holds_the_model_and_the_operands(self):
        asked = {"message": "reproduce", "seq": 1, "language": "rust", "operator": "onnx.Gather-13", "inputs": INPUTS}
        source = self.worker.ask(asked)["source"]
        self.assertNotIn("gathercheck", source)
        for text in (*self.marks, "0000803f000000400000404000008040", "0200000000000000ffffffffffffffff"):
            self.assertIn(text, source)


@unittest.skipIf(no_rust_worker("tract"), no_rust_worker("tract"))
class Tract(RustEngine, unittest.TestCase):
    name = "tract"
    nd_routes = 4
    marks = ("tract_onnx::onnx().model_for_read", "DatumType::F32, &[3, 2], &bytes(", "DatumType::I64, &[2], &bytes(")

    def test_a_panic_is_a_rejection(self):
        inputs = {"data": tensor("f32", [2], [1.0, 2.0]), "indices": tensor("i64", [1], [2])}
        answer = self.worker.call("onnx.Gather-13", inputs)
        self.assertEqual(answer["rejected"]["phase"], "run")
        self.assertIn("panic", answer["rejected"]["message"])

    def test_types_that_it_lacks_are_not_implemented(self):
        every = ["runtime", "constant", "folded"]
        expected = (every, "tract has no element type bf16")
        self.assertEqual(self.refusals("onnx.Gather-13", "bf16"), {"i32": expected, "i64": expected})
        self.assertEqual(self.refusals("onnx.Gather-11", "bf16"), {})  # not legal there


@unittest.skipIf(no_rust_worker("rten"), no_rust_worker("rten"))
class Rten(RustEngine, unittest.TestCase):
    name = "rten"
    known = ("bits of f16", "integers of 64 bits", "strings with U+0000")  # none of its types
    marks = ("Model::load(model)", "numbers(", "i64::from_le_bytes(bytes).try_into()")

    def test_an_index_that_its_type_cannot_hold_is_not_cut(self):
        data = tensor("f32", [2], [1.0, 2.0])
        answer = self.worker.call("onnx.Gather-13", {"data": data, "indices": tensor("i64", [1], [2**32])})
        self.assertIn("indices as i32", answer["unsupported"])

    def test_types_that_it_converts_are_not_claimed(self):
        for name in ("i64", "f64", "boolean"):
            self.assertEqual(len(self.refusals("onnx.GatherND-13", name)), 1)


@unittest.skipIf(no_rust_worker("candle"), no_rust_worker("candle"))
class Candle(RustEngine, unittest.TestCase):
    name = "candle"
    nd_routes = 0
    known = ("strings with U+0000", "indices of 32 bits", "more indices than data along the axis")  # none of its types
    marks = ("candle_onnx::simple_eval", "DType::F32, &[3, 2]", "DType::I64, &[2]")

    def test_booleans_are_booleans_again(self):
        data = tensor("boolean", [2], b"\1\0")
        answer = self.worker.call("onnx.Gather-13", {"data": data, "indices": tensor("i64", [1], [0])})
        self.assertEqual(answer, {"output": tensor("boolean", [1], b"\1")})

    def test_what_it_has_not_implemented_is_unsupported(self):
        inputs = {"data": DATA, "indices": tensor("i64", [1, 1, 1], [0])}
        self.assertIn("not yet implemented", self.worker.call("onnx.Gather-13", inputs)["unsupported"])


@unittest.skipIf(NO_GOMLX, NO_GOMLX)
class GoMlx(OnnxEngine, unittest.TestCase):
    known = ("bits of f16", "strings with U+0000", "no indices")
    test_gather_nd_answers_literal_calls_on_every_route = None  # it has none

    @classmethod
    def command(cls):
        return [GOMLX]

    def test_what_it_does_not_implement_is_unsupported(self):
        answer = self.worker.call("onnx.GatherND-13", {"data": DATA, "indices": tensor("i64", [1, 1], [0])})
        self.assertIn("unimplemented ONNX op", answer["unsupported"])
        refused = {operator for entry in self.hello["not_implemented"] for operator in entry["operators"]}
        self.assertIn("onnx.GatherND-12", refused)

    def test_whole_decimals_are_decimals_and_integers_keep_64_bits(self):
        self.assertIn("FLOAT", self.worker.call("onnx.Gather-13", INPUTS, {"axis": 1.0})["rejected"]["message"])
        self.assertIn("64 bits", self.worker.call("onnx.Gather-13", INPUTS, {"axis": 2**63})["unsupported"])

    def test_what_is_no_message_is_broken_and_ends_nothing(self):
        for line in ("nonsense", '{"seq":1}', '{"message":"run","seq":1,"inputs":[]}', '{"message":"run","seq":1,"operator":7}'):
            self.assertIn("broken", self.worker.send(line))

    def test_a_reproducer_holds_the_model_and_the_operands(self):
        asked = {"message": "reproduce", "seq": 1, "language": "go", "operator": "onnx.Gather-13", "inputs": INPUTS}
        source = self.worker.ask(asked)["source"]
        self.assertIn("onnx.Parse(bytes(model))", source)
        self.assertIn('{"data", dtypes.Float32, []int{3, 2}, "0000803f000000400000404000008040', source)


if __name__ == "__main__":
    unittest.main()
