# SPDX-License-Identifier: Apache-2.0
# Runs the kept reproducers of known failures, each with its engine alone, and sees what each says that it shows.
"""usage: kept_reproducers.py FOLDER PYTHON COMPILER [ENGINE...]

FOLDER holds ENGINE/NAME.EXTENSION; PYTHON has the engines that are packages of Python, COMPILER compiles C++. A file
says in a comment "shows: WORDS"; known_failures/README.md tells what the words mean. Engines that are not installed are
left out, and named. GATHERCHECK_ENGINES is the folder of those that are no packages of Python. Exit code: 0 each file
shows what it says, 1 one does not, 77 no engine is installed.
"""

import ast
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = 60  # for a program that comes to an end
GIGABYTES = {"openvino-onnx": 6, "onnxruntime-web": 64, "tract": 64}  # of address space; WebAssembly reserves much
AT_A_TIME = 2
FAULTS = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP)
ADAPTERS = pathlib.Path(__file__).resolve().parents[2] / "conformance" / "adapters"


def words_of(file):
    """What a reproducer says that it shows."""
    for line in file.read_text(encoding="utf-8").splitlines():
        found = re.match(r"(?:#|//) shows: (.+)$", line)
        if found:
            return found[1]
        if line and not line.startswith(("#", "//")):
            break
    return None


def value(text):
    """'[2] 00ff', 'uint8 [2] 00ff' or '[2] ["a"]' as something to compare."""
    found = re.match(r"(?:\w+ )?(\[[^]]*\]|\([^)]*\)) ?(.*)$", text.strip())
    if not found:
        return None
    shape, contents = list(ast.literal_eval(found[1])), found[2]
    return shape, ast.literal_eval(contents) if contents.startswith("[") else contents


class Ended:
    """How a program ended, and what it printed."""

    def __init__(self, code, text):
        self.code, self.text = code, text  # code None: it did not end

    @property
    def outputs(self):
        return re.findall(r"^output (.*)$", self.text, re.MULTILINE)

    def how(self):
        if self.code is None:
            end = "it did not end"
        elif self.code < 0:
            end = f"it was killed by {signal.Signals(-self.code).name}"
        else:
            end = f"it ended with code {self.code}"
        last = self.text.strip().splitlines()[-3:]
        return f"{end}; the last lines: {' | '.join(line[:300] for line in last)}"


def holds(words, ended):
    """Whether that is what happened."""
    if words.startswith("no end in "):
        return ended.code is None
    if words.startswith("a crash or "):
        return holds("a crash", ended) or holds(words[len("a crash or ") :], ended)
    if words == "a crash":
        return ended.code is not None and -ended.code in FAULTS
    if words.startswith("refused: "):
        if ended.code is None or ended.code < 0 or ended.outputs or words[len("refused: ") :] not in ended.text:
            return False
        return ended.code > 0 or re.search(r"^rejected ", ended.text, re.MULTILINE) is not None
    if ended.code != 0:
        return False
    if words == "a description":
        return bool(ended.outputs) or re.search(r"^declared ", ended.text, re.MULTILINE) is not None
    if not ended.outputs:
        return False
    if words == "an output":
        return True
    other = "an output other than "
    if words.startswith(other):
        expected, shown = value(words[len(other) :]), value(ended.outputs[-1])
        return expected is not None and shown is not None and expected != shown
    if words.startswith("an output like "):
        return re.search(words[len("an output like ") :], ended.outputs[-1]) is not None
    return False


def run(command, folder, words, gigabytes):
    """Runs a program in a folder of its own, with limits of time and memory."""
    found = re.match(r"no end in (\d+) seconds$", words)

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))

    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            preexec_fn=limit,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        )
        try:
            code = process.wait(int(found[1]) if found else SECONDS)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed.seek(0)
        return Ended(code, printed.read().decode("utf-8", "replace"))


class Engines:
    """Which engines are here, and the command that runs a file on one."""

    def __init__(self, python, compiler):
        # They run in other folders.
        self.python, self.compiler = (os.path.abspath(name) if os.path.dirname(name) else name for name in (python, compiler))
        self.folder = os.environ.get("GATHERCHECK_ENGINES", "")
        self.imports = {}
        self.cargo = threading.Lock()

    def can_import(self, python, names):
        key = (python, names)
        if key not in self.imports:
            done = subprocess.run([python, "-c", f"import {names}"], capture_output=True, check=False)
            self.imports[key] = done.returncode == 0
        return self.imports[key]

    def is_here(self, engine):
        if engine in ("onnxruntime", "onnxruntime-unoptimized"):
            return self.can_import(self.python, "onnx, onnxruntime")
        if engine in ("openvino", "openvino-evaluate"):
            return self.can_import(self.python, "openvino")
        if engine == "openvino-onnx":
            return self.can_import(self.python, "onnx, openvino")
        if engine == "torch":
            return self.can_import("/usr/bin/python3", "torch")
        if engine == "onnx-shapes":
            return os.path.exists("/usr/include/onnx/shape_inference/implementation.h")
        if engine == "onnxruntime-web":
            return shutil.which("node") is not None and os.path.isdir(os.path.join(self.folder, engine, "node_modules"))
        if engine == "tract":
            return shutil.which("cargo") is not None and os.path.isdir(os.path.join(self.folder, engine))
        return self.can_import(self.python, engine)

    def command(self, engine, file, folder):
        """The command, and the folder to run it in."""
        if engine == "torch":
            return ["/usr/bin/python3", str(file)], folder
        if engine == "onnx-shapes":
            program = os.path.join(folder, "program")
            options = ["-DONNX_ML=1", "-DONNX_NAMESPACE=onnx", str(file), "-o", program, "-lonnx", "-lonnx_proto", "-lprotobuf"]
            subprocess.run([self.compiler, *options], check=True, capture_output=True)
            return [program], folder
        if engine == "onnxruntime-web":
            return ["node", str(file)], os.path.join(self.folder, engine)
        if engine == "tract":
            return [self.built_with_tract(file, folder)], folder
        return [self.python, str(file)], folder


    def built_with_tract(self, file, folder):
        """The program of a reproducer: the package of the adapter, under another name and with another main.rs."""
        package = pathlib.Path(folder, "package")
        (package / "src").mkdir(parents=True)
        for name in ("Cargo.toml", "Cargo.lock"):
            text = (ADAPTERS / "tract" / name).read_text(encoding="utf-8")
            (package / name).write_text(text.replace('"tract_worker"', '"tract_reproducer"'), encoding="utf-8")
        target = os.path.join(self.folder, "tract")
        options = ["--release", "--locked", "--manifest-path", str(package / "Cargo.toml"), "--target-dir", target]
        with self.cargo:  # each one replaces the program of the last, and cargo tells them apart by the age of the source
            shutil.copy(file, package / "src" / "main.rs")
            subprocess.run(["cargo", "build", *options], check=True, capture_output=True)
            return shutil.copy(os.path.join(target, "release", "tract_reproducer"), folder)


def show(engines, engine, file):
    """None where a file shows what it says, else what is wrong."""
    words = words_of(file)
    if words is None:
        return "it does not say what it shows; write a comment 'shows: ...' at its beginning"
    with tempfile.TemporaryDirectory() as folder:
        try:
            command, place = engines.command(engine, file.resolve(), folder)
        except subprocess.CalledProcessError as error:
            return f"it cannot be built: {error.stderr.decode('utf-8', 'replace').strip()[-500:]}"
        ended = run(command, place, words, GIGABYTES.get(engine, 4))
    return None if holds(words, ended) else f"it says '{words}', but {ended.how()}"


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 4
    folder, engines, wanted = pathlib.Path(arguments[0]), Engines(*arguments[1:3]), arguments[3:]
    files = []
    for entry in sorted(folder.iterdir()):
        if not entry.is_dir() or (wanted and entry.name not in wanted):
            continue
        if engines.is_here(entry.name):
            files += [(entry.name, file) for file in sorted(entry.iterdir()) if file.is_file()]
        else:
            print(f"left out: {entry.name}; tools/setup.sh {entry.name} installs it")
    begin, bad = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for (engine, file), wrong in zip(files, pool.map(lambda each: show(engines, *each), files)):
            if wrong:
                bad += 1
                print(f"FAILED {engine}/{file.name}: {wrong}")
    print(f"{len(files) - bad} reproducers show what they say, {bad} do not; {time.monotonic() - begin:.0f} s")
    if not files:
        return 77
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
