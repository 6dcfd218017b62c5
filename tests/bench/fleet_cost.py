#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a command costs: fleet_cost.py COMMAND… prints "SECONDS PROCESSOR_SECONDS PEAK_KIB STATUS". What it prints is dropped.

Its input is ours: of a pipe, seconds are those of who writes, too, but those of the processor and memory are its own.
"""
import os
import subprocess
import sys
import time

started = time.monotonic()
with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL) as child:
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
print(f"{time.monotonic() - started:.3f} {usage.ru_utime + usage.ru_stime:.3f} {usage.ru_maxrss} {child.returncode}")
