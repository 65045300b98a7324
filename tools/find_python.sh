#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the first Python of this machine that can make a virtual environment and is new enough for the pinned engines (3.11);
# PYTHON names one to try first. Fails when there is none.
set -uo pipefail

for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
  if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    command -v "$candidate"
    exit 0
  fi
done
exit 1
