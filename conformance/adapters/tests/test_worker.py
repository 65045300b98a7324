# SPDX-License-Identifier: Apache-2.0
# Tests of the helper module by itself: the protocol, the element types and what it does with faults.
import base64
import json
import os
import signal
import sys
import unittest

from worker_process import ADAPTERS, HERE, WorkerProcess, missing, run_source, tensor

sys.path.insert(0, ADAPTERS)
import gathercheck.worker as worker

FAKE = os.path.join(HERE, "fake_engine_worker.py")
ONE = tensor("f32", [1], [1.5])
# Five elements of each type: count, packed bytes with the spare bits clear.
FIVE = {
    "boolean": "0100010001",
    "u1": "15",
    "u2": "b902",
    "u3": "d158",
    "u4": "fedc0b",
    "u6": "8120c33f",
    "u8": "00017f80ff",
    "u16": "0000010000800180ffff",
    "u32": "00" * 19 + "80",
    "u64": "ff" * 40,
    "i2": "b902",
    "i4": "fedc0b",
    "i8": "00017f80ff",
    "i16": "0000010000800180ffff",
    "i32": "00" * 19 + "80",
    "i64": "0102030405060708" * 5,
    "f16": "017c017e008000fc0100",
    "bf16": "817fc17f0080807f0100",
    "f32": "0100807f" * 5,
    "f64": "010000000000f07f" * 5,
    "f8e4m3": "007f80ff01",
    "f8e5m2": "007d80ff01",
    "f8e4m3fnuz": "007f80ff01",
    "f8e5m2fnuz": "007f80ff01",
    "f8e8m0": "007f80ff01",
    "f4e2m1": "fedc0b",
    "nf4": "fedc0b",
    "c64": "0100807f0100c0ff" * 5,
    "c128": "010000000000f07f010000000000f8ff" * 5,
}


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.worker = WorkerProcess(FAKE)

    def tearDown(self):
        self.worker.end()

    def run_one(self, operator, data=ONE, **more):
        return self.worker.call(operator, {"data": data}, **more)


class Conversation(WorkerTest):
    def test_hello_names_the_implementation_and_what_it_answers(self):
        hello = self.worker.hello()
        self.assertEqual(hello["protocol"], 1)
        self.assertEqual(hello["implementation"], {"name": "fake", "version": "1.0", "language": "python", "device": "cpu"})
        self.assertEqual(hello["answers"], ["describe", "run"])
        self.assertEqual(hello["features"], ["reproduce", "unsafe"])
        self.assertEqual(hello["claims"][0]["operators"], ["fake.Copy-1"])

    def test_goodbye_ends_the_worker_without_an_answer(self):
        self.assertIsNone(self.worker.ask({"message": "goodbye"}))
        self.assertEqual(self.worker.end()[0], 0)

    def test_the_end_of_the_input_ends_the_worker(self):
        self.worker.hello()
        self.assertEqual(self.worker.end()[0], 0)

    def test_unknown_fields_are_ignored(self):
        answer = self.worker.ask(
            {
                "message": "run",
                "seq": 9,
                "operator": "fake.Copy-1",
                "later": {"a": 1},
                "route": {"operands": "runtime", "later": 1},
                "inputs": {"data": {**ONE, "later": []}},
            }
        )
        self.assertEqual(answer, {"seq": 9, "output": ONE})

    def test_a_described_call_answers_unknown_extents_as_null(self):
        answer = self.worker.call("fake.Copy-1", {"data": {"type": "i4", "shape": [2, 3]}}, message="describe")
        self.assertEqual(answer, {"descriptor": {"type": "i4", "shape": [2, 3, None]}})

    def test_a_call_asked_before_is_reproduced_by_its_seq(self):
        self.run_one("fake.Copy-1")
        answer = self.worker.ask({"message": "reproduce", "seq": 1, "language": "python"})
        self.assertEqual(run_source(answer["source"]), "fake.Copy-1 b'\\x00\\x00\\xc0?'\n")

    def test_a_call_of_an_unknown_seq_is_not_reproduced(self):
        answer = self.worker.ask({"message": "reproduce", "seq": 5, "language": "python"})
        self.assertEqual(answer, {"seq": 5, "unsupported": "the call 5 is not remembered"})

    def test_a_call_repeated_in_the_message_is_reproduced(self):
        answer = self.worker.ask({"message": "reproduce", "seq": 5, "operator": "fake.Copy-1", "inputs": {"data": ONE}})
        self.assertIn("fake.Copy-1", answer["source"])


class Contents(WorkerTest):
    def test_every_type_passes_unchanged(self):
        for name, bits in FIVE.items():
            with self.subTest(type=name):
                data = tensor(name, [5], bytes.fromhex(bits))
                self.assertEqual(self.run_one("fake.Copy-1", data), {"output": data})

    def test_every_type_of_the_table_is_tested(self):
        self.assertEqual(sorted([*FIVE, "string"]), sorted(worker.ELEMENT_TYPES))

    @unittest.skipIf(missing("numpy"), missing("numpy"))
    def test_every_type_passes_an_array_unchanged(self):
        for name, bits in FIVE.items():
            with self.subTest(type=name):
                data = tensor(name, [5], bytes.fromhex(bits))
                self.assertEqual(self.run_one("fake.Array-1", data), {"output": data})

    @unittest.skipIf(missing("numpy"), missing("numpy"))
    def test_strings_keep_nul_and_letters_beyond_ascii(self):
        data = tensor("string", [2, 3], ["", "\0", "a\0", "\0b", "gr\u00fc\u00df", "\U0001f600"])
        self.assertEqual(self.run_one("fake.Copy-1", data), {"output": data})
        self.assertEqual(self.run_one("fake.Array-1", data), {"output": data})

    def test_spare_bits_are_answered_as_zero(self):
        answer = self.run_one("fake.Copy-1", tensor("u4", [3], bytes.fromhex("21f3")))
        self.assertEqual(answer["output"]["base64"], base64.b64encode(bytes.fromhex("2103")).decode())

    def test_scalars_and_empty_tensors_pass(self):
        for data in (tensor("i64", [], [-7]), tensor("f32", [0, 3], []), tensor("string", [2, 0], [])):
            with self.subTest(shape=data["shape"]):
                self.assertEqual(self.run_one("fake.Copy-1", data), {"output": data})

    def test_packed_elements_lie_in_a_little_endian_stream_of_bits(self):
        for bits, packed, elements in (
            (1, "0b", [1, 1, 0, 1]),
            (2, "39", [1, 2, 3, 0]),
            (3, "d158", [1, 2, 3, 4, 5]),
            (4, "2103", [1, 2, 3]),
            (6, "8130100500", [1, 2, 3, 4, 5, 0]),
        ):
            with self.subTest(bits=bits):
                self.assertEqual(list(worker.unpack(bytes.fromhex(packed), bits, len(elements))), elements)
                self.assertEqual(worker.pack(elements, bits).hex(), packed)


class Answers(WorkerTest):
    def test_what_an_engine_prints_does_not_reach_the_protocol(self):
        self.assertEqual(self.run_one("fake.Print-1"), {"output": ONE})
        self.assertEqual(self.run_one("fake.Copy-1"), {"output": ONE})
        _, errors = self.worker.end()
        for noise in ("noise from Python", "noise from a descriptor", "noise from a child"):
            self.assertIn(noise, errors)

    def test_an_engine_that_reads_standard_input_does_not_eat_messages(self):
        self.assertEqual(self.run_one("fake.Read-1"), {"output": ONE})

    def test_an_exception_of_the_engine_is_rejected(self):
        answer = self.run_one("fake.Reject-1")
        self.assertEqual(
            answer,
            {
                "rejected": {
                    "message": "index 7 is out of bounds",
                    "phase": "run",
                    "category": "index_out_of_bounds",
                }
            },
        )

    def test_an_exception_of_the_adapter_is_broken_and_not_the_end(self):
        answer = self.run_one("fake.Fault-1")
        self.assertRegex(answer["broken"], r"^IndexError at fake_engine_worker\.py:\d+: a fault of the adapter$")
        self.assertRegex(self.run_one("fake.Panic-1")["broken"], r"^SystemExit")
        self.assertEqual(self.run_one("fake.Copy-1"), {"output": ONE})

    def test_memory_that_the_engine_left_is_told_as_that(self):
        self.assertEqual(self.run_one("fake.Unsafe-1"), {"unsafe": "an output of 70 dimensions"})

    def test_an_output_of_the_wrong_length_is_broken(self):
        self.assertIn("1 bytes of f32 for the shape [1]", self.run_one("fake.Short-1")["broken"])

    def test_what_the_worker_does_not_know_is_unsupported(self):
        self.assertIn("unsupported", self.run_one("fake.Other-1"))
        self.assertIn("unsupported", self.run_one("fake.Copy-1", {"type": "f7", "shape": [1], "base64": "AA=="}))
        self.assertIn("unsupported", self.run_one("fake.Copy-1", route={"operands": "telepathic"}))
        self.assertIn("unsupported", self.run_one("fake.Copy-1", {"type": "u8", "shape": [1], "fill": {"address": 1}}))

    def test_a_call_may_be_answered_in_a_process_of_its_own(self):
        self.assertEqual(self.run_one("fake.Apart-1"), {"output": ONE})
        self.assertEqual(self.run_one("fake.ApartReject-1"), {"rejected": {"message": "no", "phase": "shape"}})

    def test_the_death_of_such_a_process_is_the_worker_s(self):
        self.assertEqual(self.run_one("fake.ApartDeath-1"), {"died": -signal.SIGSEGV})

    def test_a_worker_that_nobody_hears_ends_while_its_engine_is_at_work(self):
        asked = {"message": "run", "seq": 1, "operator": "fake.Hang-1", "inputs": {"data": ONE}}
        self.worker.process.stdin.write(json.dumps(asked).encode() + b"\n")
        self.worker.process.stdin.flush()
        self.assertEqual(self.worker.process.stderr.readline(), b"at work\n")
        self.assertIsNone(self.worker.process.poll())
        self.worker.process.stdout.close()
        self.assertEqual(self.worker.process.wait(timeout=60), 1)
        self.worker.process.stdin.close()
        self.worker.process.stderr.close()
        self.worker.start()


class Memory(WorkerTest):
    def setUp(self):
        self.worker = WorkerProcess(FAKE, {"FAKE_LIMIT": str(8 << 30)})
        self.worker.send('{"message":"hello","protocol":{"min":1,"max":1}}')

    def test_another_process_is_asked_for_when_half_of_the_memory_is_gone(self):
        asked_for = ["restart" in self.run_one("fake.Keep-1") for _ in range(5)]
        self.assertFalse(asked_for[0])
        self.assertTrue(asked_for[4])
        self.assertTrue(self.run_one("fake.Copy-1")["restart"])

    def test_without_a_limit_none_is_asked_for(self):
        self.worker.end()
        self.worker = WorkerProcess(FAKE)
        self.worker.send('{"message":"hello","protocol":{"min":1,"max":1}}')
        self.assertFalse(any("restart" in self.run_one("fake.Keep-1") for _ in range(5)))


class Malformed(WorkerTest):
    def assert_broken(self, line, seq=None):
        answer = self.worker.send(line)
        self.assertIn("broken", answer)
        self.assertEqual(answer.get("seq"), seq)
        self.assertEqual(self.run_one("fake.Copy-1"), {"output": ONE})  # and the worker goes on

    def test_lines_without_a_seq_are_answered_without_one(self):
        deep = "[" * 100000
        for line in ("{", "[]", "3", "null", '"run"', "{}", '{"message":"run"}', '{"message":"run","seq":true}',
                     '{"message":"run","seq":1.5}', '{"a":NaN}', deep, "9" * 5000, b"\xff\xfe", b"\0"):  # fmt: skip
            with self.subTest(line=line[:30]):
                self.assert_broken(line)

    def test_faults_behind_the_seq_are_answered_with_it(self):
        for rest in (
            '"message":"dance"',
            '"message":["run"]',
            '"message":"run"',
            '"message":"run","operator":7,"inputs":{}',
            '"message":"run","operator":"fake.Copy-1"',
            '"message":"run","operator":"fake.Copy-1","inputs":[]',
            '"message":"run","operator":"fake.Copy-1","inputs":{},"attributes":[]',
            '"message":"run","operator":"fake.Copy-1","inputs":{},"route":3',
            '"message":"run","operator":"fake.Copy-1","inputs":{},"route":{"shapes":[]}',
        ):
            with self.subTest(rest=rest):
                self.assert_broken('{"seq":77,' + rest + "}", 77)

    def test_bad_tensors_are_named(self):
        for data, words in (
            ("3", "not an object"),
            ('{"shape":[1],"base64":""}', "no element type"),
            ('{"type":"f32","base64":""}', "the shape is not a list of sizes"),
            ('{"type":"f32","shape":[-1],"base64":""}', "the shape is not a list of sizes"),
            ('{"type":"f32","shape":[1.0],"base64":""}', "the shape is not a list of sizes"),
            ('{"type":"f32","shape":[true],"base64":""}', "the shape is not a list of sizes"),
            ('{"type":"f32","shape":[1]}', "no contents"),
            ('{"type":"f32","shape":[1],"base64":"AAA"}', "not base64"),
            ('{"type":"f32","shape":[1],"base64":"AA=="}', "1 bytes for 1 elements of f32"),
            ('{"type":"f32","shape":[1],"base64":7}', "base64 is not a string"),
            ('{"type":"f32","shape":[1],"values":[1]}', "do not travel as values"),
            ('{"type":"f32","shape":[0],"base64":"","values":[]}', "contents given twice"),
            ('{"type":"string","shape":[1],"base64":""}', "do not travel as base64"),
            ('{"type":"string","shape":[1],"values":[1]}', "not a list of strings"),
            ('{"type":"string","shape":[2],"values":["a"]}', "1 strings for 2 elements"),
            ('{"type":"string","shape":[1],"values":["\\ud800"]}', "half a surrogate pair"),
        ):
            with self.subTest(data=data):
                line = '{"seq":5,"message":"run","operator":"fake.Copy-1","inputs":{"data":' + data + "}}"
                answer = self.worker.send(line)
                self.assertEqual(answer["seq"], 5)
                self.assertIn("malformed message: input data: ", answer["broken"])
                self.assertIn(words, answer["broken"])


class MissingPackage(unittest.TestCase):
    def test_it_ends_the_worker_with_one_clear_line(self):
        process = WorkerProcess(FAKE, {"FAKE_NEEDS": "no_such_package==2.0"})
        code, errors = process.end()
        self.assertEqual(code, 3)
        self.assertEqual(len(errors.splitlines()), 1)
        self.assertIn("the package no_such_package cannot be imported", errors)
        self.assertIn("-m pip install no_such_package==2.0", errors)

    def test_an_extra_is_installed_by_the_script_of_the_source_tree(self):
        code, errors = WorkerProcess(FAKE, {"FAKE_NEEDS": "no_such_package", "FAKE_EXTRA": "fake"}).end()
        self.assertEqual(code, 3)
        self.assertRegex(errors, "remedy: tools/setup.sh fake$")


class Arrays(unittest.TestCase):
    def test_a_shape_that_numpy_cannot_count_is_not_supported(self):
        for name, raw, strings in (("f32", b"", None), ("string", None, [])):
            tensor = worker.Tensor(worker.ELEMENT_TYPES[name], (257, 2**53 + 1, 0), raw=raw, strings=strings)
            with self.subTest(name), self.assertRaisesRegex(worker.Unsupported, r"no array of shape \[257, 9007199254740993, 0\]"):
                tensor.array()


class Poisoning(unittest.TestCase):
    def test_the_poison_changes_places_when_a_call_is_asked_again_whichever_process_is_asked(self):
        def poison(**key):
            call = {"message": "run", "seq": 1, "operator": "fake.Copy-1", "inputs": {}, **key}
            return worker.poison_of(worker._decode_call(call, True))

        self.assertEqual([poison(), poison(**{"pass": 0}), poison(**{"pass": 1})], [(0xA5, 0x5A), (0xA5, 0x5A), (0x5A, 0xA5)])
        for wrong in (2, -1, True, 1.0, "1", None):
            with self.assertRaisesRegex(worker.Malformed, "pass is neither 0 nor 1"):
                poison(**{"pass": wrong})


class Models(unittest.TestCase):
    def test_a_model_is_reused_and_now_and_then_built_anew(self):
        built = []
        models = worker.BuiltModels(capacity=2, anew_every=3)
        answers = [models.get("a", lambda: built.append(1) or len(built)) for _ in range(7)]
        self.assertEqual(answers, [1, 1, 1, 2, 2, 2, 3])

    def test_the_model_used_longest_ago_is_dropped(self):
        models = worker.BuiltModels(capacity=2, anew_every=100)
        for key in ("a", "b", "a", "c"):
            models.get(key, lambda key=key: key)
        self.assertEqual(models.get("a", lambda: "anew"), "a")
        self.assertEqual(models.get("b", lambda: "anew"), "anew")

    def test_the_calls_of_a_sequence_get_the_one_model_that_the_first_of_them_built(self):
        def call(model, raw=b"a", shape=(1,)):
            inputs = {"data": worker.Tensor(worker.ELEMENT_TYPES["u8"], shape, raw=raw)}
            return worker.Call(1, "fake.Copy-1", {}, inputs, model=model)

        def number():
            built.append(1)
            return len(built)

        built = []
        models = worker.BuiltModels(anew_every=2)
        sequence = [call(7), call(7, b"ab", (2,)), call(7), call(7)]
        self.assertEqual([models.of(each, number) for each in sequence], [1, 1, 1, 1])
        models.forget(call(7))
        self.assertEqual(models.of(call(7), number), 1)
        self.assertEqual([models.of(call(None), number), models.of(call(None), number)], [2, 2])
        self.assertEqual([models.of(call(8), number), models.of(call(8), number)], [3, 3])

    def test_where_the_first_call_of_a_sequence_builds_nothing_the_next_one_does(self):
        def refuse():
            raise worker.Rejected("no")

        call = worker.Call(1, "fake.Copy-1", {}, {}, model=1)
        models = worker.BuiltModels()
        with self.assertRaises(worker.Rejected):
            models.of(call, refuse)
        self.assertEqual(models.of(call, lambda: "built"), "built")

    def test_calls_with_other_constants_or_attributes_are_other_models(self):
        def key(values=(1, 2), attributes=None, **route):
            raw = bytes(values)
            inputs = {
                "data": worker.Tensor(worker.ELEMENT_TYPES["u8"], (2,), raw=b"ab"),
                "indices": worker.Tensor(worker.ELEMENT_TYPES["u8"], (2,), raw=raw),
            }
            return worker.Call(1, "fake.Copy-1", attributes or {}, inputs, **route).model_key()

        self.assertEqual(key((1, 2)), key((3, 4)))
        self.assertNotEqual(key((1, 2), operands="constant"), key((3, 4), operands="constant"))
        self.assertNotEqual(key(), key(shapes="dynamic"))
        self.assertNotEqual(key(attributes={"axis": 1}), key(attributes={"axis": 1.0}))
        self.assertNotEqual(key(attributes={"axis": 1}), key(attributes={"axis": True}))


if __name__ == "__main__":
    unittest.main()
