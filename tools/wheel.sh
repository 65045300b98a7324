#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes wheels of the Python package that install on every Linux since glibc 2.28, and checks them; results in build/wheel.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$root/build/wheel
venv=$folder/venv
log=$folder/wheel.log
glibc=2.28
bytes=$((12 << 20)) # of a wheel at most

usage() {
  cat <<'USAGE'
usage: tools/wheel.sh [--arch x86_64|aarch64|all] [--test]

Makes build/wheel/gathercheck-VERSION-py3-none-manylinux_2_28_ARCH.whl for this machine's architecture, or for the one named, with
a compiler that comes by pip (pinned in tools/python/requirements-wheel.txt) and has glibc 2.28 and a C++ runtime to link
statically. Then looks into it: what it needs of the system, its size, its files, and its licences.

  --test  also installs it into an environment of its own and uses it there, with ONNX Runtime (tools/tests/wheel.sh); that of
          another architecture runs in an emulator (Debian: qemu-user-static, and libc6-arm64-cross for aarch64)

example: tools/wheel.sh --arch all --test
Exit: 0 made and found good; 1 not; 3 what it cannot do without is missing; 4 wrong usage.
USAGE
}

say() { printf 'wheel: %s\n' "$*" >&2; }

fail() {
  local code=$1
  shift
  say "$@"
  exit "$code"
}

# set_up_tools: installs what requirements-wheel.txt pins. A folder that has moved is installed anew.
set_up_tools() {
  local requirements=$root/tools/python/requirements-wheel.txt stamp=$venv/installed.txt python
  if cmp -s <(echo "$venv"; cat "$requirements") "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then return 0; fi
  python=$("$root/tools/find_python.sh") ||
    fail 3 'Python >= 3.11 with venv and ensurepip is needed (Debian: python3 python3-venv); set PYTHON to one'
  rm -rf "$venv"
  "$python" -m venv "$venv" >>"$log" 2>&1 || fail 3 "$python could not make a virtual environment: see ${log#"$root"/}"
  say "installing the compiler into ${venv#"$root"/}"
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --only-binary :all: -r "$requirements" >>"$log" 2>&1 ||
    { tail -n 3 "$log" >&2; fail 3 "pip could not install the tools (whole output: ${log#"$root"/})"; }
  { echo "$venv"; cat "$requirements"; } >"$stamp"
}

# write_program FILE: standard input becomes a program; one that is the same stays as it is, for the sake of ccache.
write_program() {
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
  chmod +x "$1"
}

# The compiler as CMake wants it. It knows no -march=x86-64 and -march=armv8-a, which are what it compiles for anyway, and takes
# -mavx512f for vectors of 256 bits unless it is told otherwise.
write_compiler() {
  local arch=$1 bin=$folder/$1/bin name
  mkdir -p "$bin"
  write_program "$bin/c++" <<PROGRAM
#!/usr/bin/env bash
arguments=()
for argument in "\$@"; do
  case \$argument in
    -march=* | -mtune=*) ;;
    -mavx512f) arguments+=("\$argument" -mevex512) ;;
    *) arguments+=("\$argument") ;;
  esac
done
exec '$venv/bin/python' -m ziglang c++ -target $arch-linux-gnu.$glibc -g0 -fno-sanitize=undefined '-ffile-prefix-map=$root=.' "\${arguments[@]}"
PROGRAM
  for name in ar ranlib; do
    write_program "$bin/$name" <<PROGRAM
#!/bin/sh
exec '$venv/bin/python' -m ziglang $name "\$@"
PROGRAM
  done
}

# The command contains the C++ runtime, and a few functions of the compiler and of glibc.
collect_licenses() {
  local zig name
  zig=$("$venv/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')
  rm -rf "$folder/licenses"
  mkdir -p "$folder/licenses"
  cp "$zig/LICENSE" "$folder/licenses/zig.txt"
  cp "$zig/lib/libc/glibc/LICENSES" "$folder/licenses/glibc.txt"
  for name in libcxx libcxxabi libunwind; do cp "$zig/lib/$name/LICENSE.TXT" "$folder/licenses/$name.txt"; done
}

build_wheel() {
  local arch=$1 bin=$folder/$1/bin define=cmake.define tags=py3-none-manylinux_${glibc//./_}_$1
  write_compiler "$arch"
  rm -f "$folder"/gathercheck-*_"$arch".whl
  say "building for $arch, which takes some minutes the first time; what compiler and pip say goes to ${log#"$root"/}"
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1735689600) \
    "$venv/bin/python" -m pip wheel --disable-pip-version-check --no-input --no-build-isolation --no-deps --verbose \
    --wheel-dir "$folder" \
    -C "build-dir=$folder/$arch/build" -C "wheel.tags=$tags" -C cmake.python-hints=false \
    -C $define.CMAKE_SYSTEM_NAME=Linux -C "$define.CMAKE_SYSTEM_PROCESSOR=$arch" -C "$define.CMAKE_CXX_COMPILER=$bin/c++" \
    -C "$define.CMAKE_AR=$bin/ar" -C "$define.CMAKE_RANLIB=$bin/ranlib" -C $define.CMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -C "$define.GATHERCHECK_RUNTIME_LICENSES=$folder/licenses" "$root/tools/python" >>"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; fail 1 "the wheel for $arch was not built (whole output: ${log#"$root"/})"; }
}

# --- what a wheel must be ------------------------------------------------------------------------------------------------

# above VERSION LIMIT
above() { [ "$(printf '%s\n' "$1" "$2" | sort -V | tail -n 1)" != "$2" ]; }

check_wheel() {
  local wheel=$1 arch=$2 tree=$folder/$2/tree binaries file symbol library size name faults=0
  fault() {
    faults=$((faults + 1))
    say "${wheel##*/}: $*"
  }
  rm -rf "$tree"
  mkdir -p "$tree"
  "$venv/bin/python" -m zipfile -e "$wheel" "$tree"
  size=$(stat -c %s "$wheel")
  ((size <= bytes)) || fault "it has $size bytes, more than $bytes"
  "$venv/bin/auditwheel" show "$wheel" >"$folder/$arch/auditwheel.txt" 2>&1 || true
  tr '\n' ' ' <"$folder/$arch/auditwheel.txt" | grep -qE "following +platform tag: +\"manylinux_2_([0-9]|1[0-9]|2[0-8])_$arch\"" ||
    fault "auditwheel finds that it does not fit glibc $glibc: $(cat "$folder/$arch/auditwheel.txt")"
  binaries=$(cd "$tree" && find . -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print | sort)
  [ "$binaries" = "$(printf '%s\n' ./gathercheck/bin/gathercheck ./gathercheck/lib/gathercheck/gathercheck_null_plugin.so)" ] ||
    fault "its programs and libraries are not the two expected: $binaries"
  for file in $binaries; do
    while read -r symbol; do
      if above "$symbol" "$glibc"; then fault "$file needs a symbol of GLIBC_$symbol"; fi
    done < <(readelf --wide --version-info "$tree/$file" | grep -oE 'GLIBC_[0-9.]+' | sort -u | sed 's/GLIBC_//')
    while read -r library; do
      case $library in
        libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux-*) ;;
        *) fault "$file needs $library" ;;
      esac
    done < <(readelf --wide --dynamic "$tree/$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    ! readelf --wide --dynamic "$tree/$file" | grep -qE '\((RPATH|RUNPATH)\)' || fault "$file has a path to libraries"
  done
  ! grep -rqF -- "$root" "$tree" || fault "these hold the path of this folder: $(grep -rlF -- "$root" "$tree")"
  for name in gathercheck:Apache nlohmann:Lohmann cli11:Schreiner xsimd:Mabille libcxx:LLVM libcxxabi:LLVM libunwind:LLVM zig:Zig glibc:GNU; do
    grep -qF "${name#*:}" "$tree"/gathercheck-*.dist-info/licenses/"${name%:*}.txt" || fault "the licence of ${name%:*} is not in it"
  done
  ((faults == 0)) || return 1
  symbol=$(for file in $binaries; do readelf --wide --version-info "$tree/$file"; done | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
  say "${wheel#"$root"/}: $size bytes, $(find "$tree" -type f | wc -l) files, needs $symbol"
}

# --- start ---------------------------------------------------------------------------------------------------------------

archs=("$(uname -m)")
test=false
while (($#)); do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --arch)
      case ${2-} in
        x86_64 | aarch64) archs=("$2") ;;
        all) archs=(x86_64 aarch64) ;;
        *) fail 4 '--arch takes x86_64, aarch64 or all' ;;
      esac
      shift
      ;;
    --test) test=true ;;
    *) fail 4 "unknown argument '$1'; see tools/wheel.sh --help" ;;
  esac
  shift
done

mkdir -p "$folder"
: >"$log"
"$root/tools/setup.sh"
set_up_tools
collect_licenses
status=0
for arch in "${archs[@]}"; do
  build_wheel "$arch"
  wheels=("$folder"/gathercheck-*_"$arch".whl)
  check_wheel "${wheels[0]}" "$arch" || status=1
  ! $test || "$root/tools/tests/wheel.sh" "${wheels[0]}" onnxruntime || status=1
done
exit $status
