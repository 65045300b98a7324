# SPDX-License-Identifier: Apache-2.0
"""python3 -m gathercheck: the command, by the Python that has it."""

from gathercheck.command import main

main()
