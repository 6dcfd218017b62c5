#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every healthy machine × every value × every state of a missing one: is a failure ever a pass? Speaks TAP.

tests/unknown.py              each value and state on some of the machines that have it
UNKNOWN_SHARE=1 tests/unknown.py  on all of them (minutes), as with FULL=1
GPUDIAG=PATH                  another binary than build/gpudiag

Snapshots are taken of the recorded machines with what their libraries answer; build/property/unknown then sets one value
at a time and judges (tests/property/unknown.c says by which rule). The table tells how often each kind was tried. Last,
what is noise on healthy machines is planted on each, all at once.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, TOP)
sys.path.insert(0, f"{TOP}/nodes")

import batch                            # pylint: disable=wrong-import-position
from bench import driver_of             # pylint: disable=wrong-import-position
from mknodes import HEALTHY             # pylint: disable=wrong-import-position

GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", f"{TOP}/../build/gpudiag"))
PROPERTY = f"{TOP}/../build/property/unknown"
NODES = f"{TOP}/../build/nodes"
SHARE = int(os.environ.get("UNKNOWN_SHARE", "1" if os.environ.get("FULL") else "4"))
WINDOW = "100ms"

# What fails on machines that are well (rules of judging, "the rest is listed"): record, value, what became of it.
NOISE = [
    ("nvml", "power_mw", "error: NVML_ERROR_UNKNOWN"), ("nvml", "fan_percent", "error: NVML_ERROR_UNKNOWN"),
    ("nvml", "pcie_replays", "error: NVML_ERROR_INVALID_ARGUMENT"),
    ("nvml", "ecc_corrected", "error: NVML_ERROR_INVALID_ARGUMENT"),
    ("nvml", "recovery_action", "error: NVML_ERROR_UNKNOWN"), ("nvml", "energy_mj", "error: NVML_ERROR_TIMEOUT"),
    ("amdgpu", "power_mw", "error: EIO"), ("amdgpu", "temperature_c", "error: EBUSY: the driver resets the GPU"),
    ("amdgpu", "clock_mhz", "error: EIO"), ("amdgpu", "xgmi_links", "unsupported: EINVAL"),
    ("intel", "temperature_c", "error: EIO"), ("intel", "fan_rpm", "error: EIO"),
]


def taken(name, folder):
    """A snapshot of that machine, as its operator would take it."""
    tree, path = f"{NODES}/{name}", f"{folder}/{name}.json"
    driver = driver_of(GPUDIAG, tree, WINDOW) if os.path.isdir(f"{tree}/driver") else []
    batch.run(GPUDIAG, ["run", "--root", tree, *driver, *HEALTHY[name]["args"], "--format", f"snapshot={path}"],
              environment={"GPUDIAG_RUNTIME_DIR": f"{folder}/{name}.run"}, limit_s=120)
    return path


def try_values(number, path):
    """(tried, by nature, listed, by failure), what is wrong"""
    done = subprocess.run([PROPERTY, str(SHARE), str(number % SHARE), path], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=3600, text=True)
    lines = done.stdout.splitlines()
    wrong = [line.removeprefix("WRONG ") for line in lines if line.startswith("WRONG ")]
    counts = next((line.split()[1:] for line in lines if line.startswith("DONE ")), None)
    if done.returncode or not counts:
        return [0] * 5, [f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"]
    return [int(count) for count in counts], wrong


def plant_noise(path):
    """All that is noise, on every GPU; how many values."""
    with open(path, encoding="utf-8") as file:
        snapshot = json.load(file)
    planted = 0
    for gpu in snapshot.get("gpus", []):
        for record, value, became in NOISE:
            if gpu.get(record, {}).get(value) is not None:
                gpu[record][value] = None
                gpu[record].setdefault("unknown", {})[value] = became
                planted += 1
    with open(path, "w", encoding="utf-8") as file:
        json.dump(snapshot, file)
    return planted


def try_noise(name, path):
    planted = plant_noise(path)
    done = batch.run(GPUDIAG, ["run", "--snapshot", path, "--format", f"json={path}.report"])
    with open(f"{path}.report", encoding="utf-8") as file:
        report = json.load(file)
    told = sum(len(one["values"]) for one in report["unanswered"])
    if done.returncode != HEALTHY[name]["exit"]:
        yield f"noise: exit status {done.returncode}: {report['headline']}"
    busy = sum("EBUSY" in became or became.startswith("unsupported") for _, _, became in NOISE)
    if planted and not busy and told < planted:
        yield f"noise: {planted} values failed, {told} are told"


def try_machine(number, name, folder):
    path = taken(name, folder)
    counts, wrong = try_values(number, path)
    return name, counts, [*wrong, *try_noise(name, path)]


def main():
    for needed in (GPUDIAG, PROPERTY):
        if not os.access(needed, os.X_OK):
            print(f"Bail out! {needed} is not there: make DEVELOPER=1 all nodes fakes property")
            return 1
    failed, total = 0, [0] * 5
    with tempfile.TemporaryDirectory(prefix="gpudiag-unknown-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        runs = [pool.submit(try_machine, number, name, folder) for number, name in enumerate(HEALTHY)]
        print(f"# {'machine':32} {'tried':>6} {'nature':>7} {'listed':>7} {'failure':>8}")
        for number, run in enumerate(runs, 1):
            name, counts, wrong = run.result()
            total = [a + b for a, b in zip(total, counts)]
            print(f"# {name:32} {counts[0]:6} {counts[1]:7} {counts[2]:7} {counts[3]:8}")
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
            for text in wrong[:40]:
                print(f"# {text}")
            failed += bool(wrong)
    print(f"#: unknown values: {total[0]} tried, {total[3]} of them a failure to answer")
    print(f"1..{len(HEALTHY)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
