#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs all tests twice: a build with sanitizers (without the tests of engines), and a release build. Or those
# of threads once, with ThreadSanitizer.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'USAGE'
usage: tools/test.sh [--threads] [ctest arguments...]

Builds build/sanitize (clang where it is there; AddressSanitizer and UndefinedBehaviorSanitizer) and build/release (g++
or what CXX names) and runs CTest in both. Arguments go to ctest in both. With CI=true warnings are errors, and
tools/lint.sh comes first.

  --threads  builds build/threads in their place, with ThreadSanitizer, and runs what several threads do at once: plans,
             executors, and runs with --jobs

example: tools/test.sh -R 'reference:'
Exit: 0 all tests passed; 1 a test failed, none ran, or the lint found something; 3 the set-up or the build failed.
USAGE
}

threads=false
case ${1:-} in
  --help | -h) usage; exit 0 ;;
  --threads)
    threads=true
    shift
    ;;
esac

"$root/tools/setup.sh" --tests

# Only the tests of the release build need engines. They come over the network while the other build keeps the processors busy.
if ! $threads; then
  mapfile -t engines < <(sed -n 's/^\([a-z0-9-]*\) .*| *ci,.*/\1/p' "$root/tools/engines/engines.txt")
  "$root/tools/setup.sh" "${engines[@]}" >"$root/build/engines.log" 2>&1 &
  engines_setup=$!
  trap 'kill "$engines_setup" 2>/dev/null || true' EXIT
fi

# In continuous integration warnings are errors, and nothing may be left out for want of ONNX.
strict=OFF
[ "${CI:-false}" = false ] || strict=ON

# What the lint finds is a failure, but the tests run all the same. Its tools are no part of the project: where they cannot be
# had, the tests go on without them.
lint=0
if [ $strict = ON ] && ! $threads; then
  echo '== linting'
  "$root/tools/lint.sh" || lint=$?
  ((lint != 3)) || { echo 'test: going on without the lint, whose tools could not be set up' >&2; lint=0; }
fi

# Configures one folder, with further arguments for CMake, and builds `targets` of it, or all.
targets=()
build() {
  local name=$1 folder=$root/build/$1 generator=()
  shift
  echo "== building build/$name"
  [ -e "$folder/CMakeCache.txt" ] || generator=(-G Ninja)
  cmake -S "$root" -B "$folder" "${generator[@]}" -DGATHERCHECK_TESTS=ON -DGATHERCHECK_WERROR=$strict \
    -DCMAKE_REQUIRE_FIND_PACKAGE_ONNX=$strict "$@" &&
    cmake --build "$folder" --parallel "$(nproc)" ${targets:+--target "${targets[@]}"}
}

# Runs CTest in one folder. When tests fail it prints what repeats each of them, then CTest's closing lines once more.
run_tests() {
  local name=$1 folder=$root/build/$1 output=$root/build/$1/ctest.log failed
  shift
  echo "== testing build/$name"
  rm -f "$folder/Testing/Temporary/LastTestsFailed.log"
  if ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)" "$@" 2>&1 | tee "$output"; then return 0; fi
  failed=$folder/Testing/Temporary/LastTestsFailed.log
  if [ -s "$failed" ]; then
    printf '\nTo repeat a failure:\n'
    sed -e 's/^[0-9]*://' -e 's/[][().*+?^$|\\{}]/\\&/g' -e "s/'/'\\\\''/g" "$failed" |
      while IFS= read -r test; do
        printf "  ctest --test-dir %q --output-on-failure -R '^%s\$'\n" "build/$name" "$test"
      done
    echo
  fi
  closing_lines+=("$output")
}

sanitize=(-DCMAKE_BUILD_TYPE=RelWithDebInfo '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1')
if clang=$("$root/tools/find_clang.sh"); then
  sanitize+=("-DCMAKE_CXX_COMPILER=$clang")
else
  echo 'test: no clang with sanitizers here; the sanitizer build uses the default compiler' >&2
fi

if $threads; then
  targets=(optimized_tests conformance_tests gathercheck)
  build threads "${sanitize[@]}" -DGATHERCHECK_SANITIZE=thread || { echo 'test: the build failed' >&2; exit 3; }
  closing_lines=()
  run_tests threads --label-regex '^threads$' --no-tests=error "$@"
  ((${#closing_lines[@]} == 0))
  exit
fi

# Selected tests may all be tests of engines, which only the release build runs; but nothing at all may not pass.
no_tests=error
(($# == 0)) || no_tests=ignore
closing_lines=()
build sanitize "${sanitize[@]}" -DGATHERCHECK_SANITIZE=ON || { echo 'test: the build failed' >&2; exit 3; }
run_tests sanitize --label-exclude '^engine$' --no-tests=$no_tests "$@"

wait "$engines_setup" || { cat "$root/build/engines.log" >&2; echo 'test: the engines could not be set up' >&2; exit 3; }
build release -DCMAKE_BUILD_TYPE=Release || { echo 'test: the build failed' >&2; exit 3; }
run_tests release --no-tests=error "$@"

for output in "${closing_lines[@]}"; do
  echo "== ${output#"$root"/}"
  sed -n '/tests passed,\|^No tests were found/,$p' "$output"
done
((lint == 0)) || echo 'test: the lint found something, see above; to mend what can be mended: tools/lint.sh --fix' >&2
((lint == 0 && ${#closing_lines[@]} == 0))
