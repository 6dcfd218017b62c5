# SPDX-License-Identifier: GPL-2.0-or-later
"""config_space.py - changes the PCI configuration space of the devices of a running QEMU.

QEMU has no GPU to offer, and no way to say how wide a link has trained or that a device answers no more. It keeps
the 4 KiB of each device on its heap, though, and answers the guest from there: so they are found through
/proc/PID/mem, by ids and a tag, and rewritten. That is allowed for a child process, to root and to nobody alike.
"""
import os
import struct

SIZE = 4096
LARGEST_HEAP = 64 << 20         # what is larger is the guest's memory or translated code
CAP_LIST, CAP_EXPRESS, CAP_MSIX = 0x34, 0x10, 0x11
# In the PCI Express capability.
LINK_CAP, LINK_STATUS, SLOT_CAP, SLOT_STATUS, LINK_CAP_2 = 0x0c, 0x12, 0x14, 0x1a, 0x2c
LINK_ACTIVE = 1 << 13
SLOT_PRESENT, SLOT_PRESENCE_CHANGED, SLOT_LINK_CHANGED = 1 << 6, 1 << 3, 1 << 8


class NotFound(Exception):
    """The device is not where it should be, or this process may not look."""


class ConfigSpace:
    def __init__(self, memory, start):
        self.memory, self.start = memory, start
        self.kept = None

    def read(self, at, size):
        return int.from_bytes(os.pread(self.memory, size, self.start + at), "little")

    def write(self, at, size, value):
        os.pwrite(self.memory, value.to_bytes(size, "little"), self.start + at)

    def change(self, at, size, mask, value):
        """The bits of mask become those of value; the others stay."""
        self.write(at, size, self.read(at, size) & ~mask | value)

    def capability(self, wanted):
        """Where it begins; 0: there is none."""
        at = self.read(CAP_LIST, 1)
        for _ in range(48):
            if not at or self.read(at, 1) == wanted:
                return at
            at = self.read(at + 1, 1)
        return 0

    def identify(self, ids, class_code, subsystem, revision):
        self.write(0x00, 4, ids[1] << 16 | ids[0])
        self.write(0x08, 4, class_code << 8 | revision)
        self.write(0x2c, 4, subsystem[1] << 16 | subsystem[0])

    def set_link_able(self, generation, width):
        express = self.capability(CAP_EXPRESS)
        self.change(express + LINK_CAP, 4, 0x3ff, width << 4 | generation)
        self.change(express + LINK_CAP_2, 4, 0xfe, ((1 << generation) - 1) << 1)

    def set_link(self, generation, width):
        """What the link has trained to. A QEMU root port says what the device below it says."""
        self.change(self.capability(CAP_EXPRESS) + LINK_STATUS, 2, 0x3ff, width << 4 | generation)

    def answer_no_more(self):
        self.kept = os.pread(self.memory, SIZE, self.start)
        os.pwrite(self.memory, b"\xff" * SIZE, self.start)

    def answer_again(self):
        os.pwrite(self.memory, self.kept, self.start)

    def empty_slot(self):
        """Of a root port: the card was pulled out, as its slot and link registers tell it."""
        express = self.capability(CAP_EXPRESS)
        self.change(express + LINK_STATUS, 2, LINK_ACTIVE, 0)
        self.change(express + SLOT_STATUS, 2, SLOT_PRESENT, SLOT_PRESENCE_CHANGED | SLOT_LINK_CHANGED)

    def msix_vectors(self):
        msix = self.capability(CAP_MSIX)
        return (self.read(msix + 2, 2) & 0x7ff) + 1 if msix else 0

    def slot_number(self):
        return self.read(self.capability(CAP_EXPRESS) + SLOT_CAP, 4) >> 19


def heaps(pid):
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as maps:
        for line in maps:
            words = line.split()
            start, end = (int(number, 16) for number in words[0].split("-"))
            if words[1] == "rw-p" and (len(words) < 6 or words[5] == "[heap]") and end - start <= LARGEST_HEAP:
                yield start, end


def find(pid, ids, is_it):
    """The one device of these ids for which is_it(ConfigSpace) is true."""
    wanted = struct.pack("<HH", *ids)
    found = []
    try:
        memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)
        for start, end in heaps(pid):
            try:
                text = os.pread(memory, end - start, start)
            except OSError:
                continue            # unmapped meanwhile
            at = text.find(wanted)
            while at >= 0:
                space = ConfigSpace(memory, start + at)
                if at % 16 == 0 and at + SIZE <= len(text) and space.capability(CAP_EXPRESS) and is_it(space):
                    found.append(space)
                at = text.find(wanted, at + 1)
    except OSError as error:
        raise NotFound(f"QEMU's memory may not be changed: {error}") from error
    if len(found) != 1:
        raise NotFound(f"{len(found)} devices {ids[0]:04x}:{ids[1]:04x} in QEMU's memory, not one")
    return found[0]
