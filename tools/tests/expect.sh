# SPDX-License-Identifier: Apache-2.0
# For the scripts beside it, which source it: a folder of their own, expectations of commands, and the closing line.
# shellcheck shell=bash disable=SC2034

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
  if [ "$got" = "$code" ] && cat errors output | grep -E -- "$pattern" >/dev/null; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf 'FAILED: %s\n  command: %s\n  exit code %s, expected %s; expected to find: %s\n' "$name" "$*" "$got" "$code" "$pattern"
  cat errors output | sed 's/^/  | /' | head -n 40
}

# The last line of a script: its exit code.
finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
