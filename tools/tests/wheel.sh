#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A wheel does what it should on a machine without compiler: installed anew, read-only, below a path with spaces, and taken out again.
# That of another architecture runs the hand-written cases in an emulator, where there is one.
# usage: wheel.sh WHEEL [EXTRA...]; with extras, engines are installed by pip and the suite runs on them
set -u
wheel=$(realpath "$1")
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
[[ ${wheel##*/} =~ ^gathercheck-([0-9.]+)-py3-none-(.*linux_.*_)?(x86_64|aarch64)\.whl$ ]] || { echo "$wheel is no wheel of gathercheck"; exit 4; }
version=${BASH_REMATCH[1]}
arch=${BASH_REMATCH[3]}
python=$("$root/tools/find_python.sh") || { echo 'skipped: no Python >= 3.11 here'; exit 77; }

# --- another architecture ------------------------------------------------------------------------------------------------

if [ "$arch" != "$(uname -m)" ]; then
  libraries=/usr/$arch-linux-gnu
  emulator=$("$root/tools/find_emulator.sh" "$arch") && [ -d "$libraries" ] ||
    { echo "skipped: no emulator of $arch or no $libraries here (Debian: qemu-user-static libc6-arm64-cross)"; exit 77; }
  "$python" -m venv environment
  environment/bin/python -m pip install --quiet --disable-pip-version-check --no-index --target tree --no-deps \
    --platform "manylinux_2_28_$arch" --only-binary :all: "$wheel" || exit 1
  program=tree/gathercheck/bin/gathercheck
  expect 'its version' 0 "^$version\$" "$emulator" -L "$libraries" "$program" --version
  for implementation in reference optimized; do
    [ "$arch" = aarch64 ] && [ $implementation = optimized ] && implementation=optimized:neon64
    expect "the hand-written cases on $implementation" 0 ': conforms \(exit 0\)$' "$emulator" -L "$libraries" "$program" run \
      --implementation $implementation --sweeps none --time-limit 60
    tail -n 1 output
  done
  finish
  exit
fi

# --- this one ------------------------------------------------------------------------------------------------------------

environment="$folder/an environment"
"$python" -m venv "$environment" || exit 1
pip() { "$environment/bin/python" -m pip --disable-pip-version-check --no-input "$@"; }
# Files, links and their contents; folders do not count, as pip leaves those of its own.
content() { (cd "$environment" && find . -type f -print0 | sort -z | xargs -0 sha256sum; find . -type l | sort); }
mkdir nothing
# Commands see the environment and nothing else: no compiler, no variables, a home that is not there.
alone() { env -i PATH="$environment/bin" HOME="$folder/nothing/home" TMPDIR="$folder" "$@"; }
# The same, and the environment cannot be written to.
if unshare --mount true 2>/dev/null; then
  read_only() {
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec env -i PATH="$0/bin" TMPDIR="$1" "${@:2}"' \
      "$environment" "$folder" "$@"
  }
else
  read_only() { alone "$@"; }
fi

content >before
expect 'it installs' 0 "Successfully installed gathercheck-$version" pip install --no-index --no-deps "$wheel"
content >installed
[ "$(wc -l <installed)" -gt "$(($(wc -l <before) + 200))" ] || expect 'it brings its files' 0 '^more than 200 files$' wc -l installed
chmod -R a-w "$environment"

expect 'its version' 0 "^$version\$" read_only gathercheck --version
expect 'no compiler is there' 127 '' read_only /bin/sh -c 'cc --version'
expect 'the shipped cases on everything built in' 0 ': conforms \(exit 0\)$' read_only gathercheck run --implementation default \
  --sweeps none --output "$folder/run.jsonl"
tail -n 1 output
expect 'a page about that' 0 '</html>' read_only gathercheck report "$folder/run.jsonl" --format html
expect 'the rules and what tests them' 0 '' read_only gathercheck coverage
expect 'the findings' 0 'onnxruntime-string-rows' read_only gathercheck findings
expect 'the clarifications' 0 '' read_only gathercheck clarifications
expect 'a case explained' 0 'where each element comes from' read_only gathercheck explain gather-axis-first --for openvino.Gather-8
expect 'the workloads of bench' 0 '^G01-1 ' read_only gathercheck bench --list
expect 'bench' 0 '' read_only gathercheck bench --rounds 1 --sample 1 --filter G01-1 --peers none
expect 'the plug-in of overhead, and a worker in Python' 0 'a plug-in in its worker +[0-9]' read_only gathercheck overhead --calls 20
expect 'an adapter whose engine is not there says so' 3 "pip install numpy" read_only gathercheck run --implementation numpy --sweeps none
expect 'or names the extra that brings it' 3 "remedy: .*-m pip install 'gathercheck\[litert\]'" read_only gathercheck run \
  --implementation litert --sweeps none
expect 'and one that no package brings where it is built' 3 'remedy: tools/setup.sh tract in a source tree' read_only gathercheck run \
  --implementation tract --sweeps none
expect 'run says where engines come from' 0 "^An engine is installed by pip install 'gathercheck\[NAME\]'\.$" read_only gathercheck run --help
expect 'calls says where the protocol stands' 0 'worker protocol \(/.*/share/gathercheck/conformance/protocol.md\)' read_only gathercheck calls --help
expect 'it stands there' 0 '^# The worker protocol' read_only python -c 'import gathercheck; print(open(gathercheck.get_protocol()).read())'
expect 'nobody is sent to a source tree for an engine of the package' 0 '^no$' read_only python -c \
  'import subprocess as s
print("build/venv" in "".join(s.run(["gathercheck", verb, "--help"], capture_output=True, text=True).stdout for verb in ("run", "verify")) or "no")'
expect 'the program is the one of the package' 0 '/an environment/lib/.*/gathercheck/bin/gathercheck$' read_only python -c \
  'import gathercheck.command; print(gathercheck.command.program())'

# Engines: what a newcomer types.
chmod -R u+w "$environment"
for extra in "$@"; do
  expect "pip brings $extra" 0 'Successfully installed|already satisfied' pip install "${wheel}[$extra]"
  SECONDS=0
  expect "the suite on $extra" 0 ': conforms' alone gathercheck run --implementation "$extra" --jobs 2
  echo "$(tail -n 1 output), from the first call to the verdict $SECONDS s"
done
# What the package's page tells people to type, where a compiler is; the run on an engine was above.
if (($#)); then
  mkdir page
  sed -n '/^## The command$/,/^## /p' "$root/tools/python/README.md" | sed -n 's/^    //p' | grep -v ' --jobs ' >commands
  while IFS= read -r command; do
    [[ $command != less\ * ]] || command=cat${command#less}
    expect "its page: $command" 0 '' env -C page PATH="$environment/bin:$PATH" bash -c "$command"
  done <commands
  expect 'the page has its lines' 0 '^12$' bash -c 'wc -l <commands'
  pip list --format freeze | grep -vE '^(pip|setuptools|gathercheck)==' | sed 's/==.*//' | xargs "$environment/bin/python" -m pip uninstall \
    --quiet --disable-pip-version-check --yes
fi

content >used
expect 'nothing has been written beside its files' 0 '^same$' bash -c 'diff installed used && echo same'
expect 'it uninstalls' 0 "Successfully uninstalled gathercheck-$version" pip uninstall --yes gathercheck
content >after
expect 'and leaves nothing' 0 '^same$' bash -c 'diff before after && echo same'
expect 'not even a folder' 0 '^0$' bash -c 'find "$0" -name "*gathercheck*" | wc -l' "$environment"
finish
