#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The matrix that must stay clean: healthy nodes × settings, and faults planted on top. Speaks TAP.

tests/matrix.py               a part of the cells, another one every day: of all nodes, settings and faults
tests/matrix.py NODE…         all cells of these nodes
MATRIX=all tests/matrix.py    all of all; so does FULL=1
GPUDIAG=PATH                  another binary than build/gpudiag
MATRIX_JOBS=N                 cells tried at the same time; otherwise three for each processor, as most wait

Nodes are the machines of tests/nodes/mknodes.py that are marked healthy;
settings stand in settings.py, faults in faults.py beside it. Every cell is a
tree of its own. A node passes in a setting when gpudiag exits 0 (or 3, where
its mark says why) without a warn or fail; so does a gate that is told how
many GPUs belong there, but for one that sleeps: 3. A fault must be found, and nothing
else. No report of a tree may tell what is this machine's.

One test for each node and one for each fault; the two tables are printed last,
in lines that tests/tally shows ("#:").
"""
import concurrent.futures
import datetime
import json
import multiprocessing
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, f"{TOP}/tests/nodes")
# pylint: disable=wrong-import-position
from bench import Bench, TIMEOUT_S, driver_of, taken
from faults import FAULTS, Fault
from mknodes import HEALTHY, build
from settings import NotHere, SETTINGS

GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", f"{TOP}/build/gpudiag"))
ALL = os.environ.get("MATRIX") == "all" or bool(os.environ.get("FULL")) or len(sys.argv) > 1
# One cell of so many is tried, each in its turn.
SETTING_DAYS, FAULT_DAYS = 3, 4
COLUMNS = 100
# A value must be this long to be looked for anywhere; a shorter one must be the whole of a text.
LONG_ENOUGH = 8


def first_line(path, begins=""):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return next((line.partition(":")[2].strip() if begins else line.strip() for line in file
                         if line.startswith(begins)), "")
    except OSError:
        return ""


def this_machine():
    """What a report of a tree must not hold, by what it is."""
    name = os.uname()
    return {what: value for what, value in {
        "host name": name.nodename, "kernel release": name.release,
        "boot id": first_line("/proc/sys/kernel/random/boot_id"),
        "processor": first_line("/proc/cpuinfo", "model name"), "command line": first_line("/proc/cmdline"),
        "product": first_line("/sys/class/dmi/id/product_name"), "memory": str(memory_bytes()),
    }.items() if value and value not in ("0", "localhost")}


def memory_bytes():
    total = first_line("/proc/meminfo", "MemTotal")
    return int(total.split()[0]) * 1024 if total else 0


def texts(value, path=""):
    """Every string and number in a document, with where it stands."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not (path == "/run" and key in ("argv", "lock_folder", "taken_at")) and key not in ("argv", "taken_at"):
                yield from texts(item, f"{path}/{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from texts(item, f"{path}/{number}")
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, str(value)


def may_tell(document, top, facts):
    """False: foreign() need not go through text by text, as nothing of what it looks for stands anywhere."""
    bare = {key: value for key, value in document.items() if key not in ("argv", "request")}
    if "argv" in bare.get("run", {}):
        bare["run"] = {**bare["run"], "argv": None}
    if "library" in (bare.get("nvml") or {}):
        bare["nvml"] = {**bare["nvml"], "library": None}
    text = json.dumps(bare, ensure_ascii=False)
    words = [top, *(fact for fact in facts.values() if len(fact) >= LONG_ENOUGH or fact.isdigit())]
    return any(json.dumps(word, ensure_ascii=False)[1:-1] in text for word in words) or \
        any(json.dumps(fact, ensure_ascii=False) in text for fact in facts.values())


def not_in(files, facts):
    """Those facts that no file of a tree holds."""
    text = b"\0".join(content for content in files.entries.values() if isinstance(content, bytes))
    return {what: fact for what, fact in facts.items() if fact.encode() not in text}


def foreign(document, top, facts):
    """Facts of this machine, which are none of the tree's own, in a report of a tree."""
    if "user_id" in document.get("host", {}):
        yield "host.user_id is who ran gpudiag, not the tree's"
    if not may_tell(document, top, facts):
        return
    for path, text in texts(document):
        for what, fact in facts.items():
            if text == fact or (len(fact) >= LONG_ENOUGH and fact in text):
                yield f"{path} tells this machine's {what}: {text[:80]}"
        if top in text and not path.startswith(("/request", "/nvml/library")):
            yield f"{path} tells where the tree lies: {text[:80]}"


def fragments(report):
    """Evidence stands by itself: words that only a sentence makes sense of are none. The CPUs of memory alone are ""."""
    for part in (*report["checks"], *report["findings"]):
        for evidence in part["evidence"]:
            text = evidence["observed"]
            if isinstance(text, str) and evidence["what"] != "cpus" and (not text or text[0] in " ,;:"):
                yield f"{part['check']} has as evidence of {evidence['what']}: {text!r}"


class Cell:
    """One run: a node in a setting, or with a fault."""

    def __init__(self, node, kind, name):
        self.node, self.kind, self.name = node, kind, name

    def setting(self):
        return SETTINGS[self.name] if self.kind == "setting" else FAULTS[self.name]


def look(cell, bench, facts):
    """The cell's report, exit status and what is wrong with either; None, None, why: it does not apply."""
    setting, mark, out = cell.setting(), HEALTHY[cell.node], bench.out
    try:
        m = build(cell.node, setting, asked=mark["args"])
        arguments = setting.arguments(m, mark["args"])
    except NotHere as why:
        return None, None, [str(why)]
    bench.lay(m.files)
    driver = driver_of(GPUDIAG, bench.tree, setting.window) if m.nvml else []
    done = bench.run(["--root", bench.tree, *driver, "--format", f"json={out}/report",
                      "--format", f"snapshot={out}/snapshot", *arguments], setting.as_user)
    try:
        report, snapshot = taken(f"{out}/report"), taken(f"{out}/snapshot")
        facts = not_in(m.files, facts)
        wrong = [*foreign(report, bench.tree, facts), *foreign(snapshot, bench.tree, facts)]
        is_edited = cell.kind == "fault" and type(setting).edit is not Fault.edit
        if is_edited and not setting.edit(snapshot):
            return None, None, ["nothing to edit"]
        if m.nvml and setting.window != "0":
            # Of files a tree has no window; what NVIDIA's library was seen to tell is to be judged.
            snapshot.setdefault("window", {"length_ms": int(setting.window[:-2])})
            is_edited = True
        with open(f"{out}/edited", "w", encoding="utf-8") as file:
            file.write(json.dumps(snapshot))  # several times as fast as dump()
        if is_edited:
            done = bench.run(["--snapshot", f"{out}/edited", "--format", f"json={out}/report"])
            report = taken(f"{out}/report")
    except (OSError, ValueError) as error:
        return None, done.returncode, [f"no report: {error}: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}"]
    return report, done.returncode, [*wrong, *fragments(report), *judge_gate(bench, cell, report, f"{out}/edited")]


def judge_gate(bench, cell, report, seen):
    """What a gate answers of the same look."""
    if cell.kind != "setting":
        return
    counted = [gpu for gpu in report["gpus"] if gpu["under_test"]]
    done = bench.run(["--snapshot", seen, "--expect-gpus", str(len(counted)), "--format", f"json={bench.out}/gate"],
                     command="gate")
    try:
        gate = taken(f"{bench.out}/gate")["gate"]
    except (OSError, ValueError, KeyError) as error:
        yield f"no gate: {error}: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}"
        return
    mark = HEALTHY[cell.node]
    slept = any(gpu["state"] == "not-judged" for gpu in counted)
    may_be_open = slept or mark["exit"] == 3 or mark["gate"] or cell.setting().opens_gate
    if done.returncode not in ((0, 3) if may_be_open else (0,)):
        yield f"gate: {gate['answer']}: {gate['reason']}"


def judge_healthy(report, status, mark):
    if status != mark["exit"]:
        yield f"exit status {status}, not {mark['exit']}: {report['headline']}"
    for finding in report["findings"]:
        if finding["outcome"] in ("warn", "fail"):
            yield f"{finding['outcome']}: {finding['id']}: {finding['title']}"


def matches(name, wanted):
    return name == wanted or name.partition(".")[0] == wanted


def judge_fault(report, status, fault):
    loud = [finding for finding in report["findings"] if finding["outcome"] in ("warn", "fail")]
    if fault.unknown:
        if not any(result["check"] in fault.finds and result["result"] == "unknown" for result in report["checks"]):
            yield f"{' or '.join(fault.finds)} is not unknown"
    elif not any(matches(finding["id"], wanted) for finding in (report["findings"] if fault.quiet else loud)
                 for wanted in fault.finds):
        yield f"not found: {' or '.join(fault.finds)}; said: {report['headline']}"
    for finding in loud:
        if fault.quiet or not any(matches(finding["id"], wanted) for wanted in fault.finds):
            yield f"also {finding['outcome']}: {finding['id']}: {finding['title']}"
    expected = (0,) if fault.quiet else (1, 2) if fault.exit is None else (fault.exit,)
    if status not in expected:
        yield f"exit status {status}, not {' or '.join(map(str, expected))}: {report['headline']}"


def is_tried(cell, today):
    """Is it the cell's turn?"""
    node = list(HEALTHY).index(cell.node)
    columns, days = (SETTINGS, SETTING_DAYS) if cell.kind == "setting" else (FAULTS, FAULT_DAYS)
    return ALL or (node + list(columns).index(cell.name) + today) % days == 0


def try_node(cells, facts):
    """All cells of a node, one after the other."""
    bench = Bench(GPUDIAG)
    try:
        return [try_cell(cell, bench, facts) for cell in cells]
    finally:
        bench.close()


def try_cell(cell, bench, facts):
    """(symbol for the table, problems)"""
    try:
        report, status, wrong = look(cell, bench, facts)
    except subprocess.TimeoutExpired:
        return "!", [f"not finished after {TIMEOUT_S} s"]
    if report is None:
        return ("-", []) if status is None else ("!", wrong)
    if cell.kind == "setting":
        wrong += judge_healthy(report, status, HEALTHY[cell.node])
    else:
        wrong += judge_fault(report, status, cell.setting())
    return (str(status), wrong) if not wrong else ("!", wrong)


def table(title, rows, columns, symbols, legend):
    """Columns by letter, so that any number of them fits."""
    yield title
    width = max(map(len, rows))
    keys = [chr(ord("a") + number) for number in range(len(columns))]
    yield f"{'':{width}}  {' '.join(keys)}"
    for row in rows:
        yield f"{row:{width}}  {' '.join(symbols.get((row, column), ' ') for column in columns)}".rstrip()
    for key, column in zip(keys, columns):
        yield f"  {key} {column}: {legend[column]}"[:COLUMNS]


def main():
    nodes = sys.argv[1:] or list(HEALTHY)
    unknown = [node for node in nodes if node not in HEALTHY]
    if unknown or not os.access(GPUDIAG, os.X_OK):
        print(f"Bail out! {f'no healthy node {unknown[0]}' if unknown else f'{GPUDIAG} is not there: make'}")
        return 1
    today = datetime.date.today().toordinal()
    cells = [[Cell(node, "setting", name) for name in SETTINGS] + [Cell(node, "fault", name) for name in FAULTS]
             for node in nodes]
    symbols, problems = {}, {}
    facts = this_machine()
    jobs = int(os.environ.get("MATRIX_JOBS", 3 * (os.cpu_count() or 1)))
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        try_all(pool, [[cell for cell in row if is_tried(cell, today)] for row in cells], facts, symbols, problems)
        # A fault that could be planted on none of the nodes whose turn it is, is tried on the others.
        planted = {row for (row, _), symbol in symbols.items() if symbol != "-"}
        try_all(pool, [[cell for cell in row if cell.kind == "fault" and cell.name not in planted and
                        (cell.name, cell.node) not in symbols] for row in cells], facts, symbols, problems)
    return report_all(nodes, symbols, problems)


def try_all(pool, work, facts, symbols, problems):
    """Rows of cells, into both."""
    tried = [pool.submit(try_node, cells, facts) for cells in work]
    for cells, result in zip(work, tried):
        for cell, (symbol, wrong) in zip(cells, result.result()):
            row, column = (cell.node, cell.name) if cell.kind == "setting" else (cell.name, cell.node)
            symbols[row, column] = symbol
            problems.setdefault(row, []).extend(f"{column}: {text}" for text in wrong)


def report_all(nodes, symbols, problems):
    failed = 0

    def tell(number, name, row, columns):
        nonlocal failed
        tried = sum(symbols.get((row, column), "-") != "-" for column in columns)
        failed += bool(problems.get(row))
        print(f"{'not ok' if problems.get(row) else 'ok'} {number} - {name}" + (f" ({tried} cells)" if tried else ""))
        for problem in problems.get(row, []):
            print(f"# {problem}")

    for number, node in enumerate(nodes, 1):
        tell(number, f"{node} is healthy in every setting", node, SETTINGS)
    for number, name in enumerate(FAULTS, len(nodes) + 1):
        if len(nodes) == len(HEALTHY) and not any(symbols.get((name, node), "-") != "-" for node in nodes):
            problems[name] = ["it can be planted on no node"]
        tell(number, f"{name} is found", name, nodes)
    said = {**{name: setting.__doc__ for name, setting in SETTINGS.items()},
            **{node: HEALTHY[node]["doc"] for node in nodes}}
    turns = "" if ALL else "; blank: another day (MATRIX=all)"
    lines = [*table(f"healthy nodes × settings: exit status; - does not apply, ! wrong{turns}", nodes, list(SETTINGS), symbols,
                    said),
             *table(f"faults × nodes: exit status; - cannot be planted, ! wrong{turns}", list(FAULTS), nodes, symbols, said)]
    for name in FAULTS:
        lines.append(f"  {name}: {FAULTS[name].__doc__}"[:COLUMNS])
    lines += [f"  {node} exits 3: {HEALTHY[node]['reason']}" for node in nodes if HEALTHY[node]["reason"]]
    lines += [f"  {node}: a gate cannot decide: {HEALTHY[node]['gate']}" for node in nodes if HEALTHY[node]["gate"]]
    for line in lines:
        print(f"#: {line}")
    print(f"1..{len(nodes) + len(FAULTS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(TOP)
    sys.exit(main())
