# SPDX-License-Identifier: Apache-2.0
# The name that gathercheck.worker had before; deprecated, and gone in the next version.
import sys

import gathercheck.worker

sys.modules[__name__] = gathercheck.worker
