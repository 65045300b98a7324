#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad inputs for the command: the known ones, then mutations of good ones.

usage: fuzz.py GATHERCHECK HARNESS [--spec FOLDER] [--seconds N] [--seed S] [--save FOLDER] [--only NAME]
       fuzz.py GATHERCHECK HARNESS --replay FILE

Whatever comes, the command neither dies nor hangs nor takes the memory of the machine; its exit code is one of those documented,
and what it refuses it names. The known bad inputs come first, each with what must be said of it. The time of --seconds is then
shared by the mutations in process (HARNESS) and those of whole commands. A failing input is kept, with the line that repeats it.
"""

import argparse
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CODES = {0, 1, 2, 3, 4}
DEATHS = re.compile(
    rb"Sanitizer|runtime error:|bad_alloc|terminate called|what\(\):|vector::_M|basic_string::|json\.exception|Assertion .* failed"
)
# What a terminal or a reader must never be given: C0 but newline and tab, DEL, C1 and marks of direction.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")
MOST_OUTPUT = 8 << 20
MOST_MEMORY = 3 << 30
ADDRESS_SPACE = 16 << 30  # a build with sanitizers, which reserve more, goes without
bounded = False


class Result:
    def __init__(self, code, output, errors, seconds, memory, timed_out):
        self.code, self.output, self.errors = code, output, errors
        self.seconds, self.memory, self.timed_out = seconds, memory, timed_out


def run(command, folder, seconds, stdin=b""):
    """Runs a command in a process group of its own; what it leaves running ends with it."""
    outputs = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
    begin = time.monotonic()
    environment = dict(os.environ)
    environment["ASAN_OPTIONS"] = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:allocator_may_return_null=1"

    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        if bounded:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))

    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=outputs[0],
        stderr=outputs[1],
        start_new_session=True,
        preexec_fn=limits,
    )
    try:
        process.stdin.write(stdin)
        process.stdin.close()
    except BrokenPipeError:
        pass
    timed_out = []

    def end():
        timed_out.append(True)
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    timer.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    texts = []
    for file in outputs:
        file.seek(0)
        texts.append(file.read(MOST_OUTPUT))
        file.close()
    return Result(process.returncode, *texts, time.monotonic() - begin, usage.ru_maxrss << 10, bool(timed_out))


def complaint(result, codes=CODES, names=()):
    """What is wrong with how a command ended; None where nothing is."""
    if result.timed_out:
        return "it has no end: killed after %.0f s" % result.seconds
    if result.code < 0:
        return "killed by " + signal.Signals(-result.code).name
    found = DEATHS.search(result.errors) or DEATHS.search(result.output)
    if found:
        return "it says %r" % found.group().decode()
    if result.code not in codes:
        return "exit code %d is not one of %s" % (result.code, sorted(codes))
    if result.memory > MOST_MEMORY:
        return "it took %d MiB of memory" % (result.memory >> 20)
    if len(result.errors) >= 1 << 20:
        return "a message of %d bytes" % len(result.errors)
    if result.code == 4:
        if not result.errors.strip():
            return "refused without a message"
        if names and not any(name.encode() in result.errors for name in names):
            return "the message names none of " + ", ".join(names)
    text = result.errors.decode("utf-8", "replace")
    bad = UNPRINTABLE.search(text)
    if bad:
        return "its message has the unprintable character U+%04X" % ord(bad.group())
    return None


# --- protobuf, as much of it as a node test needs


def varint(value):
    value &= (1 << 64) - 1
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    result.append(value)
    return bytes(result)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(type_number, dims, raw):
    return b"".join(field(1, dim) for dim in dims) + field(2, type_number) + field(9, raw)


def declared(name, type_number, dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, type_number) + field(2, shape)))


def node_test(folder):
    """y = Gather(x, indices): elements 2 and 0 of [1, 2, 3] as i64."""

    def numbers(*values):
        return b"".join(value.to_bytes(8, "little") for value in values)

    os.makedirs(os.path.join(folder, "test_data_set_0"))
    node = field(1, "x") + field(1, "indices") + field(2, "y") + field(4, "Gather")
    graph = (
        field(1, node)
        + field(2, "g")
        + field(11, declared("x", 7, [3]))
        + field(11, declared("indices", 7, [2]))
        + field(12, declared("y", 7, [2]))
    )
    files = {
        "model.onnx": field(1, 7) + field(8, field(2, 13)) + field(7, graph),
        "test_data_set_0/input_0.pb": tensor(7, [3], numbers(1, 2, 3)),
        "test_data_set_0/input_1.pb": tensor(7, [2], numbers(2, 0)),
        "test_data_set_0/output_0.pb": tensor(7, [2], numbers(3, 1)),
    }
    for name, content in files.items():
        write(os.path.join(folder, name), content)


# --- inputs


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


def case(name="good", data=None, indices=None, **more):
    one = {
        "id": name,
        "title": "a case",
        "inputs": {
            "data": data or {"type": "f32", "shape": [3], "values": [1, 2, 3]},
            "indices": indices or {"type": "i64", "shape": [2], "values": [2, 0]},
        },
        "expect": [
            {
                "for": ["onnx.Gather-13"],
                "rules": ["onnx.gather-13.formula.axis0"],
                "output": {"type": "f32", "shape": [2], "values": [3, 1]},
            }
        ],
    }
    one.update(more)
    return one


def cases(*all_cases):
    return json.dumps({"cases": list(all_cases)})


def sweep(**lists):
    """A sweep over lists of values, with a rule that is made of one."""
    return case("swept", sweep=lists)


WORKER = r"""
import json, sys
lines = open(sys.argv[1], "rb").read().split(b"\n")
numbers = iter(range(1 << 60))
def say(line):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
answers = [line for line in lines if line]
for line in sys.stdin.buffer:
    try:
        seq = json.loads(line).get("seq", 0)
    except ValueError:
        seq = 0
    k = next(numbers)
    answer = answers[k] if k < len(answers) else answers[-1]
    say(answer.replace(b"SEQ", str(seq).encode()) + b"\n")
"""
HELLO = (
    '{"message":"hello","protocol":1,"implementation":{"name":"player","version":"1"},"claims":[{"operators":["onnx.Gather-13"],'
    '"data":["f32"],"indices":["i64"],"operands":["runtime"],"shapes":["static"]}],"answers":["run"]}'
)
ANSWER = '{"seq":SEQ,"output":{"type":"f32","shape":[2],"base64":"AABAQAAAgD8="}}'
HOSTILE = [
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b]0;title\x07",
    "\u009b31m\u0085",
    "\u202eevil\u2066",
    "]]>&\"'",
    "|`*_#\n\n# head",
    "\x00\x7f",
    "\ud800",
]


class Fuzz:
    def __init__(self, options):
        self.options = options
        self.command = os.path.abspath(options.gathercheck)
        self.folder = tempfile.mkdtemp(prefix="gathercheck-fuzz.")
        self.failed = 0
        self.executions = 0
        self.slowest = (0, "")
        self.records = None

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def fail(self, name, why, command, files):
        self.failed += 1
        kept = os.path.join(self.options.save, "%s-%d-%d" % (re.sub("[^a-z0-9]+", "-", name), self.options.seed, self.failed))
        os.makedirs(kept, exist_ok=True)
        for path in files:
            if os.path.isfile(path) and os.path.getsize(path) < 64 << 20:
                shutil.copy(path, kept)
        write(
            os.path.join(kept, "command.json"), json.dumps({"command": command[1:], "files": [os.path.basename(f) for f in files]})
        )
        print(
            "FAILED: %s: %s\n  command: gathercheck %s\n  again: %s %s %s --replay %s"
            % (
                name,
                why,
                " ".join(shlex.quote(word)[:200] for word in command[1:]),
                shlex.quote(os.path.abspath(__file__)),
                shlex.quote(self.options.gathercheck),
                shlex.quote(self.options.harness),
                shlex.quote(kept),
            )
        )

    def expect(self, name, command, codes=CODES, pattern=None, files=(), names=(), seconds=60, untouched=(), also=None, stdin=b""):
        """One command on a bad input; `also` looks at the result for what else is wrong."""
        if self.options.only and self.options.only not in name:
            return None
        before = {path: read(path) for path in untouched}
        command = [self.command] + command
        result = run(command, self.folder, seconds, stdin)
        self.executions += 1
        self.slowest = max(self.slowest, (result.seconds, name))
        why = complaint(result, codes, names)
        if why is None and pattern and not re.search(pattern.encode(), result.errors + result.output):
            why = "it does not say " + pattern
        for path, content in before.items():
            if why is None and (not os.path.isfile(path) or read(path) != content):
                why = os.path.basename(path) + " is not what it was"
        if why is None and also:
            why = also(result)
        if why:
            self.fail(name, why, command, list(files) + list(untouched))
            sys.stdout.write(
                "".join(
                    "  | %s\n" % line[:300] for line in (result.errors + result.output).decode("utf-8", "replace").splitlines()[:12]
                )
            )
        return result

    # --- the known bad inputs

    def prepare(self):
        global bounded
        bounded = True
        bounded = run([self.command, "--version"], self.folder, 60).code == 0
        write(self.at("good.json"), cases(case()))
        write(self.at("player.py"), WORKER)
        write(self.at("good.lines"), HELLO + "\n" + ANSWER + "\n")
        steps = [
            ["run", "--cases", "good.json", "--implementation", "reference", "--output", "run.jsonl"],
            ["calls", "--cases", "good.json", "--output", "calls.jsonl"],
        ]
        for step in steps:
            result = run([self.command] + step, self.folder, 120)
            if result.code != 0:
                sys.exit("fuzz.py: %s does not work: %s" % (" ".join(step), result.errors.decode("utf-8", "replace")))
        write(self.at("answers.jsonl"), '{"seq":1,"output":{"type":"f32","shape":[2],"base64":"AABAQAAAgD8="}}\n')
        write(
            self.at("known.json"),
            json.dumps(
                {
                    "implementation": "reference",
                    "versions": "*",
                    "failures": [{"case": "good", "operator": "onnx.Gather-13", "outcomes": ["crash"], "reason": "a reason"}],
                }
            ),
        )
        whole = run([self.command, "report", "run.jsonl", "--format", "jsonl"], self.folder, 120)
        self.records = whole.output.decode().splitlines()

    def lines(self, change=None):
        """The records of a good run as objects, changed."""
        records = [json.loads(line) for line in self.records]
        return "\n".join(json.dumps(record) for record in (change(records) if change else records)) + "\n"

    def known_bad_inputs(self):
        self.bad_cases()
        self.bad_records()
        self.bad_options()
        self.bad_workers()
        self.bad_folders()
        self.bad_outputs()

    def bad_cases(self):
        def check(name, content, codes=frozenset({4}), pattern=None, seconds=60, verbs=("check",)):
            path = self.at("bad.json")
            write(path, content)
            for verb in verbs:
                arguments = {
                    "check": ["check", "bad.json"],
                    "list": ["list", "--cases", "bad.json"],
                    "run": ["run", "--cases", "bad.json", "--implementation", "reference", "--time-limit", "20"],
                }[verb]
                self.expect("%s: %s" % (verb, name), arguments, codes, pattern, [path], ["bad.json"], seconds)

        wrong = sweep(axis=[0])
        wrong["axis"] = "$axis"
        wrong["expect"] = [{"for": ["onnx.Gather-13"], "rules": ["onnx.gather-13.formula.axsi0"], "output": "equation"}]
        check("a mistyped rule in a sweep", cases(wrong), pattern=r"formula\.axsi0")
        for kind in ("u8", "f64", "string"):
            huge = case("huge", data={"type": kind, "shape": [1 << 34], "fill": {"address": 1}})
            huge["expect"][0]["output"] = {"type": kind, "shape": [2], "fill": {"address": 1}}
            check("16 GiB and more of %s in 300 bytes" % kind, cases(huge), codes=CODES, verbs=("check", "list", "run"))
        many = sweep(axis=[0], name=["n%d" % k for k in range(100000)])
        check("100,000 names in one list of a sweep", cases(many), codes={0, 4}, seconds=60)
        named = case("for", expect=[dict(case()["expect"][0], **{"for": ["onnx.Gather-13"] * 200000})])
        check("200,000 entries in for", cases(named))
        ruled = case("rules", expect=[dict(case()["expect"][0], rules=["onnx.gather-13.x%d" % k for k in range(200000)])])
        check("200,000 entries in rules", cases(ruled))
        check("a string of 8 MiB in one line", cases(case(title="x" * (8 << 20))), codes={0, 4})
        check("100,000 brackets", "[" * 100000)
        check("hostile strings", cases(case(title=HOSTILE[0] + HOSTILE[1]), case(HOSTILE[1]), case(HOSTILE[3])))
        check("nothing", "")
        check("no UTF-8", b"\xff\xfe{}")

    def bad_records(self):
        every = ["text", "html", "junit", "markdown", "badge", "json"]

        def report(name, files, codes, pattern=None, formats=("text", "html"), also=None):
            for form in formats:
                self.expect(
                    "report %s: %s" % (form, name),
                    ["report", *files, "--format", form],
                    codes,
                    pattern if form == "text" else None,
                    [self.at(file) for file in files],
                    files,
                    also=also,
                )

        def bad(change):
            write(self.at("bad.jsonl"), self.lines(change) if callable(change) else change)

        def without_execution(records):
            return [record for record in records if record["record"] != "execution"]

        bad(without_execution)
        report("a record that lacks its executions", ["bad.jsonl"], {3, 4})
        self.expect("claim: a record that lacks its executions", ["claim", "bad.jsonl", "--cases", "good.json"], {1, 3, 4})
        bad(lambda records: [record for record in records if record["record"] != "implementation"])
        report("a record that lacks its implementation", ["bad.jsonl"], {3, 4})
        bad(lambda records: records[1:])
        report("a record without its header", ["bad.jsonl"], {4})
        bad(lambda records: records[:-1])
        report("a record without its end", ["bad.jsonl"], {3})
        bad(lambda records: records + records)
        report("a record twice in one file", ["bad.jsonl"], {3, 4})
        report("a record given twice", ["run.jsonl", "run.jsonl"], {3, 4})

        def other_hash(records):
            records[0]["suite"]["hash"] = "f" * 64
            return records

        bad(other_hash)
        report("records of other cases put together", ["run.jsonl", "bad.jsonl"], {3, 4})
        bad(lambda records: other_hash(records)[:2])
        self.expect(
            "run --resume: a record of other cases",
            ["run", "--resume", "bad.jsonl"],
            {4},
            "bad.jsonl",
            untouched=[self.at("bad.jsonl")],
        )

        def hostile(records):
            text = "".join(HOSTILE[:-1])
            for record in records:
                for key in ("why", "version", "language", "device", "detail", "title", "reason", "text", "started", "repeat"):
                    if key in record or record["record"] in ("execution", "implementation", "note"):
                        record[key] = text
                if record["record"] == "execution":
                    record.update(verdict="fail", failure="wrong value", case=text, implementation="reference")
                if record["record"] == "run":
                    record["machine"] = {"cpu": text, "system": text, "distribution": text}
            return records + [{"record": "note", "implementation": "reference", "level": "warning", "text": text}]

        def harmless(result):
            text = result.output.decode("utf-8", "replace")
            found = UNPRINTABLE.search(text)
            if found:
                return "it shows the unprintable character U+%04X" % ord(found.group())
            return "it has a script of the record" if b"<script>alert" in result.output and b"<html" in result.output else None

        bad(hostile)
        report("hostile strings", ["bad.jsonl"], CODES, formats=every, also=harmless)
        self.expect("claim: hostile strings", ["claim", "bad.jsonl", "--cases", "good.json"], also=harmless)
        self.expect("policy: hostile strings", ["policy", "--records", "bad.jsonl"], also=harmless)
        bad(self.lines() + '{"record":"note","implementation":"reference","level":"warning","text":"' + "x" * (8 << 20) + '"}\n')
        report("a line of 8 MiB", ["bad.jsonl"], CODES)
        bad("x" * (8 << 20))
        report("8 MiB without a newline", ["bad.jsonl"], {4})
        report("no file", ["missing.jsonl"], {4})
        report("a folder", ["."], {4})

        def programs(records):
            records[0]["options"]["implementations"] = ["exec:touch PWNED", "plugin:./evil.so"]
            records[0]["options"]["folder"] = self.folder
            return records[:2]

        bad(programs)
        self.expect(
            "run --resume: a record that names a program",
            ["run", "--resume", "bad.jsonl"],
            {4},
            "exec:touch PWNED",
            [self.at("bad.jsonl")],
            untouched=[self.at("bad.jsonl")],
            also=lambda _: "the program was run" if os.path.exists(self.at("PWNED")) else None,
        )

    def bad_options(self):
        for option in ("--time-limit", "--memory-limit", "--restarts", "--jobs", "--failures"):
            for value in ("nan", "-nan", "inf", "-5", "1e999", "", "9" * 40):
                if option == "--time-limit" or self.options.seconds > 60 or value in ("nan", "-5"):
                    self.expect(
                        "run %s=%s" % (option, value), ["run", "--cases", "good.json", "%s=%s" % (option, value)], {4}, option
                    )
        self.expect(
            "a mistyped filter", ["list", "--cases", "good.json", "--filter", "good", "--filter", "type=fp32"], {4}, "type=fp32"
        )

    def worker(self, name, lines, codes=CODES, pattern=None, seconds=90, verbs=("run", "smoke"), limit="5", also=None):
        write(self.at("bad.lines"), lines)
        program = "exec:%s -S -B player.py bad.lines" % sys.executable
        commands = {
            "run": ["run", "--cases", "good.json", "--implementation", program, "--time-limit", limit],
            "smoke": ["smoke", program, "--time-limit", limit, "--time-to-start", "20"],
        }
        for verb in verbs:
            self.expect(
                "%s: %s" % (verb, name),
                commands[verb],
                codes,
                pattern,
                [self.at("bad.lines"), self.at("player.py")],
                seconds=seconds,
                also=also,
            )

    def bad_workers(self):
        long_text = "x" * (4 << 20)
        self.worker("a good worker", HELLO + "\n" + ANSWER + "\n", {0}, verbs=("run",))
        self.worker("a hello of 4 MiB", HELLO.replace("player", long_text))
        self.worker("an answer of 4 MiB", HELLO + '\n{"seq":SEQ,"rejected":{"message":"' + long_text + '"}}\n')
        self.worker("an answer of 4 MiB that is none", HELLO + "\n" + long_text + "\n", verbs=("run",))
        self.worker("hostile strings", HELLO + '\n{"seq":SEQ,"rejected":{"message":' + json.dumps("".join(HOSTILE)) + "}}\n")
        script = "import sys\nprint(%r, flush=True)\n" % HELLO + "while True: sys.stdout.write('x' * 65536)\n"
        for name, text in (
            ("endless output without a line", script),
            ("endless lines", script.replace("'x' * 65536", r"'{}\n' * 20000")),
            ("endless errors", script.replace("stdout", "stderr")),
        ):
            write(self.at("endless.py"), text)
            program = "exec:%s -S -B endless.py" % sys.executable
            self.expect(
                "run: " + name,
                ["run", "--cases", "good.json", "--implementation", program, "--time-limit", "2"],
                {1, 3},
                seconds=120,
                files=[self.at("endless.py")],
            )

    def bad_folders(self):
        self.expect("import is there", ["import", "--help"])
        node_test(self.at("con..trol"))
        result = self.expect("import: con..trol", ["import", "onnx", "con..trol", "--output", "imported.json"])
        if result and result.code == 0:
            self.expect("check: what import made of con..trol", ["check", "imported.json"], {0}, files=[self.at("imported.json")])
        os.makedirs(self.at("pipes"))
        write(self.at("pipes", "good.json"), cases(case()))
        os.mkfifo(self.at("pipes", "pipe.json"))
        self.expect("check: a folder with a pipe", ["check", "pipes"], {4}, "pipe.json", seconds=60)
        node_test(self.at("piped"))
        os.remove(self.at("piped", "model.onnx"))
        os.mkfifo(self.at("piped", "model.onnx"))
        self.expect("import: a model that is a pipe", ["import", "onnx", "piped"], {4}, seconds=60)
        self.expect("import: a pipe", ["import", "onnx", "pipes/pipe.json"], {4}, seconds=60)

    def bad_outputs(self):
        run_it = ["run", "--implementation", "reference"]
        commands = {
            "run: its cases": (run_it + ["--cases", "good.json", "--output", "good.json"], "good.json"),
            "run: its known failures": (
                run_it + ["--cases", "good.json", "--known-failures", "known.json", "--output", "./known.json"],
                "known.json",
            ),
            "report: its records": (["report", "run.jsonl", "--format", "html", "--output", "run.jsonl"], "run.jsonl"),
            "judge: its answers": (
                ["judge", "--calls", "calls.jsonl", "--answers", "answers.jsonl", "--output", "answers.jsonl"],
                "answers.jsonl",
            ),
            "judge: its calls": (
                ["judge", "--calls", "calls.jsonl", "--answers", "answers.jsonl", "--output", "calls.jsonl"],
                "calls.jsonl",
            ),
            "calls: its cases": (["calls", "--cases", "good.json", "--output", "good.json"], "good.json"),
        }
        for name, (command, file) in commands.items():
            kept = read(self.at(file))
            self.expect("an output that is an input, of " + name, command, {4}, re.escape(file), untouched=[self.at(file)])
            write(self.at(file), kept)

    # --- mutations of whole commands

    def mutate(self, text, rng):
        text = bytearray(text)
        for _ in range(rng.randint(1, 4)):
            if not text:
                return b" "
            place = rng.randrange(len(text))
            kind = rng.randrange(6)
            if kind == 0:
                text[place] = rng.choice(b'{}[]",:-0129.eE+$ntfa\\u\xff\xc3\x01\x1b ')
            elif kind == 1:
                del text[place : place + rng.randint(1, 30)]
            elif kind == 2:
                text[place:place] = text[place : place + rng.randint(1, 200)]
            elif kind == 3:  # a value for another
                values = list(re.finditer(rb'"[^"]*"|-?\d+|true|\[[^\[\]]*\]', bytes(text)))
                if values:
                    old = rng.choice(values)
                    odd = [
                        b"null",
                        b"-1",
                        b"9223372036854775808",
                        b"1e999",
                        b'""',
                        b"[]",
                        b"{}",
                        b'"\\u001b[31m"',
                        b'"exec:true"',
                        json.dumps(rng.choice(HOSTILE)).encode(),
                        rng.choice(values).group(),
                    ]
                    text[old.start() : old.end()] = rng.choice(odd)
            else:  # lines
                lines = bytes(text).split(b"\n")
                k = rng.randrange(len(lines))
                if kind == 4:
                    lines.insert(rng.randrange(len(lines) + 1), lines[k])
                else:
                    del lines[k]
                text = bytearray(b"\n".join(lines))
        return bytes(text)

    def mutations(self, seconds):
        """Whole commands on mutated files, in turn; each is made from the seed and its number."""
        program = "exec:%s -S -B player.py m.lines" % sys.executable
        limited = ["--time-limit", "5", "--restarts", "3"]
        kinds = [
            ("cases", "good.json", "m.json", ["check", "m.json"]),
            ("cases", "good.json", "m.json", ["run", "--cases", "m.json", "--implementation", "reference", *limited]),
            ("records", "run.jsonl", "m.jsonl", ["report", "m.jsonl", "--format", "html"]),
            ("records", "run.jsonl", "m.jsonl", ["claim", "m.jsonl", "--cases", "good.json"]),
            ("records", "run.jsonl", "m.jsonl", ["run", "--resume", "m.jsonl"]),
            ("worker", "good.lines", "m.lines", ["run", "--cases", "good.json", "--implementation", program, *limited]),
            ("worker", "good.lines", "m.lines", ["smoke", program, "--time-limit", "5", "--time-to-start", "10"]),
            (
                "known failures",
                "known.json",
                "m.known",
                ["run", "--cases", "good.json", "--implementation", "reference", "--known-failures", "m.known"],
            ),
            ("answers", "answers.jsonl", "m.answers", ["judge", "--calls", "calls.jsonl", "--answers", "m.answers"]),
            ("calls", "calls.jsonl", "m.calls", ["judge", "--calls", "m.calls", "--answers", "answers.jsonl"]),
        ]
        begin = time.monotonic()
        count = 0
        while time.monotonic() - begin < seconds:
            rng = random.Random("%d/%d" % (self.options.seed, count))
            name, source, target, command = kinds[count % len(kinds)]
            write(self.at(target), self.mutate(read(self.at(source)), rng))
            names = [target] if name != "worker" and command[0] != "claim" else []
            self.expect(
                "mutation %d of %s by %s" % (count, name, command[0]),
                command,
                files=[self.at(target), self.at("good.json")],
                names=names,
                seconds=90,
            )
            count += 1
        taken = time.monotonic() - begin
        print("commands: seed %d, %d executions in %.1f s, %.1f a second" % (self.options.seed, count, taken, count / taken))

    # --- in process

    def harness(self, seconds):
        for kind in ("cases", "records", "answers", "known_failures", "import"):
            command = [
                self.options.harness,
                kind,
                "--spec",
                self.options.spec,
                "--corpus",
                os.path.join(HERE, "corpus"),
                "--seconds",
                str(seconds / 5),
                "--seed",
                str(self.options.seed),
                "--save",
                self.options.save,
            ]
            environment = dict(os.environ, TMPDIR=self.folder)
            result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            sys.stdout.write(result.stdout.decode("utf-8", "replace"))
            if result.returncode not in (0, 77) or re.search(rb"Sanitizer|runtime error:", result.stdout):
                self.failed += 1

    def replay(self, folder):
        if os.path.isfile(folder):
            kind = os.path.basename(folder).split("-")[0]
            os.execv(
                self.options.harness,
                [
                    self.options.harness,
                    kind,
                    "--spec",
                    self.options.spec,
                    "--corpus",
                    os.path.join(HERE, "corpus"),
                    "--replay",
                    folder,
                ],
            )
        kept = json.loads(read(os.path.join(folder, "command.json")))
        for name in kept["files"]:
            if os.path.exists(os.path.join(folder, name)):
                shutil.copy(os.path.join(folder, name), self.folder)
        result = run([self.command] + kept["command"], self.folder, 120)
        sys.stdout.buffer.write(result.output + result.errors)
        print(
            "\nexit code %d after %.1f s, %d MiB: %s"
            % (result.code, result.seconds, result.memory >> 20, complaint(result) or "as it may end")
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gathercheck")
    parser.add_argument("harness")
    parser.add_argument("--spec", default=os.path.join(HERE, "..", "..", "spec_cases"))
    parser.add_argument("--seconds", type=float, default=30, help="for the mutations; the known bad inputs come on top")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", default="fuzz-failures")
    parser.add_argument("--only", help="of the known bad inputs those with this in their name, and no mutations")
    parser.add_argument("--replay", help="what a failure left")
    options = parser.parse_args()
    options.save = os.path.abspath(options.save)
    options.harness = os.path.abspath(options.harness)
    os.makedirs(options.save, exist_ok=True)
    fuzz = Fuzz(options)
    try:
        fuzz.prepare()
        if options.replay:
            fuzz.replay(os.path.abspath(options.replay))
            return 0
        begin = time.monotonic()
        fuzz.known_bad_inputs()
        print(
            "known bad inputs: %d executions in %.1f s; the slowest, %s, took %.1f s"
            % (fuzz.executions, time.monotonic() - begin, fuzz.slowest[1], fuzz.slowest[0])
        )
        if not options.only:
            fuzz.mutations(options.seconds / 3)
            fuzz.harness(options.seconds * 2 / 3)
    finally:
        shutil.rmtree(fuzz.folder, ignore_errors=True)
    print("%d failed" % fuzz.failed)
    return 1 if fuzz.failed else 0


sys.exit(main())
