#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX's own gather tests through the command: imported, checked, run. usage: import_command.sh GATHERCHECK [ENGINE...]
#
# Without an engine the imported cases run on the reference and every optimized target; exit code 77 where the data or the
# engines' Python is not there.
set -u

gathercheck=$1
shift
data=${GATHERCHECK_ONNX_TESTDATA:-/usr/share/libonnx-testdata/data}
if [ ! -d "$data/node/test_gather_0" ]; then
  echo "skipped: ONNX's test data is not at $data; install the Debian package libonnx-testdata, or name its folder in" \
    "GATHERCHECK_ONNX_TESTDATA"
  exit 77
fi
if [ $# -gt 0 ] && [ ! -x "${GATHERCHECK_PYTHON:-}" ]; then
  echo "skipped: no Python with $* in it; run tools/setup.sh $*"
  exit 77
fi
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

expect 'every official gather test is imported for every version' 0 \
  '^gathercheck: 10 cases from 10 node tests; 0 refused; [0-9]+ other models skipped$' \
  "$gathercheck" import onnx "$data/node" --all-versions --output all.json

if [ $# -gt 0 ]; then
  for engine in "$@"; do
    # OpenVINO fails on almost every Gather whose axis is not a constant; the shipped cases and the known failures say so.
    # Here it is the official data that is on trial.
    expect "$engine passes the official tests" 0 'conforms \(exit 0\)$' "$gathercheck" run --cases all.json \
      --implementation "$engine" --filter 'route=runtime/static' --filter 'route=runtime/dynamic' \
      --filter 'route=constant/static' --filter 'route=constant/dynamic' --filter 'route=folded/static'
  done
  [ $failed -eq 0 ] && echo "passed on: $*"
  exit $((failed > 0))
fi

expect 'the cases agree with the reference and the equations' 0 '^onnx\.GatherND-13 +3 expectations' "$gathercheck" check all.json
expect 'the reference and every row pass them' 0 'conforms \(exit 0\)$' "$gathercheck" run --cases all.json
expect 'each version of each case is run' 0 '^reference +[0-9.]+ +44 +0 +44$' "$gathercheck" run --cases all.json

# What is printed, and what is said beside it.
expect 'cases go to standard output, the summary does not' 0 '^gathercheck: 1 case from 1 node test; 0 refused$' \
  "$gathercheck" import onnx "$data/node/test_gather_0" --id-prefix my-
cp output one.json
expect 'what is printed is a case file' 0 'conforms \(exit 0\)$' "$gathercheck" run --cases one.json --implementation reference \
  --filter case=my-test-gather-0
expect 'what is refused is said, and the rest is imported' 4 '^gathercheck: .*/test_add: the node is "Add"; cases are of ' \
  "$gathercheck" import onnx "$data/node/test_add" "$data/node/test_gather_1" --output rest.json
expect 'the rest can be run' 0 'conforms \(exit 0\)$' "$gathercheck" run --cases rest.json --implementation reference
expect 'nothing imported is no success' 4 '^gathercheck: 0 cases from 0 node tests; 1 refused$' \
  "$gathercheck" import onnx "$data/node/test_add" --output nothing.json
if [ -e nothing.json ]; then
  failed=$((failed + 1))
  echo 'FAILED: a file without a case was written'
fi

mkdir -p bad/test_cut bad/test_good
cp -r "$data/node/test_gather_0/." bad/test_good
cp -r "$data/node/test_gather_0/." bad/test_cut
head -c 100 "$data/node/test_gather_0/test_data_set_0/input_0.pb" >bad/test_cut/test_data_set_0/input_0.pb
expect 'a damaged test among others is no success' 4 \
  '^gathercheck: bad/test_cut: test_data_set_0: input_0.pb is no readable protobuf message' \
  "$gathercheck" import onnx bad
expect 'an absent folder' 4 '^gathercheck: absent: the folder cannot be read: No such file' "$gathercheck" import onnx absent
expect 'a prefix that ids cannot have' 4 '^gathercheck: the prefix "A_" does not fit ids' \
  "$gathercheck" import onnx "$data/node/test_gather_0" --id-prefix A_
expect 'an output that cannot be written' 4 'could not be written to absent/x.json' \
  "$gathercheck" import onnx "$data/node/test_gather_0" --output absent/x.json
if [ -w /dev/full ]; then
  "$gathercheck" import onnx "$data/node/test_gather_0" >/dev/full 2>errors
  if [ $? -ne 3 ] || ! grep -q 'could not be written to standard output' errors; then
    failed=$((failed + 1))
    echo 'FAILED: a full standard output is not noticed'
  fi
fi
expect 'another kind of import' 4 'kind' "$gathercheck" import tensorflow "$data/node"

finish
