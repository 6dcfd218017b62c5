#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Links that have trained narrow, and a GPU that answers no more: its configuration space reads as all ones."""
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
# pylint: disable=wrong-import-position
from lab import GEN3, GEN5, GPUS, PORTS, expect, is_equal, is_replayed, is_valid, main

LINK_VALUES = ("link_width", "link_width_able", "link_speed_mtps", "link_speed_able_mtps")


def is_narrow(run):
    """The second GPU has 8 of 16 lanes, the first is its twin and has all."""
    run.ends(2)
    is_equal(run.findings("warn", "fail"), [("pcie-width.below-twins", GPUS[1])], "findings")
    found = next(finding for finding in run.report["findings"] if finding["id"] == "pcie-width.below-twins")
    seen = {evidence["what"]: evidence["observed"] for evidence in found["evidence"] if not evidence["of"]}
    is_equal((seen["link_width"], seen["link_width_able"], seen["twin_link_width"], seen["link_address"]),
             (8, 16, 16, GPUS[1]), "evidence")


def has_narrow_link(run):
    for what, function in ((GPUS[1], run.gpu(GPUS[1])["pci"]), (PORTS[1], run.gpu(GPUS[1])["hops"][0]["pci"])):
        is_equal(tuple(function[name] for name in LINK_VALUES), (8, 16, 8000, 32000), f"link of {what}")
    is_equal(tuple(run.gpu(GPUS[0])["pci"][name] for name in LINK_VALUES), (16, 16, 32000, 32000),
             f"link of {GPUS[0]}")


def is_alone(run):
    """No twin has more: one warning for both."""
    run.ends(1)
    is_equal(run.findings("warn", "fail"), [("pcie-width.below-able", gpu) for gpu in GPUS], "findings")


def is_lost(run):
    run.ends(2)
    is_equal(run.findings("warn", "fail"), [("gpu-lost.all-ones", GPUS[0])], "findings")
    is_equal(run.snapshot["bus"]["gpus"], 2, "GPUs on the bus")


def has_no_values(run):
    """What the registers of a lost device read as is no value: 63 lanes, 255, 64 GT/s."""
    gpu = run.gpu(GPUS[0])
    is_equal(gpu["pci"]["config_all_ones"], True, "configuration space of all ones")
    for name in LINK_VALUES:
        is_equal(gpu["pci"][name], None, name)
        expect(gpu["pci"]["unknown"][name].startswith("lost"), f"{name}: {gpu['pci']['unknown'][name]}")
    is_equal((gpu["pci"]["vendor_id"], gpu["pci"]["device_id"]), ("0x10de", "0x2330"), "ids, as the kernel keeps them")
    for name in LINK_VALUES:
        expect(gpu["hops"][0]["pci"][name] in (None, 16, 32000), f"{name} of {PORTS[0]}: {gpu['hops'][0]['pci'][name]}")


def suite(lab):
    first, second = lab.devices["gpu0"], lab.devices["gpu1"]

    second.set_link(GEN3, 8)
    run = lab.gpudiag()
    with lab.test("a narrow link beside a full twin fails, by its address"):
        is_narrow(run)
    with lab.test("its width and speed at both ends, and the twin's"):
        has_narrow_link(run)
    with lab.test("report and snapshot are valid"):
        is_valid(run)
    with lab.test("the snapshot gives the same report here"):
        is_replayed(run)
    run = lab.gpudiag(user="nobody")
    with lab.test("nobody sees it as well"):
        is_narrow(run)
        has_narrow_link(run)

    first.set_link(GEN3, 8)
    run = lab.gpudiag()
    with lab.test("two narrow links without a wider twin are a warning"):
        is_alone(run)
    for gpu in (first, second):
        gpu.set_link(GEN5, 16)

    first.answer_no_more()
    run = lab.gpudiag()
    with lab.test("a GPU whose configuration space reads as all ones is lost"):
        is_lost(run)
    with lab.test("what it reads as is no value"):
        has_no_values(run)
    with lab.test("report and snapshot of a lost GPU are valid"):
        is_valid(run)
    with lab.test("the snapshot of a lost GPU gives the same report here"):
        is_replayed(run)
    run = lab.gpudiag(user="nobody")
    with lab.test("nobody sees it lost as well"):
        is_lost(run)
        has_no_values(run)

    first.answer_again()
    run = lab.gpudiag()
    with lab.test("and all is well when it answers again"):
        is_equal((run.status, run.findings("warn", "fail")), (0, []), "exit status and findings")


if __name__ == "__main__":
    sys.exit(main(suite))
