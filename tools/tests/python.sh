#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests of the Python package, where this machine has pytest and numpy. usage: tools/tests/python.sh GATHERCHECK [PYTHON]
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=${2:-${GATHERCHECK_PYTHON:-python3}}
export GATHERCHECK=$1 PYTHONDONTWRITEBYTECODE=1
if ! "$python" -c 'import numpy, pytest' 2>/dev/null; then
  echo "$python has no pytest or no numpy: $python -m pip install pytest numpy"
  exit 77
fi
exec "$python" -m pytest -q -p no:cacheprovider "$root/tools/python/tests"
