#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests of the Python package, by the first Python here that has what they need: the one named, that of tools/setup.sh --tests, or
# python3. usage: tools/tests/python.sh GATHERCHECK [PYTHON]
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export GATHERCHECK=$1 PYTHONDONTWRITEBYTECODE=1
pythons=("$root/build/venv/bin/python" python3)
[ -z "${2:-${GATHERCHECK_PYTHON:-}}" ] || pythons=("${2:-$GATHERCHECK_PYTHON}")
for python in "${pythons[@]}"; do
  if "$python" -c 'import numpy, pytest' 2>/dev/null; then
    exec "$python" -m pytest -q -p no:cacheprovider "$root/tools/python/tests"
  fi
done
echo 'no Python here has pytest and numpy: tools/setup.sh --tests, or python3 -m pip install pytest numpy'
exit 77
