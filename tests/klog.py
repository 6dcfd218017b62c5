#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel logs, and what must be read in them: runs gpudiag logs on each. Speaks TAP.

tests/klog.py [CASE…]         CASE is a name as printed, or the beginning of one
tests/klog.py --seeds FOLDER  writes seeds for the fuzz targets instead

tests/klog/NAME.log holds cases. A line that begins with "#:" is for this
script, all others are the log, byte for byte:

  #: case WORD                begins a case, NAME/WORD
  #: from TEXT                where the lines came from
  #: event ID KEY=VALUE…      an event there must be, in the order of the log: the id without "klog-errors.", and
                              values of the event in the JSON; KEY=null is null; a VALUE may be quoted as in a shell
  #: story DEVICE EVENT… OUTCOME CURRENCY   in the order of the log: the number of an Xid, else the id without
                              "klog-errors."; the one that decides ends in "!". A case with one tells all its stories
  #: unjudged N               so many lines name an error of a GPU and nothing is made of them; without it none
  #: raw                      the log is tried as it stands only, in none of the shapes below
  #: args WORDS               more arguments of "gpudiag logs"

tests/klog/text/NAME.log are logs of incidents; NAME.text beside each is what a person gets to read, and the exit
status at its end. REGOLD=1 writes them anew.

There must be no other event; a case without "event" must have none. Unless it
is raw, each case is read again in the shapes that logs are pasted in
(klog_shapes.py), and must tell the same. Lines of a case are plain, as dmesg prints them with or
without stamps; stamps of its own a shape keeps.
"""
import concurrent.futures
import difflib
import glob
import json
import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
import batch  # noqa: E402
import klog_shapes  # noqa: E402
from schema import Schema  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", os.path.join(TOP, "build", "gpudiag")))
LOGS = os.environ.get("KLOG_CASES", "tests/klog")
TIMEOUT_S = 60
PREFIX = "klog-errors."
# What a case expects of its own lines alone: shapes tell other times, and some stand in other lines.
LINES = ("line", "last_line")
TIMES = ("time", "first", "last", "last_time")

SCHEMA = Schema.of_file(os.path.join(TOP, "man", "events.schema.json"))


class Case:
    def __init__(self, name):
        self.name = name
        self.origin = None
        self.events = []
        self.stories = []
        self.raw = False
        self.unjudged = 0
        self.args = []
        self.lines = []  # bytes, each with its line end


def read_cases(path):
    stem = os.path.basename(path)[: -len(".log")]
    cases, case, origin = [], None, None
    with open(path, "rb") as file:
        for line in file:
            if not line.startswith(b"#:"):
                if case:
                    case.lines.append(line)
                continue
            key, _, value = line[2:].decode().strip().partition(" ")
            if key == "case":
                case = Case(f"{stem}/{value.strip()}")
                case.origin = origin
                cases.append(case)
            elif key == "from":
                origin = value
                if case:
                    case.origin = value
            elif key == "event":
                case.events.append(shlex.split(value))
            elif key == "story":
                case.stories.append(" ".join(value.split()))
            elif key == "unjudged":
                case.unjudged = int(value)
            elif key == "raw":
                case.raw = True
            elif key == "args":
                case.args = shlex.split(value)
            else:
                raise SystemExit(f"{path}: {line!r}: no such key")
    return cases


def read_log(data, args):
    result = batch.run(GPUDIAG, ["logs", "--format", "json", *args, "-"], data, limit_s=TIMEOUT_S)
    try:
        return json.loads(result.stdout)
    except ValueError:
        raise AssertionError(f"exit {result.returncode}, no JSON: {result.stderr.decode(errors='replace')}") from None


def breaks_schema(told):
    return [f"against the schema: {problem}" for problem in SCHEMA.problems(told, 1)]


def differs(event, expected, skipped=()):
    ident, *values = expected
    if event["id"] != PREFIX + ident:
        return f"is {event['id'].removeprefix(PREFIX)}, not {ident}"
    for value in values:
        key, _, text = value.partition("=")
        if key in skipped:
            continue
        seen = event.get(key, "no such key")
        seen = "null" if seen is None else str(seen).lower() if isinstance(seen, bool) else str(seen)
        if seen != text:
            return f"{ident}: {key} is {seen!r}, not {text!r}"
    return None


def story_words(told, story):
    """A story as a case has it: its device, its events in their order, ! at the worst of them, and what it is now."""
    words = [story["device"] or "-"]
    for index in story["events"]:
        event = told["events"][index]
        name = str(event["code"]) if event["kind"] == "nvidia-xid" else event["id"].removeprefix(PREFIX)
        words.append(name + ("!" if index == story["worst"] else ""))
    return " ".join([*words, story["outcome"], story["currency"]])


def check_log(case, name, log, skipped=()):
    told = read_log(log, case.args)
    events = told["events"]
    wrong = [text for text in (differs(*pair, skipped) for pair in zip(events, case.events)) if text]
    for event in events[len(case.events):]:
        wrong.append(f"there must be no {event['id']}: {event['text']}")
    for expected in case.events[len(events):]:
        wrong.append(f"no {expected[0]}")
    unjudged = told["coverage"]["unjudged_lines"]
    if unjudged != case.unjudged:
        wrong.append(f"{unjudged} lines are not judged, not {case.unjudged}")
    if unjudged and told["outcome"] not in ("unknown", "fail"):
        wrong.append(f"lines are not judged, and the whole is {told['outcome']}")
    stories = [story_words(told, story) for story in told["stories"]]
    # One shape stands for all in what no prefix changes.
    if not skipped:
        wrong += breaks_schema(told)
    if case.stories and not skipped and sorted(stories) != sorted(case.stories):
        wrong += [f"story is: {text}" for text in stories]
    return [f"{name}: {text}" for text in wrong]


def check(case):
    wrong = []
    records = klog_shapes.records(case.lines)
    logs = [("plain", b"".join(case.lines), ())]
    if not case.raw:
        logs += [(name, shape(records), TIMES) for name, shape in klog_shapes.SAME_LINES.items()]
        logs += [(name, shape(records), LINES + TIMES) for name, shape in klog_shapes.OTHER_LINES.items()]
    for name, log, skipped in logs:
        try:
            wrong += check_log(case, name, log, skipped)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            wrong.append(f"{name}: {error}")
    return wrong


def check_text(path):
    """What a person reads of an incident."""
    result = subprocess.run([GPUDIAG, "logs", path], capture_output=True, timeout=TIMEOUT_S, check=False)
    seen = (result.stdout + result.stderr).decode() + f"exit {result.returncode}\n"
    golden = path[: -len(".log")] + ".text"
    if os.environ.get("REGOLD") == "1":
        with open(golden, "w", encoding="utf-8") as file:
            file.write(seen)
    try:
        with open(golden, encoding="utf-8") as file:
            wanted = file.read()
    except FileNotFoundError:
        wanted = ""
    return [line.rstrip("\n") for line in difflib.unified_diff(wanted.splitlines(), seen.splitlines(), golden, "told",
                                                               lineterm="")]


def rows():
    text = subprocess.run([GPUDIAG, "list", "findings"], capture_output=True, text=True, check=True).stdout
    with open(*glob.glob("lib/eval/**/findings.def", recursive=True), encoding="utf-8") as file:
        judged = set(re.findall(r'"(klog-errors\.[a-z0-9-]+)"', file.read()))  # of what a log adds up to: tests/cases
    return {line.split()[0] for line in text.splitlines() if line.startswith(PREFIX)} - judged


def check_catalogue(cases):
    """Every row of the catalogue is raised by a case, and no case speaks of another."""
    raised = {PREFIX + expected[0] for case in cases for expected in case.events}
    return [f"no case raises {row}" for row in sorted(rows() - raised)]


def write_seeds(folder, cases):
    """For the fuzz targets: a log each, and its first line each. Every case as it is, one of each file in all shapes."""
    logs, stems = set(), set()
    for case in cases:
        logs.add(b"".join(case.lines))
        stem = case.name.partition("/")[0]
        if stem in stems or case.raw:
            continue
        stems.add(stem)
        records = klog_shapes.records(case.lines)
        logs |= {shape(records) for shape in (klog_shapes.SAME_LINES | klog_shapes.OTHER_LINES).values()}
    for name, texts in (("klog_reader", {b"\x03" + log for log in logs}),
                        ("klog_line", {log.split(b"\n", 1)[0] for log in logs})):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        for number, text in enumerate(sorted(texts)):
            with open(f"{folder}/{name}/{number}", "wb") as file:
                file.write(text)


def main():
    os.chdir(TOP)
    wanted = sys.argv[1:]
    every = [case for path in sorted(glob.glob(f"{LOGS}/*.log")) for case in read_cases(path)]
    if wanted[:1] == ["--seeds"]:
        write_seeds(wanted[1], every)
        return 0
    cases = [case for case in every if not wanted or any(case.name.startswith(name) for name in wanted)]
    tests = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for case, wrong in zip(cases, pool.map(check, cases)):
            tests.append((case.name, wrong))
    for path in sorted(glob.glob(f"{LOGS}/text/*.log")):
        name = "text/" + os.path.basename(path)[: -len(".log")]
        if not wanted or any(name.startswith(word) for word in wanted):
            tests.append((name, check_text(path)))
    if not wanted:
        tests.append(("every row of the catalogue is raised by a case", check_catalogue(every)))
    print(f"1..{len(tests)}")
    for number, (name, wrong) in enumerate(tests, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for line in wrong:
            print(f"# {line}")
    return 1 if any(wrong for _, wrong in tests) else 0


if __name__ == "__main__":
    sys.exit(main())
