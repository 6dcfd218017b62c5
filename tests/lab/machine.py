# SPDX-License-Identifier: GPL-2.0-or-later
"""machine.py - a QEMU: its start and end, its monitor (QMP), and scripts run in the guest (by init.sh)."""
import base64
import contextlib
import fcntl
import json
import os
import select
import socket
import subprocess
import time

CONSOLE_LINES_SHOWN = 15
START_LIMIT_S = 20
PIPE_BYTES = 1 << 20            # what a user may have


class Dead(Exception):
    """The guest does not answer, or QEMU has ended; says what the console said last."""


class Machine:
    def __init__(self, folder, arguments):
        """Starts QEMU with its processors stopped; go() lets them run."""
        self.folder = folder
        self.said = b""
        # QEMU drops what a slow reader leaves no room for, and of bytes that come one by one a pipe holds more than
        # a socket.
        for name in ("scripts.in", "scripts.out"):
            os.mkfifo(f"{folder}/{name}")
        self.to_guest = os.open(f"{folder}/scripts.in", os.O_RDWR)
        self.from_guest = os.open(f"{folder}/scripts.out", os.O_RDONLY | os.O_NONBLOCK)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self.from_guest, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.monitor = None
        with open(f"{folder}/qemu.log", "wb") as log:
            self.process = subprocess.Popen([
                "qemu-system-x86_64", "-S", "-display", "none", "-vga", "none", "-nodefaults", "-no-reboot",
                "-chardev", f"file,id=console,path={folder}/console.log", "-serial", "chardev:console",
                "-chardev", f"pipe,id=scripts,path={folder}/scripts", "-serial", "chardev:scripts",
                "-qmp", f"unix:{folder}/qmp,server=on,wait=off", *arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.monitor = self.connect(f"{folder}/qmp")
            self.monitor.readline()     # its greeting
            self.qmp("qmp_capabilities")
        except BaseException:
            self.close()
            raise

    def dead(self, what):
        said = []
        for name in ("qemu.log", "console.log"):
            try:
                with open(f"{self.folder}/{name}", encoding="utf-8", errors="replace") as file:
                    said += file.read().splitlines()[-CONSOLE_LINES_SHOWN:]
            except FileNotFoundError:
                pass
        return Dead("\n".join([what, *said]))

    def connect(self, path):
        end = time.monotonic() + START_LIMIT_S
        while True:
            with socket.socket(socket.AF_UNIX) as connection:
                try:
                    connection.connect(path)
                    return connection.makefile("rwb")
                except OSError as error:
                    if self.process.poll() is not None or time.monotonic() > end:
                        raise self.dead(f"QEMU does not start: {error}") from error
            time.sleep(0.02)

    def qmp(self, command, **arguments):
        self.monitor.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        self.monitor.flush()
        for line in self.monitor:
            answer = json.loads(line)
            if "error" in answer:
                raise Dead(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
        raise self.dead("QEMU has ended")

    def go(self, limit_s):
        """Until the guest's init is there."""
        self.qmp("cont")
        self.read_until(b"@@ready\n", limit_s)

    def read_until(self, mark, limit_s):
        """What came before the mark."""
        end = time.monotonic() + limit_s
        while mark not in self.said:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.from_guest], [], [], left)[0]:
                raise self.dead(f"the guest has not answered for {limit_s:g} s")
            more = os.read(self.from_guest, PIPE_BYTES)
            if not more:
                raise self.dead(f"QEMU has ended: {self.process.wait(5)}")
            self.said += more
        before, self.said = self.said.split(mark, 1)
        return before

    def run(self, script, limit_s=30):
        """Runs a script in the guest; returns its exit status and its output."""
        os.write(self.to_guest, base64.b64encode(script.encode()) + b"\n")
        output = self.read_until(b"@@status ", limit_s)
        return int(self.read_until(b"\n", limit_s)), output.decode("utf-8", "replace")

    def must(self, script, limit_s=30):
        """The output of a script that succeeds."""
        status, output = self.run(script, limit_s)
        if status:
            raise Dead(f"in the guest: {script.strip()}: exit status {status}: {output.strip()}")
        return output.strip()

    def wait_until(self, condition, limit_s=20):
        """Until that command succeeds in the guest."""
        self.must(f"until {condition}; do sleep 0.1; done", limit_s)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to_guest)
        os.close(self.from_guest)
        if self.monitor:
            self.monitor.close()
