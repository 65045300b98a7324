# SPDX-License-Identifier: Apache-2.0
# Tests of the worker of OpenVINO's evaluate() on literal calls.
import os
import unittest

import engine_calls
from worker_process import ADAPTERS, WorkerProcess, missing, routes, run_source, tensor

REASON = missing("numpy", "openvino")
AXIS = tensor("i64", [], [0])
INPUTS = {"data": tensor("f32", [3], [1.0, 2.0, 3.0]), "indices": tensor("i64", [2], [2, 0]), "axis": AXIS}


@unittest.skipIf(REASON, REASON)
class OpenVinoEvaluateWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = WorkerProcess(os.path.join(ADAPTERS, "openvino_evaluate_worker.py"))
        cls.hello = cls.worker.hello()

    @classmethod
    def tearDownClass(cls):
        cls.worker.end()

    def test_gather_answers_literal_calls_on_every_route(self):
        # f16 goes through another type. Without shapes the node does not see an axis out of range, nor does its evaluate().
        known = ["bits of f16", "an axis out of range"]
        for version in (1, 7, 8):
            on = routes(self.hello["claims"], f"openvino.Gather-{version}")
            self.assertEqual(len(on), 4)
            for route in on:
                engine_calls.check(self, self.worker, f"openvino.Gather-{version}", route, engine_calls.GATHER, known)

    def test_what_evaluate_cannot_do_is_unsupported(self):
        two = {"data": tensor("f32", [1, 2], [1.0, 2.0]), "indices": tensor("i64", [1, 1], [0])}
        narrow = {**INPUTS, "indices": tensor("u8", [1], [0])}
        wide = {**INPUTS, "data": tensor("f64", [1], [1.0])}
        for operator, inputs in (
            ("openvino.GatherElements-6", two),
            ("openvino.GatherND-8", two),
            ("openvino.Gather-8", narrow),
            ("openvino.Gather-8", wide),
        ):
            with self.subTest(operator=operator):
                attributes = {"axis": 1} if "Elements" in operator else {}
                answer = self.worker.call(operator, inputs, attributes)
                self.assertIn("evaluate() answers that it cannot", answer["unsupported"])

    def test_it_only_runs(self):
        self.assertEqual(self.hello["answers"], ["run"])
        self.assertIn("unsupported", self.worker.call("openvino.Gather-8", INPUTS, message="describe"))

    def test_a_reproducer_shows_the_same_output(self):
        for axis in ("constant", "runtime"):
            self.worker.call("openvino.Gather-8", INPUTS, route={"axis": axis})
            asked = {"message": "reproduce", "seq": self.worker.seq, "language": "python"}
            source = self.worker.ask(asked)["source"]
            self.assertIn("evaluate", source)
            self.assertIn("output [2] 000040400000803f", run_source(source))


if __name__ == "__main__":
    unittest.main()
