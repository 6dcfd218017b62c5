#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own log: who wrote into it, how far back it reaches, who may read it."""
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
# pylint: disable=wrong-import-position
from lab import GPUS, expect, is_equal, is_replayed, is_valid, main

# As a record of its own, which is what a write to /dev/kmsg makes; the kernel marks it as a program's.
WRITE = f"""
    echo on > /proc/sys/kernel/printk_devkmsg
    echo '<3>NVRM: Xid (PCI:{GPUS[0][:-2]}): 79, pid=1, name=x, GPU has fallen off the bus.' > /dev/kmsg
"""
# More than the ring holds.
OVERWRITE = """
    number=0
    while [ $number -lt 6000 ]; do
        echo "<6>a line that is longer than most, so that fewer of them fill the ring: $number, $number and $number" > /dev/kmsg
        number=$((number + 1))
    done
"""
FILL_LIMIT_S = 60


def of_check(run, subject):
    return next(result for result in run.report["checks"]
                if result["check"] == "klog-errors" and result["subject"] == subject)


def is_whole(run):
    log = run.snapshot["kernel_log"]
    is_equal((log["source"], log["first_seq"], log["since_boot"]), ("/dev/kmsg", 0, True), "what was read")
    expect(log["lines_read"] > 100, f"{log['lines_read']} lines")
    is_equal(of_check(run, "node")["result"], "pass", "result for the node")


def has_no_written_line(run):
    is_equal(run.findings("warn", "fail"), [], "findings")
    is_equal([line["text"] for line in run.snapshot["log_lines"] if "NVRM" in line["text"]], [], "lines kept")


def is_overwritten(run):
    log = run.snapshot["kernel_log"]
    expect(log["first_seq"] > 0 and not log["since_boot"], f"the log begins at {log['first_seq']}")
    for subject in ("node", "GPU 0"):
        is_equal(of_check(run, subject)["result"], "unknown", f"result for {subject}")
    expect("the log covers" in of_check(run, "node")["reason"], of_check(run, "node")["reason"])
    run.ends(0)


def is_denied(run):
    is_equal(of_check(run, "node")["result"], "unknown", "result for the node")
    expect("root may read it" in of_check(run, "node")["reason"], of_check(run, "node")["reason"])
    expect(run.snapshot["kernel_log"]["unknown"]["lines_read"].startswith("denied: "), "lines_read is not denied")
    run.ends(0)


def suite(lab):
    lab.machine.must(WRITE)
    run = lab.gpudiag("--expect-gpus 2")
    with lab.test("a log since boot is a pass"):
        is_whole(run)
    with lab.test("what a program wrote is not the kernel's word"):
        has_no_written_line(run)
        is_valid(run)
        is_replayed(run)

    lab.machine.must(OVERWRITE, FILL_LIMIT_S)
    run = lab.gpudiag("--expect-gpus 2")
    with lab.test("a ring that was overwritten is no pass"):
        is_overwritten(run)
        is_replayed(run)

    lab.machine.must("echo 1 > /proc/sys/kernel/dmesg_restrict")
    run = lab.gpudiag("--expect-gpus 2", user="nobody")
    with lab.test("a log that only root may read is unknown to others"):
        is_denied(run)
        is_valid(run)
    run = lab.gpudiag("--expect-gpus 2")
    with lab.test("root reads it all the same"):
        is_overwritten(run)


if __name__ == "__main__":
    sys.exit(main(suite))
