#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A healthy node, and what a healthy node may have: swap in use, a card in a slot of fewer lanes."""
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
# pylint: disable=wrong-import-position
from lab import GEN5, GPUS, PORTS, expect, is_equal, is_replayed, is_valid, main

MIB = 1 << 20


def is_healthy(run):
    is_equal(run.findings("warn", "fail"), [], "findings")
    run.ends(0)
    is_equal(run.snapshot["bus"]["gpus"], 2, "GPUs on the bus")


def has_notes(run, *ids):
    is_healthy(run)
    notes = [note[0] for note in run.findings("note")]
    for wanted in ids:
        expect(wanted in notes, f"no {wanted} among the notes: {notes}")


def has_full_links(run):
    for gpu, port in zip(GPUS, PORTS):
        function = run.gpu(gpu)["pci"]
        hops = run.gpu(gpu)["hops"]
        is_equal([hop["address"] for hop in hops], [port], f"bridges above {gpu}")
        is_equal(hops[0]["pci"]["driver"], "pcieport", f"driver of {port}")
        for end, what in ((function, gpu), (hops[0]["pci"], port)):
            is_equal((end["link_width"], end["link_width_able"]), (16, 16), f"lanes of {what}")
            is_equal((end["link_speed_mtps"], end["link_speed_able_mtps"]), (32000, 32000), f"speed of {what}")


def has_config(run):
    """What only root can read."""
    for gpu in GPUS:
        is_equal(run.gpu(gpu)["pci"]["port_type"], "endpoint", f"port type of {gpu}")
        is_equal(run.gpu(gpu)["hops"][0]["pci"]["port_type"], "root-port", f"port type above {gpu}")


def has_nodes(run):
    is_equal([(node["key"], node["cpus"], node["distances"]) for node in run.snapshot["numa_nodes"]],
             [("0", "0-1", [10, 21]), ("1", "2-3", [21, 10])], "NUMA nodes")
    is_equal(run.snapshot["cpu"]["package_count"], 2, "sockets")
    for gpu, node, cpus in zip(GPUS, (0, 1), ("0-1", "2-3")):
        function = run.gpu(gpu)["pci"]
        is_equal((function["numa_node"], function["local_cpus"]), (node, cpus), f"node and CPUs of {gpu}")


def swap_out(machine):
    """Fills part of a swap area with files of a tmpfs, as pages that nobody asks for later."""
    machine.must("""
        set -e
        insmod /modules/brd.ko rd_nr=1 rd_size=65536
        mkswap /dev/ram0; swapon /dev/ram0
        mount -t cgroup2 cgroup /sys/fs/cgroup; mkdir /sys/fs/cgroup/cold
        echo +memory > /sys/fs/cgroup/cgroup.subtree_control
        sh -c 'echo $$ > /sys/fs/cgroup/cold/cgroup.procs; dd if=/dev/urandom of=/tmp/cold bs=1M count=24 2> /dev/null'
        echo 16M > /sys/fs/cgroup/cold/memory.reclaim""")


def has_swap(run):
    has_notes(run, "swap-used.idle")
    areas = run.snapshot["swaps"]
    is_equal([area["key"] for area in areas], ["/dev/ram0"], "swap areas")
    expect(8 * MIB < areas[0]["used_bytes"] < areas[0]["size_bytes"] <= 64 * MIB, f"swap area {areas[0]}")


def suspend(machine, address):
    """Only a GPU without a driver is put to sleep by the bus alone."""
    folder = f"/sys/bus/pci/devices/{address}"
    machine.must(f"echo {address} > {folder}/driver/unbind; echo auto > {folder}/power/control")
    machine.wait_until(f"grep -qx suspended {folder}/power/runtime_status")


def is_left_asleep(run):
    is_healthy(run)
    function = run.gpu(GPUS[1])["pci"]
    for name in ("link_width", "link_speed_mtps", "config_all_ones", "port_type"):
        is_equal((function[name], function["unknown"][name].partition(":")[0]), (None, "asleep"), name)


def suite(lab):
    run = lab.gpudiag()
    with lab.test("two healthy GPUs pass, as root"):
        is_healthy(run)
    with lab.test("links of both ends"):
        has_full_links(run)
    with lab.test("configuration space"):
        has_config(run)
    with lab.test("two NUMA nodes"):
        has_nodes(run)
    with lab.test("report and snapshot are valid"):
        is_valid(run)
    with lab.test("the snapshot gives the same report here"):
        is_replayed(run)

    run = lab.gpudiag("--expect-gpus 2", user="nobody")
    with lab.test("two healthy GPUs pass, as nobody"):
        is_healthy(run)
        has_full_links(run)
    with lab.test("report and snapshot of nobody are valid"):
        is_valid(run)
    with lab.test("the snapshot of nobody gives the same report here"):
        is_replayed(run)

    lab.devices["port1"].set_link_able(GEN5, 8)
    lab.devices["gpu1"].set_link(GEN5, 8)
    run = lab.gpudiag()
    with lab.test("a slot of fewer lanes is a note"):
        has_notes(run, "pcie-width.platform-limit")

    lab.devices["port1"].set_link_able(GEN5, 16)
    lab.devices["gpu1"].set_link(GEN5, 16)
    swap_out(lab.machine)
    run = lab.gpudiag()
    with lab.test("swap in use and left alone is a note"):
        has_swap(run)
        is_valid(run)

    suspend(lab.machine, GPUS[1])
    run = lab.gpudiag("--skip gpu-bound")
    with lab.test("a suspended GPU is not asked"):
        is_left_asleep(run)


if __name__ == "__main__":
    sys.exit(main(suite))
