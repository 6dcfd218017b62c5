#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fleets that report day after day, and how well gpudiag fleet --history finds the cards that became worse.

tests/fleet/history.py -n 100 --days 15 --seeds 3 [--wander 0.01] [--goals]

Each node reports once a day. A GPU is the same every day; a run adds noise as in noise.py, and --wander what differs
from day to day besides: a factor of that deviation for each GPU and family of tests, as of other load and temperature.
Planted, each on GPUs of its own:

  step          slower at once, since two to four reports: by floors of its metric, and by 5 and 10 %
  decline       a little slower every day, until the newest six reports
  kept          the same, since a third of the reports
  once          a single bad reading, of the newest report or an earlier one: not to be listed
  upgrade       another driver on a fifth of the nodes since two to four reports, and all figures 10 % worse: not to be
                listed
  recovered     slow for a few days, and well again: not to be listed

Found: the GPU is among the drifts by a metric it is slower in. Accused: any other GPU, or metric. Goals, of effects of
at least twice the floor: recall 0.95, and at most 1 healthy GPU of 100,000.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from noise import FAMILIES, run
from plants import factor, tests_of
from report import MODELS, TESTS, Writer, family_of, nominal
from simulate import NOW, Fleet, uuid

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", os.path.join(TOP, "build", "gpudiag")))
DAY_S = 86400
METRICS = ("memory", "transfer", "compute", "latency")
TIMES = (1, 2, 3)
SHARES = (0.05, 0.10)
KINDS = ("step", "kept", "decline", "once", "recovered")
TO_BE_LISTED = {"step": "step", "kept": "step", "decline": "decline"}    # and as what
NEW_DRIVER = "580.95.05"
GOAL = 0.95


class Plant:
    """Which GPU is slower, how, and by what share of its figures at most. times: how many floors that is."""

    def __init__(self, kind, metric, times, share=None):
        self.kind, self.metric, self.times, self.share = kind, metric, times, share
        self.tests, self.when = tests_of(metric, LEVEL), 0

    def label(self):
        return f"{self.times:g} floors" if self.share is None else f"{100 * self.share:.0f} %"

    def floors(self):
        if self.share is None:
            return self.times
        return self.share / FAMILIES[TESTS[self.tests[0]].family].floor

    def factor(self, name, ago, days):
        """Of a test so many days ago."""
        if name not in self.tests or not self.strength(ago, days):
            return 1
        if self.share is not None:
            whole = 1 + self.share if TESTS[name].family == "latency" else 1 - self.share
        else:
            whole = factor(name, self.times)
        return 1 + (whole - 1) * self.strength(ago, days)

    def strength(self, ago, days):
        """What part of the whole effect is there."""
        if self.kind == "step":
            return ago < 2 + self.when
        if self.kind == "kept":
            return ago < days / 3
        if self.kind == "decline":
            return min(1, (days - 1 - ago) / max(1, days - 6))
        if self.kind == "once":
            return ago == self.when
        return 2 <= ago < 5


LEVEL = ["h2d-pinned", "d2h-pinned", "memory-read", "memory-triad", "fp32", "launch-latency"]


class History(Fleet):
    """A fleet of which each day can be asked for; what is planted is by (node, GPU)."""

    def __init__(self, nodes, days, seed, wander=0.0, planted=True):
        super().__init__(nodes, seed)
        self.days, self.wander, self.plants, self.upgraded = days, wander, {}, {}
        if not planted:
            return
        rng = random.Random(seed + 1)
        free = list(range(nodes))
        rng.shuffle(free)
        for node in free[: nodes // 5]:
            self.upgraded[node] = rng.randrange(2, 5)
        gpus = [(node, gpu) for node in free[nodes // 5:] for gpu in range(MODELS[self.models[node]].gpus)]
        rng.shuffle(gpus)
        wanted = [(kind, metric, times, None) for kind in KINDS for metric in METRICS for times in TIMES]
        wanted += [("step", metric, None, share) for metric in ("memory", "transfer") for share in SHARES]
        # Of each at most so many that half of the GPUs stay healthy.
        for number, member in enumerate(gpus[: len(gpus) // 2]):
            plant = self.plants[member] = Plant(*wanted[number % len(wanted)])
            plant.when = rng.randrange(3)

    def day(self, number, ago):
        self.ago = ago
        return self.node(number)

    def _measure(self, node, number, weeks_ago):
        rng = random.Random(f"{self.seed} {number} {self.ago}")
        node.boot_id, node.outcome, node.ill_gpu = uuid(rng)[4:], "pass", None
        node.taken_at = NOW + rng.randrange(3600) - self.ago * DAY_S
        upgraded = self.ago < self.upgraded.get(number, 0)
        for gpu in node.gpus:
            plant, gpu.measured = self.plants.get((number, gpu.index)), {}
            if upgraded:
                gpu.driver_version = NEW_DRIVER
            wander = {family: 1 + rng.gauss(0, self.wander) for family in gpu.parts}
            for name in self.tests:
                family = TESTS[name].family
                off, mad, noisy = run(rng, family_of(name))
                median = nominal(gpu.model, name) * gpu.parts[family] * off * wander[family]
                if plant:
                    median *= plant.factor(name, self.ago, self.days)
                if upgraded:
                    median *= 1.1 if family == "latency" else 0.9
                gpu.measured[name] = (median, median * mad, noisy, family_of(name).samples)


def make(folder, fleet):
    """The newest reports to now.jsonl, those before to history/DAY.jsonl; returns whose GPU each one is."""
    writer, whose = Writer("quick", lean=True), {}
    os.mkdir(f"{folder}/history")
    for ago in range(fleet.days):
        path = f"{folder}/history/{fleet.days - ago:03}.jsonl" if ago else f"{folder}/now.jsonl"
        with open(path, "w", encoding="utf-8") as out:
            for number in fleet.order:
                node = fleet.day(number, ago)
                for gpu in node.gpus:
                    whose[node.name, gpu.index] = number, gpu.index
                out.write(writer.report(node, random.Random(number)) + "\n")
    return whose


def judge(folder):
    done = subprocess.run([GPUDIAG, "fleet", "--history", f"{folder}/history", f"{folder}/now.jsonl", "-f", "json"],
                          capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"exit status {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def score(fleet, whose, judged):
    """found and of, by plant; the GPUs listed that should not be, each with its metrics."""
    metrics, found, of, accused, kinds = defaultdict(set), Counter(), Counter(), defaultdict(set), Counter()
    for drift in judged["drifts"]:
        member = whose[drift["node"], drift["gpu"]]
        metrics[member].add(drift["metric"])
        if member in fleet.plants and fleet.plants[member].kind in TO_BE_LISTED:
            kinds[fleet.plants[member].kind, drift["kind"]] += 1
    for member, plant in fleet.plants.items():
        row = plant.kind, plant.metric, plant.floors(), plant.label()
        of[row] += 1
        found[row] += bool(metrics.get(member, set()) & set(plant.tests))
    for member, its in metrics.items():
        plant = fleet.plants.get(member)
        wrong = its - set(plant.tests if plant and plant.kind in TO_BE_LISTED else ())
        if wrong:
            accused["upgrade" if member[0] in fleet.upgraded else plant.kind if plant else "healthy", member] |= wrong
    gpus = sum(MODELS[model].gpus for model in fleet.models)
    return {"found": found, "of": of, "accused": accused, "kinds": kinds,
            "healthy": gpus - sum(plant.kind in TO_BE_LISTED for plant in fleet.plants.values())}


def trial(*args, **options):
    fleet = History(*args, **options)
    with tempfile.TemporaryDirectory() as folder:
        whose = make(folder, fleet)
        return score(fleet, whose, judge(folder))


def missed(scores):
    """The goals that are missed, in words."""
    of, found = Counter(), Counter()
    for one in scores:
        for (kind, _, floors, _), nr in one["of"].items():
            if kind in TO_BE_LISTED and floors >= 2:
                of[kind] += nr
        for (kind, _, floors, _), nr in one["found"].items():
            if kind in TO_BE_LISTED and floors >= 2:
                found[kind] += nr
    wrong, healthy = sum(len(one["accused"]) for one in scores), sum(one["healthy"] for one in scores)
    said = [f"{kind}: {found[kind]} of {of[kind]} found" for kind in of if found[kind] < GOAL * of[kind]]
    if wrong > 1e-5 * healthy:
        said.append(f"{wrong} of {healthy} GPUs listed that are not worse")
    return said


def table(scores):
    found, of, accused = Counter(), Counter(), Counter()
    for one in scores:
        found.update(one["found"])
        of.update(one["of"])
        accused.update(kind for kind, _ in one["accused"])
    print(f"  {'planted':<10} {'metric':<10} {'worse by':>9} {'GPUs':>6} {'listed':>7}")
    for row in sorted(of, key=lambda row: (KINDS.index(row[0]), row[1], row[2], row[3])):
        kind, metric, _, label = row
        print(f"  {kind:<10} {metric:<10} {label:>9} {of[row]:6} {found[row] / of[row]:7.3f}")
    kinds = sum((one["kinds"] for one in scores), Counter())
    for kind, named in TO_BE_LISTED.items():
        all_of = kinds[kind, "step"] + kinds[kind, "decline"]
        if all_of:
            print(f"  {kind:<10} called a {named}: {kinds[kind, named] / all_of:.3f}")
    healthy = sum(one["healthy"] for one in scores)
    print(f"  listed that should not be: {sum(accused.values())} of {healthy} GPUs, "
          f"{1e5 * sum(accused.values()) / max(healthy, 1):.1f} in 100,000"
          + "".join(f"; {kind}: {nr}" for kind, nr in sorted(accused.items())))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("-n", "--nodes", type=int, default=100)
    parser.add_argument("--days", type=int, default=15)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--wander", type=float, default=0.0)
    parser.add_argument("--healthy", action="store_true", help="plant nothing")
    parser.add_argument("--goals", action="store_true", help="exit status 1 where one is missed")
    args = parser.parse_args()
    scores = [trial(args.nodes, args.days, seed, args.wander, planted=not args.healthy)
              for seed in range(1, args.seeds + 1)]
    print(f"{args.nodes} nodes, {args.days} days, from day to day {100 * args.wander:g} %, {args.seeds} seeds"
          + (", nothing planted" if args.healthy else ""))
    table(scores)
    said = missed(scores)
    if args.goals:
        print(f"  goals: {'missed: ' + '; '.join(said) if said else 'met'}")
    return args.goals and bool(said)


if __name__ == "__main__":
    sys.exit(main())
