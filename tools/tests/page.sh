#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of a report in a real browser: views, filters, addresses, keyboard, widths, dark, and what axe finds.
# usage: tools/tests/page.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
needs_browser
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1

# An engine that takes negative indices for the first element, and whose errors are HTML; one whose known failures are
# recorded; one that dies; and the reference.
worker=$root/tools/examples/my_worker.py
sed -E 's/outer \* size \+ index % size/outer * size + max(index, 0)/; s/an index outside \[/<script>alert(1)<\/script><img src=x onerror=alert(2)>[/; s/if not -len\(data.shape\) <= axis/if not 0 <= axis/' "$worker" >negative.py
sed -E 's/^    if any\(not -size .*/    if False:/' "$worker" >wraps.py
sed -E 's/^        raise IndexError.*/        import os; os.abort()/' "$worker" >dies.py
run() { "$gathercheck" run --sweeps none --filter type=f32 --filter operator=onnx.Gather-13 --filter 'operator=openvino.Gather-8' "$@"; }
# page NAME FILE EXIT-CODE ARGUMENTS...: makes the page FILE of a report, which has the exit code.
page() {
  local name=$1 file=$2 code=$3
  shift 3
  # shellcheck disable=SC2016
  expect "$name" 0 "^$code <!DOCTYPE html>$" sh -c 'file=$1; shift; "$0" report "$@" --format html --output "$file"; echo "$? $(head -n 1 "$file")"' "$gathercheck" "$file" "$@"
}
# lacks NAME FILE PATTERN: nothing in the file matches.
lacks() { expect "$1" 0 '^0$' sh -c 'grep -cE -- "$1" "$0" || true' "$2" "$3"; }

expect 'known failures are recorded' 1 'brought up to date' run --implementation wraps=exec:'python3 wraps.py' --known-failures known.json --update-known-failures --reason 'indices wrap around'
expect 'and known' 0 'conforms but for' run --implementation wraps=exec:'python3 wraps.py' --known-failures known.json --output known.jsonl
expect 'engines fail' 1 'does not conform' run --implementation negative=exec:'python3 negative.py' --implementation dies=exec:'python3 dies.py' --implementation reference --output run.jsonl
expect 'and did not before' 0 'conforms' run --implementation negative=exec:"python3 $worker" --output before.jsonl
page 'they get a page' report.html 1 run.jsonl known.jsonl
lacks 'which asks for nothing else' report.html '(src|href)="(https?:|//|[a-z]+\.(js|css))'
expect 'without scripts it says what the text says' 0 '^does not conform \(exit 1\)$' sed -n '/<noscript>/,/<.noscript>/p' report.html
mkdir no-gzip
expect 'which holds the data as they are' 1 '<script id="data" type="application/json">' env PATH="$folder/no-gzip" "$gathercheck" report run.jsonl --format html
mv output plain.html
lacks 'but no element of them' plain.html '<img src=x'
head -n 300 run.jsonl >partial.jsonl
page 'records that were cut short get a page' partial.html 3 partial.jsonl
page 'and so has the reference alone' conforms.html 0 run.jsonl --implementation reference
page 'and what changed' changes.html 1 run.jsonl --baseline before.jsonl
mkdir runs
cp before.jsonl run.jsonl runs/
cp partial.jsonl runs/cut-short.jsonl
page 'and what became of several runs' history.html 1 run.jsonl --history runs
cp history.html runs/report.html
expect 'beside which the page may lie' 1 '' "$gathercheck" report run.jsonl --format html --history runs --output runs/report.html
expect 'of which none is written over' 4 'which would be lost|it is an input' "$gathercheck" report run.jsonl --format html --history runs --output runs/before.jsonl
expect 'of a folder that is there' 4 'runs-of-nobody' "$gathercheck" report run.jsonl --format html --history runs-of-nobody
expect 'and only there' 4 '^gathercheck: --history is for the page: --format html$' "$gathercheck" report run.jsonl --history runs
expect 'a file of speed is one' 4 'is no file that .gathercheck bench --output FILE.json. wrote' "$gathercheck" report run.jsonl --format html --bench known.json
expect 'and only for the page' 4 '^gathercheck: --bench is for the page: --format html$' "$gathercheck" report run.jsonl --bench known.json
expect 'as is an earlier run' 4 '^gathercheck: --baseline is for the page: --format html$' "$gathercheck" report run.jsonl --baseline before.jsonl
expect 'no input is written over' 4 'before.jsonl' "$gathercheck" report run.jsonl --format html --baseline before.jsonl --output before.jsonl
cat >bench.json <<'JSON'
{"format":"gathercheck-bench-1","machine":{"cpu":"a CPU"},"workloads":[{"id":"G01","workload":"f32 rows","cold":false,
  "contenders":[{"name":"optimized","kind":"ours","state":"timed","median_ns":1200.0,"samples_ns":[1,2]},{"name":"numpy","kind":"peer","state":"timed","median_ns":2400.0},
  {"name":"jax","kind":"peer","state":"missing","why":"not here"}]}]}
JSON
page 'and speed' bench.html 1 run.jsonl --bench bench.json

expect 'in a browser' 0 '^browser: [0-9]+ passed, 0 failed$' env NODE_PATH="$modules" node "$root/tools/tests/page/page.mjs" "$modules" "$browser" "$folder" "$gathercheck"
cat output errors
finish
