#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# overhead: what it prints, and that its figures are figures. usage: tools/tests/overhead.sh GATHERCHECK
set -u

gathercheck=$1
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

figures='( +[0-9]+\.[0-9] \([0-9]+\.[0-9]\)){3}$'
expect 'a worker in C++ is measured' 0 "^a worker in C\+\+ $figures" "$gathercheck" overhead --calls 40
cp output text
expect 'a plug-in is measured' 0 "^a plug-in in its worker $figures" cat text
expect 'a child process is measured' 0 "^C\+\+ in a child process, asked in batches $figures" cat text
expect 'and a whole run with each' 0 '^a worker in C\+\+( +[0-9]+\.[0-9]){3}$' cat text
if command -v python3 >/dev/null; then
  expect 'a worker in Python is measured, and labelled' 0 "^a worker in Python \(with Python's own JSON\) $figures" \
    env -u GATHERCHECK_PYTHON "$gathercheck" overhead --calls 40
fi
expect 'a Python that is not there is said, and is no trouble' 0 'a worker in Python .* not measured: .*no-such-python' \
  env GATHERCHECK_PYTHON=/no-such-python "$gathercheck" overhead --calls 2
expect 'the same as JSON' 0 '"call_median": [0-9]' "$gathercheck" overhead --calls 40 --format json
cp output json
expect 'no figure is zero or negative' 1 '^0$' grep -cE '"(call_median|call_p99|execution)": (0\.0,?$|-)' json
# Some thousand times what it takes: only a figure in another unit comes near it.
expect 'a call of a worker in C++ takes less than a tenth of a second' 0 '"call_median": [0-9]{1,4}\.' grep -A 6 worker_cpp json
expect 'no calls are bad usage' 4 '--calls' "$gathercheck" overhead --calls 0
expect 'a worker is something' 4 'worker|option' "$gathercheck" worker
finish
