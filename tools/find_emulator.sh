#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the emulator of another machine's programs (qemu's user mode); fails where there is none.
# usage: find_emulator.sh MACHINE
set -euo pipefail

for candidate in "qemu-$1-static" "qemu-$1"; do
  if command -v "$candidate"; then exit 0; fi
done
exit 1
