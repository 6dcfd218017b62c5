#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""complete_zsh.py SCRIPT LINE…: what zsh makes of each line when Tab is pressed at its end, one a line.

A shell on a terminal of its own types what we would type; nothing less runs zsh's completion.
"""
import os
import pty
import re
import select
import sys
import tempfile
import time

TIMEOUT_S = 20
PROMPT = "READY>"


def read_until(fd, wanted, deadline):
    seen = ""
    while not re.search(wanted, seen):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            raise SystemExit(f"zsh did not show {wanted!r}: {seen!r}")
        seen += os.read(fd, 4096).decode(errors="replace")
    return seen


def main(script, lines):
    home = tempfile.mkdtemp()
    with open(os.path.join(home, ".zshrc"), "w", encoding="ascii") as rc:
        rc.write(f"PROMPT='{PROMPT}'\nunsetopt beep\nautoload -Uz compinit && compinit -D -u\n"
                 f"source {script}\nshow() {{ print -r -- \"<<$BUFFER>>\"; BUFFER= }}\nzle -N show\n"
                 "bindkey '^X' show\n")
    pid, fd = pty.fork()
    if not pid:
        os.execvpe("zsh", ["zsh", "-d", "-i"],
                   {"HOME": home, "ZDOTDIR": home, "TERM": "dumb", "PATH": os.environ["PATH"]})
    deadline = time.monotonic() + TIMEOUT_S
    read_until(fd, PROMPT, deadline)
    for line in lines:
        os.write(fd, line.encode() + b"\t\x18")
        print(re.search(r"<<(.*?)>>", read_until(fd, r"<<.*?>>", deadline)).group(1).rstrip())
    os.write(fd, b"exit\n")
    os.close(fd)
    os.waitpid(pid, 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
