#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How well gpudiag fleet finds what was planted in a simulated fleet.

tests/fleet/score.py -n 10,200 --seeds 3 [--scenario mixed] [--tails binned,t4] [--plant PLANT]…
tests/fleet/score.py --of TRUTH JUDGED       of files that are there: the truth, and what gpudiag fleet -f json printed

A planted GPU is found if it is listed as an outlier or among the members of a cause, by a metric that it is slow in.
The cause itself is found if one of its level and value is listed. Precision: of the GPUs listed, how many were planted.
Healthy GPUs listed are shown by 100,000.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import reference
from simulate import SCENARIOS, Fleet, Truth, Writer, rack_file, write
from noise import TAILS

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", os.path.join(TOP, "build", "gpudiag")))
SHARED = 3
GOAL = 0.95


def place(gpu):
    return gpu["node"], gpu["pci"]


def listed(judged):
    """{(node, pci): its metrics}"""
    metrics = defaultdict(set)
    for outlier in judged["outliers"]:
        metrics[place(outlier)].add(outlier["metric"])
    for cause in judged["causes"]:
        for member in cause["members"]:
            metrics[place(member)].add(cause["metric"])
    return metrics


def is_named(plant, judged):
    """A cause of its level and value, in one of its metrics."""
    for cause in judged["causes"]:
        if cause["level"] != plant["level"] or cause["metric"] not in plant["metrics"]:
            continue
        if plant["level"] == "card":
            if {place(member) for member in cause["members"]} & {place(member) for member in plant["members"]}:
                return True
        elif str(cause["value"]) == plant["value"] or plant["kind"] == "two-cards" and cause["before"]:
            return True
    return False


def score(truth, judged):
    """One row for each plant, and what was listed beside."""
    metrics = listed(judged)
    planted = defaultdict(set)
    for plant in truth["plants"]:
        for member in plant["members"]:
            planted[place(member)].update(plant["metrics"])
    rows = []
    for plant in truth["plants"]:
        found = sum(1 for member in plant["members"] if metrics.get(place(member), set()) & set(plant["metrics"]))
        rows.append({"kind": plant["kind"], "metric": plant["metric"], "times_floor": plant["times_floor"],
                     "of": len(plant["members"]), "found": found, "named": is_named(plant, judged)})
    wrong = Counter(metric for gpu, its in metrics.items() for metric in its if metric not in planted.get(gpu, ()))
    right = Counter(metric for gpu, its in metrics.items() for metric in its if metric in planted.get(gpu, ()))
    healthy = sorted(gpu for gpu in metrics if gpu not in planted)
    return {"plants": rows, "right": right, "wrong": wrong, "healthy_listed": healthy,
            "healthy": truth["counts"]["gpus"] - len(planted), "listed": len(metrics)}


def run_fleet(folder, arguments=()):
    command = [GPUDIAG, "fleet", f"{folder}/reports.jsonl", "-f", "json", "--group", f"rack={folder}/racks", *arguments]
    return subprocess.run(command, capture_output=True, check=False)


def make(folder, nodes, seed, tails, plants, models=None, level="quick", lean=True):
    """Reports, racks and expected nodes in that folder; returns the truth."""
    fleet = Fleet(nodes, seed, tails, level, plants, models)
    truth = Truth(fleet, seed, tails)
    with open(f"{folder}/reports.jsonl", "w", encoding="utf-8") as out:
        write(fleet, Writer(level, lean), out, truth)
    rack_file(fleet, f"{folder}/racks", f"{folder}/expected")
    return truth.json()


def trial(judge, *args, **options):
    with tempfile.TemporaryDirectory() as folder:
        truth = make(folder, *args, **options)
        if judge == "reference":
            return truth, reference.judge(f"{folder}/reports.jsonl")
        done = run_fleet(folder)
        if not done.stdout:
            raise SystemExit(done.stderr.decode())
        return truth, json.loads(done.stdout)


def share(part, whole):
    return "     -" if not whole else f"{part / whole:6.3f}"


def table(title, scores):
    """Recall by kind and metric, precision by metric, over all of these runs."""
    print(title)
    kinds = defaultdict(list)
    for one in scores:
        for row in one["plants"]:
            kinds[row["kind"], row["metric"], row["times_floor"]].append(row)
    print(f"  {'planted':<10} {'metric':<12} {'x floor':>7} {'times':>6} {'GPUs':>7} {'recall':>7} {'cause named':>12}")
    for (kind, metric, times), rows in sorted(kinds.items()):
        of, found = sum(row["of"] for row in rows), sum(row["found"] for row in rows)
        print(f"  {kind:<10} {metric:<12} {times:7.2g} {len(rows):6} {of:7} {share(found, of):>7} "
              f"{share(sum(row['named'] for row in rows), len(rows)):>12}")
    right, wrong = Counter(), Counter()
    for one in scores:
        right.update(one["right"])
        wrong.update(one["wrong"])
    for metric in sorted(set(right) | set(wrong)):
        print(f"  {'':<10} {metric:<14} precision {share(right[metric], right[metric] + wrong[metric])}"
              f"  ({wrong[metric]} wrong of {right[metric] + wrong[metric]})")
    return summary(scores)


def summary(scores):
    """What there are goals for. True: they are met."""
    healthy, accused = sum(one["healthy"] for one in scores), sum(len(one["healthy_listed"]) for one in scores)
    gpus = sum(one["listed"] for one in scores)
    rows = [row for one in scores for row in one["plants"] if row["of"] >= SHARED and row["times_floor"] >= 2]
    of, found = sum(row["of"] for row in rows), sum(row["found"] for row in rows)
    rate = 100000 * accused / max(healthy, 1)
    print(f"  shared by {SHARED} or more at twice the floor: recall {share(found, of)}, "
          f"precision {share(gpus - accused, gpus)}; healthy GPUs listed: {accused} of {healthy}, "
          f"{rate:.2f} in 100,000")
    return found >= GOAL * of and gpus - accused >= GOAL * gpus and rate <= 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", "--nodes", default="200")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--scenario", default="mixed", choices=SCENARIOS)
    parser.add_argument("--tails", default="binned", choices=TAILS)
    parser.add_argument("--plant", action="append", default=[])
    parser.add_argument("--models")
    parser.add_argument("--level", default="quick")
    parser.add_argument("--judge", default="gpudiag", choices=["gpudiag", "reference"])
    parser.add_argument("--goals", action="store_true", help="exit status 1 where one is missed")
    parser.add_argument("--of", nargs=2, metavar=("TRUTH", "JUDGED"))
    args = parser.parse_args()
    if args.of:
        truth, judged = (json.load(open(path, encoding="utf-8")) for path in args.of)
        return not table(args.of[1], [score(truth, judged)]) and args.goals
    models, missed = args.models.split(",") if args.models else None, False
    for nodes in [len(models)] if models else map(int, args.nodes.split(",")):
        plants = SCENARIOS[args.scenario](nodes) + args.plant
        scores = [score(*trial(args.judge, nodes, seed, args.tails, plants, models, level=args.level))
                  for seed in range(1, args.seeds + 1)]
        met = table(f"{nodes} nodes, {args.scenario}, {args.tails} parts, {args.seeds} seeds", scores)
        if args.goals:
            print(f"  goals: {'met' if met else 'missed'}")
            missed = missed or not met
    return missed


if __name__ == "__main__":
    sys.exit(main())
