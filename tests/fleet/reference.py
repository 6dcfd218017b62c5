# SPDX-License-Identifier: GPL-2.0-or-later
"""The plain rule by which GPUs are compared with their kind, without regard to time and memory.

  - The newest report of each machine counts. Measurements that call themselves noisy do not.
  - GPUs of the same model, VBIOS, driver, power limit, partition and clocks are one group.
  - A GPU is an outlier if it is below the group's median by more than the metric's floor, and by more than k times the
    group's spread: 1.4826 of the MAD, at least 0.5 % of the median, at least the measurement's own error.
  - k is 5 below 16 GPUs, otherwise 4; of 4 to 7 GPUs the floor counts twice; fewer are not judged.
"""
import json
import math
import statistics
from collections import defaultdict

from noise import FAMILIES
from report import TESTS

SMALLEST_SPREAD = 0.005
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


def outliers(lines, floors=None, k_small=5, k_large=4, mirror=None):
    """mirror: a value is no outlier either if others are as far above the median, so many times farther."""
    for (_, test), values in measurements(records(lines)).items():
        family = TESTS[test].family
        floor = (floors or {}).get(family, FAMILIES[family].floor)
        n = len(values)
        if n < 4:
            continue
        floor *= 2 if n < 8 else 1
        k = k_small if n < 16 else k_large
        # Of a latency less is better.
        sign = -1 if family == "latency" else 1
        median = statistics.median(value[0] for value in values)
        spread = max(1.4826 * statistics.median(abs(value[0] - median) for value in values), SMALLEST_SPREAD * median)
        above = max(sign * (value[0] - median) for value in values) if mirror and n >= 64 else 0
        for value, error, node, gpu in values:
            below = sign * (median - value)
            if below > floor * median and below > k * max(spread, error) and below > (mirror or 0) * above:
                yield {"node": node, "gpu": gpu["index"], "pci": gpu["pci"], "serial": gpu["serial"], "metric": test,
                       "value": value, "median": median, "below_percent": 100 * below / median}


def judge(path, **options):
    with open(path, encoding="utf-8", errors="replace") as lines:
        return {"outliers": list(outliers(lines, **options)), "causes": []}
