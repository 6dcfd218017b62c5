#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every file of a machine damaged, one at a time. Speaks TAP.

tests/robust.py [MACHINE…]    machines of tests/nodes/mknodes.py; otherwise the two below
ROBUST=kinds                  one file of each kind, every kind, as with FULL=1; otherwise a part of them, another one
                              every day
ROBUST=all                    all healthy machines, each file instead of one of each kind, and two more damages
ROBUST_GATE=VERSION           gpudiag gate --to-driver VERSION instead of gpudiag run; of machines without a GPU of
                              NVIDIA's gpudiag gate alone
ROBUST_SAYS=1                 which damage makes something new warn or fail; that is no error
GPUDIAG=PATH                  another binary than build/gpudiag

Whatever a file holds, gpudiag must end by itself with a verdict (0 to 3), its
JSON must be valid, and nothing that failed or warned before may pass because
of it: what cannot be read is unknown. One test for each machine and damage.
Only what gpudiag reads is damaged, as the times of last access tell; files
that differ in numbers and addresses only are one kind.
"""
import concurrent.futures
import datetime
import multiprocessing
import os
import random
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, f"{TOP}/tests/nodes")
# pylint: disable=wrong-import-position
from bench import Bench, TIMEOUT_S, taken
from faults import half_the_lanes, swap_short, task_stuck
from files import FOLDER, Link
from mknodes import HEALTHY, build
from settings import Setting

GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", f"{TOP}/build/gpudiag"))
SAYS = "ROBUST_SAYS" in os.environ
GATE = os.environ.get("ROBUST_GATE")
ALL = os.environ.get("ROBUST") == "all"
KINDS = os.environ.get("ROBUST") == "kinds" or bool(os.environ.get("FULL"))
# One kind of so many is damaged, each in its turn.
DAYS = 6
HUGE = 1 << 20
SHOWN = 12
NOISE = random.Random(1).randbytes(4096)


class Ill(Setting):
    """Lanes lost, a task stuck, swap in use with little memory left."""

    def about(self, about):
        return swap_short().about(about)

    def before(self, m):
        task_stuck().before(m)

    def after(self, m):
        half_the_lanes().after(m)


# A machine that has lost a GPU already, and one whose driver tells in files.
MACHINES = {"gpu-off-bus": Ill(), "mi210-4": Setting()}


def torn(content):
    return content[:len(content) // 2]


def huge(content):
    text = content or b"words and 12345 numbers\n"
    return (text * (HUGE // len(text) + 1))[:HUGE]


DAMAGES = {
    "absent": lambda content: None, "unreadable": lambda content: content, "empty": lambda content: b"", "torn": torn,
    "huge": huge, "binary": lambda content: NOISE,
}
if ALL:
    DAMAGES |= {"a folder": lambda content: FOLDER, "a link to itself": lambda content: Link(".")}


def kind_of(path, m):
    """The same for files that differ in numbers only; GPUs, what is above them and other functions are three kinds."""
    gpus = set(m.gpus())
    ports = {port for gpu in gpus for port in m.chain(gpu)}

    def role(found):
        return "GPU" if found[0] in gpus else "PORT" if found[0] in ports else "FUNCTION"

    path = re.sub(r".*/(?=pci[0-9a-f]{4,8}:)", "", path)
    return re.sub(r"\d+", "N", re.sub(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", role, path))


def look_at_all(bench, m):
    """As if nobody had read any of it."""
    for path in m.files.entries:
        place = f"{bench.tree}{path}"
        os.utime(place, (0, os.lstat(place).st_mtime), follow_symlinks=False)


def was_read(bench, m):
    """The paths that were read since; all where the file system keeps no such times."""
    read = [path for path in m.files.entries if path and os.lstat(f"{bench.tree}{path}").st_atime]
    return read or list(filter(None, m.files.entries))


def victims(read, m):
    """Of each kind whose turn it is the last, which is where Ill is ill; all if asked to."""
    if ALL:
        return read
    kinds = list({kind_of(path, m): path for path in read}.values())
    return kinds if KINDS else kinds[datetime.date.today().toordinal() % DAYS::DAYS]


def damaged(m, path, damage):
    """The machine's files with that one damaged; None: it would be as before."""
    files = m.files.copy()
    before = files.entries[path]
    after = None if damage == "absent" else before
    # Half a number is another number, and a process may end.
    if before is FOLDER and damage not in ("absent", "unreadable") or \
            damage == "torn" and before is not FOLDER and before.strip().isdigit() or \
            damage == "absent" and re.fullmatch(r"/proc/\d+(/task/\d+)?(/stat)?", path):
        return None
    if damage == "unreadable":
        if isinstance(before, Link):
            return None
        files.modes[path] = 0
        return files
    if damage != "absent":
        after = DAMAGES[damage](b"" if isinstance(before, Link) or before is FOLDER else before)
        after = Link(os.path.basename(path)) if damage == "a link to itself" else after
    if after == before:
        return None
    files.remove(path)
    if after is FOLDER:
        files.folder(path)
    elif after is not None:
        files.put(path, after)
    return files


def results(report):
    return {(check["check"], check["subject"]): check["result"] for check in report["checks"]}


def run(bench, files, arguments):
    """(report, what is wrong)"""
    bench.lay(files)
    try:
        done = bench.run(["--root", bench.tree, "--format", f"json={bench.out}/report", *arguments], as_user=True,
                         command="gate" if GATE else "run")
    except subprocess.TimeoutExpired:
        return None, f"not finished after {TIMEOUT_S} s"
    if done.returncode not in (0, 1, 2, 3):
        return None, f"ends with {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()[-200:]}"
    try:
        report = taken(f"{bench.out}/report")
    except (OSError, ValueError) as error:
        return None, f"no JSON: {error}"
    if report["exit_status"] != done.returncode:
        return None, f"ends with {done.returncode}, and its report says {report['exit_status']}"
    return report, None


def excused(before, after):
    """What failed or warned before and passes now."""
    now = results(after)
    for (check, subject), result in results(before).items():
        if result in ("warn", "fail") and now.get((check, subject)) == "pass":
            yield f"{check} of {subject} passes, which was {result}"
    if before["exit_status"] and not after["exit_status"]:
        yield f"exit status 0, which was {before['exit_status']}"


def try_damage(name, damage):
    """(how many were tried, problems, of how many something new is said)"""
    setting = MACHINES.get(name, Setting())
    arguments = HEALTHY.get(name, {"args": ["--expect-gpus", "4"]})["args"]
    if GATE and not name.startswith("mi"):
        arguments = arguments + ["--to-driver", GATE]
    m, bench = build(name, setting, asked=arguments), Bench(GPUDIAG)
    problems, tried, loud = [], 0, 0
    try:
        bench.lay(m.files)
        look_at_all(bench, m)
        before, wrong = run(bench, m.files, arguments)
        if wrong:
            return 0, [f"undamaged: {wrong}"], 0
        read = was_read(bench, m)
        before_ids = {finding["id"] for finding in before["findings"]}
        for path in victims(read, m):
            files = damaged(m, path, damage)
            if not files:
                continue
            tried += 1
            after, wrong = run(bench, files, arguments)
            if wrong:
                problems.append(f"{path}: {wrong}")
                continue
            problems += [f"{path}: {text}" for text in excused(before, after)]
            said = [finding["id"] for finding in after["findings"]
                    if finding["id"] not in before_ids and finding["outcome"] in ("warn", "fail")]
            loud += bool(said)
            if said and SAYS:
                print(f"# {damage} {path}: {' '.join(said)}")
    finally:
        bench.close()
    return tried, problems, loud


def main():
    if not os.access(GPUDIAG, os.X_OK):
        print(f"Bail out! {GPUDIAG} is not there: make")
        return 1
    names = sys.argv[1:] or (list({**MACHINES, **HEALTHY}) if ALL else list(MACHINES))
    work = [(name, damage) for name in names for damage in DAMAGES]
    failed, sums = 0, {}
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count() or 1, multiprocessing.get_context("fork")) as pool:
        tried = [pool.submit(try_damage, *item) for item in work]
        for number, ((name, damage), result) in enumerate(zip(work, tried), 1):
            count, problems, loud = result.result()
            if not count:
                problems = problems or ["nothing was damaged"]
            failed += bool(problems)
            sums.setdefault(name, []).append((count, loud))
            print(f"{'not ok' if problems else 'ok'} {number} - {name}, one file or folder {damage}: {count} tried")
            for problem in problems[:SHOWN]:
                print(f"# {problem}")
            if len(problems) > SHOWN:
                print(f"# and {len(problems) - SHOWN} more")
            sys.stdout.flush()
    for name, counts in sums.items():
        print(f"#: {name}: {sum(count for count, _ in counts)} damages in {len(counts)} ways; "
              f"{sum(loud for _, loud in counts)} of them make something more warn or fail")
    print(f"1..{len(work)}")
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(TOP)
    sys.exit(main())
