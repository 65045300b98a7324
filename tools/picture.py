# SPDX-License-Identifier: Apache-2.0
# Draws the picture of README.md, tools/picture.svg: what a run prints of a worker with a planted bug, as text in a frame.
"""usage: python3 tools/picture.py [--check] GATHERCHECK

Copies tools/examples/my_worker.py, plants a bug in it, runs it, and draws the two commands with all that the run prints. With
--check it writes nothing, and compares the picture that is there with what is printed now, times and counts aside. Exit: 0
written, or up to date; 1 out of date, or the run did not fail as it should.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

root = Path(__file__).resolve().parent.parent
picture = root / "tools/picture.svg"
commands = [
    "sed -i 's/index % size/max(index, 0)/' my_worker.py  # plant a bug: -1 is taken for 0",
    "gathercheck run --implementation 'my_engine=exec:python3 my_worker.py'",
]
columns = 104
width, height, margin = 7.5, 18, 18  # of a character, of a line, around all, in pixels
# What stands out, by the class that colours it.
styles = [
    (re.compile(r"^\$ .*"), "command"),
    (re.compile(r"^FAIL|\bwrong value|does not conform \(exit 1\)"), "bad"),
    (re.compile(r"^  explained by: .*|^diagnosis: .*"), "cause"),
    (re.compile(r"^  (?:rule|repeat): |; why: "), "label"),
]
head = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<!-- SPDX-License-Identifier: Apache-2.0. Drawn by tools/picture.py from what a run printed. -->
<title>A run of gathercheck on a worker with a planted bug</title>
<style>
text {{ font: 12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
text {{ fill: #1f2328 }}
rect {{ fill: #f6f8fa; stroke: #d0d7de }}
.command {{ fill: #0550ae }} .bad {{ fill: #b3141d; font-weight: bold }} .cause {{ fill: #116329 }} .label {{ fill: #59636e }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #e6edf3 }} rect {{ fill: #0d1117; stroke: #3d444d }}
  .command {{ fill: #79c0ff }} .bad {{ fill: #ff7b72 }} .cause {{ fill: #7ee787 }} .label {{ fill: #9198a1 }}
}}
</style>
<rect x="0.5" y="0.5" width="{frame_width}" height="{frame_height}" rx="6"/>
"""


def printed(gathercheck):
    """The lines of a terminal in which both commands are typed."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(root / "tools/examples/my_worker.py", folder)
        # The module is found as in an environment with the Python package, and leaves no compiled files in the source tree.
        environment = {**os.environ, "PYTHONPATH": str(root / "conformance/adapters"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment["PATH"] = f"{Path(gathercheck).resolve().parent}:{os.environ['PATH']}"
        lines = []
        for command in commands:
            run = subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            lines += [f"$ {command}", *run.stdout.splitlines()]
        if run.returncode != 1 or "does not conform (exit 1)" not in lines[-1]:
            sys.exit("\n".join([*lines, run.stderr, f"the run should have failed by exit code 1, not {run.returncode}"]))
    return lines


def classes_of(line):
    """For each character the class that colours it, or none."""
    classes = [""] * len(line)
    for pattern, name in styles:
        for found in pattern.finditer(line):
            classes[found.start() : found.end()] = [name] * (found.end() - found.start())
    return classes


def drawn(lines):
    rows, texts = 0, []
    for line in lines:
        classes = iter(classes_of(line))
        for row in textwrap.wrap(line, columns, drop_whitespace=False, break_on_hyphens=False) or [""]:
            column = 0
            for name, pieces in itertools.groupby(zip(row, classes), key=lambda piece: piece[1]):
                text = "".join(character for character, _ in pieces)
                kind = f' class="{name}"' if name else ""
                x, y = margin + column * width, margin + rows * height + 12
                # Each piece has its place and its length, so that columns stand below each other in any font.
                texts.append(f'<text{kind} x="{x:g}" y="{y}" textLength="{len(text) * width:g}">{escape(text)}</text>')
                column += len(text)
            rows += 1
    size = {"width": int(columns * width) + 2 * margin, "height": rows * height + 2 * margin}
    frame = {f"frame_{key}": value - 1 for key, value in size.items()}
    return head.format(**size, **frame) + "\n".join(texts) + "\n</svg>\n"


def words(svg):
    """All text, with numbers and the blanks that align them alike."""
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return re.sub(r"\s+", "", re.sub(r"\d+(\.\d+)?", "0", "".join(text.text for text in texts)))


arguments = sys.argv[1:]
check = arguments[:1] == ["--check"]
if len(arguments) != 1 + check:
    sys.exit(__doc__)
svg = drawn(printed(arguments[-1]))
if not check:
    picture.write_text(svg)
elif words(svg) != words(picture.read_text()):
    sys.exit(f"tools/picture.svg is not what a run prints now; draw it anew: python3 tools/picture.py {arguments[-1]}")
