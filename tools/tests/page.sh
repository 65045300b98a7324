#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of a report in a real browser: views, filters, addresses, keyboard, widths, dark, and what axe finds.
# usage: tools/tests/page.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
modules=$root/build/page-tests/node_modules
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [ -z "$browser" ] || ! command -v node >/dev/null || [ ! -d "$modules/playwright-core" ] || [ ! -d "$modules/axe-core" ]; then
  echo 'SKIPPED: the page was looked at by no browser: it needs chromium, Node.js 20 and what tools/setup.sh --tests installs'
  exit 77
fi
source "$root/tools/tests/expect.sh"
without_sweeps
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1

# An engine that takes negative indices for the first element, and whose errors are HTML; one whose known failures are
# recorded; one that dies; and the reference.
worker=$root/tools/examples/my_worker.py
sed -E 's/outer \* size \+ index % size/outer * size + max(index, 0)/; s/an index outside \[/<script>alert(1)<\/script><img src=x onerror=alert(2)>[/; s/if not -len\(data.shape\) <= axis/if not 0 <= axis/' "$worker" >negative.py
sed -E 's/^    if any\(not -size .*/    if False:/' "$worker" >wraps.py
sed -E 's/^        raise IndexError.*/        import os; os.abort()/' "$worker" >dies.py
run() { "$gathercheck" run --sweeps none --filter type=f32 --filter operator=onnx.Gather-13 --filter 'operator=openvino.Gather-8' "$@"; }
expect 'known failures are recorded' 1 'brought up to date' run --implementation wraps=exec:'python3 wraps.py' --known-failures known.json --update-known-failures --reason 'indices wrap around'
expect 'engines fail' 1 'does not conform' run --implementation wraps=exec:'python3 wraps.py' --implementation negative=exec:'python3 negative.py' \
  --implementation dies=exec:'python3 dies.py' --implementation reference --known-failures known.json --output run.jsonl
expect 'and get a page' 1 '' "$gathercheck" report run.jsonl --format html --output report.html
expect 'which is one file' 0 '^<html lang="en">$' cat report.html
expect 'that asks for nothing else' 1 '' grep -E '(src|href)="(https?:|//|[a-z]+\.(js|css))' report.html
expect 'without scripts it says the same' 0 '<noscript><pre>.*' cat report.html
expect 'in the words of the text' 0 'does not conform \(exit 1\)$' sh -c 'sed -n "/<noscript>/,/<.noscript>/p" report.html'
expect 'a page without gzip' 1 '' env PATH="$folder/no-gzip" "$gathercheck" report run.jsonl --format html --output plain.html
expect 'holds the data as they are' 0 '<script id="data" type="application/json">' cat plain.html
expect 'and no element of them' 1 '' grep -E '<img src=x' plain.html
head -n 500 run.jsonl >partial.jsonl
expect 'records that were cut short get a page' 3 '' "$gathercheck" report partial.jsonl --format html --output partial.html
expect 'and so has the reference alone' 0 '' "$gathercheck" report run.jsonl --implementation reference --format html --output conforms.html
expect 'a file of speed is one' 4 'is no file that `gathercheck bench --output FILE.json` wrote' "$gathercheck" report run.jsonl --format html --bench known.json
expect 'and only for the page' 4 'is for the page' "$gathercheck" report run.jsonl --bench known.json
cat >bench.json <<'JSON'
{"format":"gathercheck-bench-1","machine":{"cpu":"a CPU"},"workloads":[{"id":"G01","workload":"f32 rows","cold":false,
  "contenders":[{"name":"optimized","kind":"ours","state":"timed","median_ns":1200.0,"samples_ns":[1,2]},{"name":"numpy","kind":"peer","state":"timed","median_ns":2400.0},
  {"name":"jax","kind":"peer","state":"missing","why":"not here"}]}]}
JSON
expect 'a page with speed' 1 '' "$gathercheck" report run.jsonl --format html --bench bench.json --output bench.html

expect 'in a browser' 0 '^browser: [0-9]+ passed, 0 failed$' env NODE_PATH="$modules" node "$root/tools/tests/page/page.mjs" "$modules" "$browser" "$folder" "$gathercheck"
cat output errors
finish
