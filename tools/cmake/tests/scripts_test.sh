#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests of the scripts' own behaviour, on a copy of them: usage, and a machine that lacks what the build needs.
# usage: scripts_test.sh ROOT WORK
set -uo pipefail

rm -rf "$2"
mkdir -p "$2/project/conformance" "$2/bin"
cp -r "$1/tools" "$2/project/"
cp -r "$1/conformance/adapters" "$2/project/conformance/"
cd "$2/project" || exit 1

failures=0

# expect CODE TEXT COMMAND...: the command ends with that code and its output has that text.
expect() {
  local code=$1 text=$2 output actual
  shift 2
  output=$("$@" 2>&1 </dev/null)
  actual=$?
  if [ "$actual" != "$code" ] || [[ $output != *"$text"* ]]; then
    printf 'failed: %s\n  expected exit %s and "%s"\n  got exit %s and: %s\n' "$*" "$code" "$text" "$actual" "$output"
    failures=$((failures + 1))
  fi
}

for script in setup run test bench lint wheel cross large; do expect 0 "usage: tools/$script.sh" "tools/$script.sh" --help; done
expect 4 "unknown engine 'nosuch'; engines are: array-api-strict candle dask gomlx jax litert numpy onnx onnx-shapes onnxruntime onnxruntime-web opencv openvino rten tensorflow tfjs torch torch-current tract tvm" tools/setup.sh nosuch
expect 4 "unknown engine '../run'" tools/setup.sh ../run
expect 4 'unknown option --nosuch' tools/setup.sh --nosuch
expect 4 "unknown engine 'nosuch'" tools/run.sh nosuch
expect 4 'unknown option --nosuch' tools/run.sh --nosuch
expect 4 "unknown argument 'nosuch'" tools/bench.sh nosuch
expect 4 'unknown option --nosuch; see tools/lint.sh --help' tools/lint.sh --nosuch
expect 4 '--machine takes aarch64 or s390x' tools/setup.sh --machine nosuch
expect 4 "unknown machine 'nosuch'; there are aarch64 and s390x" tools/cross.sh nosuch
expect 4 'which machine?' tools/cross.sh
expect 4 "'nosuch' has no adapter in Python" tools/large.sh nosuch
expect 4 'unknown option --nosuch' tools/large.sh --nosuch
expect 4 "unknown argument 'nosuch'" tools/wheel.sh nosuch
expect 4 '--arch takes x86_64, aarch64 or all' tools/wheel.sh --arch nosuch
expect 4 "there is no file 'nosuch'" tools/lint.sh nosuch
expect 4 "there is no file 'tools'" tools/lint.sh tools
touch "$2/outside.py"
expect 4 'is no file of this project' tools/lint.sh "$2/outside.py"
expect 3 'lint: --tidy needs build/release/compile_commands.json' tools/lint.sh --tidy

# The tools of the lint come by pip: where it reaches nothing, or Python has no venv, that is said, and nothing is checked.
expect 3 'the tools' env PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS= tools/lint.sh tools/run.sh
rm -rf build

# A machine without apt-get, compiler, CMake and Ninja: what is needed is said, and nothing else is tried.
for tool in bash cat cmp dirname flock grep head mkdir sed sort touch; do ln -s "$(command -v "$tool")" "$2/bin/$tool"; done
for missing in 'no apt-get' 'C++20 compiler' 'CMake >= 3.25' 'Ninja' 'xsimd >= 14.3'; do
  rm -rf build
  expect 3 "$missing" env -u CXX PATH="$2/bin" tools/setup.sh
done

# The same machine with all three goes on.
printf '#!/bin/sh\necho cmake version 3.25.1\n' >"$2/bin/cmake"
printf '#!/bin/sh\n' | tee "$2/bin/c++" >"$2/bin/ninja"
chmod +x "$2"/bin/{cmake,c++,ninja}
expect 0 '' env -u CXX PATH="$2/bin" tools/setup.sh
printf '#!/bin/sh\necho cmake version 3.9.6\n' >"$2/bin/cmake"
expect 3 'cannot go on without: CMake >= 3.25' env -u CXX PATH="$2/bin" tools/setup.sh

# Who cites the project cites the version that is built; who packages it, too.
version=$(sed -n 's/^project(gathercheck VERSION \([0-9.]*\).*/\1/p' "$1/CMakeLists.txt")
expect 0 "version: ${version:-of the project}" grep '^version: ' "$1/.github/CITATION.cff"
expect 0 "\"version\": \"${version:-of the project}\"" grep '"version":' "$1/tools/packaging/vcpkg/gathercheck/vcpkg.json"

exit $((failures > 0))
