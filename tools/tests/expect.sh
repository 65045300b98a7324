# SPDX-License-Identifier: Apache-2.0
# For the scripts beside it, which source it: a folder of their own, expectations of commands, and the closing line.
# shellcheck shell=bash disable=SC2034,SC2154

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0
failed=0

# expect NAME EXIT-CODE PATTERN COMMAND...: runs the command; what it prints, its errors first, must match the pattern.
# Its standard output is left in the file "output".
expect() {
  local name=$1 code=$2 pattern=$3 got
  shift 3
  "$@" >output 2>errors </dev/null
  got=$?
  if [ "$got" = "$code" ] && { [ -z "$pattern" ] || cat errors output | grep -E -- "$pattern" >/dev/null; }; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf 'FAILED: %s\n  command: %s\n  exit code %s, expected %s; expected to find: %s\n' "$name" "$*" "$got" "$code" "$pattern"
  cat errors output | sed 's/^/  | /' | head -n 40
}

# From here on the command has the shipped data without the files of sweeps, which nine tenths of the cases are from: it starts in
# a quarter of the time, and does not do otherwise where a script is about something else.
without_sweeps() {
  local shipped part file
  shipped=$(cd "$(dirname "$gathercheck")/../share/gathercheck" && pwd) || exit 1
  mkdir -p "$folder/without_sweeps/spec_cases/cases"
  ln -s "$shipped/adapters" "$folder/without_sweeps/"
  for part in "$shipped"/spec_cases/*; do
    [ "${part##*/}" = cases ] || ln -s "$part" "$folder/without_sweeps/spec_cases/"
  done
  for file in "$shipped"/spec_cases/cases/*.json; do
    case ${file##*/} in sweeps-*) ;; *) ln -s "$file" "$folder/without_sweeps/spec_cases/cases/" ;; esac
  done
  export GATHERCHECK_SHARE="$folder/without_sweeps"
}

# One command with them all the same.
with_sweeps() { env -u GATHERCHECK_SHARE "$@"; }

# Names the browser and the folder of what drives it, or skips the script, whose test has the exit code 77 for that.
needs_browser() {
  modules=$root/build/page-tests/node_modules
  browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
  if [ -n "$browser" ] && command -v node >/dev/null && [ -d "$modules/playwright-core" ] && [ -d "$modules/axe-core" ]; then return; fi
  echo 'SKIPPED: no browser was asked: that needs chromium, Node.js 20 and what tools/setup.sh --tests installs'
  exit 77
}

# The records of a file, each by itself with all its members.
whole() {
  "$gathercheck" report "$1" --format jsonl
  return 0
}

# The file is made of such lines, of which a script may leave out or change some.
by_itself() { whole "$1" >by_itself.jsonl && mv by_itself.jsonl "$1"; }

# The last line of a script: its exit code.
finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
