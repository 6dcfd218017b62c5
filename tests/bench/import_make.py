#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A text for tests/bench/import.sh: import_make.py KIND MEGABYTES > FILE

  report     a bug report as they are: half of it base64 and build logs, then kernel logs, lspci's bytes, nvidia-smi -q
  log        a bug report of which nine tenths are kernel logs: the ring, files and the journal that were searched
  query      a bug report of which nine tenths are nvidia-smi -q of many GPUs
  dmesg      a kernel log by itself
  empty      empty lines
  short      lines of one character
  words      lines of prose without a report around them
  line       one line
  json       a JSON document as deep as one may be, of a kind that gpudiag does not know
  brackets   lines of an opening bracket each

The same arguments give the same bytes.
"""
import random
import sys

RULE = "\n" + "_" * 44 + "\n\n"
STAMP = "2024-06-12 10:00:0%d.123456789 +0200"
NOISE = [
    "docker0: port {c}(veth{x}) entered blocking state",
    "docker0: port {c}(veth{x}) entered disabled state",
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{x}: link becomes ready",
    "audit: type=1400 audit(17000{n}.120:{n}): apparmor=\"ALLOWED\" operation=\"open\" pid={n} comm=\"cat\"",
    "[UFW BLOCK] IN=eth0 OUT= MAC=00:16:3e:{x} SRC=10.1.{b}.{c} DST=10.1.0.2 LEN=40 PROTO=TCP SPT={n}",
    "usb 1-{c}: new high-speed USB device number {b} using xhci_hcd",
    "pci 0000:{b}:00.0: [8086:{n}] type 00 class 0x088000",
    "pci 0000:{b}:00.0: reg 0x10: [mem 0x{x}-0x{x} 64bit]",
    "nvme nvme{c}: I/O {b} QID {c} timeout, completion polled",
    "mlx5_core 0000:{c}a:00.0 ib{c}: Port module event: module {c}, Cable plugged",
    "XFS (nvme{c}n1p1): Mounting V5 Filesystem {x}",
    "perf: interrupt took too long ({n} > 2500), lowering kernel.perf_event_max_sample_rate to {n}",
    "nfs: server 10.1.{b}.{c} not responding, still trying",
    "ACPI: SSDT 0x{x}{x} 000{n} (v02 INTEL  CpuSsdt  00003000 INTL 20160527)",
    "BIOS-e820: [mem 0x{x}{x}-0x{x}{x}] usable",
]
EVENTS = [
    "NVRM: Xid (PCI:0000:5d:00): 31, pid={n}, name=python3, Ch 0000000{c}, intr 00000000. MMU Fault: ENGINE GRAPHICS",
    "NVRM: Xid (PCI:0000:{c}d:00): 94, pid={n}, name=python3, Contained: SM (0x1). RST: No, D-RST: No",
    "NVRM: GPU at PCI:0000:5d:00: GPU-{x}-0000-4000-8000-000000000000",
    "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link {b} LTSSM Fault Up",
    "pcieport 0000:00:1c.{c}: AER: Corrected error message received from 0000:00:1c.1",
]
SEARCHED = [
    "nvidia-uvm: Loaded the UVM driver, major device number {n}.",
    "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  550.90.07",
    "[drm] [nvidia-drm] [GPU ID 0x00005{c}00] Loading driver",
    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024",
    "nvidia 0000:5{c}:00.0: vgaarb: VGA decodes changed: olddecodes=io+mem,decodes=none:owns=none",
] + EVENTS[:3]
KEYS = [(0, "Product Name", "NVIDIA H100 80GB HBM3"), (0, "Persistence Mode", "Enabled"), (0, "MIG Mode", None),
        (1, "Current", "Disabled"), (1, "Pending", "Disabled"), (0, "VBIOS Version", "96.00.89.00.01"),
        (0, "GPU Link Info", None), (1, "PCIe Generation", None), (2, "Max", "5"), (2, "Current", "5"),
        (1, "Link Width", None), (2, "Max", "16x"), (2, "Current", "16x"), (0, "Replays Since Reset", "0"),
        (0, "Performance State", "P0"), (0, "FB Memory Usage", None), (1, "Total", "81559 MiB"),
        (1, "Reserved", "551 MiB"), (1, "Used", "0 MiB"), (1, "Free", "81008 MiB"), (0, "ECC Mode", None),
        (1, "Current", "Enabled"), (1, "Pending", "Enabled"), (0, "ECC Errors", None), (1, "Volatile", None),
        (2, "SRAM Correctable", "0"), (2, "SRAM Uncorrectable Parity", "0"), (2, "DRAM Correctable", "0"),
        (2, "DRAM Uncorrectable", "0"), (0, "Temperature", None), (1, "GPU Current Temp", "34 C"),
        (1, "GPU T.Limit Temp", "51 C"), (0, "GPU Power Readings", None), (1, "Average Power Draw", "71.20 W"),
        (1, "Current Power Limit", "700.00 W"), (0, "Clocks", None), (1, "SM", "1980 MHz"), (1, "Memory", "2619 MHz"),
        (0, "Processes", "None")]


class Text:
    def __init__(self, size):
        self.rng = random.Random(22)
        self.size, self.written = size, 0

    def put(self, text):
        sys.stdout.write(text)
        self.written += len(text)

    def fill(self, text):
        rng = self.rng
        return text.format(n=rng.randrange(1000, 99999), b=rng.randrange(10, 60), c=rng.randrange(10),
                           x="%08x" % rng.randrange(1 << 32))

    def until(self, share):
        """Is there less than this share of the text?"""
        return self.written < share * self.size

    def pool(self, texts, nr):
        return [self.fill(self.rng.choice(texts)) for _ in range(nr)]

    def file(self, path):
        self.put(RULE + "*** " + path + "\n*** ls: -r--r--r-- 1 root root 0 " + STAMP % 1 + " " + path + "\n")

    def log(self, share, form, texts, at_us):
        """Lines up to that share; the time goes on from one to the next."""
        pool, i = self.pool(texts, 4001), 0
        while self.until(share):
            self.put(form(at_us + i * 1700) + pool[i % len(pool)] + "\n")
            i += 1

    def ring(self, share):
        def stamp(us):
            return "[%5d.%06d] " % (us // 1000000, us % 1000000)
        self.put(RULE + "dmesg:\n\n[    0.000000] Linux version 5.15.0-113-generic (buildd@lcy02) #123-Ubuntu SMP\n")
        # One line in a hundred is an event.
        self.log(share, stamp, NOISE * 33 + EVENTS, 100)
        self.put("\n")

    def searched(self, share):
        def stamp(us):
            s = us // 1000000
            return "Jun 12 %02d:%02d:%02d node7 kernel: [%5d.%06d] " % (s // 3600, s // 60 % 60, s % 60, s, us % 1000000)

        def journal(us):
            s = us // 1000000
            return "jun 12 %02d:%02d:%02d node7 kernel: " % (s // 3600, s // 60 % 60, s % 60)
        self.put(RULE + "Scanning kernel log files for NVIDIA kernel messages:\n\n  /var/log/kern.log:\n")
        begun = self.written / self.size
        self.log((begun + share) / 2, stamp, SEARCHED, 0)
        self.put("\n  journalctl -b -0:\n")
        self.log(share, journal, SEARCHED, 0)
        self.put("\n")

    def query(self, share):
        nr = 0
        self.put(RULE + "/usr/bin/nvidia-smi --query\n\n")
        while self.until(share) or not nr:
            if nr % 16 == 0:
                self.put("\n==============NVSMI LOG==============\n\nTimestamp" + " " * 34 + ": Wed Jun 12 10:00:03 2024\n"
                         "Driver Version                             : 550.90.07\n"
                         "CUDA Version                               : 12.4\n\n"
                         "Attached GPUs                              : 16\n")
            gpu = nr % 16
            self.put("GPU 00000000:%02X:00.0\n" % (0x10 + gpu))
            for depth, key, value in KEYS + [(0, "GPU UUID", "GPU-%08x-0000-4000-8000-000000000000" % gpu)]:
                key = "    " * (depth + 1) + key
                self.put(key.ljust(43) + ": " + value + "\n" if value else key + "\n")
            self.put("\n")
            nr += 1

    def lspci(self, share):
        nr = 0
        self.put(RULE + "/usr/bin/lspci -nnDvvvxxx\n\n")
        while self.until(share):
            self.put("%04x:%02x:00.0 System peripheral [0880]: Intel Corporation Device [8086:%04x] (rev 04)\n"
                     "\tSubsystem: Intel Corporation Device [8086:0000]\n"
                     "\tControl: I/O- Mem- BusMaster- SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR- FastB2B- DisINTx-\n"
                     "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-\n"
                     "\tNUMA node: 0\n\tIOMMU group: %d\n\tRegion 0: Memory at 380ff%05x000 (64-bit, prefetchable)\n"
                     "\tCapabilities: [40] Express (v2) Root Complex Integrated Endpoint, MSI 00\n"
                     % (nr >> 8, nr & 255, self.rng.randrange(1 << 16), nr, nr))
            for row in range(16):
                self.put("%x0:" % row + "".join(" %02x" % self.rng.randrange(256) for _ in range(16)) + "\n")
            self.put("\n")
            nr += 1

    def base64(self, share):
        digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        pool = ["".join(self.rng.choices(digits, k=76)) + "\n" for _ in range(997)]
        self.put(RULE + "base64 \"nvidia-nvml-temp1234.log\"\n\n")
        while self.until(share):
            self.put(self.rng.choice(pool))

    def build(self, share):
        i = 0
        self.file("/var/lib/dkms/nvidia/550.90.07/build/make.log")
        while self.until(share):
            self.put("  CC [M]  /var/lib/dkms/nvidia/550.90.07/build/nvidia/nv-part%d.o\n" % i)
            i += 1

    def report(self, *parts):
        self.put(RULE + "Start of NVIDIA bug report log file.  Please include this file, along\n\n"
                 "nvidia-bug-report.sh Version: 33986469\n\nDate: woe jun 12 10:00:00 CEST 2024\n"
                 "uname: Linux node7 5.15.0-113-generic #123-Ubuntu SMP Mon Jun 10 08:16:17 UTC 2024 x86_64 GNU/Linux\n")
        self.file("/proc/driver/nvidia/./version")
        self.put("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024\n")
        for part, share in parts:
            part(share)
        self.put(RULE + "End of NVIDIA bug report log file.\n")


def prose(text):
    pool = ["The run of %d tasks on node%d stopped after %d steps, and nothing was printed.\n"
            % tuple(text.rng.randrange(1000) for _ in range(3)) for _ in range(997)]
    while text.until(1):
        text.put(text.rng.choice(pool))


def json(text):
    depth = 60
    one = '{"a": [' * (depth // 2) + '{"value": 1}' + "]}" * (depth // 2)
    text.put('{"things": [\n')
    while text.until(1):
        text.put(one + ",\n")
    text.put(one + "\n]}\n")


def main():
    kind, size = sys.argv[1], int(float(sys.argv[2]) * 1000000)
    text = Text(size)
    if kind == "report":
        text.report((text.base64, .3), (text.build, .5), (text.searched, .6), (text.ring, .75), (text.lspci, .9),
                    (text.query, 1))
    elif kind == "log":
        text.report((text.searched, .3), (text.ring, .9), (text.query, 1))
    elif kind == "query":
        text.report((text.query, .9), (text.ring, 1))
    elif kind == "dmesg":
        text.ring(1)
    elif kind == "words":
        prose(text)
    elif kind == "json":
        json(text)
    else:
        one = {"empty": "\n", "short": "x\n", "line": "some words in one line ", "brackets": "[\n"}[kind]
        text.put(one * (size // len(one)))


main()
