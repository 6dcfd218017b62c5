#!/usr/bin/env -S python3 -IS
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program, may send it a signal, and says what became of it and of its children.

supervise.py [--when WORD [--once FILE] --signal NAME --times N] [--limit S] [--ignore NAME]
             REPORT COMMAND [ARGUMENT…]

--when WORD: as soon as a descendant has WORD in its name or command line, the signal
goes to the program's process group, as Ctrl-C of a terminal does; with --once
not before that file is there. The program starts with all signals as in a
login shell, but for one that is to be ignored.

REPORT, lines for a shell to source:
  status=N          exit status, 128 and the signal's number where one ended it
  elapsed_ms=N      from its start to its end
  ending_ms=N       from the signal to its end
  signalled=0|1     was the signal sent?
  unreaped=N        children that it left as zombies
  left='PID …'      descendants that were still there a second later
It adopts the orphans (PR_SET_CHILD_SUBREAPER), so none is missed; it kills them at the end.
"""
import argparse
import ctypes
import os
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 1.0


def number(name):
    return getattr(signal, "SIG" + name)


def stat(pid):
    """(comm, state, parent, session) of a process, or None."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    comm = text[text.index("(") + 1:text.rindex(")")]
    rest = text[text.rindex(")") + 2:].split()
    return comm, rest[0], int(rest[1]), int(rest[3])


def table():
    """pid: stat, of all processes."""
    processes = {int(name): stat(name) for name in os.listdir("/proc") if name.isdigit()}
    return {pid: about for pid, about in processes.items() if about}


def descendants(of):
    """pid: stat, of all below a process."""
    processes = table()
    found = {}
    parents = {of}
    while parents:
        children = {pid for pid, about in processes.items() if about[2] in parents}
        found.update((pid, processes[pid]) for pid in children)
        parents = children
    return found


def has_word(pid, word):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as line, open(f"/proc/{pid}/comm", "rb") as name:
            return word in (name.read() + line.read()).replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return False


def is_awaited(pid, options):
    return has_word(pid, options.when) and (not options.once or os.path.exists(options.once))


def reap():
    """Buries what of our adopted children is dead."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def start(options):
    def prepare():
        os.setpgid(0, 0)
        for name in ("HUP", "INT", "QUIT", "TERM", "PIPE", "CHLD"):
            signal.signal(number(name), signal.SIG_DFL)
        if options.ignore:
            signal.signal(number(options.ignore), signal.SIG_IGN)
    # pylint: disable=subprocess-popen-preexec-fn,consider-using-with
    return subprocess.Popen(options.command, preexec_fn=prepare, restore_signals=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--when")
    parser.add_argument("--once")
    parser.add_argument("--signal", default="INT")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--ignore")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("report")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()

    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    program = start(options)
    sent = None
    # Without a signal to send there is nothing to look for, and our looking would cost the program its time.
    while options.when and sent is None and program.poll() is None:
        if any(is_awaited(pid, options) for pid in descendants(program.pid)):
            time.sleep(0.1)  # it has begun, and is in the middle of it now
            sent = time.monotonic()
            for _ in range(options.times):
                os.killpg(program.pid, number(options.signal))
                time.sleep(0.002)
        elif time.monotonic() - began > options.limit:
            break
        else:
            time.sleep(0.01)
    try:
        status = program.wait(max(0.1, options.limit - (time.monotonic() - began)))
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
        status = 124
    ended = time.monotonic()
    # What it should have waited for: a session's leader is a worker of its own; of what a worker left it knows nothing.
    unreaped = [pid for pid, about in descendants(os.getpid()).items()
                if about[1] == "Z" and about[3] == pid and about[0].startswith("gpudiag")]
    while True:
        reap()
        left = descendants(os.getpid())
        if not left or time.monotonic() - ended > GRACE_S:
            break
        time.sleep(0.01)
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    with open(options.report, "w", encoding="utf-8") as file:
        print(f"status={status if status >= 0 else 128 - status}",
              f"elapsed_ms={(ended - began) * 1000:.0f}",
              f"ending_ms={(ended - (sent or ended)) * 1000:.0f}",
              f"signalled={int(sent is not None)}",
              f"unreaped={len(unreaped)}",
              f"left='{' '.join(f'{pid}({about[0]},{about[1]})' for pid, about in left.items())}'",
              sep="\n", file=file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
