# SPDX-License-Identifier: GPL-2.0-or-later
"""tree.py - writes the /sys, /proc, /dev and /etc of a machine that is described, not recorded.

A Machine is one tree. Its methods add PCI functions, DRM cards, driver files
and processes in the forms that Linux 6.1 gives them; close() adds what every
machine has. Formats are those of shared facts (amd-intel-kernel.md 4.1, 4.2,
5, 6; nvidia.md 3.4) and of /proc on a running Debian 12.
"""
import os
import struct
import uuid

from files import Files, Link

GIB = 1 << 30
GT_PER_S = {1: "2.5", 2: "5.0", 3: "8.0", 4: "16.0", 5: "32.0", 6: "64.0"}
ENDPOINT, LEGACY_ENDPOINT, ROOT_PORT, UPSTREAM, DOWNSTREAM, TO_PCI = 0, 1, 4, 5, 6, 7
NO_LINK = (None, 0, None, 0)            # "Unknown" and 0: an integrated GPU
ELF64 = b"\x7fELF\x02\x01\x01" + bytes(9)
OFF_BUS = (None, 63, 6, 63)             # every register reads as all ones

# Names as in pci.ids; trees carry this list, so that a replay does not depend on the machine it runs on.
PCI_IDS = {
    "1000": ("Broadcom / LSI", {"c030": "PEX890xx PCIe Gen 5 Switch"}),
    "1002": ("Advanced Micro Devices, Inc. [AMD/ATI]", {
        "1478": "Navi 10 XL Upstream Port of PCI Express Switch",
        "1479": "Navi 10 XL Downstream Port of PCI Express Switch",
        "15bf": "Phoenix1",
        "73bf": "Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]",
        "740f": "Aldebaran/MI200 [Instinct MI210]",
        "744c": "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]",
        "74a1": "Aqua Vanjaram [Instinct MI300X]",
        "ab28": "Navi 21/23 HDMI/DP Audio Controller"}),
    "1014": ("IBM", {"04c1": "POWER9 Host Bridge (PHB4)"}),
    "1022": ("Advanced Micro Devices, Inc. [AMD]", {
        "1483": "Starship/Matisse GPP Bridge", "14eb": "Phoenix Internal GPP Bridge to Bus [C:A]",
        "14ab": "Genoa/Bergamo PCIe GPP Bridge"}),
    "10b5": ("PLX Technology, Inc.", {"9797": "PEX 9797 96-lane PCIe Switch"}),
    "10de": ("NVIDIA Corporation", {
        "1091": "GF110GL [Tesla M2090]",
        "1eb8": "TU104GL [Tesla T4]",
        "20b2": "GA100 [A100 SXM4 80GB]",
        "2335": "GH100 [H200 SXM 141GB]",
        "2941": "GB100 [GB200]",
        "1ac2": "GV100 [V100 NVSwitch]",
        "1db8": "GV100GL [Tesla V100 SXM3 32GB]",
        "22a3": "GH100 [H100 NVSwitch]",
        "2342": "GH100 [GH200 120GB / 480GB]",
        "2901": "GB100 [B200]",
        "2e12": "GB20B [GB10]",
        "1db1": "GV100GL [Tesla V100 SXM2 16GB]",
        "20b5": "GA100 [A100 PCIe 80GB]",
        "22ba": "AD102 High Definition Audio Controller",
        "2230": "GA102GL [RTX A6000]",
        "2330": "GH100 [H100 SXM5 80GB]",
        "2684": "AD102 [GeForce RTX 4090]",
        "26b9": "AD102GL [L40S]",
        "28e0": "AD107M [GeForce RTX 4060 Max-Q / Mobile]"}),
    "144d": ("Samsung Electronics Co Ltd", {"a80a": "NVMe SSD Controller PM9A1/PM9A3/980PRO"}),
    "14e4": ("Broadcom Inc. and subsidiaries", {"1760": "BCM57608 25Gb/50Gb/100Gb/200Gb/400Gb Ethernet"}),
    "15b3": ("Mellanox Technologies", {"1021": "MT2910 Family [ConnectX-7]"}),
    "1a03": ("ASPEED Technology, Inc.", {
        "1150": "AST1150 PCI-to-PCI Bridge", "2000": "ASPEED Graphics Family"}),
    "1af4": ("Red Hat, Inc.", {"1041": "Virtio network device"}),
    "8086": ("Intel Corporation", {
        "0bd5": "Ponte Vecchio XT (2 Tile) [Data Center GPU Max 1550]",
        "1521": "I350 Gigabit Network Connection",
        "4fa0": "DG2 PCI Express Switch Upstream Port",
        "4fa4": "DG2 PCI Express Switch Downstream Port",
        "56a0": "DG2 [Arc A770]",
        "56a5": "DG2 [Arc A380]",
        "56c0": "Data Center GPU Flex 170",
        "7d55": "Meteor Lake-P [Intel Arc Graphics]",
        "a7a0": "Raptor Lake-P [Iris Xe Graphics]",
        "e20b": "Battlemage G21 [Arc B580]"}),
}


def cpu_numbers(cpulist):
    """The numbers in a list such as "0-3,8"."""
    for part in filter(None, cpulist.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def config_space(vendor, device, class_code, *, subsystem=(0, 0), revision=0, port=ENDPOINT, link=None, payload=256,
                 payload_able=256, read_request=512, aspm=0, acs=None, present=None, active=None):
    """A header, a power-management capability at 0x40 and, with a link, PCI Express at 0x60; 256 bytes.

    present: of a port with a slot, whether a card is in it; active: of one that reports its link, whether it is up.
    acs: the ACS control word, at 0x140 behind AER, and so 4096 bytes.
    """
    config = bytearray(256 if acs is None else 4096)
    is_bridge = class_code >> 8 == 0x0604
    struct.pack_into("<HHHH", config, 0x00, vendor, device, 0x0406, 0x0010)
    config[0x08:0x0c] = struct.pack("<I", class_code << 8 | revision)
    config[0x0e] = 1 if is_bridge else 0
    if not is_bridge:
        struct.pack_into("<HH", config, 0x2c, *subsystem)
    config[0x34] = 0x40
    struct.pack_into("<BBH", config, 0x40, 0x01, 0x60 if link else 0, 0x0003)
    if link:
        now_gen, now_width, able_gen, able_width = link
        has_slot, reports = present is not None, active is not None
        struct.pack_into("<BBH", config, 0x60, 0x10, 0, 2 | port << 4 | has_slot << 8)
        struct.pack_into("<I", config, 0x60 + 0x04, (payload_able // 128).bit_length() - 1)
        struct.pack_into("<H", config, 0x60 + 0x08, ((payload // 128).bit_length() - 1) << 5 |
                         ((read_request // 128).bit_length() - 1) << 12)
        struct.pack_into("<I", config, 0x60 + 0x0c, (able_gen or 0) | able_width << 4 | reports << 20)
        struct.pack_into("<H", config, 0x60 + 0x10, aspm)
        struct.pack_into("<H", config, 0x60 + 0x12, (now_gen or 0) | now_width << 4 | bool(active) << 13)
        struct.pack_into("<H", config, 0x60 + 0x1a, bool(present) << 6)
        struct.pack_into("<I", config, 0x60 + 0x2c, ((1 << (able_gen or 0)) - 1) << 1)
    if acs is not None:
        struct.pack_into("<I", config, 0x100, 0x0001 | 2 << 16 | 0x140 << 20)
        struct.pack_into("<IHH", config, 0x140, 0x000d | 1 << 16, 0x005f, acs)
    return bytes(config)


def hash_of(text):
    """A number that stands for a text, the same in every run."""
    return uuid.uuid5(uuid.NAMESPACE_OID, text).int >> 32


def smbios_structure(kind, handle, formatted, *strings):
    """A structure of the firmware's tables: header, formatted area, strings."""
    text = b"".join(string.encode() + b"\0" for string in strings) or b"\0"
    return struct.pack("<BBH", kind, 4 + len(formatted), handle) + formatted + text + b"\0"


def smbios_place(address):
    """Segment, bus, device and function as the tables hold them."""
    domain, bus, rest = address.split(":")
    device, function = rest.split(".")
    return struct.pack("<HBB", int(domain, 16), int(bus, 16), int(device, 16) << 3 | int(function))


class Machine:
    def __init__(self, name, **about):
        self.name = name
        self.files = Files()
        self.paths = {}                 # of PCI functions, by address
        self.nvidia_gpus = []
        self.cards = 0
        self.mounts, self.mountinfo = [], []
        self.about = {
            "vendor": "Supermicro", "product": "SYS-421GE-TNRT", "serial": "TEST0001",
            "kernel": "6.1.0-28-amd64", "arch": "x86_64", "os": "Debian GNU/Linux 12 (bookworm)",
            "cpu": "Intel(R) Xeon(R) Platinum 8462Y+", "flags": "fpu vme de pse tsc msr sse sse2 ht avx512f",
            "nodes": {0: "0-31", 1: "32-63"}, "packages": ["0-31", "32-63"], "memory_gib": 512, "available": 0.93,
            "uptime_s": 3563112.44, "command_line": "BOOT_IMAGE=/boot/vmlinuz-6.1.0-28-amd64 root=/dev/md0 ro",
            "swaps": [], "vmstat": {}, "pressure": {}, "icds": {}, "char_devices": [],
            "config_bytes": 4096, **about,
        }
        self.process(1, "systemd", parent=0)
        self.process(2, "kthreadd", parent=0, kernel=True)
        self.process(17, "kworker/0:1-events", parent=2, kernel=True, state="I")
        self.process(911, "sshd", fds={0: "/dev/null", 3: "socket:[21345]"})

    # ---- files

    def write(self, path, content):
        self.files.put(path, content if isinstance(content, bytes) else content.encode())

    def folder(self, path):
        self.files.folder(path)

    def lines(self, folder, **files):
        """One file for each name, its value with a line feed as sysfs writes it."""
        for name, value in files.items():
            self.write(f"{folder}/{name}", value if isinstance(value, bytes) else f"{value}\n")

    def link(self, path, target):
        """A link; one within /sys as the kernel writes it: up, and down to the target's own name."""
        if path.startswith("/sys/") and target.startswith("/sys/"):
            folder, name = os.path.split(target)
            target = os.path.join(os.path.relpath(folder, os.path.dirname(path)), name)
        self.files.put(path, Link(target))

    # ---- the bus

    def pci(self, address, ids, class_code, *, below=None, driver=None, node=None, link=None, port=ENDPOINT,
            power="D0", runtime="active", subsystem="0000:0000", revision=0, config=None, settings=None, files=None):
        """A PCI function. link: (generation now, width now, generation able, width able).

        config: "ones" where it is off the bus. settings: more arguments of config_space().
        files: further ones, or others in place of those written here; None leaves one out.
        """
        above = self.paths[below] if below else f"/sys/devices/pci{address.rsplit(':', 1)[0]}"
        path = self.paths[address] = f"{above}/{address}"
        vendor, device = ids.split(":")
        sub_vendor, sub_device = subsystem.split(":")
        content = {
            "vendor": f"0x{vendor}", "device": f"0x{device}", "class": f"0x{class_code:06x}",
            "subsystem_vendor": f"0x{sub_vendor}", "subsystem_device": f"0x{sub_device}",
            "revision": f"0x{revision:02x}", "numa_node": -1 if node is None else node,
            "local_cpulist": self.all_cpus() if node is None else self.about["nodes"][node],
            "power_state": power, "power/runtime_status": runtime, "enable": 1, "irq": 16,
            "uevent": f"PCI_CLASS={class_code:X}\nPCI_ID={ids.upper()}\nPCI_SLOT_NAME={address}",
        }
        if link:
            for end, generation, width in (("current", *link[:2]), ("max", *link[2:])):
                speed = f"{GT_PER_S[generation]} GT/s PCIe" if generation else "Unknown"
                content |= {f"{end}_link_speed": speed, f"{end}_link_width": width}
        content["config"] = b"\xff" * 256 if config == "ones" else config_space(
            int(vendor, 16), int(device, 16), class_code, subsystem=(int(sub_vendor, 16), int(sub_device, 16)),
            revision=revision, port=port, link=link, **(settings or {}))[:self.about["config_bytes"]]
        content |= files or {}
        self.lines(path, **{name: value for name, value in content.items() if value is not None})
        self.link(f"/sys/bus/pci/devices/{address}", path)
        self.link(f"{path}/subsystem", "/sys/bus/pci")
        if driver:
            self.folder(f"/sys/bus/pci/drivers/{driver}")
            self.link(f"{path}/driver", f"/sys/bus/pci/drivers/{driver}")

    def all_cpus(self):
        numbers = sorted(number for cpus in self.about["nodes"].values() for number in cpu_numbers(cpus))
        return f"{numbers[0]}-{numbers[-1]}"

    def all_nodes(self):
        return ",".join(str(number) for number in self.about["nodes"])

    def name_bus(self, port, bus):
        """The bus below a bridge, as /sys/class/pci_bus has it."""
        folder = f"{self.paths[port]}/pci_bus/{bus}"
        self.lines(folder, cpulistaffinity=self.all_cpus())
        self.link(f"/sys/class/pci_bus/{bus}", folder)

    def slot(self, name, place, port=None, **files):
        """A slot the kernel names; place: "0000:5d:00"; port: the hotplug port above it."""
        self.lines(f"/sys/bus/pci/slots/{name}", address=place, cur_bus_speed="32.0 GT/s PCIe",
                   max_bus_speed="32.0 GT/s PCIe", **files)
        if port:
            self.name_bus(port, place[:-3])

    def aer(self, address, correctable=None, nonfatal=None, fatal=None, root_fatal=None):
        """The error counters of a function: {kind: number} of those that are not 0."""
        kinds = {"correctable": ("COR", "RxErr BadTLP BadDLLP Rollover Timeout NonFatalErr CorrIntErr HeaderOF"),
                 "nonfatal": ("NONFATAL", "Undefined DLP SDES TLP FCP CmpltTO CmpltAbrt UnxCmplt RxOF MalfTLP ECRC UnsupReq "
                              "ACSViol UncorrIntErr BlockedTLP AtomicOpBlocked TLPBlockedErr PoisonTLPBlocked")}
        kinds["fatal"] = ("FATAL", kinds["nonfatal"][1])
        for name, counts in (("correctable", correctable), ("nonfatal", nonfatal), ("fatal", fatal)):
            total, words = kinds[name]
            counts = counts or {}
            self.write(f"{self.paths[address]}/aer_dev_{name}", "".join(
                f"{word} {counts.get(word, 0)}\n" for word in words.split()) +
                f"TOTAL_ERR_{total} {sum(counts.values())}\n")
        if root_fatal is not None:
            self.lines(self.paths[address], aer_rootport_total_err_fatal=root_fatal)

    def firmware_slots(self, slots, onboard=None):
        """What SMBIOS calls places on the bus: {label: address}, of slots and of what is soldered."""
        table = smbios_structure(0, 0, b"\1\2\0\xf0\3\0", "American Megatrends", "2.4")
        for number, (label, address) in enumerate(slots.items()):
            table += smbios_structure(9, 0x900 + number, struct.pack("<BBBBBHBB", 1, 0xb6, 0x0d, 4, 4, number, 4, 1) +
                                      smbios_place(address), label)
        for number, (label, address) in enumerate((onboard or {}).items()):
            table += smbios_structure(41, 0x2900 + number, struct.pack("<BBB", 1, 0x83, 1) + smbios_place(address), label)
        self.write("/sys/firmware/dmi/tables/DMI", table + smbios_structure(127, 0xfeff, b""))

    def drm(self, address):
        """A card and a render node of that function."""
        minor, self.cards = self.cards, self.cards + 1
        for name in (f"card{minor}", f"renderD{128 + minor}"):
            folder = f"{self.paths[address]}/drm/{name}"
            number = minor if name[0] == "c" else 128 + minor
            self.lines(folder, dev=f"226:{number}", uevent=f"MAJOR=226\nMINOR={number}\nDEVNAME=dri/{name}")
            self.link(f"{folder}/subsystem", "/sys/class/drm")
            self.link(f"{folder}/device", self.paths[address])
            self.link(f"/sys/class/drm/{name}", folder)
            self.write(f"/dev/dri/{name}", "")
        if minor == 0:
            self.about["char_devices"].append("226 drm")

    def without_node(self, *names):
        """The device nodes of these names are not there."""
        for name in names:
            self.files.remove(f"/dev/{name}")

    def nvidia_gpu(self, address, model, info=None, **pci):
        """A GPU that the nvidia driver drives: its function, its device node and its lines in /proc.

        info: lines of /proc/driver/nvidia/gpus/*/information that differ."""
        ids = pci.pop("ids")
        self.pci(address, ids, pci.pop("class_code", 0x030200), driver="nvidia", **pci)
        minor = len(self.nvidia_gpus)
        self.nvidia_gpus.append(address)
        self.write(f"/dev/nvidia{minor}", "")
        gpu_uuid = uuid.uuid5(uuid.NAMESPACE_OID, f"{self.name} {address}")
        values = {"Model": f"\t\t {model}", "IRQ": "\t\t 16", "GPU UUID": f"\t {'GPU-' + str(gpu_uuid)}",
                  "Video BIOS": "\t 96.00.89.00.01", "Bus Type": "\t PCIe", "DMA Size": "\t 52 bits",
                  "DMA Mask": "\t 0xfffffffffffff", "Bus Location": f"\t {address}", "Device Minor": f"\t {minor}",
                  "GPU Firmware": "\t 550.54.14", "GPU Excluded": "\t No",
                  **{key: f"\t {value}" for key, value in (info or {}).items()}}
        self.write(f"/proc/driver/nvidia/gpus/{address}/information",
                   "".join(f"{key}:{value}\n" for key, value in values.items()))

    def nvidia_driver(self, version="550.54.14"):
        self.write("/proc/driver/nvidia/version",
                   f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Thu Feb 22 01:44:30 UTC 2024\n"
                   "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n")
        self.lines("/sys/module/nvidia", version=version)
        for name in ("nvidiactl", "nvidia-uvm"):
            self.write(f"/dev/{name}", "")
        self.about["char_devices"] += ["195 nvidia", "508 nvidia-uvm"]
        self.about["icds"]["nvidia.icd"] = "libnvidia-opencl.so.1\n"

    # ---- processes

    def stat(self, folder, pid, comm, *, state, parent, kernel, threads, start_ms):
        flags = 0x00208040 if kernel else 0x00400100
        self.write(f"{folder}/stat", f"{pid} ({comm}) {state} {parent} {pid} {pid} 0 -1 {flags} 421 0 0 0 31 17 0 0 "
                   f"20 0 {threads} 0 {pid * 3} 178790400 3021 18446744073709551615 1 1 0 0 0 0 0 4096 0 "
                   "0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n")
        self.write(f"{folder}/sched", f"{comm} ({pid}, #threads: {threads})\n{'-' * 67}\n"
                   f"se.exec_start                                :  {start_ms:20.6f}\n"
                   f"se.vruntime                                  :  {start_ms / 7:20.6f}\n")

    def process(self, pid, comm, *, parent=1, uid=0, state="S", kernel=False, fds=None, fdinfo=None, threads=None,
                stack="", wchan="0", asleep_s=0, cgroup="/system.slice", cpus=None, memlock=None, memory_gib=1, cwd=None,
                arguments=None):
        """threads: {number: {"state": …, "stack": …, "wchan": …, "asleep_s": …}} beside the first.

        fdinfo: {descriptor: {key: value}}, as a DRM driver words it.
        cgroup: a path of version 2, or the whole text of /proc/PID/cgroup.
        cpus: those it may use, as a list; all. memlock: in bytes; no limit.
        cwd: its working directory. arguments: how it was called, as a list.
        """
        about = {"state": state, "stack": stack, "wchan": wchan, "asleep_s": asleep_s}
        tasks = {pid: about, **(threads or {})}
        for number, task in tasks.items():
            task = {"state": "S", "stack": "", "wchan": "0", "asleep_s": 0, **task}
            for folder in [f"/proc/{pid}/task/{number}"] + ([f"/proc/{pid}"] if number == pid else []):
                self.stat(folder, number, comm, state=task["state"], parent=parent, kernel=kernel,
                          threads=len(tasks), start_ms=(self.about["uptime_s"] - task["asleep_s"]) * 1000)
                self.lines(folder, comm=comm, cgroup=f"0::{cgroup}" if cgroup[0] == "/" else cgroup)
                self.write(f"{folder}/wchan", task["wchan"])
                self.write(f"{folder}/stack", "".join(f"[<0>] {frame}\n" for frame in task["stack"]))
                self.write(f"{folder}/status", f"Name:\t{comm}\nUmask:\t0022\nState:\t{task['state']}\nTgid:\t{pid}\n"
                           f"Pid:\t{number}\nPPid:\t{parent}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n"
                           f"Gid:\t{uid}\t{uid}\t{uid}\t{uid}\n"
                           + ("" if kernel else f"VmRSS:\t{int(memory_gib * GIB) // 1024:8} kB\n"
                              f"VmSwap:\t{0:8} kB\n") +
                           f"Threads:\t{len(tasks)}\nCpus_allowed_list:\t{cpus or self.all_cpus()}\n"
                           f"Mems_allowed_list:\t{self.all_nodes()}\n")
        self.limits(pid, memlock)
        if arguments:
            self.write(f"/proc/{pid}/cmdline", "".join(f"{word}\0" for word in arguments))
        if cwd:
            self.link(f"/proc/{pid}/cwd", cwd)
        self.folder(f"/proc/{pid}/fd")
        for number, target in (fds or {}).items():
            self.link(f"/proc/{pid}/fd/{number}", target)
            self.write(f"/proc/{pid}/fdinfo/{number}", "pos:\t0\nflags:\t02100002\nmnt_id:\t25\nino:\t561\n" + "".join(
                f"{key}:\t{value}\n" for key, value in (fdinfo or {}).get(number, {}).items()))

    def limits(self, pid, memlock):
        text = f"{'Limit':<25} {'Soft Limit':<20} {'Hard Limit':<20} {'Units':<10}\n"
        for name, limit, unit in (("Max cpu time", None, "seconds"), ("Max open files", 1024, "files"),
                                  ("Max locked memory", memlock, "bytes"), ("Max address space", None, "bytes")):
            limit = "unlimited" if limit is None else limit
            text += f"{name:<25} {limit:<20} {limit:<20} {unit:<10}\n"
        self.write(f"/proc/{pid}/limits", text)

    # ---- the machine beside its GPUs

    def module(self, name, *, version=None, taint="", users=0):
        self.lines(f"/sys/module/{name}", taint=taint, refcnt=users, srcversion=f"{hash_of(name):024X}")
        if version:
            self.lines(f"/sys/module/{name}", version=version)

    def user_libraries(self, version, folder="/usr/lib/x86_64-linux-gnu",
                       names=("libcuda", "libnvidia-ml", "libnvidia-opencl")):
        """NVIDIA's libraries for programs, with the link that the loader follows."""
        for name in names:
            self.write(f"{folder}/{name}.so.{version}", ELF64)
            self.link(f"{folder}/{name}.so.1", f"{name}.so.{version}")

    def cgroup_v2(self, group, files, mount_root="/"):
        """The recorder's group in the unified tree. files: {group below the mount: {file: text}}."""
        self.write("/proc/self/cgroup", f"0::{group}\n")
        self.mountinfo.append(f"31 23 0:27 {mount_root} /sys/fs/cgroup rw,nosuid shared:9 - "
                              "cgroup2 cgroup2 rw,nsdelegate")
        for below, texts in files.items():
            for name, text in texts.items():
                self.write(f"/sys/fs/cgroup{below.rstrip('/')}/{name}", f"{text}\n")

    def cgroup_v1(self, group, files, mount_root="/"):
        """The same with a tree for each controller. files: {controller: {group below the mount: {file: text}}}."""
        self.write("/proc/self/cgroup", "".join(
            f"{number}:{controllers}:{group}\n" for number, controllers in
            ((11, "cpuset"), (7, "cpu,cpuacct"), (4, "memory"))) + "1:name=systemd:/user.slice\n0::/user.slice\n")
        for number, controller in enumerate(("cpuset", "cpu,cpuacct", "memory")):
            self.mountinfo.append(f"{32 + number} 31 0:{28 + number} {mount_root} /sys/fs/cgroup/{controller} "
                                  f"rw,nosuid - cgroup cgroup rw,{controller}")
            for below, texts in files.get(controller.split(",", maxsplit=1)[0], {}).items():
                for name, text in texts.items():
                    self.write(f"/sys/fs/cgroup/{controller}{below.rstrip('/')}/{name}", f"{text}\n")

    def shared_memory(self, options):
        self.mounts.append(f"tmpfs /dev/shm tmpfs {options} 0 0")

    def memory_controller(self, number, *, corrected=0, uncorrected=0, counting_s=None, modules=None):
        """modules: {folder: (label, corrected, uncorrected)}."""
        folder = f"/sys/devices/system/edac/mc/mc{number}"
        self.lines(folder, mc_name=f"Intel_SoC Memory Controller#{number}", ce_count=corrected, ue_count=uncorrected,
                   ce_noinfo_count=0, ue_noinfo_count=0, size_mb=65536,
                   seconds_since_reset=int(self.about["uptime_s"]) if counting_s is None else counting_s)
        for name, (label, ce_count, ue_count) in (modules or {}).items():
            self.lines(f"{folder}/{name}", dimm_label=label, dimm_ce_count=ce_count, dimm_ue_count=ue_count)

    def disk(self, name, *, place, size_gib, model="", rotational=0, scheduler="[none] mq-deadline", state="live",
             files=None):
        """place: what it hangs at, below /sys/devices."""
        folder = f"/sys/devices/{place}/block/{name}"
        self.lines(folder, size=size_gib * GIB // 512, **{"queue/rotational": rotational,
                                                         "queue/scheduler": scheduler, **(files or {})})
        if model:
            self.lines(f"{folder}/device", model=model, state=state)
        self.link(f"/sys/block/{name}", folder)

    def network(self, name, address, *, place=None, state="up", speed=100000, rdma=None, **statistics):
        """An interface on that PCI function, or at a place below /sys/devices; rdma: the RDMA device beside it."""
        folder = f"{place or self.paths[address]}/net/{name}"
        self.lines(folder, operstate=state, speed=speed if state == "up" else -1, carrier_changes=2)
        counters = {"rx_errors": 0, "rx_dropped": 0, "rx_missed_errors": 0, "tx_errors": 0, **statistics}
        self.lines(f"{folder}/statistics", **counters)
        self.link(f"/sys/class/net/{name}", folder)
        if rdma:
            self.rdma(rdma, address)

    def rdma(self, name, address, *, state="4: ACTIVE", rate="400 Gb/sec (4X NDR)", symbol_error=0, link_downed=0):
        folder = f"{self.paths[address]}/infiniband/{name}"
        self.lines(f"{folder}/ports/1", state=state, rate=rate)
        self.lines(f"{folder}/ports/1/counters", symbol_error=symbol_error, link_downed=link_downed)
        self.link(f"/sys/class/infiniband/{name}", folder)

    def clocks(self, *, driver="intel_pstate", governor="performance", able_mhz=4100, limit_mhz=None, odd=None):
        """Each CPU its own policy, and counters of heat as Intel's have them. odd: {CPU: {file: text}}."""
        for number in cpu_numbers(self.all_cpus()):
            self.lines(f"/sys/devices/system/cpu/cpufreq/policy{number}", **{
                "scaling_driver": driver, "scaling_governor": governor, "cpuinfo_max_freq": able_mhz * 1000,
                "scaling_max_freq": (limit_mhz or able_mhz) * 1000, **(odd or {}).get(number, {})})
            self.lines(f"/sys/devices/system/cpu/cpu{number}/thermal_throttle", core_throttle_count=0,
                       package_throttle_count=0)

    # ---- what every machine has

    def close(self):
        about = self.about
        self.lines("/sys/class/dmi/id", sys_vendor=about["vendor"], product_name=about["product"],
                   product_serial=about["serial"])
        self.lines("/proc/sys/kernel", hostname=self.name, osrelease=about["kernel"], arch=about["arch"])
        self.lines("/proc/sys/kernel/random", boot_id=uuid.uuid5(uuid.NAMESPACE_OID, self.name))
        self.lines("/etc", **{"os-release": f'PRETTY_NAME="{about["os"]}"\nNAME="Debian GNU/Linux"\nID=debian'})
        self.lines("/proc", cmdline=about["command_line"],
                   uptime=f"{about['uptime_s']:.2f} {about['uptime_s'] * 30:.2f}")
        self.write("/proc/devices", "Character devices:\n  1 mem\n  4 tty\n 10 misc\n" + "".join(
            f"{line}\n" for line in about["char_devices"]) + "\nBlock devices:\n  8 sd\n259 blkext\n")
        for name, text in (("mounts", self.mounts), ("self/mountinfo", self.mountinfo)):
            if text:
                self.write(f"/proc/{name}", "".join(f"{line}\n" for line in text))
        self.processors()
        self.memory()
        for name, library in about["icds"].items():
            self.write(f"/etc/OpenCL/vendors/{name}", library)
        self.write("/usr/share/misc/pci.ids", "".join(
            f"{vendor}  {name}\n" + "".join(f"\t{device}  {text}\n" for device, text in devices.items())
            for vendor, (name, devices) in sorted(PCI_IDS.items())))
        self.folder("/sys/bus/pci/devices")

    def processors(self):
        about = self.about
        numbers = list(cpu_numbers(self.all_cpus()))
        if about["arch"] == "ppc64le":
            text = "".join(f"processor\t: {n}\ncpu\t\t: {about['cpu']}\nclock\t\t: 3800.000000MHz\n\n" for n in numbers)
        else:
            text = "".join(f"processor\t: {n}\nvendor_id\t: GenuineIntel\nmodel name\t: {about['cpu']}\n"
                           f"flags\t\t: {about['flags']}\nbogomips\t: 5600.00\n\n" for n in numbers)
        self.write("/proc/cpuinfo", text)
        self.lines("/sys/devices/system/cpu", online=self.all_cpus(), possible=self.all_cpus())
        for package, cpus in enumerate(about["packages"]):
            for number in cpu_numbers(cpus):
                self.lines(f"/sys/devices/system/cpu/cpu{number}/topology", physical_package_id=package)

    def memory(self):
        about = self.about
        kib = about["memory_gib"] * GIB // 1024
        swap = sum(size for _, _, size, _ in about["swaps"])
        used = sum(used for _, _, _, used in about["swaps"])
        values = {"MemTotal": kib, "MemFree": int(kib * about["available"] * 0.9),
                  "MemAvailable": int(kib * about["available"]), "Buffers": 81920, "Cached": int(kib * 0.02),
                  "SwapCached": 0, "SwapTotal": swap, "SwapFree": swap - used, "CommitLimit": kib // 2 + swap,
                  "Committed_AS": kib // 10}
        self.write("/proc/meminfo", "".join(f"{key + ':':<16}{value:>10} kB\n" for key, value in values.items()) +
                   "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n")
        vmstat = {"nr_free_pages": kib // 8, "pgmajfault": 51234, "pswpin": 0, "pswpout": 0, "oom_kill": 0,
                  **about["vmstat"]}
        self.write("/proc/vmstat", "".join(f"{key} {value}\n" for key, value in vmstat.items()))
        self.write("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n" + "".join(
            f"{name:<40}{kind}\t{size}\t\t{used}\t\t-2\n" for name, kind, size, used in about["swaps"]))
        for name in ("cpu", "io", "memory"):
            some, full = about["pressure"].get(name, (0.0, 0.0))
            self.write(f"/proc/pressure/{name}", "".join(
                f"{line} avg10={share:.2f} avg60={share / 2:.2f} avg300={share / 4:.2f} total={int(share * 1e6)}\n"
                for line, share in (("some", some), ("full", full))))
        nodes = about["nodes"]
        for number, cpus in nodes.items():
            folder = f"/sys/devices/system/node/node{number}"
            share = kib // len(nodes)
            self.lines(folder, cpulist=cpus, distance=" ".join("10" if other == number else "21" for other in nodes))
            self.write(f"{folder}/meminfo", f"Node {number} MemTotal:       {share} kB\n"
                       f"Node {number} MemFree:        {int(share * about['available'] * 0.9)} kB\n")
        self.lines("/sys/devices/system/node", online=self.all_nodes())
