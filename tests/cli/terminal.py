#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program on a terminal of its own, types what it is told to, and keeps what was on the screen.

terminal.py [--size 80x24] [--limit S] REPORT STEP… -- COMMAND [ARGUMENT…]

The program is in the foreground of a session as a shell's job is. Steps, in order:
  wait=TEXT       until the screen shows it
  gone=TEXT       until it does not
  quiet=S         until nothing was written for that long
  key=TEXT        typed; up, down, left, right are arrows, ^C and ^Z are control characters
  size=40x10      the terminal is resized
  signal=NAME     to the program alone; group-signal=NAME to its process group
  stopped         until the program has stopped; continue: it goes on
  screen=FILE     what the screen shows, line by line
  end             until the program has ended (also at the end of the steps)

REPORT, lines for a shell to source:
  status=N          exit status, 128 and the signal's number where one ended it; 124 at the limit
  outside=N         characters that were written beyond the last column, and line feeds on the last line
  screens=N         how often a whole screen was begun
  alternate=0|1     was the alternate screen left on at the end?
  cursor=0|1        is the cursor visible at the end?
  echo=0|1          is the terminal as it was before?
Its standard output holds what the main screen shows at the end, without colours.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

KEYS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "^C": "\x03", "^Z": "\x1a", "space": " "}
SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b\][^\x07]*\x07")


class Screen:
    """As much of a terminal as gpudiag uses; what it does not know stops the test."""

    def __init__(self, columns, rows):
        self.alternate = False
        self.cursor = True
        self.outside = self.begun = 0
        self.rest = ""
        self.main = []
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)

    def sequence(self, parameters, letter):
        if letter == "H":
            self.row = self.column = 0
            self.begun += 1
        elif letter == "K":
            self.lines[self.row][self.column:] = [" "] * (self.columns - self.column)
        elif letter == "J":
            if parameters != "2":
                self.lines[self.row][self.column:] = [" "] * (self.columns - self.column)
            for row in range(0 if parameters == "2" else self.row + 1, self.rows):
                self.lines[row] = [" "] * self.columns
        elif letter in "hl" and parameters == "?1049":
            self.alternate = letter == "h"
        elif letter in "hl" and parameters == "?25":
            self.cursor = letter == "h"
        elif letter != "m" and parameters != "?7":
            raise ValueError(f"an unknown sequence: {parameters}{letter}")

    def line_feed(self):
        if self.row + 1 < self.rows:
            self.row += 1
        else:
            self.outside += self.alternate
            self.lines = self.lines[1:] + [[" "] * self.columns]

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.line_feed()
        elif self.column < self.columns:
            self.lines[self.row][self.column] = character
            self.column += 1
        elif self.alternate:
            self.outside += 1

    def write(self, text):
        text = self.rest + text
        at = 0
        while at < len(text):
            match = SEQUENCE.match(text, at)
            if match and match.group(2):
                self.sequence(match.group(1), match.group(2))
            if match:
                at = match.end()
            elif text[at] == "\x1b":
                break   # the rest of it comes
            else:
                if not self.alternate:
                    self.main.append(text[at])
                self.put(text[at])
                at += 1
        self.rest = text[at:]


class Job:
    """The program in the foreground of its session, as the job of a shell that is no more than this."""

    def __init__(self, command, columns, rows):
        self.reports, told = os.pipe()
        self.shell, self.terminal = pty.fork()
        if not self.shell:
            self.be_shell(command, told)
        os.close(told)
        self.resize(columns, rows)
        self.pid = int(self.report())
        self.status = None
        self.stopped = False

    @staticmethod
    def be_shell(command, told):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        go, started = os.pipe()
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            os.read(go, 1)
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            # Python ignores these; a shell does not.
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            try:
                os.execvp(command[0], command)
            finally:
                os._exit(127)
        os.setpgid(pid, pid)
        os.tcsetpgrp(0, pid)
        os.write(told, f"{pid}\n".encode())
        time.sleep(0.1)   # until the size is set
        os.write(started, b"x")
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                os.write(told, b"stopped\n")
                continue
            status = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            attributes = termios.tcgetattr(0)
            echo = bool(attributes[3] & termios.ECHO and attributes[3] & termios.ICANON)
            os.write(told, f"ended {status} {int(echo)}\n".encode())
            time.sleep(0.2)   # its last words are to be read before the terminal goes
            os._exit(0)

    def report(self):
        line = b""
        while not line.endswith(b"\n"):
            got = os.read(self.reports, 1)
            if not got:
                break
            line += got
        return line.decode().strip()

    def take_report(self):
        words = self.report().split()
        if words and words[0] == "ended":
            self.status, self.echo = int(words[1]), int(words[2])
        elif words:
            self.stopped = True

    def resize(self, columns, rows):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Play:
    def __init__(self, job, screen, limit):
        self.job, self.screen = job, screen
        self.ends = time.monotonic() + limit
        self.last_written = time.monotonic()
        self.pending = b""

    def read(self):
        try:
            self.pending += os.read(self.job.terminal, 65536)
        except OSError:
            time.sleep(0.01)    # the program has ended
            return
        text = self.pending.decode("utf-8", "ignore")
        self.pending = self.pending[len(text.encode()):]
        self.screen.write(text)
        self.last_written = time.monotonic()

    def turn(self, timeout=0.05):
        """Reads what there is. False: the limit is over."""
        sources = [self.job.terminal] + ([self.job.reports] if self.job.status is None else [])
        ready, _, _ = select.select(sources, [], [], timeout)
        if self.job.terminal in ready:
            self.read()
        if self.job.reports in ready:
            self.job.take_report()
        return time.monotonic() < self.ends

    def until(self, what, condition):
        while not condition():
            if not self.turn():
                raise TimeoutError(what)
            if self.job.status is not None and what != "end":
                for _ in range(5):
                    self.turn(0.05)
                if condition():
                    return
                raise TimeoutError(what + " (it has ended)")

    def step(self, step):
        name, _, value = step.partition("=")
        screen, job = self.screen, self.job
        if name == "wait":
            self.until(step, lambda: value in screen.text())
        elif name == "gone":
            self.until(step, lambda: value not in screen.text())
        elif name == "quiet":
            self.until(step, lambda: time.monotonic() - self.last_written > float(value))
        elif name == "key":
            os.write(job.terminal, KEYS.get(value, value).encode())
        elif name == "size":
            columns, rows = map(int, value.split("x"))
            screen.resize(columns, rows)
            job.resize(columns, rows)
        elif name == "signal":
            os.kill(job.pid, getattr(signal, "SIG" + value))
        elif name == "group-signal":
            os.killpg(job.pid, getattr(signal, "SIG" + value))
        elif name == "stopped":
            self.until(step, lambda: job.stopped)
        elif name == "continue":
            job.stopped = False
            os.killpg(job.pid, signal.SIGCONT)
        elif name == "screen":
            with open(value, "w", encoding="utf-8") as file:
                file.write(screen.text() + "\n")
        elif name == "end":
            self.until("end", lambda: job.status is not None)
        else:
            raise ValueError(f"an unknown step: {step}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("report")
    at = sys.argv.index("--")
    options, steps = parser.parse_known_args(sys.argv[1:at])
    columns, rows = map(int, options.size.split("x"))
    screen = Screen(columns, rows)
    job = Job(sys.argv[at + 1:], columns, rows)
    play = Play(job, screen, options.limit)
    failed = None
    try:
        for step in steps + ["end"]:
            play.step(step)
        while play.turn(0.1) and time.monotonic() - play.last_written < 0.15:
            pass
    except TimeoutError as error:
        failed = error
        if job.status is None:
            os.killpg(job.pid, signal.SIGKILL)
    with open(options.report, "w", encoding="utf-8") as file:
        file.write(f"status={124 if job.status is None else job.status}\noutside={screen.outside}\n"
                   f"screens={screen.begun}\nalternate={int(screen.alternate)}\ncursor={int(screen.cursor)}\n"
                   f"echo={getattr(job, 'echo', 0)}\n")
    sys.stdout.write(re.sub(r"\r+\n", "\n", "".join(screen.main)))
    if failed:
        print(f"terminal.py: not reached: {failed}; the screen:\n{screen.text()}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
