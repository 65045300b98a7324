#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks formats and looks for mistakes that tools find, in C++, Python and shell scripts.
# shellcheck disable=SC2034 # arrays of files are read by their names
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/build/lint # the tools
log=$root/build/lint.log
database=$root/build/release/compile_commands.json

usage() {
  cat <<'USAGE'
usage: tools/lint.sh [--fix] [--tidy] [FILE...]

Checks all files, or those named: clang-format on C++ and C, ruff on Python, shellcheck on shell scripts, and on
workflows of GitHub actionlint, where that is installed. The other tools come by pip, at the versions pinned in tools/lint/,
into build/lint, once. What is generated is left out.

  --fix   rewrites formats, and what ruff can mend without changing what a program does
  --tidy  also clang-tidy, on the C++ files named, or else on those that differ from the main branch; slow, and it
          needs build/release (tools/run.sh makes it)

examples: tools/lint.sh --fix
          tools/lint.sh --tidy optimized/access.cpp
Exit: 0 nothing found; 1 something found; 3 the tools, or what --tidy needs, are not there; 4 wrong usage.
USAGE
}

say() { printf 'lint: %s\n' "$*" >&2; }

fail() {
  local code=$1
  shift
  say "$@"
  exit "$code"
}

have() { command -v "$1" >/dev/null 2>&1; }

# --- files ---------------------------------------------------------------------------------------------------------------

# Where this is no work tree of Git, or one that ignores the folder, everything counts but what builds leave.
all_files() {
  local files
  files=$(git -C "$root" ls-files --cached --others --exclude-standard 2>/dev/null || true)
  if [ -n "$files" ]; then
    printf '%s\n' "$files"
  else
    (cd "$root" && find . \( -path './build*' -o -name __pycache__ -o -name .git \) -prune -o -type f -print) | sed 's|^\./||' | sort
  fi
}

# What differs from the main branch, committed or not, and what is new.
changed_files() {
  local main base=HEAD
  for main in origin/main main; do
    if base=$(git -C "$root" merge-base "$main" HEAD 2>/dev/null); then break; fi
    base=HEAD
  done
  git -C "$root" diff --name-only --diff-filter=d "$base" -- && git -C "$root" ls-files --others --exclude-standard
}

# kind FILE: which tools look at it. Reproducers are what adapters wrote, and tests compare them byte for byte.
kind() {
  local first=
  case $1 in
    spec_cases/findings/reproducers/*) echo generated ;;
    *.cpp | *.hpp | *.c | *.h) echo cpp ;;
    *.py) echo python ;;
    *.sh) echo shell ;;
    .github/workflows/*.yml | .github/workflows/*.yaml) echo workflow ;;
    *)
      # A script without an extension says on its first line what runs it.
      [[ ${1##*/} == *.* ]] || IFS= read -r -n 80 first <"$root/$1" || true
      case $first in
        '#!'*python*) echo python ;;
        '#!'*sh) echo shell ;;
        *) echo other ;;
      esac
      ;;
  esac
}

# --- tools ---------------------------------------------------------------------------------------------------------------

# set_up NAME: installs what tools/lint/requirements-NAME.txt pins. A folder that has moved is installed anew: scripts in it
# name the interpreter by its path.
set_up() {
  local requirements=$root/tools/lint/requirements-$1.txt stamp=$venv/installed-$1.txt python
  if cmp -s <(echo "$venv"; cat "$requirements") "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then return 0; fi
  mkdir -p "$root/build"
  : >"$log"
  if ! "$venv/bin/pip" --version >/dev/null 2>&1; then
    python=$("$root/tools/find_python.sh") ||
      fail 3 'the tools need Python >= 3.11 with venv and ensurepip (Debian: python3 python3-venv); set PYTHON to one'
    rm -rf "$venv"
    "$python" -m venv "$venv" >>"$log" 2>&1 || fail 3 "$python could not make a virtual environment: see ${log#"$root"/}"
  fi
  say "installing $(grep -v '^#' "$requirements" | tr '\n' ' ')into ${venv#"$root"/}"
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --retries 2 --timeout 15 --only-binary :all: \
    -r "$requirements" >>"$log" 2>&1 ||
    { tail -n 3 "$log" >&2; fail 3 "pip could not install the tools (whole output: ${log#"$root"/})"; }
  { echo "$venv"; cat "$requirements"; } >"$stamp"
}

# look NAME NUMBER FILES COMMAND...: runs the command on the files of an array, so many at a time, on all cores. What it says of
# them is printed in one piece; an exit code other than 0 is a finding.
found=()
look() {
  local name=$1 number=$2
  local -n files=$3
  shift 3
  ((${#files[@]})) || return 0
  printf '%s\0' "${files[@]}" | xargs -0 -n "$number" -P "$cores" bash -c \
    'output=$("$@" 2>&1); code=$?; [ -z "$output" ] || printf "%s\n" "$output"; exit $((code > 0))' lint "$@" ||
    found+=("$name")
}

# --- start ---------------------------------------------------------------------------------------------------------------

fix=false
tidy=false
named=()
for argument in "$@"; do
  case $argument in
    --help | -h) usage; exit 0 ;;
    --fix) fix=true ;;
    --tidy) tidy=true ;;
    -*) fail 4 "unknown option $argument; see tools/lint.sh --help" ;;
    *)
      [ -f "$argument" ] || fail 4 "there is no file '$argument'; see tools/lint.sh --help"
      file=$(realpath "$argument")
      [[ $file == "$root"/* ]] || fail 4 "'$argument' is no file of this project"
      named+=("${file#"$root"/}")
      ;;
  esac
done

if $tidy && [ ! -e "$database" ]; then
  say "--tidy needs ${database#"$root"/}, which tells how each file is compiled. To make it:"
  fail 3 '  tools/run.sh, or cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release'
fi

cd "$root"
cores=$(nproc 2>/dev/null || echo 2)
if ((${#named[@]})); then looked_at=("${named[@]}"); else mapfile -t looked_at < <(all_files); fi
cpp=() python=() shell=() workflow=() changed=()
for file in "${looked_at[@]}"; do
  [ -f "$file" ] || continue # deleted, and Git has not been told
  of_kind=$(kind "$file")
  case $of_kind in
    generated | other) ((${#named[@]} == 0)) || say "nothing here looks at $file" ;;
    *)
      declare -n files_of_kind=$of_kind
      files_of_kind+=("$file")
      ;;
  esac
done
if $tidy; then
  if ((${#named[@]})); then
    changed=("${cpp[@]}")
  else
    mapfile -t changed < <(changed_files | while IFS= read -r file; do if [ "$(kind "$file")" = cpp ]; then echo "$file"; fi; done)
  fi
fi

set_up lint
if $tidy; then set_up tidy; fi

bin=$venv/bin
if $fix; then
  look clang-format 16 cpp "$bin/clang-format" -i
  look 'ruff check' 1000 python "$bin/ruff" check --quiet --fix
  look 'ruff format' 1000 python "$bin/ruff" format --quiet
else
  look clang-format 16 cpp "$bin/clang-format" --dry-run --Werror --ferror-limit=1
  look 'ruff check' 1000 python "$bin/ruff" check --quiet
  look 'ruff format' 1000 python "$bin/ruff" format --quiet --check
fi
look shellcheck 8 shell "$bin/shellcheck"
if ((${#workflow[@]})); then
  if have actionlint; then look actionlint 1000 workflow actionlint; else say 'actionlint: not found, left out'; fi
fi
# The compiler of build/release may know warnings that clang does not.
look clang-tidy 1 changed "$bin/clang-tidy" -p "${database%/*}" --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option

counts="${#cpp[@]} files of C++, ${#python[@]} of Python, ${#shell[@]} of shell"
if ((${#found[@]} == 0)); then
  say "$counts: nothing found"
  exit 0
fi
say "$counts: found by $(printf '%s, ' "${found[@]}" | sed 's/, $//')"
if ! $fix && [[ " ${found[*]}" == *' clang-format'* || " ${found[*]}" == *' ruff'* ]]; then
  say 'to rewrite formats, and mend what can be mended: tools/lint.sh --fix'
fi
exit 1
