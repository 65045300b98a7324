# SPDX-License-Identifier: Apache-2.0
# Runs exported node tests with other people's code and compares, call by call, with the records of a run of the suite.
# usage: export_engines.py FOLDER RUN.jsonl
"""accepted/ goes through onnx.backend.test on the backend that ONNX Runtime brings, the rest through InferenceSession."""

import json
import pathlib
import sys
import unittest

import onnx
import onnx.backend.test.runner
import onnxruntime
import onnxruntime.backend
from onnx.backend.test.loader import load_model_tests

FOLDER = pathlib.Path(sys.argv[1])
# A limit of its Python interface, not of the engine: the adapter hands such operands over in another way.
NO_NUMPY = "can't be converted to MLDataType"


def verdicts(file):
    """What the suite says of each case and operator version; of one shape if it can be asked so, as a sequence seldom can."""
    records = [json.loads(line) for line in open(file)]
    records = [record for record in records if record["record"] == "execution"]
    records.sort(key=lambda record: record["route"]["shapes"] == "static")
    return {(record["case"], record["operator"]): record for record in records}


def run_by_onnx(names):
    """Names of accepted calls: "" where ONNX's runner passes it, else why it does not."""
    onnx.backend.test.runner.load_model_tests = lambda *_, **__: []  # not ONNX's own tests
    runner = onnx.backend.test.runner.Runner(onnxruntime.backend, __name__)
    for test in load_model_tests(data_dir=str(FOLDER), kind="accepted"):
        if test.name in names:
            runner._add_model_test(test, "Node")
    runner.exclude("_cuda$")
    result = unittest.TestResult()
    runner.test_suite.run(result)
    answers = dict.fromkeys(names, "")
    for test, trace in result.failures + result.errors:
        answers[test.id().split(".")[-1].removesuffix("_cpu")] = trace.strip() or "failed"
    assert result.testsRun >= len(names), f"{result.testsRun} tests of {len(names)}"
    return answers


def run_by_engine(folder):
    """Why the engine rejects a call; "" where it gives an output."""
    call = FOLDER / folder
    try:
        session = onnxruntime.InferenceSession(call / "model.onnx", providers=["CPUExecutionProvider"])
        for data_set in sorted(call.glob("test_data_set_*")):
            operands = {}
            for file in data_set.glob("input_*.pb"):
                tensor = onnx.load_tensor(file)
                operands[tensor.name] = onnx.numpy_helper.to_array(tensor)
            session.run(None, operands)
    except Exception as error:
        return str(error) or type(error).__name__
    return ""


def main():
    onnxruntime.set_default_logger_severity(4)
    said = verdicts(sys.argv[2])
    calls = json.loads((FOLDER / "MANIFEST.json").read_text())["calls"]
    record_of = {call["folder"]: said.get((call["case"], call["operator"])) for call in calls}

    # What ends the process cannot be asked in it; only the suite's workers outlive that.
    deadly = {folder for folder, record in record_of.items() if record and record.get("outcome") in ("crash", "timeout")}
    asked = [call["folder"] for call in calls if call["folder"] not in deadly]
    accepted = {folder.split("/")[1]: folder for folder in asked if folder.startswith("accepted/")}
    answers = {accepted[name]: why for name, why in run_by_onnx(set(accepted)).items()}
    answers.update((folder, run_by_engine(folder)) for folder in asked if folder not in answers)

    agreeing, unclaimed, no_numpy, other = 0, 0, 0, []
    for folder, why in answers.items():
        record = record_of[folder]
        if NO_NUMPY in why:
            no_numpy += 1
        elif record is None:  # the engine does not have the operand's types
            unclaimed += 1
            if not why:
                other.append(f"{folder}: passes, and the suite does not ask it")
        else:
            passes = (
                record["verdict"] == "pass"
                if folder.startswith("accepted/")
                else record["outcome"] not in ("rejected", "unsupported")
            )
            agreeing += passes == (not why)
            if passes != (not why):
                other.append(f"{folder}: {why[-200:] or 'passes'}; the suite: {json.dumps(record)}")
    failing = sorted(folder for folder, why in answers.items() if why and folder.startswith("accepted/") and record_of[folder])
    print("\n".join(f"fails: {folder}" for folder in failing if NO_NUMPY not in answers[folder]))
    print("\n".join(f"not asked, ends the process: {folder}" for folder in sorted(deadly)))
    print(
        f"{agreeing} calls as the suite says; {unclaimed} of types that the engine does not claim; {no_numpy} without a numpy type"
    )
    print("\n".join(f"OTHER: {line}" for line in other))
    return 1 if other else 0


sys.exit(main())
