#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""automount.py REQUESTS POINT[,POINT…] COMMAND… - runs a command where these folders are automount points (autofs).

Of a daemon that answers nobody: whoever touches a path below one waits. REQUESTS becomes a line for each path that the
kernel asked for, the name below the point. In a mount namespace of its own; exit status 77, with a line why, where the
kernel has no autofs or this user may not mount.
"""
import ctypes
import os
import select
import struct
import subprocess
import sys

CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x00020000, 0x4000, 1 << 18
NAME_AT = 4 + 4 + 4 + 4 + 8 + 4 + 4 + 4 + 4 + 4           # of struct autofs_v5_packet, after the length of the name

libc = ctypes.CDLL(None, use_errno=True)


def give_up(what):
    print(f"{what}: {os.strerror(ctypes.get_errno())}")
    sys.exit(77)


def mount(source, point, kind, flags=0, data=None):
    return libc.mount(source.encode(), point.encode(), kind.encode() if kind else None, flags,
                      data.encode() if data else None)


def names(fd):
    """Of what is in the pipe now."""
    found = []
    while select.select([fd], [], [], 0)[0]:
        packet = os.read(fd, 304)
        if len(packet) < NAME_AT:
            break
        length, = struct.unpack_from("I", packet, NAME_AT - 4)
        found.append(packet[NAME_AT:NAME_AT + length].decode())
    return found


def main():
    requests, points, *command = sys.argv[1:]
    os.setpgrp()
    if libc.unshare(CLONE_NEWNS) or mount("none", "/", "", MS_REC | MS_PRIVATE):
        give_up("no mount namespace")
    reading, writing = os.pipe()
    for point in points.split(","):
        if mount("test", point, "autofs", 0, f"fd={writing},pgrp={os.getpgrp()},minproto=5,maxproto=5,indirect"):
            give_up(f"no autofs on {point}")
    # In a group of its own: of the daemon's nobody is asked to wait.
    status = subprocess.run(command, start_new_session=True, check=False).returncode
    with open(requests, "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in names(reading))
    return status


if __name__ == "__main__":
    sys.exit(main())
