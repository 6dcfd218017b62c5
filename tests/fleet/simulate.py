#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A fleet of nodes with GPUs: their compact reports, one a line, as gpudiag fleet reads them, and the truth about them.

tests/fleet/simulate.py -n 200 --seed 7 -o reports.jsonl --truth truth.json --racks racks --expected nodes

Healthy GPUs differ as is published of real ones (noise.py); plants.py lists what can be planted, by --plant or as one
of the scenarios below. The same arguments give the same bytes. --tails says how healthy parts differ: binned, Student's
t with four degrees of freedom without the parts that are farther from the rest than any published; t4 and t5: with four
and five, and with these parts; normal.
"""
import argparse
import json
import random
import sys

sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
from noise import TAILS, part, run
from plants import RACK_NODES, ROLL_OUTS, WEEK_S, Plan, in_order, node_name, rack_name
from report import ADDRESSES, LEVELS, MODELS, TESTS, Writer, family_of, nominal

NOW = 1795834800    # 2026-11-28 03:00 UTC


def mixed(nodes):
    """Something of everything, in proportion."""
    some, few = max(1, nodes // 200), max(1, nodes // 1000)
    return [
        f"card,metric=memory,count={some}", f"card,metric=transfer,count={some}", f"card,metric=compute,count={some}",
        f"card,metric=latency,count={some}", f"card,metric=d2h-pinned,count={few}",
        f"node,metric=memory,count={few}", f"node,metric=compute,count={few}", f"rack,metric=compute,count={few}",
        f"batch,metric=memory,count={few}", "slot,metric=transfer,model=h200", f"moved,count={few}",
        f"two-cards,count={few}", f"missing,count={some + 1}", f"no-go,count={some + 1}", f"warn,count={some + 1}",
        f"unknown,count={some}", f"interrupted,count={some}", "names", f"duplicate,count={some}", f"older,count={some}",
        f"stale,count={few}", f"damaged,count={some + 2}", f"foreign,count={some + 1}", f"chatter,count={some + 1}",
        "vbios,share=0.2",
        "driver,model=mi300x,metric=compute,share=0.4",
    ]


def small(_nodes):
    """What ten nodes have room for."""
    return ["card,metric=compute", "card,metric=d2h-pinned", "node,metric=memory", "batch,metric=transfer,cards=4",
            "missing", "no-go", "damaged"]


SCENARIOS = {
    "mixed": mixed,
    "small": small,
    # Which any JSON parser can read.
    "valid": lambda nodes: [text for text in mixed(nodes) if not text.startswith(("damaged", "chatter"))],
    "healthy": lambda nodes: [],
    "all-slow": lambda nodes: ["all-slow"],
    "sockets": lambda nodes: ["sockets"],
    "roll-out": lambda nodes: ["vbios,share=0.3,metric=compute,times=1", "driver,share=0.4"],
}


class Gpu:
    """One GPU as it is reported."""

    __slots__ = ("index", "pci", "model", "serial", "uuid", "vbios", "driver_version", "power_limit_mw", "partition",
                 "parts", "measured")


class Node:
    """One node as it is reported."""

    __slots__ = ("name", "machine_id", "machine_serial", "boot_id", "taken_at", "outcome", "ill_gpu", "gpus")


class Fleet:
    """Each node is made when it is asked for, so that a fleet may be larger than memory."""

    def __init__(self, nodes, seed, tails="binned", level="quick", plants=(), models=None):
        self.seed, self.tails, self.tests = seed, tails, LEVELS[level]
        rng = random.Random(seed)
        self.models = models or pools(nodes)
        self.plan = Plan(self.models, self.tests, rng)
        for text in in_order(plants):
            self.plan.add(text)
        self.order = list(range(nodes))
        rng.shuffle(self.order)

    def node(self, number, weeks_ago=0):
        """Its GPUs are the same every week unless they were moved; what is measured is not."""
        plan, model = self.plan, MODELS[self.models[number]]
        rng = random.Random(self.seed << 40 | number << 4 | 1)
        node = Node()
        node.name = node_name(plan.another_name.get(number, number))
        node.machine_id, node.machine_serial = "%032x" % rng.getrandbits(128), "SN%07X" % number
        rolled, node.gpus = plan.rolled.get(number, {}), []
        for index, pci in enumerate(ADDRESSES[: model.gpus]):
            gpu = Gpu()
            gpu.index, gpu.pci, gpu.model = index, pci, model
            gpu.serial = plan.serial.get((number, index)) or plan.serial_number(number, index)
            gpu.uuid = uuid(rng)
            for key in ROLL_OUTS.values():
                setattr(gpu, key, rolled.get(key, getattr(model, key)))
            # What the chip, its memory and its link are like shows in every test of them.
            gpu.parts = {}
            for name in self.tests:
                family = TESTS[name].family
                if family not in gpu.parts:
                    gpu.parts[family] = part(rng, self.tails, family_of(name).spread)
            node.gpus.append(gpu)
        self._measure(node, number, weeks_ago)
        return node

    def _measure(self, node, number, weeks_ago):
        plan = self.plan
        rng = random.Random(self.seed << 40 | number << 4 | 2 + weeks_ago)
        node.boot_id = uuid(rng)[4:]
        node.taken_at = NOW + rng.randrange(3600) - weeks_ago * WEEK_S
        node.outcome = plan.outcome.get(number, "pass") if not weeks_ago else "pass"
        node.ill_gpu = rng.randrange(len(node.gpus)) if node.outcome in ("no-go", "warn") else None
        before = plan.last_week.get(number, {}) if weeks_ago else {}
        for gpu in node.gpus:
            slower = plan.slower.get((number, gpu.index), {})
            if gpu.index in before:
                gpu.serial, slower = before[gpu.index]
                gpu.uuid = uuid(rng)
            everywheres = [plan.everywhere.get(gpu.index, {}), plan.everywhere.get(None, {}),
                           plan.slower_nodes.get(number, {})]
            gpu.measured = {}
            for name in self.tests:
                family = family_of(name)
                off, mad, noisy = run(rng, family)
                median = nominal(gpu.model, name) * gpu.parts[TESTS[name].family] * off * slower.get(name, 1)
                for everywhere in everywheres:
                    median *= everywhere.get(name, 1)
                gpu.measured[name] = (median, median * mad, noisy, family.samples)

    def reports(self):
        """(node's number, node) of each report in its order, those of last week and duplicates among them."""
        extra = dict(self.plan.extra)
        for number in self.order:
            if self.plan.outcome.get(number) == "missing":
                continue
            what = extra.get(number)
            if what in ("older", "stale"):
                yield number, self.node(number, weeks_ago=1)
            if what != "stale":
                yield number, self.node(number)
            if what == "duplicate":
                yield number, self.node(number)


def pools(nodes):
    """Racks are of one model: of a larger fleet one tenth are another, and one twentieth a third."""
    if nodes < 100:
        return ["h100"] * nodes
    second, third = nodes // 80 * RACK_NODES, max(1, nodes // 160) * RACK_NODES
    return ["h200"] * second + ["h100"] * (nodes - second - third) + ["mi300x"] * third


def uuid(rng):
    digits = "%032x" % rng.getrandbits(128)
    return f"GPU-{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


# Lines of other programs are not reports, and nothing is wrong with them.
CHATTER = [
    "srun: error: gpu00017: task 17: Exited with exit code 2",
    "slurmstepd: error: *** STEP 4711.0 ON gpu00001 CANCELLED AT 2026-11-28T03:00:00 ***",
    "",
]
FOREIGN = [
    '{"schema":"gpudiag.watch/1","tool":"gpudiag 0.1.0"}',
    '{"level":"info","msg":"pod started"}',
]


def planted_line(what, line, rng):
    """line: a report, of which a damaged one is a part."""
    cut = rng.randrange(20, len(line) - 20)
    if what == "damaged":
        return rng.choice([line[:cut], line[:cut] + line])
    return line[cut:] if what == "tail" else rng.choice(FOREIGN if what == "foreign" else CHATTER)


class Truth:
    """What is in the reports, gathered while they are written."""

    def __init__(self, fleet, seed, tails):
        self.fleet, self.found, self.refused, self.line, self.reports, self.gpus = fleet, {}, [], 0, 0, 0
        self.of = {"seed": seed, "tails": tails}
        self.wanted = {member for plant in fleet.plan.plants for member in plant["members"]}

    def saw(self, number, node):
        self.line += 1
        self.reports += 1
        for gpu in node.gpus:
            if (number, gpu.index) in self.wanted and node.taken_at > NOW - WEEK_S / 2:
                self.found[number, gpu.index] = {"node": node.name, "gpu": gpu.index,
                                                 **{key: getattr(gpu, key) for key in ("pci", "serial", "uuid")}}

    def refuse(self, kind):
        self.line += 1
        if kind != "chatter":
            self.refused.append({"line": self.line, "kind": kind})

    def json(self):
        fleet, plan = self.fleet, self.fleet.plan
        nodes = range(len(fleet.models))
        names = {what: sorted(node_name(node) for node, its in plan.outcome.items() if its == what)
                 for what in ("missing", "no-go", "warn", "unknown", "interrupted")}
        extra = {what: sorted(node_name(node) for node, its in plan.extra if its == what)
                 for what in ("duplicate", "older", "stale")}
        plants = []
        for plant in plan.plants:
            members = [self.found[member] for member in plant["members"] if member in self.found]
            value = plant["value"]
            if plant["kind"] == "node":
                value = node_name(value)
            elif value is None:
                value = members[0]["serial" if plant["level"] == "card" else "node"]
            plants.append({**plant, "value": value, "members": members})
        stale = {node for node, its in plan.extra if its == "stale"}
        reporting = {node for node in nodes if plan.outcome.get(node) != "missing"}
        current = reporting - stale
        self.of.update(
            counts={"expected": len({node_name(plan.another_name.get(node, node)) for node in nodes}),
                    "machines": len(current), "records": self.reports,
                    "gpus": sum(MODELS[fleet.models[node]].gpus for node in current),
                    "refused": len(self.refused), **{what: len(those) for what, those in names.items()},
                    **{what: len(those) for what, those in extra.items()}},
            names=sorted(node_name(node) for node in plan.another_name.values()), **names, **extra, plants=plants,
            splits=[self._split(split, current) for split in plan.splits], refused=self.refused)
        return self.of

    def _split(self, split, reporting):
        """How many nodes have the new value, and how many of the same model another one."""
        nodes = set(split["nodes"]) & reporting
        same = {node for node in reporting if self.fleet.models[node] == split["model"]}
        model = MODELS[split["model"]]
        return {"what": split["what"], "model": model.name, "values": [
            {"value": split["value"], "nodes": len(nodes)},
            {"value": getattr(model, split["what"]), "nodes": len(same - nodes)}]}


def write(fleet, writer, out, truth):
    """Foreign and damaged lines come between the others."""
    rng = random.Random(fleet.seed + 1)
    between = {}
    for what in fleet.plan.foreign:
        between.setdefault(rng.randrange(len(fleet.order)), []).append(what)
    for place, (number, node) in enumerate(fleet.reports()):
        line = writer.report(node, random.Random(fleet.seed << 40 | number << 4 | 8))
        for what in between.get(place, []):
            out.write(planted_line(what, line, rng) + "\n")
            truth.refuse(what)
        out.write(line + "\n")
        truth.saw(number, node)


def rack_file(fleet, racks, expected):
    """Which node is in which rack, and which nodes are to report; each to a file, where one is named."""
    names = [node_name(fleet.plan.another_name.get(node, node)) for node in range(len(fleet.models))]
    if expected:
        with open(expected, "w", encoding="utf-8") as out:
            out.write("".join(name + "\n" for name in sorted(set(names))))
    if racks:
        with open(racks, "w", encoding="utf-8") as out:
            out.write("".join(f"{name} {rack_name(node)}\n" for node, name in enumerate(names)
                              if node not in fleet.plan.another_name))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", "--nodes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tails", choices=TAILS, default="binned")
    parser.add_argument("--level", choices=LEVELS, default="quick")
    parser.add_argument("--scenario", choices=SCENARIOS, default="healthy")
    parser.add_argument("--plant", action="append", default=[])
    parser.add_argument("--models", help="of each node, instead of those of a mixed fleet: h100,h100,l40s")
    parser.add_argument("--lean", action="store_true", help="the smallest reports that are valid")
    parser.add_argument("-o", "--output", default="-")
    parser.add_argument("--truth")
    parser.add_argument("--racks")
    parser.add_argument("--expected")
    args = parser.parse_args()
    models = args.models.split(",") if args.models else None
    nodes = len(models) if models else args.nodes
    fleet = Fleet(nodes, args.seed, args.tails, args.level, SCENARIOS[args.scenario](nodes) + args.plant, models)
    truth = Truth(fleet, args.seed, args.tails)
    with sys.stdout if args.output == "-" else open(args.output, "w", encoding="utf-8") as out:
        write(fleet, Writer(args.level, args.lean), out, truth)
    if args.truth:
        with open(args.truth, "w", encoding="utf-8") as out:
            json.dump(truth.json(), out, indent=1)
    rack_file(fleet, args.racks, args.expected)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(1)
