#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Judgement cases: recorded machines, and what must be said of them. Speaks TAP.

tests/cases.py [CASE…]        CASE is a name as printed, or the beginning of one
REGOLD=1 tests/cases.py       rewrites the golden files in tests/expect/
GPUDIAG=PATH                  another binary than build/gpudiag
QUICK=1                       leaves out the replay and the schemas, which little breaks that breaks no case

tests/cases/NAME.case is a text file of "key: value" lines; # begins a comment
line. A line "case: WORD" begins the file's next case, NAME/WORD. Each takes
over from, tree, snapshot, nvml and command of the file's first part where it names none;
that part is a case itself where it has an exit status.

  from: TEXT          where the machine came from
  tree: NAME          a recorded /sys and /proc, made by tests/nodes/mknodes.py
  snapshot: FILE      or a snapshot in tests/snapshots/
  nvml: no             of a tree with a driver/ folder: NVIDIA's library, which is a fake there, is not to be asked
  edit: EXPRESSION    jq, applied to the snapshot (of a tree: to the one it gave) first
  command: NAME       asked instead of run: gate
  args: WORDS         more arguments of that command, as in a shell
  baseline: EXPRESSION  jq: what it makes of the snapshot, before any edit, is saved as a baseline and given; each line a run
  env: NAME=VALUE     environment
  exit: N             exit status
  raises: ID…         findings that must be raised; no other warn or fail may be
  spares: ID…         near miss: findings that must not be
  caused: ID ID       finding that is raised, and the one that it says explains it; - for none
  blames: ID BLAME    finding that is raised, and whom it blames: what its evidence points to may not be its row's
  headline: GLOB      somewhere in the headline
  answer: GLOB        of a gate: "go: …", "no-go: …" or "cannot-decide: …" with its reason
  decision: ACTION    of the decision: drain-and-repair
  result: CHECK SUBJECT OUTCOME    of checks[]; subject is a glob over its name or address
  golden: FORMAT…     the output in that format is that of tests/expect/NAME.FORMAT, times, arguments and stylesheet aside

Whatever a case says, its JSON must be valid by man/*.schema.json, findings that differ must have keys that do, the text
within 100 columns and without an unfilled {place}, and the run's own snapshot,
replayed, must give the same bytes: also in another time zone and locale.
"""
import concurrent.futures
import fnmatch
import functools
import glob
import itertools
import json
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "nodes"))
# pylint: disable=wrong-import-position
import batch
from bench import driver_of
from schema import Schema

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = os.environ.get("CASES", "tests/cases")  # the runner's own test has other ones
EXPECT = os.environ.get("EXPECT", "tests/expect")
MAN = os.environ.get("MAN", "man")
GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", os.path.join(TOP, "build", "gpudiag")))
NODES = "build/nodes"
COLUMNS = 100
TIMEOUT_S = 60
ONCE = ("from", "tree", "snapshot", "nvml", "command", "exit", "headline", "answer", "decision")
MANY = ("edit", "baseline", "env", "result", "args", "raises", "spares", "caused", "blames", "golden")
INHERITED = ("from", "tree", "snapshot", "nvml", "command")
QUICK = bool(os.environ.get("QUICK"))
EDITED = {}                 # of a snapshot's text: by program, what it made, in an array
PLACE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_.|* ]*\}")
# Options that say how to judge, which the request in a snapshot does not hold: a replay gets them again.
JUDGING = {"--policy": 1, "--baseline": 1, "--baseline-of-another": 0, "--require": 1, "--fail-on": 1, "--exit": 1,
           "--strict": 0}


class Wrong(Exception):
    """A case that does not say what it must."""


class Case:
    def __init__(self, name, place):
        self.name = name
        self.place = place
        self.said = {key: [] for key in MANY}

    def get(self, key):
        return self.said.get(key)

    def command(self):
        return self.get("command") or "run"

    def words(self, key):
        return [word for line in self.said[key] for word in line.split()]

    def check(self):
        for key in ("from", "exit"):
            if not self.get(key):
                raise Wrong(f"{self.place}: says no \"{key}\"")
        if bool(self.get("tree")) == bool(self.get("snapshot")):
            raise Wrong(f"{self.place}: says not one of \"tree\" and \"snapshot\"")
        for line in self.said["result"]:
            if len(line.split()) < 3:
                raise Wrong(f"{self.place}: \"result: {line}\" is not check, subject, outcome")
        for line in self.said["caused"]:
            if len(line.split()) != 2:
                raise Wrong(f"{self.place}: \"caused: {line}\" is not a finding and its cause")
        for line in self.said["blames"]:
            if len(line.split()) != 2:
                raise Wrong(f"{self.place}: \"blames: {line}\" is not a finding and its blame")


def inherit(case, head):
    for key in INHERITED:
        other = {"tree": "snapshot", "snapshot": "tree"}.get(key)
        if key in head.said and key not in case.said and other not in case.said:
            case.said[key] = head.said[key]


def read_cases(path):
    """The cases of one file."""
    stem = os.path.basename(path)[: -len(".case")]
    case = Case(stem, path)
    cases = [case]
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}:{number}"
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            key, colon, value = (part.strip() for part in line.partition(":"))
            if not colon or not value:
                raise Wrong(f"{place}: not \"key: value\"")
            if key == "case":
                case = Case(f"{stem}/{value}", place)
                cases.append(case)
            elif key in MANY:
                case.said[key].append(value)
            elif key in ONCE:
                if key in case.said:
                    raise Wrong(f"{place}: \"{key}\" twice")
                case.said[key] = value
            else:
                raise Wrong(f"{place}: no key \"{key}\"")
    # What begins with "case:" alone has no first part without a name.
    if len(cases) > 1 and not any(cases[0].said.values()):
        cases.pop(0)
    for case in cases[1:]:
        inherit(case, cases[0])
    # A first part that names no exit status is the file's head and no case of its own.
    if len(cases) > 1 and "exit" not in cases[0].said:
        cases.pop(0)
    for case in cases:
        case.check()
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise Wrong(f"{path}: case {name} twice")
    return cases


def gpudiag(arguments, environment=None, command="run"):
    return batch.run(GPUDIAG, [command, *arguments], environment=environment, limit_s=TIMEOUT_S)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def without_idle_reasons(value):
    """Drops from "unknown" what an edit gave a value: the reason goes with its null, as when the value had been read."""
    left = [value] if isinstance(value, (dict, list)) else []
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if isinstance(value.get("unknown"), dict):
                value["unknown"] = {key: why for key, why in value["unknown"].items() if value.get(key, 0) is None}
            value = value.values()
        left += [inner for inner in value if type(inner) in (dict, list)]  # quicker than isinstance()


def jq(program, text):
    done = subprocess.run(["jq", "-c", program], input=text, capture_output=True, check=False, timeout=TIMEOUT_S)
    if done.returncode:
        raise Wrong(f"edit: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.splitlines()


def program_of(edits):
    return " | ".join(f"({edit})" for edit in edits)


def edited(snapshot, edits, beside=()):
    """
    The snapshot's text after jq. beside: the edits of other cases, made of the same text at once and kept, as starting
    jq and reading the text take longer than an edit.
    """
    if not edits:
        return snapshot
    program = program_of(edits)
    if program not in EDITED.setdefault(snapshot, {}):
        programs = list(dict.fromkeys([program, *map(program_of, beside)]))
        try:
            results = jq(", ".join(f"(try [{each}] catch null)" for each in programs), snapshot)
        except Wrong:
            # One of them is no program, perhaps another's.
            programs, results = [program], [b"null"]
        EDITED[snapshot].update(zip(programs, results))
    facts = json.loads(EDITED[snapshot][program])
    if not facts or len(facts) != 1:
        facts = [json.loads(line) for line in jq(program, snapshot)]
    if len(facts) != 1:
        raise Wrong(f"edit: makes {len(facts)} snapshots of one")
    without_idle_reasons(facts[0])
    return json.dumps(facts[0]).encode()


def judging(arguments):
    """Those arguments that a replay needs again."""
    kept = []
    i = 0
    while i < len(arguments):
        name = arguments[i].partition("=")[0]
        takes = JUDGING.get(name)
        nr = 1 + (takes or 0) if arguments[i] == name else 1
        if takes is not None:
            kept += arguments[i:i + nr]
        i += nr
    return kept


def without_times(snapshot):
    """A snapshot with what differs from run to run set to something fixed, for goldens."""
    data = json.loads(snapshot)
    run = data.get("run", {})
    run.update(taken_at="2026-01-02T03:04:05.000Z", elapsed_ms=0, argv=["gpudiag"])
    for probe in data.get("probes", []):
        if "elapsed_ms" in probe:
            probe["elapsed_ms"] = 0
    return json.dumps(data).encode()


class Schemas:
    def __init__(self):
        self.validators = {}
        self.missing = []
        for name in ("report", "snapshot"):
            text = read(f"{MAN}/{name}.schema.json")
            if text is None:
                self.missing.append(f"man/{name}.schema.json is not there")
            else:
                self.validators[name] = Schema(json.loads(text))

    def problems(self, name, document):
        if name not in self.validators or QUICK:
            return
        for problem in self.validators[name].problems(document):
            yield f"not valid by man/{name}.schema.json: {problem}"


@functools.cache
def all_schemas():
    return Schemas()


def unfilled(value):
    """Texts of the judgement with a {place} left in them; evidence may hold anything."""
    if isinstance(value, str):
        yield from PLACE.findall(value)
    elif isinstance(value, list):
        for item in value:
            yield from unfilled(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in ("evidence", "host", "request", "argv", "holders", "probes", "timings"):
                yield from unfilled(item)


def judged_problems(case, report, status):
    """What the report says, against what the case does."""
    if status != int(case.get("exit")):
        yield f"exit status {status}, not {case.get('exit')}"
    if report is None:
        return
    if report.get("exit_status") != status:
        yield f"exit status {status}, but the report says {report.get('exit_status')}"
    headline = report.get("headline") or ""
    if not headline or "\n" in headline:
        yield f"headline is not one line: {headline!r}"
    if case.get("headline") and not fnmatch.fnmatchcase(headline, f"*{case.get('headline')}*"):
        yield f"headline \"{headline}\", not \"{case.get('headline')}\""
    yield from answer_problems(case, report)
    action = report.get("decision", {}).get("action")
    if case.get("decision") and case.get("decision") != action:
        yield f"decision {action}, not {case.get('decision')}"

    outcomes = {}
    for finding in report.get("findings", []):
        outcomes.setdefault(finding["id"], finding)
    raises = case.words("raises")
    for name in raises:
        if name not in outcomes:
            yield f"does not raise {name}"
    for name in case.words("spares"):
        if name in outcomes:
            yield f"raises {name}: {outcomes[name].get('title')}"
        check = name.partition(".")[0]
        if not any(result["check"] == check for result in report.get("checks", [])):
            yield f"spares {name}, but check {check} gave no result at all"
    for name, finding in outcomes.items():
        if finding.get("outcome") in ("warn", "fail") and name not in raises:
            yield f"also raises {name} ({finding['outcome']}): {finding.get('title')}"

    yield from shared_keys(report)
    yield from wrong_causes(case, report)
    yield from wrong_blames(case, report)
    for line in case.said["result"]:
        words = line.split()
        check, subject, outcome = words[0], " ".join(words[1:-1]), words[-1]
        found = [result for result in report.get("checks", []) if result["check"] == check and any(
            fnmatch.fnmatchcase(str(result.get(key)), subject) for key in ("subject", "gpu"))]
        if not found:
            yield f"no result of {check} for {subject}"
        for result in found:
            if result["result"] != outcome:
                yield f"{check} for {result['subject']}: {result['result']} ({result.get('reason')}), not {outcome}"
    if PLACE.search(json.dumps(report, ensure_ascii=False)):
        for place in unfilled(report):
            yield f"unfilled {place}"


def answer_problems(case, report):
    gate = report.get("gate")
    if bool(gate) != (case.command() == "gate"):
        yield f"{case.command()} with {'no ' if not gate else ''}gate in its report"
    if not gate:
        return
    answer = f"{gate['answer']}: {gate['reason']}"
    if "\n" in answer:
        yield f"the answer is not one line: {answer!r}"
    if case.get("answer") and not fnmatch.fnmatchcase(answer, case.get("answer")):
        yield f"answer \"{answer}\", not \"{case.get('answer')}\""
    if {"go": 0, "no-go": 2, "cannot-decide": 3}[gate["answer"]] != report.get("exit_status"):
        yield f"answer {gate['answer']} with exit status {report.get('exit_status')}"


def wrong_causes(case, report):
    for line in case.said["caused"]:
        name, cause = line.split()
        found = [finding for finding in report.get("findings", []) if finding["id"] == name]
        if not found:
            yield f"no finding {name} that {cause} could explain"
        for finding in found:
            if (finding.get("caused_by") or "-") != cause:
                yield f"{name} is caused by {finding.get('caused_by')}, not {cause}"


def wrong_blames(case, report):
    for line in case.said["blames"]:
        name, blame = line.split()
        found = {finding["blame"] for finding in report.get("findings", []) if finding["id"] == name}
        if found != {blame}:
            yield f"{name} blames {' and '.join(sorted(found)) or 'nobody, as it is not raised'}, not {blame}"


def shared_keys(report):
    """A ticket is opened for each key. Tasks that hang in one driver are one problem, however many they are."""
    titles = {}
    for finding in report.get("findings", []):
        title = titles.setdefault(finding["key"], finding["title"])
        if title != finding["title"] and finding["id"] != "driver-tasks-stuck.in-driver":
            yield f"one key for \"{title}\" and \"{finding['title']}\""


def text_problems(text):
    for line in text.decode("utf-8", "replace").splitlines():
        if len(line) > COLUMNS:
            yield f"{len(line)} columns: {line}"
        for place in PLACE.findall(line):
            yield f"unfilled {place}: {line}"


def differing(name, first, second):
    if first == second:
        return
    if first is None or second is None:
        yield f"{name}: {'is not there' if first is None else 'was not written'}"
        return
    before, after = first.decode("utf-8", "replace").splitlines(), second.decode("utf-8", "replace").splitlines()
    for number, (old, new) in enumerate(zip(before + [""], after + [""]), 1):
        if old != new:
            yield f"{name}: line {number}: expected {old[:160]!r}, got {new[:160]!r}"
            return
    yield f"{name}: expected {len(before)} lines, got {len(after)}"


def written(folder, name):
    return [f"{form}={folder}/{name}.{form}" for form in ("json", "text", "snapshot")]


def formats(folder, name):
    return [word for target in written(folder, name) for word in ("--format", target)]


@functools.cache
def seen_of(there, arguments, environment, command):
    """What gpudiag sees of a tree: cases that edit the same sight of it share one."""
    with tempfile.TemporaryDirectory(prefix="gpudiag-seen-") as folder:
        done = gpudiag([*there, "--format", f"snapshot={folder}/seen", *arguments], dict(environment), command)
        snapshot = read(f"{folder}/seen")
    if snapshot is None:
        raise Wrong(f"no snapshot of {there[1]}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return snapshot


def is_alike(case, other):
    """Do both edit the same sight of a machine?"""
    return all(case.get(key) == other.get(key) for key in ("tree", "snapshot", "nvml", "command", "args", "env"))


def source_of(case, folder, arguments, environment, cases):
    """The arguments that name the case's machine; a tree that is edited becomes a snapshot first."""
    if case.get("tree"):
        tree = f"{NODES}/{case.get('tree')}"
        if not os.path.isdir(tree):
            raise Wrong(f"no tree {tree} (make nodes)")
        there = ["--root", tree]
        if os.path.isdir(f"{tree}/driver") and case.get("nvml") != "no":
            there += driver_of(GPUDIAG, tree, "300ms")
        if not case.said["edit"] and not case.said["baseline"]:
            return there
        snapshot = seen_of(tuple(there), tuple(arguments), tuple(environment.items()), case.command())
    else:
        snapshot = read(f"tests/snapshots/{case.get('snapshot')}")
        if snapshot is None:
            raise Wrong(f"no tests/snapshots/{case.get('snapshot')}")
    save_baseline(case, folder, snapshot)
    with open(f"{folder}/source", "wb") as file:
        file.write(edited(snapshot, case.said["edit"], [other.said["edit"] for other in cases if is_alike(case, other)]))
    return ["--snapshot", f"{folder}/source"]


def save_baseline(case, folder, snapshot):
    runs = []
    for number, expression in enumerate(case.said["baseline"]):
        with open(f"{folder}/run-{number}", "wb") as file:
            file.write(edited(snapshot, [expression]))
        runs += ["--snapshot", file.name]
    if not runs:
        return
    done = gpudiag(["save", "--even-with-findings", "-o", f"{folder}/baseline", *runs], command="baseline")
    if done.returncode:
        raise Wrong(f"baseline: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")


def golden_problems(case, folder, snapshot, arguments):
    for form in case.words("golden"):
        path = f"{EXPECT}/{case.name.replace('/', '.')}.{form}"
        with open(f"{folder}/fixed", "wb") as file:
            file.write(without_times(snapshot))
        gpudiag(["--snapshot", f"{folder}/fixed", "--format", f"{form}={folder}/golden", *judging(arguments)],
                command=case.command())
        got = read(f"{folder}/golden")
        tool = json.loads(snapshot).get("run", {}).get("tool", "gpudiag")
        got = got and got.replace(tool.encode(), b"gpudiag VERSION")
        # The looks of a page are no part of what is said.
        got = got and re.sub(rb"(<style>\n).*?(</style>)", rb"\1\2", got, flags=re.DOTALL)
        if os.environ.get("REGOLD") and got is not None:
            with open(path, "wb") as file:
                file.write(got)
        yield from differing(path, read(path), got)


def problems(case, schemas, cases):
    environment = dict(line.split("=", 1) for line in case.said["env"])
    arguments = [word for line in case.said["args"] for word in shlex.split(line)]
    with tempfile.TemporaryDirectory(prefix="gpudiag-case-") as folder:
        source = source_of(case, folder, arguments, environment, cases)
        if case.said["baseline"]:
            arguments += ["--baseline", f"{folder}/baseline"]
        first = gpudiag([*source, *formats(folder, "first"), *arguments], environment, case.command())
        said = first.stderr.decode("utf-8", "replace").strip()
        if first.returncode < 0 or first.returncode >= 64:
            yield from judged_problems(case, None, first.returncode)
            if str(first.returncode) != case.get("exit"):
                yield from said.splitlines()[-10:]
            return
        output = read(f"{folder}/first.json")
        try:
            report = json.loads(output)
        except (TypeError, ValueError) as error:
            yield f"the report is not JSON: {error} {said}"
            return
        yield from judged_problems(case, report, first.returncode)
        yield from schemas.problems("report", report)

        text = read(f"{folder}/first.text")
        yield from text_problems(text or b"")
        if not text:
            yield "no text"

        snapshot = read(f"{folder}/first.snapshot")
        try:
            yield from schemas.problems("snapshot", json.loads(snapshot))
        except (TypeError, ValueError) as error:
            yield f"the snapshot is not JSON: {error}"
            return
        yield from golden_problems(case, folder, snapshot, arguments)
        if QUICK:
            return
        # One replay proves both: what differs by the place alone differs here, and what a replay loses does, too.
        again = gpudiag(["--snapshot", f"{folder}/first.snapshot", *formats(folder, "again"), *judging(arguments)],
                        {**environment, "TZ": "Asia/Kathmandu", "LC_ALL": "de_DE.UTF-8"}, case.command())
        if again.returncode != first.returncode:
            yield f"replay elsewhere: exit status {again.returncode}: {again.stderr.decode('utf-8', 'replace').strip()}"
        for form, before in (("json", output), ("text", text), ("snapshot", snapshot)):
            yield from differing(f"replay elsewhere: {form}", before, read(f"{folder}/again.{form}"))


def try_case(case, schemas, cases):
    try:
        return list(problems(case, schemas, cases))
    except Wrong as error:
        return [str(error)]
    except subprocess.TimeoutExpired as error:
        return [f"not finished after {error.timeout} s: {shlex.join(map(str, error.cmd))}"]


def try_cases(cases):
    EDITED.clear()
    return [try_case(case, all_schemas(), cases) for case in cases]


def main():
    os.chdir(TOP)
    # Thousands of files that live for a moment: in memory, where there is some.
    if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"
    number = failed = 0

    def tell(name, explanations):
        nonlocal number, failed
        number += 1
        failed += bool(explanations)
        print(f"{'not ok' if explanations else 'ok'} {number} - {name}")
        for explanation in explanations:
            print(f"# {explanation}")
        sys.stdout.flush()

    cases = []
    wrong = []
    for path in sorted(glob.glob(f"{glob.escape(CASES)}/*.case")):
        try:
            cases += read_cases(path)
        except Wrong as error:
            wrong.append(str(error))
    chosen = sys.argv[1:]
    if chosen:
        cases = [case for case in cases if any(case.name.startswith(name) for name in chosen)]
        wrong = [error for error in wrong if any(f"/{name}" in error for name in chosen)]

    if not os.access(GPUDIAG, os.X_OK):
        print(f"Bail out! {GPUDIAG} is not there: make")
        return 1
    missing = all_schemas().missing  # made here, they are there in each worker
    for error in wrong:
        tell(error, ["no case can be made of it"])
    if not cases:
        tell("there are cases", [f"none in {CASES}" if not chosen else f"none is called {' '.join(chosen)}"])
    tell("there are schemas", missing)

    # A run of a machine with NVML watches it for a moment, in which another can work.
    # Cases of one file go to one worker, which has seen their tree before.
    files = [list(of_file) for _, of_file in itertools.groupby(cases, lambda case: case.name.partition("/")[0])]
    with concurrent.futures.ProcessPoolExecutor(3 * (os.cpu_count() or 1), multiprocessing.get_context("fork")) as pool:
        for of_file, tried in zip(files, [pool.submit(try_cases, of_file) for of_file in files]):
            for case, explanations in zip(of_file, tried.result()):
                tell(case.name, explanations)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
