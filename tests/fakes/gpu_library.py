#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gpu_library.py FILE ENTRY…: a library that holds GPU code in name alone, as heads that compilers write.

ENTRY: sm_90, compute_90 (NVIDIA's), gfx942 (AMD's), or a lie: bad-kind, bad-size, endless, garbage, compressed.
With --cut N the file ends after N bytes.
"""
import struct
import sys

ALIGN = 8
PAYLOAD = 4096


def nvidia_entry(word):
    kind = 1 if word.startswith("compute_") else 2
    number = int(word.split("_")[1])
    head = struct.pack("<HHIQQII", kind, 0x0101, 64, PAYLOAD, 0, 0, number)
    return head + bytes(64 - len(head)) + bytes(PAYLOAD)


def lie(word):
    kind, payload, head_bytes = {"bad-kind": (7, 0, 64), "bad-size": (2, 1 << 60, 64), "endless": (2, 0, 0)}[word]
    head = struct.pack("<HHIQQII", kind, 0x0101, head_bytes, payload, 0, 0, 90)
    return head + bytes(64 - len(head))


def fatbin(words):
    out = b""
    for word in words:
        entry = lie(word) if "-" in word or word == "endless" else nvidia_entry(word)
        # Each in a blob of its own, as one is for each source file.
        out += struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
        out += bytes(-len(out) % ALIGN) + bytes(ALIGN)
    return out


def bundles(words):
    ids = [b"host-x86_64-unknown-linux--"] + [b"hipv4-amdgcn-amd-amdhsa--" + word.encode() for word in words]
    at = 4096
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(ids))
    for one in ids:
        size = PAYLOAD if one != ids[0] else 0
        head += struct.pack("<QQQ", at, size, len(one)) + one
        at += size
    return head + bytes(at - len(head))


def section_of(words):
    if words == ["garbage"]:
        return b".nv_fatbin", b"\x5a" * 5000
    if words == ["compressed"]:
        return b".hip_fatbin", b"CCOB" + bytes(5000)
    if words and words[0].startswith("gfx"):
        return b".hip_fatbin", bundles(words)
    return b".nv_fatbin", fatbin(words)


def library(words):
    name, content = section_of(words)
    names = b"\0" + name + b"\0.shstrtab\0"
    # The code begins at a page, as linkers place it.
    start = 4096
    names_at = start + len(content)
    table_at = names_at + len(names) + (-(names_at + len(names)) % ALIGN)
    elf = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table_at, 0, 64, 0, 0, 64, 3, 2)
    out = elf + bytes(start - len(elf)) + content + names
    out += bytes(table_at - len(out))
    out += bytes(64)
    out += struct.pack("<IIQQQQIIQQ", 1, 1, 0, 0, start, len(content), 0, 0, 16, 0)
    out += struct.pack("<IIQQQQIIQQ", 2 + len(name), 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    return out


def main():
    arguments, cut = sys.argv[1:], None
    if arguments[0] == "--cut":
        cut, arguments = int(arguments[1]), arguments[2:]
    with open(arguments[0], "wb") as file:
        file.write(library(arguments[1:])[:cut])


main()
