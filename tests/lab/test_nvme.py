#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An NVMe disk and its health log, as a controller really gives it: healthy, hot, read-only, and to a user."""
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
# pylint: disable=wrong-import-position
from lab import is_equal, is_replayed, is_valid, main

CHECK = "--check nvme-health --window 0"


def controller(run):
    [found] = run.snapshot["nvme_controllers"]
    return found


def result(run):
    [check] = [check for check in run.report["checks"] if check["check"] == "nvme-health"]
    return check["result"]


def is_healthy(run):
    disk = controller(run)
    is_equal((disk["key"], disk["model"], disk["serial"], disk["state"], disk["transport"]),
             ("nvme0", "QEMU NVMe Ctrl", "LAB1", "live", "pcie"), "the controller")
    # What QEMU's controller says (hw/nvme/ctrl.c nvme_smart_info): 323 K at its start.
    health = disk["health"]
    is_equal((health["critical_warning"], health["media_errors"], health["used_percent"]), (0, 0, 0), "its health")
    is_equal(health["temperature_c"], 50, "its temperature")
    is_equal(result(run), "pass", "result")


def warns(machine, bits):
    machine.qmp("qom-set", path="/machine/peripheral/nvme0", property="smart_critical_warning", value=bits)


def is_denied_to_a_user(run):
    is_equal(controller(run)["health"]["unknown"]["critical_warning"], "denied: EACCES", "the log")
    is_equal(result(run), "unknown", "result")


def suite(lab):
    run = lab.gpudiag(CHECK)
    with lab.test("a healthy disk: its log is read, and passes"):
        is_healthy(run)
    with lab.test("without root its state is told, and the log denied"):
        is_denied_to_a_user(lab.gpudiag(CHECK, user="nobody"))
    warns(lab.machine, 2)
    with lab.test("a critical temperature is a warning"):
        run = lab.gpudiag(CHECK)
        is_equal(run.findings("warn", "fail"), [("nvme-health.hot", "node")], "findings")
    warns(lab.machine, 8)
    run = lab.gpudiag(CHECK)
    with lab.test("a disk that became read-only is a failure"):
        is_equal(run.findings("warn", "fail"), [("nvme-health.failed", "node")], "findings")
        run.ends(2)
    with lab.test("the report is valid, and a replay gives the same"):
        is_valid(run)
        is_replayed(run)


if __name__ == "__main__":
    sys.exit(main(suite))
