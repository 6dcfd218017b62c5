#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gpudiag fleet on simulated fleets, of which the truth is known. Speaks TAP.

tests/fleet.py [NAME…]   tests whose name begins so
GPUDIAG=PATH             another binary than build/gpudiag

tests/fleet/simulate.py makes the fleets, tests/fleet/score.py says what was found. tests/fleet/reference.py is the rule
by which GPUs are outliers, written plainly: gpudiag must agree with it GPU by GPU.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import traceback

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, f"{TOP}/tests/fleet")
# pylint: disable=wrong-import-position
import history
import reference
from schema import Schema
from score import GPUDIAG, listed, make, place, run_fleet, score
from simulate import SCENARIOS

NODES = 200
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def same(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")


def judged(folder, *arguments):
    done = run_fleet(folder, arguments)
    if done.returncode not in (0, 1, 2, 3):
        raise AssertionError(f"exit status {done.returncode}: {done.stderr.decode()}")
    answer = json.loads(done.stdout)
    same(done.returncode, answer["exit_status"], "exit status")
    return answer


def by_name(rows):
    """In an order of their own, without numbers and without what says which came first."""
    rows = [{key: value for key, value in row.items() if key not in ("id", "group", "cause", "source")} for row in rows]
    for row in rows:
        row["members"] = sorted(row.get("members", []), key=place)
        for value in row.get("values", []):
            del value["example"]
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def fleet_of(folder, nodes, plants, seed=1, tails="binned", models=None):
    truth = make(folder, nodes, seed, tails, plants, models)
    return truth, judged(folder)


def reports(folder):
    """(line, report) of those that are ones."""
    with open(f"{folder}/reports.jsonl", encoding="utf-8") as lines:
        for line in lines:
            report = reference.report_of(line)
            if report:
                yield line, report


@test
def reports_are_valid(folder):
    """What the others rest on: the simulator writes what gpudiag run does."""
    schema = Schema.of_file(f"{TOP}/man/report.schema.json")
    seen = set()
    for lean in False, True:
        make(folder, 100, 1, "binned", SCENARIOS["mixed"](100), lean=lean)
        for _, report in reports(folder):
            kind = lean, report["verdict"], len(report["messages"])
            if kind not in seen:
                wrong = list(schema.problems(report))
                if wrong:
                    raise AssertionError("; ".join(wrong))
            seen.add(kind)
    if len(seen) < 10:
        raise AssertionError(f"only {seen}")


@test
def what_is_planted_is_found(folder):
    truth, answer = fleet_of(folder, NODES, SCENARIOS["mixed"](NODES))
    scored = score(truth, answer)
    same(scored["healthy_listed"], [], "healthy GPUs listed")
    same(dict(scored["wrong"]), {}, "metrics listed that were not planted")
    for row in scored["plants"]:
        # One measurement of a thousand is disturbed, says so, and does not count.
        if row["found"] < 0.95 * row["of"]:
            raise AssertionError(f"{row['kind']} {row['metric']}: {row['found']} of {row['of']} found")
        if row["of"] >= 3 and not row["named"]:
            raise AssertionError(f"{row['kind']} {row['metric']}: cause not named")


@test
def nodes_are_counted_and_named(folder):
    truth = make(folder, NODES, 1, "binned", SCENARIOS["mixed"](NODES))
    answer, counts = judged(folder, "--expect", f"{folder}/expected"), truth["counts"]
    # A node of which there is last week's report alone did not answer today.
    gone = set(truth["missing"]) | set(truth["stale"])
    same({node["node"] for node in answer["missing"]}, gone, "missing")
    same({node["node"] for node in answer["no_go"]}, set(truth["no-go"]), "no-go")
    same(answer["counts"]["missing"], len(gone), "missing")
    same(answer["counts"]["no_go"], counts["no-go"], "no-go")
    same(answer["counts"]["reported"], counts["machines"], "reported")
    same(answer["counts"]["gpus"], counts["gpus"], "GPUs")
    same({node["node"] for node in answer["warned"]}, set(truth["warn"]), "warned")
    same({node["node"] for node in answer["not_judged"]}, set(truth["unknown"] + truth["interrupted"]), "not judged")
    same(answer["counts"]["records"], counts["records"], "records")
    same(answer["exit_status"], 2, "exit status")


@test
def lines_that_are_no_reports_are_named(folder):
    truth, answer = fleet_of(folder, NODES, SCENARIOS["mixed"](NODES))
    same([line["line"] for line in answer["refused"]], [line["line"] for line in truth["refused"]], "lines refused")
    same(answer["counts"]["refused"], truth["counts"]["refused"], "lines refused")


@test
def roll_outs_are_no_outliers(folder):
    truth, answer = fleet_of(folder, NODES, SCENARIOS["roll-out"](NODES))
    same(answer["outliers"], [], "outliers")
    for split in truth["splits"]:
        sides = [row["values"] for row in answer["splits"] if row["what"] == split["what"]]
        for value in split["values"]:
            wanted = {"value": value["value"], "nodes": value["nodes"]}
            found = [{"value": its["value"], "nodes": its["nodes"]} for side in sides for its in side]
            if wanted not in found:
                raise AssertionError(f"{split['what']}: no {wanted} in {found}")


@test
def healthy_fleets_are_healthy(folder):
    for nodes, seed in (1, 1), (2, 2), (10, 3), (NODES, 4):
        _, answer = fleet_of(folder, nodes, [], seed)
        same((answer["outliers"], answer["causes"], answer["exit_status"]), ([], [], 0), f"{nodes} nodes")


@test
def fleets_of_one_and_of_two(folder):
    for nodes, seed, metric in (1, 1, "memory"), (1, 2, "compute"), (2, 3, "transfer"), (2, 4, "latency"):
        truth, answer = fleet_of(folder, nodes, [f"card,metric={metric}"], seed)
        planted = {place(member) for plant in truth["plants"] for member in plant["members"]}
        same(set(listed(answer)), planted, f"{nodes} nodes, {metric}")


@test
def all_alike_are_no_outliers(folder):
    for scenario in "all-slow", "sockets":
        _, answer = fleet_of(folder, 50, SCENARIOS[scenario](50))
        same((answer["outliers"], answer["causes"]), ([], []), scenario)


@test
def the_rule_gpu_by_gpu(folder):
    """Small groups, parts that differ without an end, and effects about as large as the floors."""
    rng = random.Random(1)
    for seed in range(1, 41):
        models = rng.choices(["h100", "h200", "mi300x", "l40s", "rtx"], k=rng.randrange(1, 6))
        nodes = [model for model in models for _ in range(rng.randrange(1, 5))]
        plants = [f"card,metric={metric},times={rng.choice([1, 1.3, 2, 4])}" for metric in ("memory", "compute",
                                                                                            "latency")
                  if max(nodes.count(model) for model in nodes) >= 3]
        _, answer = fleet_of(folder, len(nodes), plants, seed, "t4", nodes)
        plain = reference.judge(f"{folder}/reports.jsonl")["outliers"]
        got, wanted, certain = ({(*place(outlier), outlier["metric"]) for outlier in its}
                                for its in (answer["outliers"], plain, [one for one in plain if one["certain"]]))
        same(sorted(got - wanted), [], f"listed against the rule, seed {seed}, {nodes}")
        same(sorted(certain - got), [], f"not listed, seed {seed}, {nodes}")


@test
def the_order_of_reports_does_not_matter(folder):
    make(folder, 100, 1, "binned", SCENARIOS["mixed"](100))
    first, lines = judged(folder), [line for line, _ in reports(folder)]
    random.Random(1).shuffle(lines)
    with open(f"{folder}/reports.jsonl", "w", encoding="utf-8") as out:
        out.writelines(lines)
    second = judged(folder)
    for key in "outliers", "causes", "groups", "splits", "no_go":
        same(by_name(second[key]), by_name(first[key]), key)


@test
def a_folder_of_reports_is_the_same(folder):
    make(folder, 20, 1, "binned", ["card", "no-go", "duplicate"])
    first = judged(folder)
    os.mkdir(f"{folder}/reports")
    for number, (line, _) in enumerate(reports(folder)):
        with open(f"{folder}/reports/{number}.json", "w", encoding="utf-8") as out:
            out.write(line)
    done = subprocess.run([GPUDIAG, "fleet", "-f", "json", "--group", f"rack={folder}/racks", f"{folder}/reports"],
                          capture_output=True, check=False)
    second = json.loads(done.stdout)
    for key in "outliers", "causes", "groups", "no_go":
        same(by_name(second[key]), by_name(first[key]), key)
    same(second["counts"], {**first["counts"], "records": second["counts"]["records"]}, "counts")
    with open(f"{folder}/reports.jsonl", "rb") as lines:
        done = subprocess.run([GPUDIAG, "fleet", "-f", "json", "--group", f"rack={folder}/racks", "-"], stdin=lines,
                              capture_output=True, check=False)
    same(json.loads(done.stdout)["outliers"], first["outliers"], "from standard input")


@test
def cards_that_are_worse_than_they_were(_folder):
    for wander in 0, 0.01:
        scored = history.trial(100, 15, 1, wander)
        same(history.missed([scored]), [], f"from day to day {wander:g}")
        for kind, name in history.TO_BE_LISTED.items():
            named, others = (scored["kinds"][kind, its] for its in (name, "step" if name == "decline" else "decline"))
            if named < 0.9 * (named + others):
                raise AssertionError(f"{kind}: {named} of {named + others} called a {name}, from day to day {wander:g}")


@test
def days_that_differ_are_no_drift(_folder):
    for days in 8, 15:
        scored = history.trial(150, days, 1, 0.02, planted=False)
        same(dict(scored["accused"]), {}, f"listed after {days} days")


def main():
    tests = [one for one in TESTS if not sys.argv[1:] or any(one.__name__.startswith(name) for name in sys.argv[1:])]
    print(f"1..{len(tests)}")
    failed = 0
    for number, one in enumerate(tests, 1):
        name = one.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as folder:
            try:
                one(folder)
                print(f"ok {number} - {name}", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                failed = 1
                print(f"not ok {number} - {name}", flush=True)
                text = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
                print("".join(f"# {line}\n" for line in text[:4000].splitlines()), end="")
    return failed


if __name__ == "__main__":
    sys.exit(main())
