#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors on a link: injected into the kernel's error reporting (AER), which counts them as it counts real ones."""
import struct
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
# pylint: disable=wrong-import-position
from lab import GPUS, PORTS, expect, is_equal, is_replayed, is_valid, main

# Bits of PCIe's status registers (include/uapi/linux/pci_regs.h).
RECEIVER_ERROR, BAD_TLP = 1 << 0, 1 << 6
COMPLETION_TIMEOUT, DATA_LINK_PROTOCOL = 1 << 14, 1 << 4
GPU, PORT, TWIN = GPUS[1], PORTS[1], GPUS[0]


def inject(machine, *, corrected=0, uncorrected=0):
    """As drivers/pci/pcie/aer_inject.c takes it: bus, device, function, both statuses, the header's log, the domain."""
    bus, device = int(GPU[5:7], 16), int(GPU[8:10], 16)
    error = struct.pack("<BBBxIIIIIII", bus, device, 0, uncorrected, corrected, 1, 2, 3, 4, 0)
    octal = "".join(f"\\{byte:03o}" for byte in error)
    machine.must(f"printf '{octal}' > /dev/aer_inject")


def inject_all(machine):
    """Three corrected, one that is not, one fatal; each is waited for until the kernel has counted it."""
    machine.must("insmod /modules/aer_inject.ko")
    for nr, bits in enumerate((RECEIVER_ERROR, BAD_TLP, BAD_TLP), 1):
        inject(machine, corrected=bits)
        machine.wait_until(f"grep -qx 'TOTAL_ERR_COR {nr}' /sys/bus/pci/devices/{GPU}/aer_dev_correctable")
    inject(machine, uncorrected=COMPLETION_TIMEOUT)
    machine.wait_until(f"grep -qx 'TOTAL_ERR_NONFATAL 1' /sys/bus/pci/devices/{GPU}/aer_dev_nonfatal")
    inject(machine, uncorrected=DATA_LINK_PROTOCOL)
    machine.wait_until(f"grep -qx 1 /sys/bus/pci/devices/{PORT}/aer_rootport_total_err_fatal")


def counters(function, *names):
    """Of the PCI function in a snapshot."""
    return tuple(function.get(name) for name in names)


def has_counts(run):
    gpu, twin = run.gpu(GPU), run.gpu(TWIN)
    names = ("aer_correctable", "aer_nonfatal", "aer_fatal")
    # The kernel cannot ask a device about a fatal error of its link: the root port alone has it.
    is_equal(counters(gpu["pci"], *names), (3, 1, 0), f"errors of {GPU}")
    for kind in ("RxErr 1", "BadTLP 2", "CmpltTO 1"):
        expect(kind in gpu["pci"]["aer_kinds"], f"no {kind} in {gpu['pci']['aer_kinds']!r}")
    is_equal(counters(gpu["hops"][0]["pci"], *names, "aer_root_fatal"), (0, 0, 0, 1), f"errors of {PORT}")
    is_equal(counters(twin["pci"], *names, "aer_kinds"), (0, 0, 0, ""), f"errors of {TWIN}")
    is_equal(counters(twin["hops"][0]["pci"], "aer_root_fatal"), (0,), f"errors of {PORTS[0]}")


def is_judged(run):
    about = {finding["gpu"] for finding in run.report["findings"] if finding["check"] == "pcie-errors"}
    is_equal(about, {GPU}, "GPUs with findings of pcie-errors")


def suite(lab):
    inject_all(lab.machine)
    run = lab.gpudiag()
    with lab.test("the counters of both ends, in the snapshot"):
        has_counts(run)
    with lab.test("a finding about the GPU with the errors, none about its twin"):
        is_judged(run)
    with lab.test("report and snapshot are valid"):
        is_valid(run)
    with lab.test("the snapshot gives the same report here"):
        is_replayed(run)

    run = lab.gpudiag(user="nobody")
    with lab.test("nobody sees the same counters"):
        has_counts(run)


if __name__ == "__main__":
    sys.exit(main(suite))
