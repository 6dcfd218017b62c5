#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Dumps of other tools, and what gpudiag must make of them: runs gpudiag run --import on each. Speaks TAP.

tests/imports.py [CASE…]         CASE is a name as printed, or the beginning of one
FULL=1 tests/imports.py          each in all shapes, those of the second table, too
tests/imports.py --seeds FOLDER  writes the dumps as seeds for the fuzz targets instead
QUICK=1 tests/imports.py         each as it stands and in one of the shapes in which people paste, by turns

tests/imports/NAME.txt is a dump as its tool prints it, of our own making after descriptions of the format. A line that
begins with "#:" is for this script, all others are the dump, byte for byte:

  #: from TEXT             what it was made after
  #: exit N                the exit status (default 0); 64: nothing in it is known
  #: finds ID GPU…         a warning or failure there must be, and of which GPUs: addresses without the domain 0000, or
                           "node". There must be no other warning or failure, and without any the dump is a healthy one
  #: notes ID GPU…         the same of a note; other notes may be there
  #: knows PATH=VALUE      a value of the snapshot: "gpus[1b:00.0].nvml.uuid=GPU-…", VALUE is JSON or a word; the key
                           "first" is the first of a list
  #: numbers GPU N        by which number GPU is called, as by the dump
  #: leaves CHECK…         what the dump does not decide: for no subject has the check passed, for one it is unknown
  #: beside NAME…          other cases of this folder that are imported with it
  #: raw                   it is tried as it stands only, in none of the shapes in which people paste
  #: not SHAPE WHY         in that shape it cannot be read whole: nothing else is found, and what is broken does not pass

Unless it is raw, each case is read again in the shapes of SHAPES, and in TURNS of those of FURTHER_SHAPES: which ones goes
by the number of the case. It must tell the same in each.
"""
import base64
import concurrent.futures
import glob
import html
import json
import os
import re
import shlex
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays as it is
import batch  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", os.path.join(TOP, "build", "gpudiag")))
FOLDER = os.path.join(TOP, "tests", "imports")
TIMEOUT_S = 120

SCREEN_LINES = 23


def paged(lines):
    return "".join(line + ("\n--More--\n" if number % SCREEN_LINES == 0 else "\n") for number, line in enumerate(lines, 1))


TERMINAL_COLUMNS = 80


def broken(line):
    """Its pieces as a terminal shows them: colours take no room, and tabs are blanks."""
    line = re.sub("\033\\[[0-9;]*m", "", line).expandtabs(8)
    return [line[at : at + TERMINAL_COLUMNS] for at in range(0, max(len(line), 1), TERMINAL_COLUMNS)]


def attached(lines):
    """A mail with the text as a file."""
    text = ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")
    return ("From: ann@example.org\nSubject: node7\nMIME-Version: 1.0\n"
            'Content-Type: multipart/mixed; boundary="b7"\n\n--b7\nContent-Type: text/plain; name="out.txt"\nContent-Transfer-Encoding: base64\n\n' +
            base64.encodebytes(text).decode() + "--b7--\n")


# How people paste: each takes the lines and gives the bytes. The last two are of several lines.
SHAPES = {
    "plain": lambda lines: "\n".join(lines) + "\n",
    "crlf": lambda lines: "\r\n".join(lines) + "\r\n",
    "quoted": lambda lines: "".join("> " + line + "\n" for line in lines),
    "fenced": lambda lines: "It looks like this:\n\n```\n" + "\n".join(lines) + "\n```\n\nAny idea?\n",
    "code": lambda lines: "".join("    " + line + "\n" for line in lines),
    "coloured": lambda lines: "".join("\033[0;32m" + line + "\033[0m\n" for line in lines),
    "no-break": lambda lines: "".join(re.sub("^ +", lambda m: "\u00a0" * len(m.group()), line) + "\n" for line in lines),
    "utf16": lambda lines: ("\ufeff" + "\r\n".join(lines) + "\r\n").encode("utf-16-le", "replace"),
    "prompt": lambda lines: "root@node7:~# uptime\n 10:00:00 up 3 days\n" + "\n".join(lines) + "\nroot@node7:~#\n",
    "string": lambda lines: json.dumps({"changed": True, "stdout": "\n".join(lines)}, indent=4) + "\n",
    "list": lambda lines: "ok: [node7] => {\n    " + json.dumps("out.stdout_lines") + ": [\n" + ",\n".join(
        "        " + json.dumps(line) for line in lines) + "\n    ]\n}\n",
}

# The same, of which each case has some.
TURNS = 3
FURTHER_SHAPES = {
    "nested": lambda lines: "".join("> > " + line + "\n" for line in lines),
    "blanks": lambda lines: "".join(line.replace("\t", " " * 8) + "\n" for line in lines),
    "few-blanks": lambda lines: "".join(line.replace("\t", " " * 4) + "\n" for line in lines),
    "trailing": lambda lines: "".join(line + "   \n" for line in lines),
    "wrapped": lambda lines: "".join(piece + "\n" for line in lines for piece in broken(line)),
    "unindented": lambda lines: "".join(line.lstrip(" \t") + "\n" for line in lines),
    "squeezed": lambda lines: "".join(re.sub("[ \t]+", " ", line) + "\n" for line in lines),
    "details": lambda lines: "<details>\n<summary>log</summary>\n\n```shell\n" + "\n".join(lines) +
                             "\n```\n\n</details>\n",
    "pager": lambda lines: paged(lines) + "~\n~\nlines 1-%d/%d (END)\n" % (len(lines), len(lines)),
    "double": lambda lines: "".join(line + "\n\n" for line in lines),
    "close-quoted": lambda lines: "".join(">" + line + "\n" for line in lines),
    "in-a-list": lambda lines: "1. I ran this:\n\n   ```console\n" + "".join("   " + line + "\n" for line in lines) +
                               "   ```\n\n2. What is wrong?\n",
    "old-mac": lambda lines: "\r".join(lines) + "\r",
    "attached": attached,
    "numbered": lambda lines: "<table>" + "".join(
        '<tr><td class="number">%d</td><td class="code">%s</td></tr>' % (number, html.escape(line, quote=False))
        for number, line in enumerate(lines, 1)) + "</table>\n",
    "html": lambda lines: "<pre><code>" + html.escape("\n".join(lines), quote=False) + "\n</code></pre>\n",
}


class Case:
    def __init__(self, path):
        self.name = os.path.basename(path)[: -len(".txt")]
        self.lines, self.finds, self.notes, self.knows, self.leaves, self.beside = [], [], [], [], [], []
        self.numbers, self.not_whole = [], []
        self.exit_status, self.raw = 0, False
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
            for line in f.read().split("\n"):
                if line.startswith("#:"):
                    self.order(line[2:].strip())
                else:
                    self.lines.append(line)
        if self.lines and not self.lines[-1]:
            self.lines.pop()

    def order(self, text):
        word, _, rest = text.partition(" ")
        if word == "exit":
            self.exit_status = int(rest)
        elif word in ("finds", "notes"):
            finding, *gpus = rest.split()
            getattr(self, word).append((finding, sorted(gpus)))
        elif word == "knows":
            self.knows.append(re.fullmatch(r"((?:\[[^]]*\]|[^=\[])*)=(.*)", rest).groups())
        elif word == "numbers":
            self.numbers.append(tuple(rest.split()))
        elif word == "leaves":
            self.leaves += rest.split()
        elif word == "beside":
            self.beside += shlex.split(rest)
        elif word == "not":
            self.not_whole.append(rest.split()[0])
        elif word == "raw":
            self.raw = True
        elif word != "from":
            raise SystemExit("tests/imports/%s.txt: unknown order: %s" % (self.name, text))


def shapes_of(case, number):
    is_text = len([line for line in case.lines if line.strip()]) > 1
    shapes = [shape for shape in SHAPES if is_text or shape not in ("string", "list")]
    further = list(FURTHER_SHAPES)
    if os.environ.get("QUICK"):
        shapes += further
        return [shapes[0], shapes[1 + number % (len(shapes) - 1)]]
    if os.environ.get("FULL"):
        return shapes + further
    return shapes + [further[(number * TURNS + turn) % len(further)] for turn in range(TURNS)]


def bytes_of(case, shape):
    made = (SHAPES.get(shape) or FURTHER_SHAPES[shape])(case.lines)
    return made if isinstance(made, bytes) else made.encode("utf-8", "surrogateescape")


def short(address):
    return address[5:] if address.startswith("0000:") else address


def run(arguments):
    return batch.run(GPUDIAG, arguments, limit_s=TIMEOUT_S)


def told(report, outcomes):
    """[(id, [GPU…])…] of the findings with these outcomes."""
    by_id = {}
    for finding in report["findings"]:
        if finding["outcome"] in outcomes:
            gpu = finding.get("gpu")
            by_id.setdefault(finding["id"], set()).add(short(gpu) if gpu else "node")
    return sorted((name, sorted(gpus)) for name, gpus in by_id.items())


def value_at(snapshot, path):
    at = snapshot
    for name, key in re.findall(r"([a-z_0-9]+)(?:\[([^\]]*)\])?", path):
        at = at.get(name) if isinstance(at, dict) else None
        if key and at is not None:
            at = next((e for e in at if e["key"] in (key, "0000:" + key) or key == "first"), None)
    return at


def check_snapshot(case, written, markdown):
    """What is in the snapshot, and that it tells what the dumps told."""
    try:
        with open(written, encoding="utf-8") as f:
            snapshot = json.load(f)
        with open(markdown, "rb") as f:
            told_first = f.read()
    except (OSError, ValueError) as error:
        return "no snapshot: %s" % error
    if run(["run", "--snapshot", written, "-f", "markdown"]).stdout != told_first:
        return "its snapshot tells something else"
    for path, text in case.knows:
        value = value_at(snapshot, path)
        try:
            want = json.loads(text)
        except ValueError:
            want = text
        if value != want:
            return "%s is %s, not %s" % (path, json.dumps(value), json.dumps(want))
    return None


def check_part(case, bad, exit_status):
    """Of a text that cannot be read whole: nobody is accused who was not before, and nothing broken is well."""
    before = {(name, gpu) for name, gpus in case.finds for gpu in gpus}
    more = [(name, gpu) for name, gpus in bad for gpu in gpus if (name, gpu) not in before]
    if more:
        return "warnings and failures that it does not tell of: %s" % more
    return "exit status 0, not %d" % case.exit_status if case.exit_status == 2 and not exit_status else None


def check(case, shape, beside):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for each in [case, *beside]:
            paths.append(os.path.join(folder, each.name + ".txt"))
            with open(paths[-1], "wb") as f:
                f.write(bytes_of(each, shape if each is case else "plain"))
        written, markdown = os.path.join(folder, "node.json"), os.path.join(folder, "node.md")
        done = run(["run", *[a for p in paths for a in ("--import", p)], "-f", "json", "-f", "snapshot=" + written,
                    "-f", "markdown=" + markdown])
        try:
            report = json.loads(done.stdout)
        except ValueError:
            if done.returncode == 64 and (case.exit_status == 64 or shape in case.not_whole):
                return None
            return "exit status %d: %s" % (done.returncode, done.stderr.decode(errors="replace"))
        bad = told(report, ("warn", "fail"))
        if shape in case.not_whole:
            return check_part(case, bad, done.returncode)
        if bad != sorted(case.finds):
            return "warnings and failures: %s, not %s" % (bad, sorted(case.finds))
        notes = told(report, ("note",))
        for note in case.notes:
            if note not in notes:
                return "no note %s among %s" % (note, notes)
        numbers = {short(gpu["pci"]): str(gpu["index"]) for gpu in report["gpus"]}
        for gpu, number in case.numbers:
            if numbers.get(gpu) != number:
                return "%s is called GPU %s, not GPU %s" % (gpu, numbers.get(gpu), number)
        for name in case.leaves:
            results = {result["result"] for result in report["checks"] if result["check"] == name}
            if "unknown" not in results or "pass" in results:
                return "%s: %s" % (name, ", ".join(sorted(results)) or "no such check")
        if done.returncode != case.exit_status:
            return "exit status %d, not %d" % (done.returncode, case.exit_status)
        return check_snapshot(case, written, markdown)


def main(arguments):
    cases = {}
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.txt"))):
        case = Case(path)
        cases[case.name] = case
    if arguments[:1] == ["--seeds"]:
        for case in cases.values():
            with open(os.path.join(arguments[1], case.name), "wb") as f:
                f.write(bytes_of(case, "plain"))
        return 0
    wanted = [c for c in cases.values() if not arguments or any(c.name.startswith(a) for a in arguments)]
    jobs = [(case, shape) for number, case in enumerate(wanted) for shape in (["plain"] if case.raw else shapes_of(case, number))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: check(job[0], job[1], [cases[n] for n in job[0].beside]), jobs)
        for number, ((case, shape), why) in enumerate(zip(jobs, results), 1):
            print("%s %d - %s, %s" % ("not ok" if why else "ok", number, case.name, shape))
            if why:
                failed += 1
                print("# " + why.replace("\n", "\n# "))
    print("1..%d" % len(jobs))
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
