# SPDX-License-Identifier: GPL-2.0-or-later
"""The plain rule by which GPUs are compared with their kind, without regard to time and memory.

  - The newest report of each machine counts. Measurements that call themselves noisy do not.
  - GPUs of the same model, VBIOS, driver, power limit, partition and clocks are one group.
  - A GPU is measured against the median of its slot, where five nodes have that slot and two slots can be compared,
    else against its group's. A slot that is itself worse than the median slot by the floor is measured against that
    one, unless more than one of three slots are: machines are then built so.
  - It is an outlier if it is worse than the median GPU by more than the metric's floor, and by more than k times the
    group's spread: 1.4826 of the MAD, at least 0.5 % and at least the measurement's own error.
  - k is 5 below 16 GPUs, otherwise 4; of 4 to 7 GPUs the floor counts twice; fewer are not judged.
  - An outlier is certain if no GPU is better than the median by as much as the limit. Others may be listed for what
    they share with each other, or for being much farther away.
"""
import json
import math
import statistics
from collections import defaultdict

from noise import FAMILIES
from report import TESTS

SMALLEST_SPREAD = 0.005
SLOT_NODES = 5
# What GPUs must have alike to be compared.
KIND = ("model", "vbios", "driver_version", "power_limit_mw", "partition", "clock_application_mhz", "clock_max_mhz")


def report_of(line):
    """None: it is no report."""
    try:
        report = json.loads(line)
    except ValueError:
        return None
    return report if isinstance(report, dict) and report.get("schema") == "gpudiag.report/1" else None


def records(lines):
    """The newest report of each machine."""
    newest = {}
    for report in filter(None, map(report_of, lines)):
        machine = report["host"]["name"], report["host"]["machine_id"]
        if machine not in newest or report["taken_at"] > newest[machine]["taken_at"]:
            newest[machine] = report
    return newest.values()


def measurements(reports):
    """{(group, test): [(value, own error, node, gpu)]}"""
    groups = defaultdict(list)
    for report in reports:
        kinds = {}
        for gpu in report["gpus"]:
            kinds[gpu["pci"]] = gpu, tuple(gpu[key] for key in KIND)
        for timing in report["timings"]:
            if timing["noisy"] or timing["key"] not in TESTS:
                continue
            gpu, kind = kinds[timing["gpu"]]
            groups[kind, timing["key"]].append((timing["median"], timing["mad"] / math.sqrt(timing["n"]),
                                                report["host"]["name"], gpu))
    return groups


def worse_than(value, reference, family):
    """By which share. Of a latency less is better."""
    return (value - reference if family == "latency" else reference - value) / reference


def references(values, family, floor):
    """{slot: the median that its GPUs are measured against}"""
    slots = defaultdict(list)
    for value, _, _, gpu in values:
        slots[gpu["slot"]].append(value)
    medians = {slot: statistics.median(its) for slot, its in slots.items() if len(its) >= SLOT_NODES}
    everything = statistics.median(value[0] for value in values)
    if len(medians) < 2:
        return dict.fromkeys(slots, everything)
    # Of two in the middle the worse.
    typical = (statistics.median_high if family == "latency" else statistics.median_low)(medians.values())
    worse = {slot for slot, median in medians.items() if worse_than(median, typical, family) > floor}
    if 3 * len(worse) > len(medians):
        worse = set()
    return {slot: typical if slot in worse else medians.get(slot, typical) for slot in slots}


def outliers(lines, k_small=5, k_large=4):
    for (_, test), values in measurements(records(lines)).items():
        family, n = TESTS[test].family, len(values)
        floor = FAMILIES[family].floor
        if n < 4:
            continue
        reference = references(values, family, floor)
        worse = [worse_than(value, reference[gpu["slot"]], family) for value, _, _, gpu in values]
        middle = statistics.median(worse)
        spread = max(1.4826 * statistics.median(abs(one - middle) for one in worse), SMALLEST_SPREAD)
        limits = [max(floor * (2 if n < 8 else 1),
                      (k_small if n < 16 else k_large) * max(spread, error / reference[gpu["slot"]]))
                  for _, error, _, gpu in values]
        certain = not any(middle - one > limit for one, limit in zip(worse, limits))
        for (value, _, node, gpu), one, limit in zip(values, worse, limits):
            if one - middle > limit:
                yield {"node": node, "gpu": gpu["index"], "pci": gpu["pci"], "serial": gpu["serial"], "metric": test,
                       "value": value, "median": reference[gpu["slot"]], "worse_percent": 100 * one, "certain": certain}


def judge(path, **options):
    with open(path, encoding="utf-8", errors="replace") as lines:
        return {"outliers": list(outliers(lines, **options)), "causes": []}
