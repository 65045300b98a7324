#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings whatever the build, the tests and the engines need and this machine lacks; does nothing when nothing is missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/build/deps            # what the system's own packages are too old for is unpacked here
versions=$deps/versions.txt      # one line for each: package, version, suite
apt_state=$root/build/cache/apt  # lists and downloads of other Debian suites
architecture=                    # Debian's name of the machine that packages are unpacked for; empty for this one
venv=$root/build/venv            # the engines
log=$root/build/setup.log

usage() {
  cat <<USAGE
usage: tools/setup.sh [--tests] [--bench] [--machine MACHINE] [engine...]

Sets up this machine: compiler, CMake, libraries. On Debian it installs packages (as root or with sudo) and unpacks
newer versions of a few libraries under build/deps, without touching the system. Elsewhere it says what to install.

  --tests     also what the tests need: Catch2, clang with sanitizers, the official ONNX test data, Chromium and, where
              Node.js is, what drives it (the page of reports is looked at with it)
  --bench     also what measuring speed needs: Google Benchmark, LibTorch, Python as a library
  --machine   also what tools/cross.sh needs for that machine, aarch64 or s390x: a cross compiler, an emulator, and under
              build/deps-MACHINE the machine's own oneTBB and Catch2
  engine...   also these engines, at pinned versions, most of them in a virtual environment under build/venv:
              $(engines)
              A name with a colon is a way to run an engine (openvino:onnx) and needs what the engine needs.

example: tools/setup.sh --tests onnxruntime openvino
Exit: 0 the build can start; 3 something it cannot do without is missing; 4 wrong usage.
USAGE
}

say() { printf 'setup: %s\n' "$*" >&2; }

fail() {
  local code=$1
  shift
  say "$@"
  exit "$code"
}

# Those with an adapter, and those that only speed is compared with.
engines() {
  {
    sed -n 's/^\([a-z0-9-]*\)[ :].*|.*/\1/p' "$root/tools/engines/engines.txt"
    for file in "$root"/tools/engines/requirements-*.txt; do
      file=${file##*/requirements-}
      printf '%s\n' "${file%.txt}"
    done
  } | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# Whether an engine is a package of a Python of ours.
is_python_package() { [ -e "$root/tools/engines/requirements-$1.txt" ]; }

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command up to three times, for what fails now and then on a network; its output goes to the log.
retry() {
  local attempt
  for attempt in 1 2 3; do
    if "$@" >>"$log" 2>&1; then return 0; fi
    ((attempt == 3)) || sleep $((attempt * 3))
  done
  return 1
}

# --- packages of this system -------------------------------------------------------------------------------------------

is_debian_like() { have apt-get && have dpkg-query; }

find_root() {
  if [ "$(id -u)" = 0 ]; then
    as_root=(env DEBIAN_FRONTEND=noninteractive)
  elif have sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
  else
    as_root=()
  fi
}

installed_version() {
  dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null | sed -n 's/^installed //p' | head -n 1
}

candidate_version() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \([^(].*\)/\1/p'; }

# Whether a Debian version is at least $2 and below $3.
fits() { [ -n "$1" ] && dpkg --compare-versions "$1" ge "$2" && dpkg --compare-versions "$1" lt "$3~"; }

update_lists() {
  [ -z "${lists_updated:-}" ] || return 0
  lists_updated=yes
  ((${#as_root[@]})) || return 0
  retry "${as_root[@]}" apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 update ||
    say "apt-get update failed (see ${log#"$root"/}); going on with the lists there are"
}

install_packages() {
  say "installing $*"
  retry "${as_root[@]}" apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" ||
    { tail -n 15 "$log" >&2; fail 3 "apt-get could not install: $* (whole output: ${log#"$root"/})"; }
}

cmake_is_enough() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
  [ -n "$version" ] && [ "$(printf '%s\n3.25\n' "$version" | sort -V | head -n 1)" = 3.25 ]
}

# Lists the packages that are missing, one a line: tools by whether they can be run, libraries by the package database.
missing_packages() {
  have "${CXX:-c++}" || have g++ || echo g++
  cmake_is_enough || echo cmake
  have ninja || echo ninja-build
  local libraries=(ca-certificates nlohmann-json3-dev libcli11-dev libonnx-dev libprotobuf-dev libtbb-dev) package
  if $for_tests; then
    libraries+=(libonnx-testdata)
    have zstd || echo zstd
    have "${CHROMIUM:-chromium}" || have chromium-browser || have google-chrome || echo chromium
    "$root/tools/find_clang.sh" >/dev/null || printf '%s\n' clang libclang-rt-dev
  fi
  if $for_bench; then libraries+=(libbenchmark-dev libtorch-dev libpython3-dev); fi
  if [[ " ${wanted_others[*]} " == *' torch '* ]]; then libraries+=(python3-torch); fi
  if [[ " ${wanted_others[*]} " == *' candle '* ]] && ! have protoc; then echo protobuf-compiler; fi
  if ((${#wanted_engines[@]})) && ! "$root/tools/find_python.sh" >/dev/null; then printf '%s\n' python3 python3-venv; fi
  # A pattern that matches nothing is only a message on standard error.
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${libraries[@]}" 2>/dev/null || true)
  for package in "${libraries[@]}"; do
    grep -qx "installed $package" <<<"$installed" || echo "$package"
  done
}

set_up_packages() {
  local missing available=() package
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  if ((${#as_root[@]} == 0)); then
    say "neither root nor sudo here. Missing: ${missing[*]}"
    say "install them with: sudo apt-get install --no-install-recommends ${missing[*]}"
    return 0
  fi
  update_lists
  for package in "${missing[@]}"; do
    if [ -n "$(candidate_version "$package")" ]; then
      available+=("$package")
    else
      say "this system has no package $package; going on without it"
    fi
  done
  ((${#available[@]} == 0)) || install_packages "${available[@]}"
}

# --- newer packages, unpacked under build/deps ---------------------------------------------------------------------------

mirror() {
  apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
    sed -n "s/^$codename main //p" | head -n 1
}

# Writes an apt configuration that sees one suite only and keeps its state under build/.
configure_suite() {
  local suite=$1 uri=$2 folder=$apt_state/$1$architecture keyring
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,packages}
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "$uri" "$suite" >"$folder/debian.sources"
  for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
    if [ -e "$keyring" ]; then
      printf 'Signed-By: %s\n' "$keyring" >>"$folder/debian.sources"
      break
    fi
  done
  cat >"$folder/apt.conf" <<CONF
Dir::Etc::SourceList "$folder/debian.sources";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$folder/lists";
Dir::Cache "$folder/cache";
APT::Default-Release "";
APT::Sandbox::User "$(id -un)";
Acquire::Retries "3";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONF
  [ -z "$architecture" ] || printf '%s\n' "APT::Architecture \"$architecture\";" "APT::Architectures { \"$architecture\"; };" >>"$folder/apt.conf"
}

# unpack_from_suite SUITE PACKAGE MINIMUM BELOW URI [PACKAGE...]: the first in a version that fits, the others as they are.
unpack_from_suite() {
  local suite=$1 package=$2 minimum=$3 below=$4 uri=$5 folder=$apt_state/$1$architecture version archive
  shift 5
  rm -rf "$folder"
  configure_suite "$suite" "$uri"
  # No loop here: apt itself repeats what fails on the way, and a suite that is not there need not be asked for again.
  apt-get -c "$folder/apt.conf" -o APT::Update::Error-Mode=any update >>"$log" 2>&1 || return 1
  version=$(LC_ALL=C apt-cache -c "$folder/apt.conf" madison "$package" 2>/dev/null | awk -F ' *[|] *' '{print $2; exit}')
  fits "$version" "$minimum" "$below" || return 1
  (cd "$folder/packages" && retry apt-get -c "$folder/apt.conf" download "$package=$version" "$@") || return 1
  for archive in "$folder/packages"/*.deb; do
    dpkg -x "$archive" "$deps" || return 1
  done
  rm -rf "$folder"
  touch "$versions"
  sed -i "/^$package /d" "$versions"
  printf '%s %s %s\n' "$package" "$version" "$suite" >>"$versions"
  say "unpacked $package $version of $suite under ${deps#"$root"/}"
}

# Sees to it that a package of at least $4 and below $5 is there: installed, unpacked before, installable, or unpacked
# now from the first of the suites that has it. $2 names it for people, $3 the CMake variable that can point at an archive.
provide() {
  local package=$1 name=$2 variable=$3 minimum=$4 below=$5 suite uri recorded
  shift 5
  if fits "$(installed_version "$package")" "$minimum" "$below"; then return 0; fi
  recorded=$(sed -n "s/^$package \([^ ]*\) .*/\1/p" "$versions" 2>/dev/null || true)
  if fits "$recorded" "$minimum" "$below"; then return 0; fi
  if fits "$(candidate_version "$package")" "$minimum" "$below" && ((${#as_root[@]})); then
    install_packages "$package"
    return 0
  fi
  mkdir -p "$deps"
  uri=$(mirror)
  if [ -z "$uri" ]; then
    update_lists
    uri=$(mirror)
    if fits "$(candidate_version "$package")" "$minimum" "$below" && ((${#as_root[@]})); then
      install_packages "$package"
      return 0
    fi
  fi
  if [ -n "$uri" ]; then
    say "looking for $name >= $minimum in: $*"
    for suite in "$@"; do
      if unpack_from_suite "$suite" "$package" "$minimum" "$below" "$uri"; then return 0; fi
    done
  fi
  say "$name >= $minimum, < $below was found neither here nor in the suites $* (see ${log#"$root"/})."
  if grep -q 'Release file .* is expired' "$log"; then
    say "  apt refuses the lists of this mirror as too old. Use a mirror that is up to date; where it is a frozen copy on"
    say "  purpose, its administrator allows that in apt's own configuration (Acquire::Check-Valid-Until)."
  fi
  say "  CMake will try to download it. If it cannot: install $name under a prefix and set CMAKE_PREFIX_PATH to it,"
  say "  or set the environment variable $variable to the address or file of the source archive that"
  say "  tools/cmake/dependencies.cmake names, and run this again."
}

set_up_newer_packages() {
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  provide libxsimd-dev xsimd GATHERCHECK_XSIMD_URL 14.3 15 forky duke sid
  # A compiled library: only a build made for this release can be trusted with its compiler's runtime library.
  if $for_tests && ! fits "$(installed_version catch2)" 3 4; then
    provide libcatch2-dev Catch2 GATHERCHECK_CATCH2_URL 3 4 "$codename-backports"
  fi
}

# --- another machine -----------------------------------------------------------------------------------------------------

# A cross compiler and an emulator of this system, and libraries of the machine's own, which nothing installs here.
set_up_machine() {
  local architecture=${machine/aarch64/arm64} deps=$root/build/deps-$machine missing=() suite uri
  local versions=$deps/versions.txt
  have "$machine-linux-gnu-g++" || missing+=("g++-$machine-linux-gnu")
  "$root/tools/find_emulator.sh" "$machine" >/dev/null || missing+=(qemu-user-static)
  if ((${#missing[@]})); then
    ((${#as_root[@]})) || fail 3 "neither root nor sudo here; install: sudo apt-get install --no-install-recommends ${missing[*]}"
    update_lists
    install_packages "${missing[@]}"
  fi
  ! { grep -q '^libtbb-dev ' "$versions" && grep -q '^libcatch2-dev ' "$versions"; } 2>/dev/null || return 0
  mkdir -p "$deps"
  uri=$(mirror)
  [ -n "$uri" ] || { update_lists; uri=$(mirror); }
  say "looking for oneTBB and Catch2 of $architecture"
  unpack_from_suite "$codename" libtbb-dev 2021 2023 "$uri" libtbb12 libtbbmalloc2 libtbbbind-2-5 ||
    say "oneTBB of $architecture was not found (see ${log#"$root"/}); going on without executors with threads"
  for suite in "$codename" "$codename-backports"; do
    if unpack_from_suite "$suite" libcatch2-dev 3 4 "$uri"; then return 0; fi
  done
  say "Catch2 3 of $architecture was not found (see ${log#"$root"/}); CMake will try to download it"
}

# --- other systems -------------------------------------------------------------------------------------------------------

explain_other_system() {
  say "this system has no apt-get, so nothing is installed here. The build needs:"
  say "  a C++20 compiler (g++ >= 12 or clang >= 14), CMake >= 3.25, Ninja"
  say "  nlohmann/json >= 3.11, CLI11 >= 2.1, xsimd >= 14.3 and < 15, and Catch2 3 for the tests: CMake downloads"
  say "    pinned versions of those it does not find"
  say "  optional: ONNX (libonnx with headers, and protobuf) for the adapter onnx-shapes"
  say "  optional: Google Benchmark and LibTorch, for measuring speed"
  say "  engines (ONNX Runtime, OpenVINO, JAX): Python >= 3.11 with the modules venv and ensurepip"
}

check_essentials() {
  local lacking=()
  have "${CXX:-c++}" || have g++ || have clang++ || lacking+=('a C++20 compiler (g++ >= 12 or clang >= 14)')
  cmake_is_enough || lacking+=('CMake >= 3.25')
  have ninja || lacking+=('Ninja')
  ((${#lacking[@]} == 0)) || fail 3 "cannot go on without: $(printf '%s; ' "${lacking[@]}")install and run again"
}

# --- engines -------------------------------------------------------------------------------------------------------------

# The packages of an engine, or of the tests of the Python package, which lie beside them.
requirements_of() {
  if [ "$1" = tests ]; then echo "$root/tools/tests/requirements.txt"; else echo "$root/tools/engines/requirements-$1.txt"; fi
}

set_up_engines() {
  local engine requirements stamp python missing=()
  for engine in "${wanted_engines[@]}"; do
    requirements=$(requirements_of "$engine")
    stamp=$venv/installed-$engine.txt
    cmp -s <(cat "$root/tools/engines/constraints.txt" "$requirements") "$stamp" || missing+=("$engine")
  done
  if [ -d "$venv" ] && ! "$venv/bin/python" -c '' 2>/dev/null; then
    say 'the virtual environment no longer works; making it anew'
    rm -rf "$venv"
    missing=("${wanted_engines[@]}")
  fi
  ((${#missing[@]})) || return 0
  if [ ! -d "$venv" ]; then
    python=$("$root/tools/find_python.sh") ||
      fail 3 "the engines need Python >= 3.11 with venv and ensurepip (Debian: python3 python3-venv); set PYTHON to one"
    "$python" -m venv "$venv" >>"$log" 2>&1 || { rm -rf "$venv"; fail 3 "$python could not make a virtual environment: see ${log#"$root"/}"; }
  fi
  for engine in "${missing[@]}"; do
    say "installing what ${engine/#tests/the tests of the Python package} needs into ${venv#"$root"/}"
    requirements=$(requirements_of "$engine")
    retry "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --retries 5 --only-binary :all: -r "$requirements" ||
      { tail -n 5 "$log" >&2; fail 3 "pip could not install $engine (whole output: ${log#"$root"/})"; }
    cat "$root/tools/engines/constraints.txt" "$requirements" >"$venv/installed-$engine.txt"
  done
}

# What a program of ours needs that no library of this system brings.
set_up_other_engine() {
  local engine=$1 source=$root/conformance/adapters/${1//-/_} folder=$root/build/engines/$1 sources python packages cuda
  case $engine in
    onnx-shapes) ;; # built with the command, from libonnx
    torch)
      /usr/bin/python3 -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)' 2>/dev/null ||
        fail 3 "torch: /usr/bin/python3 has no module torch; install PyTorch 1.13 for it (Debian 12: python3-torch)"
      ;;
    torch-current)
      sources=("$source"/requirements.txt "$source"/worker.cpp "$root"/conformance/adapters/gathercheck_worker.hpp)
      cmp -s <(cat "${sources[@]}") "$folder/installed.txt" && return 0
      python=$("$root/tools/find_python.sh") || fail 3 "torch-current: pip brings PyTorch, and needs Python >= 3.11 with venv and ensurepip"
      say "installing PyTorch's libraries and building their adapter under ${folder#"$root"/}"
      "$python" -m venv "$folder" >>"$log" 2>&1
      retry "$folder/bin/python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: -r "$source/requirements.txt" ||
        { tail -n 5 "$log" >&2; fail 3 "pip could not install PyTorch (whole output: ${log#"$root"/})"; }
      packages=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
      cuda=$(dirname "$(find "$packages/nvidia" -name 'libcudart.so.*' | head -n 1)")
      "${CXX:-g++}" -std=c++20 -O1 -I "$root" -I "$packages/torch/include" -I "$packages/torch/include/torch/csrc/api/include" "$source/worker.cpp" -o "$folder/worker" -L "$packages/torch/lib" \
        -Wl,--no-as-needed -ltorch_cpu -lc10 "-Wl,-rpath,$packages/torch/lib:$cuda,-rpath-link,$cuda" >>"$log" 2>&1 ||
        { tail -n 5 "$log" >&2; fail 3 "the adapter of PyTorch could not be built (whole output: ${log#"$root"/})"; }
      cat "${sources[@]}" >"$folder/installed.txt"
      ;;
    candle | rten | tract)
      source=$root/conformance/adapters/rust
      sources=("$source"/Cargo.{toml,lock} "$source"/src/*.rs "$source/src/bin/${engine}_worker.rs")
      cmp -s <(cat "${sources[@]}") "$folder/installed.txt" && return 0
      have cargo || fail 3 "$engine: its adapter is a Rust program and cargo is not here; install Rust 1.94 or newer (https://rustup.rs)"
      [ "$engine" != candle ] || have protoc || fail 3 "candle: the compiler of Protocol Buffers is not here; install protoc"
      say "building the adapter of $engine under ${folder#"$root"/}; this takes some minutes"
      retry cargo build --release --locked --manifest-path "$source/Cargo.toml" --features "$engine" --bin "${engine}_worker" \
        --target-dir "$folder" ||
        { tail -n 15 "$log" >&2; fail 3 "cargo could not build the adapter of $engine (whole output: ${log#"$root"/})"; }
      cat "${sources[@]}" >"$folder/installed.txt"
      ;;
    gomlx)
      sources=("$source"/{go.mod,go.sum,main.go,reproducer.go.txt} "${source%/*}"/gathercheck_go/*.go)
      cmp -s <(cat "${sources[@]}") "$folder/installed.txt" && return 0
      have go || fail 3 "gomlx: its adapter is a Go program and go is not here; install Go 1.24.3 or newer (https://go.dev/dl)"
      say "building the adapter of gomlx under ${folder#"$root"/}; this takes a minute"
      retry go build -C "$source" -o "$folder/gomlx_worker" . ||
        { tail -n 15 "$log" >&2; fail 3 "go could not build gomlx's adapter (whole output: ${log#"$root"/})"; }
      cat "${sources[@]}" >"$folder/installed.txt"
      ;;
    onnxruntime-web | tfjs)
      have node && have npm || fail 3 "$engine: it runs in Node.js, and node or npm is not here; install Node.js 20 or newer"
      cmp -s "$source/package-lock.json" "$folder/installed.json" && return 0
      say "installing the engine $engine into ${folder#"$root"/}"
      mkdir -p "$folder"
      cp "$source"/package*.json "$folder"
      retry npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund ||
        { tail -n 15 "$log" >&2; fail 3 "npm could not install $engine (whole output: ${log#"$root"/})"; }
      cp "$source/package-lock.json" "$folder/installed.json"
      ;;
  esac
}

# --- tests of the page -----------------------------------------------------------------------------------------------------

set_up_page_tests() {
  local source=$root/tools/tests/page folder=$root/build/page-tests
  ! cmp -s "$source/package-lock.json" "$folder/installed.json" || return 0
  if ! { have node && have npm; }; then
    say 'node or npm is not here: no test looks at the page of reports; install Node.js 20 or newer'
    return 0
  fi
  say "installing what the tests of the page need into ${folder#"$root"/}"
  mkdir -p "$folder"
  cp "$source"/package*.json "$folder"
  retry npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund ||
    { tail -n 15 "$log" >&2; fail 3 "npm could not install what the tests of the page need (whole output: ${log#"$root"/})"; }
  cp "$source/package-lock.json" "$folder/installed.json"
}

# --- start ---------------------------------------------------------------------------------------------------------------

for_tests=false
for_bench=false
machine=
wanted_engines=()
wanted_others=()
while (($#)); do
  argument=$1
  case $argument in
    --help | -h) usage; exit 0 ;;
    --tests) for_tests=true ;;
    --bench) for_bench=true ;;
    --machine)
      machine=${2-}
      [[ $machine =~ ^(aarch64|s390x)$ ]] || fail 4 '--machine takes aarch64 or s390x'
      shift
      ;;
    -*) fail 4 "unknown option $argument; see tools/setup.sh --help" ;;
    *)
      [[ " $(engines) " == *" ${argument%:*} "* ]] || fail 4 "unknown engine '$argument'; engines are: $(engines)"
      if is_python_package "${argument%:*}"; then
        wanted_engines+=("${argument%:*}")
      else
        wanted_others+=("${argument%:*}")
      fi
      ;;
  esac
  shift
done

# The tests of the Python package have packages in the engines' environment, too; they are left out where there is no Python.
if $for_tests && "$root/tools/find_python.sh" >/dev/null; then wanted_engines+=(tests); fi

mkdir -p "$root/build"
if have flock; then
  exec 9>"$root/build/setup.lock"
  flock 9
fi
: >"$log"

if is_debian_like; then
  find_root
  set_up_packages
  set_up_newer_packages
  [ -z "$machine" ] || set_up_machine
fi
if ! is_debian_like && { [ ! -e "$root/build/setup-explained" ] || ! cmake_is_enough; }; then
  explain_other_system
  touch "$root/build/setup-explained"
fi
check_essentials
set_up_engines
! $for_tests || set_up_page_tests
for engine in "${wanted_others[@]}"; do set_up_other_engine "$engine"; done
