#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What .github/CONTRIBUTING.md tells people to touch is what there is: nothing of a list is missing, and nothing is on no list.
# usage: tables.sh GATHERCHECK ROOT-OF-THE-PROJECT
set -u
gathercheck=$1
cd "$2" || exit 1
[ -x "$gathercheck" ] || { echo "FAILED: $gathercheck is no program; name it by its whole path" && exit 1; }
failed=0
say() {
  failed=1
  printf 'FAILED: %s\n' "$*"
}

# --- engines
mapfile -t engines < <(sed -n 's/^\([a-z0-9:-]*\) *|.*/\1/p' tools/engines/engines.txt)
listed=$("$gathercheck" list implementations)
((${#engines[@]} > 9)) || say "tools/engines/engines.txt has only ${#engines[@]} engines"
for name in "${engines[@]}"; do
  IFS='|' read -r _ runner file _ < <(grep -E "^$name +\|" tools/engines/engines.txt | sed 's/ *| */|/g')
  engine=${name%:*} file=${file%% *}
  case $runner in
    python | node) [ -e "conformance/adapters/$file" ] || say "$name: there is no conformance/adapters/$file" ;;
    built) [ -d "conformance/adapters/${engine//-/_}" ] || say "$name: there is no source of it in conformance/adapters/${engine//-/_}" ;;
    shipped) grep -q "$file" conformance/CMakeLists.txt || say "$name: conformance/CMakeLists.txt does not build $file" ;;
  esac
  grep -qF "| \`$name\` |" conformance/adapters/README.md || say "$name has no row in conformance/adapters/README.md"
  [ -e "spec_cases/known_failures/${name//:/-}.json" ] || [ "$name" = onnx:inference ] ||
    say "$name has no spec_cases/known_failures/${name//:/-}.json (one without failures says that there are none)"
  [ -e "tools/engines/requirements-$engine.txt" ] || grep -qE "^ +([a-z-]+ \| )*$engine( \| [a-z-]+)*\)" tools/setup.sh ||
    say "$name: neither tools/engines/requirements-$engine.txt nor set_up_other_engine of tools/setup.sh installs it"
  grep -qE "^$name( |$)" <<<"$listed" || say "'gathercheck list implementations' does not have $name"
done
on_a_list() { printf '%s\n' "${engines[@]}" | grep -qxF -- "$1"; }
for file in conformance/adapters/*_worker.py; do
  file=${file##*/}
  [ "$file" = gathercheck_worker.py ] || grep -q "| $file " tools/engines/engines.txt || say "$file is no engine of tools/engines/engines.txt"
done
for file in spec_cases/known_failures/*.json; do
  name=$(sed -n 's/^ *"implementation": "\([^"]*\)".*/\1/p' "$file")
  on_a_list "$name" || say "$file is of $name, which is no engine of tools/engines/engines.txt"
done

# --- operator versions
mapfile -t all_versions < <("$gathercheck" list operators | sed 's/ .*//')
mapfile -t versions < <(printf '%s\n' "${all_versions[@]}" | grep -E '^(onnx|openvino)\.') # the others are declared
for version in "${versions[@]}"; do
  [ -e "spec_cases/rules/$version.json" ] || say "$version has no rules: spec_cases/rules/$version.json"
  grep -rqF "\"operator\": \"$version\"" spec_cases/dialects && continue # declared as data, which is all
  grep -qF "\"$version\"" spec_cases/equations.json || say "$version has no equation in spec_cases/equations.json"
  grep -rqF "\"$version\"" spec_cases/cases || say "$version has no case"
  for file in conformance/schemas/case.schema.json conformance/adapters/gathercheck/worker.py conformance/tests/second_worker/main.cpp; do
    grep -qF "\"$version\"" $file || say "$version is missing in $file"
  done
done
for file in spec_cases/rules/*.json; do
  name=${file##*/}
  [[ $name == informative.json || $name == addresses.json ]] || printf '%s\n' "${all_versions[@]}" | grep -qxF -- "${name%.json}" ||
    say "$file is of no operator version: a file of rules is named after one, like onnx.Gather-13.json"
done

# --- instruction sets and kernels
mapfile -t sets < <(sed -n 's/^optimized:\([a-z0-9_]*\) .*/\1/p' <<<"$listed" | grep -vx threads)
((${#sets[@]} > 5)) || say "'gathercheck list implementations' has only ${#sets[@]} instruction sets"
for set in "${sets[@]}"; do
  [ -e "optimized/kernels/$set.cpp" ] || say "$set has no kernels: optimized/kernels/$set.cpp"
  grep -qE "set\(instruction_sets( .*)? ${set}[ )]" optimized/CMakeLists.txt || say "optimized/CMakeLists.txt does not build the kernels of $set"
  grep -qF "set(InstructionSet::$set," optimized/cpu.cpp || say "optimized/cpu.cpp does not ask the CPU for $set"
  grep -qF "InstructionSet::$set)" optimized/tests/gather.test.cpp || say "optimized/tests/gather.test.cpp does not ask whether $set is available"
done
for file in optimized/kernels/*.cpp; do
  name=$(basename "$file" .cpp)
  printf '%s\n' "${sets[@]}" | grep -qxF -- "$name" || say "$file is of no instruction set of optimized/cpu.hpp"
done
mapfile -t kernels < <(sed -n '/^struct Kernels {/,/^};/s/^    [A-Za-z]\S* \([a-z_]*\)[[;].*/\1/p' optimized/kernels.hpp |
  grep -vxE 'set|table_entries')
((${#kernels[@]} > 9)) || say "optimized/kernels.hpp has only ${#kernels[@]} kinds of kernels"
for kernel in "${kernels[@]}"; do
  grep -qE "table(->|\.)$kernel\b" optimized/tests/kernels.test.cpp || say "optimized/tests/kernels.test.cpp has no test of the kernel $kernel"
done

# --- verbs
help=$("$gathercheck" --help)
for file in tools/verbs/*.cpp; do
  verb=$(basename "$file" .cpp)
  grep -qE "^  $verb " <<<"$help" || say "$file is no verb of 'gathercheck --help'"
done

# --- each place that CONTRIBUTING names is there
mapfile -t named < <(grep -oE '`[a-z_.]+(/[A-Za-z0-9_.*-]+)+/?`' .github/CONTRIBUTING.md | tr -d '`' | sort -u)
((${#named[@]} > 15)) || say ".github/CONTRIBUTING.md names only ${#named[@]} places"
for place in "${named[@]}"; do
  compgen -G "$place" >/dev/null || say ".github/CONTRIBUTING.md names $place, which is not there"
done
echo "${#engines[@]} engines, ${#all_versions[@]} operator versions, ${#sets[@]} instruction sets, ${#kernels[@]} kinds of kernels, ${#named[@]} places"
exit $failed
