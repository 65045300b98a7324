#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Includes go one way between the folders: each folder includes only those above it in `order`, and all are in it.
# usage: folders.sh ROOT-OF-THE-PROJECT
set -u
cd "$1" || exit 1

order=(
  reference
  optimized optimized/kernels
  conformance/util
  conformance/model
  conformance/oracle
  conformance/dialect
  conformance/judge
  conformance/select
  conformance/load
  conformance/implementations/worker
  conformance/implementations/in_process
  conformance/implementations/plugin
  conformance/records
  conformance/known_failures
  conformance/reproducers
  conformance/run
  conformance/report
  conformance/documents
  conformance/mutants
  conformance/fuzz
  tools/large tools/import tools/export tools/bench tools/shared tools/page tools/site tools/verbs tools
)

declare -A place
for k in "${!order[@]}"; do place[${order[k]}]=$k; done
failed=0
say() { failed=1; printf 'FAILED: %s\n' "$*"; }

checked=0
while IFS=: read -r file include; do
  [[ $include == */* ]] || continue # of no folder: generated
  folder=${file%/*}
  included=${include%/*}
  folder=${folder/#optimized\/execute/optimized} # optimized/tests/layers.sh holds the order there
  included=${included/#optimized\/execute/optimized}
  [ "$included" != conformance ] || continue # plugin.h, the interface for others
  checked=$((checked + 1))
  if [ -z "${place[$folder]-}" ] || [ -z "${place[$included]-}" ]; then
    say "$file includes \"$include\": $folder or $included has no place in the order of tools/tests/folders.sh"
  elif ((place[$folder] < place[$included])); then
    say "$file includes \"$include\", which is below $folder; move what it needs up, or the file down"
  fi
done < <(
  grep -rE --include='*.[ch]pp' '^#include "' reference optimized conformance tools |
    grep -vE '/tests/|^tools/(examples|fuzz|overhead)/|^conformance/adapters/' | sed -E 's/#include "([^"]+)".*/\1/'
)
((checked > 500)) || say "only $checked includes were found"

# The table of the README is read from the top, too.
want=$(printf '%s\n' "${order[@]}" | sed -n 's,^conformance/,,p')
have=$(sed -n 's,^| \[\([a-z_/]*\)\](\1/README.md).*,\1,p' conformance/README.md | grep -vx adapters)
[ "$want" = "$have" ] || say "the table of folders of conformance/README.md is not the order of tools/tests/folders.sh"
for folder in $want; do
  for source in "conformance/$folder"/*.hpp; do
    name=$(basename "$source" .hpp)
    grep -qE "^\|.*\`$name\`.*\|" "conformance/$folder/README.md" || say "conformance/$folder/README.md does not tell what $name is"
  done
done
echo "$checked includes between files"
exit $failed
