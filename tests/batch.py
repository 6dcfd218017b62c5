# SPDX-License-Identifier: GPL-2.0-or-later
"""batch.py - gpudiag many times in one process, for suites that run it thousands of times.

run() is subprocess.run() of gpudiag, with what it prints captured. Runs of one thread share a process of build/batch
(tests/batch/batch.c), where starting a new one takes ten times as long as what is tested; a run that ends its process
is the last of it, and a run that does not end in its time is killed with it. A run on a tree (--root) has a process of
its own: it forks workers, which costs the more the more a process holds. So has each where there is no batch beside the
program, or an older one, or with BATCH=no.
"""
import array
import multiprocessing.util
import os
import select
import signal
import socket
import subprocess
import threading

OWN = threading.local()
STARTED = {"pid": None, "processes": []}


def beside(program):
    """The program that runs it many times; None: there is none of the same age."""
    path = os.path.join(os.path.dirname(program), "batch")
    try:
        is_new = os.stat(path).st_mtime_ns >= os.stat(program).st_mtime_ns
    except OSError:
        return None
    return path if is_new and os.environ.get("BATCH") != "no" else None


class Process:
    def __init__(self, command):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.child = subprocess.Popen([*command, "--batch", str(theirs.fileno())], pass_fds=[theirs.fileno()],
                                          stdin=subprocess.DEVNULL)
        self.ended = os.pidfd_open(self.child.pid)

    def run(self, words, environment, files, limit_s):
        """The exit status; whether others may follow."""
        text = [str(len(environment)), *(f"{key}={value}" for key, value in environment.items()), *words]
        self.socket.sendmsg([b"".join(os.fsencode(word) + b"\0" for word in text)],
                            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
        ready, _, _ = select.select([self.socket, self.ended], [], [], limit_s)
        if not ready:
            self.close(kill=True)
            raise subprocess.TimeoutExpired(words, limit_s)
        if self.socket in ready:
            status = self.socket.recv(4)
            if status:
                return int.from_bytes(status, "little", signed=True), True
        status = self.child.wait()
        self.close()
        return status, False

    def close(self, kill=False):
        if self.socket.fileno() < 0:
            return
        if kill:
            self.child.send_signal(signal.SIGKILL)
        self.socket.close()
        self.child.wait()
        os.close(self.ended)


def end_all():
    """Waits for them, so that their seconds count as this suite's."""
    for process in STARTED["processes"]:
        process.close()


def process_of(command):
    """This thread's. One of before a fork is not ours."""
    pid = os.getpid()
    if STARTED["pid"] != pid:
        STARTED.update(pid=pid, processes=[])
        multiprocessing.util.Finalize(None, end_all, exitpriority=1)
    if getattr(OWN, "pid", None) != pid:
        OWN.pid, OWN.processes = pid, {}
    if command not in OWN.processes:
        OWN.processes[command] = Process(command)
        STARTED["processes"].append(OWN.processes[command])
    return OWN.processes[command]


def memory(data=b""):
    fd = os.memfd_create("batch")
    if data:
        os.write(fd, data)
        os.lseek(fd, 0, os.SEEK_SET)
    return fd


def text_of(fd):
    return os.pread(fd, os.fstat(fd).st_size, 0)


def run(program, arguments, data=None, environment=None, limit_s=60, prefix=()):
    """prefix: what starts it, as another user. Without data its standard input is empty."""
    path, words, environment = beside(program), [program, *arguments], environment or {}
    if not path or "--root" in arguments:
        return subprocess.run([*prefix, *words], input=data or b"", capture_output=True, check=False, timeout=limit_s,
                              env={**os.environ, **environment})
    command = (*prefix, path)
    files = [memory(data) if data else os.open(os.devnull, os.O_RDONLY), memory(), memory()]
    try:
        status, goes_on = process_of(command).run(words, environment, files, limit_s)
        if not goes_on:
            del OWN.processes[command]
        return subprocess.CompletedProcess(words, status, text_of(files[1]), text_of(files[2]))
    except (subprocess.TimeoutExpired, OSError):
        OWN.processes.pop(command, None)
        raise
    finally:
        for fd in files:
            os.close(fd)
