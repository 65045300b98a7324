# SPDX-License-Identifier: Apache-2.0
# Tests that the adapter printed in the README is the one beside the tests, and that it works.
import os
import unittest

import engine_calls
from worker_process import ADAPTERS, HERE, WorkerProcess, missing, tensor

SCRIPT = os.path.join(HERE, "numpy_worker.py")


class ReadmeAdapter(unittest.TestCase):
    def test_the_readme_prints_the_worker_that_is_tested(self):
        with open(os.path.join(ADAPTERS, "README.md"), encoding="utf-8") as readme:
            printed = readme.read().split("```python\n")[1].split("```\n")[0]
        with open(SCRIPT, encoding="utf-8") as script:
            self.assertEqual(printed, script.read().split("\n", 2)[2])

    @unittest.skipIf(missing("numpy"), missing("numpy"))
    def test_it_answers_literal_calls(self):
        process = WorkerProcess(SCRIPT)
        self.assertEqual(process.hello()["implementation"]["name"], "numpy")
        for operator in ("onnx.Gather-11", "onnx.Gather-13"):
            engine_calls.check(self, process, operator, {}, engine_calls.GATHER, ())
        inputs = {"data": tensor("c128", [2], bytes(range(32))), "indices": tensor("i32", [1], [-1])}
        answer = process.call("onnx.Gather-13", inputs)
        self.assertEqual(answer, {"output": tensor("c128", [1], bytes(range(16, 32)))})
        answer = process.call("onnx.Gather-13", {**inputs, "indices": tensor("i32", [1], [2])})
        self.assertEqual(answer["rejected"]["phase"], "run")
        self.assertIn("unsupported", process.call("onnx.GatherND-13", inputs))
        process.end()


if __name__ == "__main__":
    unittest.main()
