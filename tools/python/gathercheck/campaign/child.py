# SPDX-License-Identifier: Apache-2.0
"""Becomes another program, with a limit of memory, that ends when the process that started it does.

usage: child.py PARENT BYTES PROGRAM [ARGUMENT...]
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, limit = int(sys.argv[1]), int(sys.argv[2])
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(3)  # it ended before it could be watched
    if limit:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.execvp(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
