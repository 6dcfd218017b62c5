#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""GPUs that go: one that is unplugged in order, one that is pulled out, both while gpudiag runs again and again."""
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
# pylint: disable=wrong-import-position
from lab import FORMATS, GPUS, Run, expect, is_equal, is_replayed, is_valid, main

LIMIT_S = 20
# What a run may say of a GPU that goes while it looks.
LOST = ("gpu-lost.link-unreadable", "gpu-lost.all-ones")

RUN_ON = f"""
    rm -rf /tmp/runs /tmp/end; mkdir /tmp/runs
    (
        nr=0
        until [ -e /tmp/end ]; do
            mkdir /tmp/runs/$nr; cd /tmp/runs/$nr
            gpudiag run --expect-gpus 2 {FORMATS} > said 2>&1
            echo $? > status
            nr=$((nr + 1))
        done
        touch /tmp/ended
    ) > /dev/null 2>&1 &
"""


def runs_during(lab, address, remove):
    """Runs gpudiag all the time, takes the GPU away meanwhile; returns the runs in their order."""
    machine = lab.machine
    machine.must(RUN_ON)
    machine.wait_until("[ -e /tmp/runs/1 ]", LIMIT_S)
    remove()
    machine.wait_until(f"[ ! -e /sys/bus/pci/devices/{address} ]", LIMIT_S)
    machine.must("touch /tmp/end")
    machine.wait_until("[ -e /tmp/ended ]", LIMIT_S)
    files = lab.unpacked(machine.must("cd /tmp/runs; tar -c * | gzip | base64; rm /tmp/ended"))
    return [Run(int(files[f"{nr}/status"]), {name: files[f"{nr}/{name}"] for name in ("report", "text", "snapshot")})
            for nr in range(sum(name.endswith("/status") for name in files))]


def are_whole(runs, address, before, after):
    """Each run ended by itself, and says what was before, what is after, or that the GPU does not answer."""
    expect(len(runs) > 1, "only one run")
    for run in runs:
        said = run.findings("warn", "fail")
        sayable = [*before, *after, *((id, address) for id in LOST)]
        expect(said in (before, after) or said and all(finding in sayable for finding in said), f"a run says {said}")
        # A value that was lost in the middle of a run is no pass, though nothing is missing yet.
        expect(run.status == 2 if said else run.status in (0, 3), f"exit status: {run.status}")
        expect(run.status != 3 or run.report["headline"].startswith("Not judged: "), run.report["headline"])
        is_equal([probe for probe in run.report["probes"] if probe["outcome"] not in ("ok", "partial")], [],
                 "probes that did not end")
        is_replayed(run)
    is_equal(runs[0].findings("warn", "fail"), before, "findings of the first run")
    for run in runs:
        is_valid(run)


def is_missing(run, findings, gpus):
    is_equal(run.findings("warn", "fail"), findings, "findings")
    run.ends(2)
    is_equal(run.snapshot["bus"]["gpus"], gpus, "GPUs on the bus")
    is_equal([gpu["key"] for gpu in run.snapshot.get("gpus", [])], list(GPUS[2 - gpus:]), "GPUs in the snapshot")


def suite(lab):
    def unplug():
        """As the button at the slot: the kernel is asked, and powers the slot off after five seconds."""
        lab.machine.qmp("device_del", id="gpu0")

    def pull():
        lab.devices["gpu1"].answer_no_more()
        lab.devices["port1"].empty_slot()

    one_missing, none = [("gpu-visible.missing", "node")], [("gpu-visible.none", "node")]
    runs = runs_during(lab, GPUS[0], unplug)
    with lab.test("runs while a GPU is unplugged are whole"):
        are_whole(runs, GPUS[0], [], one_missing)
    run = lab.gpudiag("--expect-gpus 2")
    with lab.test("an unplugged GPU is missing, where two are expected"):
        is_missing(run, one_missing, 1)
    run = lab.gpudiag("--expect-gpus 1", user="nobody")
    with lab.test("and not missed where one is expected"):
        is_equal((run.status, run.findings("warn", "fail")), (0, []), "exit status and findings")

    runs = runs_during(lab, GPUS[1], pull)
    with lab.test("runs while a GPU is pulled out are whole"):
        are_whole(runs, GPUS[1], one_missing, none)
    run = lab.gpudiag("--expect-gpus 2")
    with lab.test("the last GPU pulled out: none is left"):
        is_missing(run, none, 0)
    with lab.test("report and snapshot are valid"):
        is_valid(run)
    with lab.test("the snapshot gives the same report here"):
        is_replayed(run)


if __name__ == "__main__":
    sys.exit(main(suite))
