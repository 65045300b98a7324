#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the clang++ (14 or newer) of this machine that can build with sanitizers; fails when there is none.
set -uo pipefail
shopt -s nullglob

for candidate in clang++ clang++-{30..14}; do
  path=$(command -v "$candidate") || continue
  major=$("$path" -dumpversion 2>/dev/null | cut -d. -f1)
  [[ $major =~ ^[0-9]+$ ]] && ((major >= 14)) || continue
  runtimes=("$("$path" -print-resource-dir)"/lib/*/libclang_rt.asan*)
  if ((${#runtimes[@]})); then
    printf '%s\n' "$path"
    exit 0
  fi
done
exit 1
