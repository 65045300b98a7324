#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the documents tell people to paste works as it stands there. usage: tools/tests/documents.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"

# --- cases
sed -n '/^```json$/,/^```$/p' "$root/README.md" | sed '1d;$d' >readme.json
expect 'the worked case of the README agrees with reference and equations' 0 'agree' "$gathercheck" check readme.json
expect 'and runs' 0 'conforms' "$gathercheck" run --cases readme.json
sed -n '/^    { "cases": \[$/,/^$/p' "$root/spec_cases/README.md" >spec_cases.json
expect 'so does the one of spec_cases' 0 'agree' "$gathercheck" check spec_cases.json

# --- a dialect of one's own
page=$root/spec_cases/dialects/README.md
sed -n '/^    {$/,/^    }$/p' "$page" >my_backend.json
while IFS= read -r command; do
  expect "dialects: $command" 0 'mine\.Gather' bash -c "\"$gathercheck\" ${command#gathercheck }"
done < <(sed -n 's/^    \(gathercheck \(list\|explain\) .*\)/\1/p' "$page")
expect 'the page has both' 0 '^2$' grep -cE '^    gathercheck (list|explain) ' "$page"

# --- the tutorial, command by command, in a folder that has what the repository's root has
for entry in tools conformance spec_cases; do ln -s "$root/$entry" "$entry"; done
mkdir -p build/release
ln -s "$(dirname "$gathercheck")" build/release/bin
sed -n '/^## Your engine in ten minutes$/,/^## Another adapter$/p' "$root/conformance/adapters/README.md" | sed -n 's/^    //p' >commands
path=$PATH
steps=0
while IFS= read -r command; do
  steps=$((steps + 1))
  case $command in
    export\ PATH=*) eval "$command" ;;
    g++\ *) expect "tutorial: $command" 0 '^done$' bash -c "${CXX:-c++} -I ${JSON_INCLUDE:-/usr/include} ${command#g++ } && echo done" ;;
    *'# exit code 1') expect "tutorial: $command" 1 'FAIL' bash -c "$command" ;;
    *) expect "tutorial: $command" 0 '^done$' bash -c "set -e"$'\n'"$command"$'\n'"echo done" ;;
  esac
done <commands
expect 'the tutorial has its steps' 0 '^1[0-9]$' echo "$steps"
expect 'its gathercheck is this one' 0 "^$folder/build/release/bin/gathercheck$" bash -c 'command -v gathercheck'
PATH=$path

finish
