#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The clarifications as a user meets them, and the committed page against its data. usage: tools/tests/clarifications.sh GATHERCHECK
set -u

gathercheck=$1
sources=$(cd "$(dirname "$0")/../.." && pwd)
page=$sources/spec_cases/clarifications/README.md
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# same NAME HINT FILE COMMAND...: the command must print exactly what the file holds.
same() {
  local name=$1 hint=$2 file=$3
  shift 3
  if "$@" >printed 2>errors </dev/null && diff "$file" printed >difference; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf 'FAILED: %s\n  %s\n' "$name" "$hint"
  cat errors difference 2>/dev/null | sed 's/^/  | /' | head -n 20
}

# --- the committed page
same 'the committed page says what the data say' 'write it again with: gathercheck clarifications --update' "$page" \
  "$gathercheck" clarifications --format markdown
sed -n 's/.*](#\([^)]*\))$/<a id="\1"><\/a>/p' "$page" | sort >links
grep -o '^<a id="[^"]*"></a>$' "$page" | sort >places
same 'every line of contents leads to an entry' 'an anchor or a line of contents is missing' links cat places

# --- reading
expect 'help has an example' 0 'Examples:' "$gathercheck" clarifications --help
expect 'one entry by its id' 0 '^Question: ' "$gathercheck" clarifications index-out-of-bounds-consequence
expect 'it is told apart from the others' 0 '^1$' sh -c "'$gathercheck' clarifications bit-exactness | grep -c '^Versions:'"
expect 'the suite says which reading is its own' 0 "^1\. .*\(the suite's\)" "$gathercheck" clarifications axis-counted-from-zero
expect 'ids may be patterns' 0 '^batch-dims-type$' "$gathercheck" clarifications 'batch-dims-*'
expect 'engines stand with version and date' 0 '^- onnxruntime [0-9.]+ \(20[0-9]{2}-[0-9]{2}-[0-9]{2}\)$' \
  "$gathercheck" clarifications index-out-of-bounds-error-whose
expect 'an id that nothing has' 4 'no clarification matches' "$gathercheck" clarifications no-such-point
expect 'as JSON' 0 '"no_case": ' "$gathercheck" clarifications index-hints --format json

# --- records of an implementation become part of the page
mkdir -p share && cp -R "$sources/spec_cases" share/ && cp -R "$sources/conformance/adapters" share/ && chmod -R u+w share
export GATHERCHECK_SHARE=$folder/share
expect 'a run of the cases that an entry names' 0 'conforms' "$gathercheck" run --implementation reference --implementation optimized \
  --filter case=gather-index-one-past-the-end --filter case=gather-axis-middle --no-known-failures --output run.jsonl
expect 'records are shown in place of what is stored' 0 '^- reference ' \
  "$gathercheck" clarifications index-error-and-optimisers --records run.jsonl
expect 'and are not stored without being asked' 0 '^0$' sh -c "grep -c '\"reference\"' share/spec_cases/clarifications/observed.json || true"
expect 'an update says what it wrote' 0 'observed.json: reference ' "$gathercheck" clarifications --records run.jsonl --update
expect 'it keeps what was known of others' 0 '"implementation": "onnxruntime"' cat share/spec_cases/clarifications/observed.json
expect 'the page names the new implementation' 0 '^- reference [0-9.]+ \(20' cat share/spec_cases/clarifications/README.md
same 'the page that an update writes is the one that is printed' 'compare --update with --format markdown' \
  share/spec_cases/clarifications/README.md "$gathercheck" clarifications --format markdown
cp share/spec_cases/clarifications/observed.json before.json
expect 'the same records again' 0 'observed.json: reference ' "$gathercheck" clarifications --records run.jsonl --update
same 'change nothing' 'an update must not depend on what was there' before.json cat share/spec_cases/clarifications/observed.json
sed -i 's/"case":"/&not-named-/' run.jsonl
expect 'records without a case that is named' 4 'no execution of a case that a clarification names' \
  "$gathercheck" clarifications --records run.jsonl
expect 'records that are none' 4 'no-such.jsonl' "$gathercheck" clarifications --records no-such.jsonl
expect 'an update is of the whole page' 4 'leave out the ids' "$gathercheck" clarifications bit-exactness --update

# --- damaged data
entry=share/spec_cases/clarifications/bit-exactness.json
cp "$entry" entry.json
sed 's/"gather-type-string-nul"/"gather-type-no-such"/' entry.json >"$entry"
expect 'an unknown case is named with file and place' 4 'bit-exactness.json: /cases: .gather-type-no-such. is no case' "$gathercheck" clarifications
sed 's/"onnx.Gather-13"/"onnx.Gather-12"/' entry.json >"$entry"
expect 'an unknown version is refused' 4 'bit-exactness.json: /operators: .onnx.Gather-12. is no operator version' "$gathercheck" clarifications
sed 's/"why": "[^"]*"/"why": "Another reason."/' entry.json >"$entry"
expect 'an entry that changed changes the page' 0 'Another reason' "$gathercheck" clarifications --format markdown
cp entry.json "$entry"
sed -i 's/"verdict": "pass"/"verdict": "fine"/' share/spec_cases/clarifications/observed.json
expect 'stored observations are not edited by hand' 4 'observed.json: /observed/.*verdict: .fine. is unknown' "$gathercheck" clarifications
sed -i 's/"verdict": "fine"/"verdict": "pass"/; s/"gather-type-string-nul"/"gather-type-no-such"/' share/spec_cases/clarifications/observed.json
expect 'observations of a case that is gone are refused' 4 'observed.json: .*no-such. is no case; renew the file' "$gathercheck" clarifications
expect 'an update drops them' 0 'README.md: [0-9]+ clarifications' "$gathercheck" clarifications --update
expect 'a list of them has titles alone' 0 '^  index-clamp-webnn  +Whether WebNN clamps' "$gathercheck" clarifications --list
expect 'and all is well again' 0 '^bit-exactness$' "$gathercheck" clarifications bit-exactness

finish
