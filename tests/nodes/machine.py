# SPDX-License-Identifier: GPL-2.0-or-later
"""machine.py - completes a described machine: what a real one has beside its GPUs and nobody wants to write down.

A Node is a Machine (tree.py) whose close() adds every file that a healthy
machine of its kind has and that its description left out: kernel modules,
user libraries, control groups, EDAC, disks, network, CPU clocks, AER counters,
BARs, IOMMU groups, slots, limits of processes. What the description wrote
itself is never touched, and a subject it began is not added to.

Further keys of its description:

  cgroup      2 (default), 1, or None: no control groups to be seen
  pressure    None: a kernel without PSI
  virtual     a virtual machine: no bridge above its functions, no NUMA node, no EDAC, no CPU clocks
  split       2 or 4: each socket is so many NUMA nodes (SNC, NPS)
  edac        name of the memory controllers' driver; None: no EDAC
  clocks      (driver, governor, highest kHz) of the CPUs; None: nothing scales them
  iommu       type of the GPUs' IOMMU groups; None: no IOMMU
  disk, net   False: none is added
  groups      names of /etc/group beside root

The forms of files follow the kernel's release: link speeds, files that came
later, fields of /proc. Since when: the kernel's history of the files that make them.
"""
import os
import re
import struct
import uuid

import amdgpu
import intel_cards
import kernel_log
import nvml
from files import FOLDER
from tree import DOWNSTREAM, GIB, Machine, ROOT_PORT, UPSTREAM, cpu_numbers

MIB = 1 << 20
BRIDGE_CLASS, NVME_CLASS, ETHERNET_CLASS, INFINIBAND_CLASS = 0x060400, 0x010802, 0x020000, 0x020700
EXPRESS = 0x60                          # where tree.py puts the PCI Express capability
AER_NAMES = {
    "correctable": "RxErr BadTLP BadDLLP Rollover Timeout NonFatalErr CorrIntErr HeaderOF",
    "fatal": "Undefined DLP SDES TLP FCP CmpltTO CmpltAbrt UnxCmplt RxOF MalfTLP ECRC UnsupReq ACSViol UncorrIntErr "
             "BlockedTLP AtomicOpBlocked TLPBlockedErr PoisonTLPBlocked",
}
AER_NAMES["nonfatal"] = AER_NAMES["fatal"]
AER_TOTALS = {"correctable": "TOTAL_ERR_COR", "fatal": "TOTAL_ERR_FATAL", "nonfatal": "TOTAL_ERR_NONFATAL"}

# (BAR, size, flags): registers, memory as the CPU sees it, the rest. Sizes: lspci of such cards, facts nvidia.md 4.1.
PREFETCHABLE, PLAIN, PORTS = 0x14220c, 0x40200, 0x40101
BARS = {
    "10de:1db1": [(0, 16 * MIB, PLAIN), (1, 16 * GIB, PREFETCHABLE), (3, 32 * MIB, PREFETCHABLE)],
    "10de:20b2": [(0, 16 * MIB, PLAIN), (1, 128 * GIB, PREFETCHABLE), (3, 32 * MIB, PREFETCHABLE)],
    "10de:20b5": [(0, 16 * MIB, PLAIN), (1, 128 * GIB, PREFETCHABLE), (3, 32 * MIB, PREFETCHABLE)],
    "10de:2330": [(0, 16 * MIB, PLAIN), (2, 128 * GIB, PREFETCHABLE), (4, 32 * MIB, PREFETCHABLE)],
    "10de:26b9": [(0, 16 * MIB, PLAIN), (1, 64 * GIB, PREFETCHABLE), (3, 32 * MIB, PREFETCHABLE)],
    "10de:2684": [(0, 16 * MIB, PLAIN), (1, 32 * GIB, PREFETCHABLE), (3, 32 * MIB, PREFETCHABLE), (5, 128, PORTS)],
    "1002:740f": [(0, 64 * GIB, PREFETCHABLE), (2, 2 * MIB, PREFETCHABLE), (5, 512 * 1024, PLAIN)],
    "1002:74a1": [(0, 256 * GIB, PREFETCHABLE), (2, 2 * MIB, PREFETCHABLE), (5, 512 * 1024, PLAIN)],
    "1002:744c": [(0, 32 * GIB, PREFETCHABLE), (2, 256 * MIB, PREFETCHABLE), (4, 256, PORTS), (5, MIB, PLAIN)],
    "1002:15bf": [(0, 256 * MIB, PREFETCHABLE), (2, 2 * MIB, PREFETCHABLE), (4, 256, PORTS), (5, MIB, PLAIN)],
    "1002:73bf": [(0, 16 * GIB, PREFETCHABLE), (2, 256 * MIB, PREFETCHABLE), (4, 256, PORTS), (5, MIB, PLAIN)],
    "8086:56a0": [(0, 16 * MIB, PREFETCHABLE), (2, 16 * GIB, PREFETCHABLE)],
    "8086:56a5": [(0, 16 * MIB, PREFETCHABLE), (2, 8 * GIB, PREFETCHABLE)],
    "8086:0bd5": [(0, 16 * MIB, PREFETCHABLE), (2, 128 * GIB, PREFETCHABLE)],
    "8086:e20b": [(0, 16 * MIB, PREFETCHABLE), (2, 16 * GIB, PREFETCHABLE)],
}
NVIDIA_BARS = [(0, 16 * MIB, PLAIN), (1, 256 * MIB, PREFETCHABLE), (3, 32 * MIB, PREFETCHABLE), (5, 128, PORTS)]
OTHER_BARS = [(0, MIB, PLAIN)]

LIBRARY_FOLDERS = {"x86_64": "/usr/lib/x86_64-linux-gnu", "aarch64": "/usr/lib/aarch64-linux-gnu",
                   "ppc64le": "/usr/lib64"}
LIMITS = [("Max cpu time", "unlimited", "seconds"), ("Max file size", "unlimited", "bytes"),
          ("Max stack size", "8388608", "bytes"), ("Max open files", "1048576", "files"),
          ("Max locked memory", "unlimited", "bytes"), ("Max address space", "unlimited", "bytes")]
DRIVERS_OF_GPUS = ("nvidia", "amdgpu", "i915", "xe", "nouveau", "vfio-pci")
MODULES_WITH = {
    "nvidia": ("nvidia_uvm", "nvidia_modeset", "nvidia_drm"), "mlx5_core": ("mlx5_ib", "ib_uverbs", "ib_core"),
    "vfio-pci": ("vfio", "vfio_iommu_type1"), "amdgpu": ("drm",), "i915": ("drm",), "xe": ("drm",),
}


def release_of(kernel):
    """(6, 1) of "6.1.0-28-amd64", (2, 6, 32) of "2.6.32-754.el6": what forms depend on."""
    numbers = [int(word) for word in re.findall(r"\d+", kernel)[:3]]
    return tuple(numbers) if numbers else (6, 1)


def split_nodes(nodes, parts):
    """Each socket's node as so many, in order."""
    divided = {}
    for cpus in nodes.values():
        for part in range(parts):
            shares = []
            for run in cpus.split(","):
                numbers = list(cpu_numbers(run))
                size = len(numbers) // parts
                shares.append(f"{numbers[part * size]}-{numbers[(part + 1) * size - 1]}")
            divided[len(divided)] = ",".join(shares)
    return divided


class Node(Machine):
    def __init__(self, name, **about):
        self.functions = {}             # by address: what pci() was told
        self.programs = {}              # by pid: (comm, kernel)
        self.drm_minors = {}            # by address
        self.nvml_values = {}           # by address: what NVML tells otherwise than of a healthy idle GPU (nvml.py)
        self.nvml = None                # all that it tells
        self.given = None               # in a container: its GPUs
        self.disk_lines = []                 # lines of /proc/diskstats
        self.nvme_folders, self.rdma_ports = [], []
        self.parts = about.get("split", 1)
        about = {"cgroup": 2, "virtual": False, "edac": "Intel_10nm",
                 "clocks": ("intel_pstate", "performance", 4100000),
                 "iommu": "identity", "disk": True, "net": True, "groups": ("video", "render"), **about}
        self.release = release_of(about.get("kernel", "6.1"))
        if about["virtual"]:
            about |= {"edac": None, "clocks": None, "iommu": None}
        if self.parts > 1:
            about["nodes"] = split_nodes(about.get("nodes", {0: "0-31", 1: "32-63"}), self.parts)
        super().__init__(name, **about)

    # ---- files

    def has(self, path):
        return self.files.has(path)

    def read(self, path):
        """A file's bytes, a link's text; of a folder nothing."""
        content = self.files.get(path)
        return b"" if content is FOLDER else content

    def remove(self, path):
        self.files.remove(path)

    def names(self, path):
        return self.files.names(path)

    def deny(self, path):
        """Nobody but root may read it."""
        self.files.modes[path] = 0

    def add(self, folder, **files):
        """Files that are not there yet; a value of None is no file."""
        self.lines(folder, **{name: value for name, value in files.items()
                              if value is not None and not self.has(f"{folder}/{name}")})

    # ---- the bus

    def pci(self, address, ids, class_code, *, below=None, driver=None, node=None, link=None, port=0, **rest):
        if self.about["virtual"]:
            if class_code == BRIDGE_CLASS:
                return
            below = node = None
        if node is not None:
            node *= self.parts
        assert address not in self.functions, f"{address} twice"
        super().pci(address, ids, class_code, below=below, driver=driver, node=node, link=link, port=port, **rest)
        self.functions[address] = {"ids": ids, "class": class_code, "below": below, "driver": driver, "link": link,
                                   "port": port, "node": node, "asleep": rest.get("runtime", "active") == "suspended",
                                   "own": set(rest.get("files") or {})}

    def drm(self, address):
        self.drm_minors[address] = self.cards
        super().drm(address)

    def gpus(self):
        """Functions that compute: neither the displays of management controllers nor audio, nor virtual functions."""
        return [address for address, function in self.functions.items()
                if "physfn" not in self.names(self.paths[address])
                and (function["class"] >> 16 == 0x03 or function["class"] >> 8 == 0x1200)
                and function["ids"].split(":")[0] in ("10de", "1002", "8086") and not self.is_integrated(address)]

    @staticmethod
    def is_integrated(address):
        return address == "0000:00:02.0"

    def chain(self, address):
        """The bridges above, nearest first."""
        above = self.functions[address]["below"]
        while above:
            yield above
            above = self.functions[above]["below"]

    def complete_function(self, address, function, number):
        path, is_bridge = self.paths[address], function["class"] == BRIDGE_CLASS
        self.add(path, modalias=f"pci:v0000{function['ids'].upper().replace(':', 'd0000')}sv*sd*bc*sc*i*",
                 broken_parity_status=0,
                 msi_bus=1, d3cold_allowed=1 if is_bridge else None,
                 uevent=(f"DRIVER={function['driver']}\n" if function["driver"] else "") +
                 f"PCI_CLASS={function['class']:X}\nPCI_ID={function['ids'].upper()}\nPCI_SLOT_NAME={address}")
        self.add(f"{path}/power", control="auto" if function["asleep"] else "on")
        self.resources(path, function, number)
        if function["link"]:
            self.express(path, address, function)
            self.link_forms(path, function)
        if self.release < (5, 11) and "power_state" not in function["own"]:
            self.remove(f"{path}/power_state")
        if self.about["iommu"] and not is_bridge and not self.has(f"{path}/iommu_group"):
            group = f"/sys/kernel/iommu_groups/{number}"
            self.add(group, type=self.about["iommu"])
            self.link(f"{group}/devices/{address}", path)
            self.link(f"{path}/iommu_group", group)

    def resources(self, path, function, number):
        if self.has(f"{path}/resource"):
            return
        rows = [(0, 0, 0)] * (17 if function["class"] == BRIDGE_CLASS else 13)
        base = 0x200000000000 + number * (1 << 38)
        if function["class"] != BRIDGE_CLASS:
            default = NVIDIA_BARS if function["driver"] == "nvidia" else OTHER_BARS
            for bar, size, flags in BARS.get(function["ids"], default):
                rows[bar] = (base, base + size - 1, flags)
                base += max(size, MIB)
                if flags == PREFETCHABLE and size >= 16 * GIB and function["class"] == 0x030000:
                    self.add(path, **{f"resource{bar}_resize": f"{(1 << (size // MIB).bit_length()) - 64:016x}"})
        self.write(f"{path}/resource", "".join(
            f"0x{start:016x} 0x{end:016x} 0x{flags:016x}\n" for start, end, flags in rows))

    def express(self, path, address, function):
        """Settings of the PCI Express capability that are zero so far, counters of errors, and 4096 bytes for root."""
        is_port = function["port"] in (ROOT_PORT, DOWNSTREAM)
        if self.release >= (4, 19):
            for kind, names in AER_NAMES.items():
                total = f"{AER_TOTALS[kind]} 0"
                self.add(path, **{f"aer_dev_{kind}": "\n".join([*(f"{name} 0" for name in names.split()), total])})
            if function["port"] == ROOT_PORT:
                self.add(path, **{f"aer_rootport_total_err_{kind}": 0 for kind in ("cor", "fatal", "nonfatal")})
        config = bytearray(self.read(f"{path}/config"))
        if len(config) < 256 or config[:64] == b"\xff" * 64 or config[EXPRESS] != 0x10:
            return

        def settle(at, form, value):
            if not struct.unpack_from(form, config, EXPRESS + at)[0]:
                struct.pack_into(form, config, EXPRESS + at, value)

        settle(0x04, "<I", 0x8001)                              # able: 256 bytes
        settle(0x08, "<H", 0x2020 | 0x0f)                       # payload 256, reads of 512, reports errors
        settle(0x10, "<H", 0x40)                                # common clock, no ASPM
        if is_port:
            taken = any(other["below"] == address for other in self.functions.values())
            self.port_registers(config, taken)
        if len(config) == 256:
            config += self.extended(is_port)
        self.write(f"{path}/config", bytes(config))

    @staticmethod
    def port_registers(config, taken):
        """A slot with its presence, and whether the link is up."""
        flags, = struct.unpack_from("<H", config, EXPRESS + 2)
        able, = struct.unpack_from("<I", config, EXPRESS + 0x0c)
        now, = struct.unpack_from("<H", config, EXPRESS + 0x12)
        slot, = struct.unpack_from("<H", config, EXPRESS + 0x1a)
        struct.pack_into("<H", config, EXPRESS + 2, flags | 0x100)
        struct.pack_into("<I", config, EXPRESS + 0x0c, able | 1 << 20)
        if taken:
            struct.pack_into("<H", config, EXPRESS + 0x12, now | 1 << 13)
            struct.pack_into("<H", config, EXPRESS + 0x1a, slot | 0x40)

    @staticmethod
    def extended(is_port):
        """AER at 0x100; of ports ACS at 0x148, that redirects nothing."""
        space = bytearray(4096 - 256)
        struct.pack_into("<I", space, 0, 0x0001 | 2 << 16 | (0x148 << 20 if is_port else 0))
        struct.pack_into("<III", space, 8, 0x00400000, 0x00462030, 0)
        if is_port:
            struct.pack_into("<IHH", space, 0x48, 0x000d | 1 << 16, 0x001f, 0)
        return bytes(space)

    def link_forms(self, path, function):
        """Speeds as older kernels write them, and no link files before 4.13."""
        for end in ("current", "max"):
            file = f"{path}/{end}_link_speed"
            if self.release < (4, 13):
                for name in (f"{end}_link_speed", f"{end}_link_width"):
                    if name not in function["own"]:
                        self.remove(f"{path}/{name}")
            elif self.release < (5, 7) and self.has(file) and f"{end}_link_speed" not in function["own"]:
                text = self.read(file).decode("utf-8", "replace").replace(" PCIe", "").replace(".0 GT/s", " GT/s")
                self.write(file, "Unknown speed\n" if text == "Unknown\n" else text)

    def slots(self):
        """A label for what is plugged into each root port that has a GPU below."""
        if self.has("/sys/bus/pci/slots") or self.about["virtual"]:
            return
        label = 0
        for gpu in self.gpus():
            above = [gpu, *self.chain(gpu)]
            if len(above) < 2:
                continue
            label += 1
            self.add(f"/sys/bus/pci/slots/{label}", address=above[-2].rsplit(".", 1)[0], power=1, adapter=1,
                     cur_bus_speed="16.0 GT/s PCIe", max_bus_speed="32.0 GT/s PCIe")

    # ---- devices that are no GPUs

    def nvme(self, address, name, *, model="SAMSUNG MZQL21T9HCJR-00A07", gib=1788, **pci):
        self.pci(address, "144d:a80a", NVME_CLASS, driver="nvme", link=(4, 4, 4, 4), **pci)
        controller = name[:name.index("n", 4)]
        folder = f"{self.paths[address]}/nvme/{controller}"
        self.lines(folder, model=model, state="live", serial="S64GNE0R000001", firmware_rev="GDC5602Q", numa_node=-1,
                   transport="pcie", address=address)
        self.lines(f"{self.paths[address]}/hwmon/hwmon7", name="nvme", temp1_input=41850, temp1_alarm=0)
        self.link(f"/sys/class/nvme/{controller}", folder)
        self.nvme_folders.append(folder)
        self.link(f"{folder}/device", self.paths[address])
        self.block_device(f"{folder}/{name}", name, gib=gib, scheduler="[none] mq-deadline", minor=0, major=259)
        self.link(f"{folder}/{name}/device", folder)

    def block_device(self, folder, name, *, gib, scheduler, major, minor, rotational=0):
        self.lines(folder, size=gib * GIB // 512, ro=0, removable=0, dev=f"{major}:{minor}")
        self.lines(f"{folder}/queue", rotational=rotational, scheduler=scheduler, nr_requests=1023)
        self.lines(folder, stat=" 412345 1021 33210564 81234 2012345 20111 99120344 341234 0 201123 422468")
        self.link(f"/sys/block/{name}", folder)
        self.disk_lines.append(f"{major:4} {minor:7} {name} 412345 1021 33210564 81234 2012345 20111 99120344 341234 0 "
                          "201123 422468 0 0 0 0 0 0\n")

    def virtio_disk(self, address="0000:00:04.0", name="vda"):
        self.pci(address, "1af4:1042", 0x010000, driver="virtio-pci")
        folder = f"{self.paths[address]}/virtio1/block/{name}"
        self.block_device(folder, name, gib=200, scheduler="[mq-deadline] none", major=253, minor=0, rotational=1)

    def interface(self, address, name, *, speed=100000, state="up"):
        """An interface on that function."""
        folder = f"{self.paths[address]}/net/{name}"
        self.lines(folder, operstate=state, speed=speed if state == "up" else -1, carrier=int(state == "up"), mtu=1500,
                   carrier_changes=2, type=1, address="b8:3f:d2:00:00:01", ifindex=2)
        self.lines(f"{folder}/statistics", **{key: 0 for key in (
            "rx_errors", "tx_errors", "rx_dropped", "tx_dropped", "rx_missed_errors", "collisions")},
            rx_bytes=918273645546, tx_bytes=827364554637, rx_packets=812736450, tx_packets=736455463)
        self.link(f"{folder}/device", self.paths[address])
        self.link(f"/sys/class/net/{name}", folder)

    def rdma_device(self, address, name, *, layer="Ethernet", rate="200 Gb/sec (4X HDR)", ports_at="0"):
        folder = f"{self.paths[address]}/infiniband/{name}"
        self.lines(folder, node_type="1: CA", board_id="MT_0000000838", fw_ver="28.39.1002",
                   node_guid="b83f:d203:0000:0001")
        if name.startswith("mlx5"):
            self.lines(folder, hca_type="MT4129")
        port = f"{folder}/ports/1"
        self.rdma_ports.append(port)
        self.lines(port, state="4: ACTIVE", phys_state="5: LinkUp", rate=rate, link_layer=layer, lid=f"0x{ports_at}")
        self.lines(f"{port}/counters", **{key: 0 for key in (
            "symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_xmit_discards",
            "local_link_integrity_errors", "excessive_buffer_overrun_errors")},
            port_rcv_data=91827364554, port_xmit_data=82736455463)
        self.link(f"{folder}/device", self.paths[address])
        self.link(f"/sys/class/infiniband/{name}", folder)
        self.write("/dev/infiniband/uverbs0", "")

    def nic(self, address, name, *, ids="15b3:1021", driver="mlx5_core", rdma=None, speed=400000, link=(5, 16, 5, 16),
            class_code=ETHERNET_CLASS, **pci):
        """A network card with its interface, and an RDMA device where one is named."""
        self.pci(address, ids, class_code, driver=driver, link=link, **pci)
        self.interface(address, name, speed=speed)
        if rdma:
            layer = "InfiniBand" if class_code == INFINIBAND_CLASS else "Ethernet"
            self.rdma_device(address, rdma, layer=layer, rate=f"{speed // 1000} Gb/sec (4X NDR)")

    # ---- processes

    def process(self, pid, comm, *, kernel=False, **rest):
        super().process(pid, comm, kernel=kernel, **rest)
        self.programs[pid] = (comm, kernel)

    def complete_process(self, pid, comm, kernel):
        folder = f"/proc/{pid}"
        self.settle_status(pid, kernel)
        if self.release < (2, 6, 33):
            for task in [folder, *(f"{folder}/task/{thread}" for thread in self.names(f"{folder}/task"))]:
                self.remove(f"{task}/comm")
        if self.about["cgroup"] != 2:
            self.old_groups(folder)
        if not self.has(f"{folder}/limits"):
            memlock = "8388608" if comm in ("sshd", "bash", "Xorg", "gnome-shell") else "unlimited"
            rows = [("Limit", "Soft Limit", "Hard Limit", "Units")]
            rows += [(name, *[memlock if "locked" in name else value] * 2, unit) for name, value, unit in LIMITS]
            self.write(f"{folder}/limits", "".join(f"{name:<26}{soft:<21}{hard:<21}{unit:<10}\n"
                                                   for name, soft, hard, unit in rows))
        for number in self.names(f"{folder}/fd"):
            self.complete_file(folder, number)

    def settle_status(self, pid, kernel):
        path = f"/proc/{pid}/status"
        text = self.read(path).decode("utf-8", "replace")
        memory = {} if kernel else {"VmPeak": "  178790 kB", "VmLck": "       0 kB", "VmRSS": "   12084 kB",
                                    "VmSwap": "       0 kB"}
        threads = len(self.names(f"/proc/{pid}/task"))
        values = {**memory, "Threads": threads, "CapEff": "000001ffffffffff", "voluntary_ctxt_switches": 1021}
        if self.release < (2, 6, 34):
            values.pop("VmSwap", None)
        self.write(path, text + "".join(
            f"{key}:\t{value}\n" for key, value in values.items() if f"\n{key}:" not in text))

    def old_groups(self, folder):
        """Hierarchies of control groups version 1, as systemd of that time mounted them; or none."""
        path = self.read(f"{folder}/cgroup").decode("utf-8", "replace").partition("::")[2].strip()
        controllers = ("memory", "cpu,cpuacct", "cpuset", "devices", "pids", "name=systemd")
        if path:
            self.write(f"{folder}/cgroup", "" if not self.about["cgroup"] else "".join(
                f"{len(controllers) - place}:{name}:{path}\n" for place, name in enumerate(controllers)))

    def complete_file(self, folder, number):
        info = f"{folder}/fdinfo/{number}"
        if self.has(info):
            return
        target = self.read(f"{folder}/fd/{number}")
        text = "pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t533\n"
        card = re.match(r"/dev/dri/(card\d+|renderD\d+)$", target)
        if card and self.has(f"/sys/class/drm/{card[1]}/device"):
            address = os.path.basename(self.read(f"/sys/class/drm/{card[1]}/device"))
            driver = self.functions[address]["driver"]
            text += f"drm-driver:\t{driver}\ndrm-client-id:\t{18 + int(folder[6:]) % 1000}\ndrm-pdev:\t{address}\n"
            text += {"amdgpu": "drm-memory-vram:\t16 MiB\ndrm-memory-gtt: \t2 MiB\ndrm-memory-cpu: \t0 KiB\n",
                     "i915": "drm-engine-render:\t81273645 ns\n"}.get(driver, "")
        self.write(info, text)

    # ---- what every machine has

    def close(self):
        self.usual_devices()
        super().close()
        for number, (address, function) in enumerate(self.functions.items()):
            self.complete_function(address, function, number)
            if function["driver"] == "amdgpu":
                amdgpu.files(self, address)
            elif function["driver"] == "i915":
                intel_cards.i915_files(self, address, self.drm_minors.get(address))
            elif function["driver"] == "xe" and address in self.drm_minors:
                intel_cards.xe_files(self, address)
        for pid, (comm, kernel) in self.programs.items():
            self.complete_process(pid, comm, kernel)
        amdgpu.compute(self)
        for part in (self.slots, self.modules, self.libraries, self.control_groups, self.edac, self.cpu_files,
                     self.settings, self.statistics, self.memory_forms, self.etc, self.kernel_log):
            part()
        self.nvml = nvml.describe(self)

    def usual_devices(self):
        """A disk and a network card where the description has none."""
        about, on_node = self.about, {} if self.about["virtual"] else {"node": 0}
        has_bus = about["disk"] or about["net"]
        if has_bus and about["virtual"]:
            self.virtio_disk()
            network = next((address for address, function in self.functions.items() if function["ids"] == "1af4:1041"),
                           None)
            if not network:
                network = "0000:00:03.0"
                self.pci(network, "1af4:1041", ETHERNET_CLASS, driver="virtio-pci")
            self.interface(network, "eth0", speed=-1)
            return
        if about["disk"] and not self.has("/sys/block"):
            self.pci("0000:00:1d.7", "8086:352a", BRIDGE_CLASS, driver="pcieport", link=(4, 4, 5, 4), port=ROOT_PORT,
                     **on_node)
            self.nvme("0000:fe:00.0", "nvme0n1", below="0000:00:1d.7", **on_node)
        if about["net"] and not self.has("/sys/class/net"):
            self.nic("0000:00:1f.6", "eno1", ids="8086:1521", driver="igb", speed=1000, link=None, **on_node)
        if about["net"]:
            self.lines("/sys/devices/virtual/net/lo", operstate="unknown", type=772)
            self.link("/sys/class/net/lo", "/sys/devices/virtual/net/lo")

    def modules(self):
        drivers = {function["driver"] for function in self.functions.values()} - {None}
        names = {name for driver in drivers for name in (driver, *MODULES_WITH.get(driver, ()))}
        if "nvidia" in drivers and self.has("/sys/class/infiniband"):
            names.add("nvidia_peermem")
        rows = []
        for name in sorted(name.replace("-", "_") for name in names):
            folder = f"/sys/module/{name}"
            of_nvidia = name.startswith("nvidia")
            version = self.read("/sys/module/nvidia/version").decode().strip() if of_nvidia and self.has(
                "/sys/module/nvidia/version") else None
            self.add(folder, refcnt=0 if name == "nvidia_peermem" else 2, initstate="live", version=version,
                     coresize=65536, taint="POE" if of_nvidia else "",
                     srcversion=f"{uuid.uuid5(uuid.NAMESPACE_OID, name).int >> 36:023X}")
            rows.append(f"{name} 65536 2 - Live 0x0000000000000000{' (POE)' if of_nvidia else ''}\n")
        self.write("/proc/modules", "".join(rows))
        self.add("/proc/sys/kernel", tainted=12289 if "nvidia" in drivers else 0)

    def libraries(self):
        """Libraries of the driver that is loaded, with the loader's links."""
        folder = LIBRARY_FOLDERS.get(self.about["arch"], LIBRARY_FOLDERS["x86_64"])
        if not self.has("/sys/module/nvidia/version") or self.has(folder):
            return
        version = self.read("/sys/module/nvidia/version").decode().strip()
        for name in ("libcuda", "libnvidia-ml", "libnvidia-opencl", "libnvidia-ptxjitcompiler"):
            self.write(f"{folder}/{name}.so.{version}", b"\x7fELF\x02\x01\x01")
            self.link(f"{folder}/{name}.so.1", f"{name}.so.{version}")

    def control_groups(self):
        version = self.about["cgroup"]
        if self.has("/proc/self") or self.has("/sys/fs/cgroup") or not version:
            return
        own = "/user.slice/user-0.slice/session-3.scope"
        if version == 2:
            self.add("/proc/self", cgroup=f"0::{own}",
                     mountinfo="29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - cgroup2 cgroup2 rw")
            self.add("/sys/fs/cgroup", **{"cgroup.controllers": "cpuset cpu io memory pids"})
            for depth in range(2, len(own.split("/")) + 1):
                self.unified_group("/sys/fs/cgroup" + "/".join(own.split("/")[:depth]))
            return
        controllers = ("memory", "cpu,cpuacct", "cpuset", "devices")
        self.add("/proc/self", cgroup="\n".join(f"{4 - n}:{name}:/" for n, name in enumerate(controllers)),
                 mountinfo="\n".join(
                     f"{30 + n} 29 0:{26 + n} / /sys/fs/cgroup/{name} rw,nosuid - cgroup cgroup rw,{name}"
                     for n, name in enumerate(controllers)))
        self.add("/sys/fs/cgroup/memory", **{"memory.limit_in_bytes": 9223372036854771712,
                                             "memory.usage_in_bytes": 8 * GIB,
                                             "memory.stat": "cache 0\ninactive_file 0",
                                             "memory.oom_control": "oom_kill_disable 0\nunder_oom 0"})
        self.add("/sys/fs/cgroup/cpu,cpuacct", **{"cpu.cfs_quota_us": -1, "cpu.cfs_period_us": 100000,
                                                  "cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0"})
        self.add("/sys/fs/cgroup/cpuset", **{"cpuset.cpus": self.all_cpus(), "cpuset.mems": self.node_list()})

    def unified_group(self, folder, **values):
        files = {"memory.max": "max", "memory.high": "max", "memory.current": 2 * GIB, "memory.swap.max": "max",
                 "memory.swap.current": 0, "memory.stat": f"anon {GIB}\nfile {GIB}\ninactive_file {GIB // 2}",
                 "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0", "cpu.max": "max 100000",
                 "cpu.stat": "usage_usec 918273\nuser_usec 818273\nsystem_usec 100000\nnr_periods 0\nnr_throttled 0\n"
                             "throttled_usec 0", "cpuset.cpus.effective": self.all_cpus(),
                 "cpuset.mems.effective": self.node_list(), **values}
        self.add(folder, **files)

    def node_list(self):
        numbers = list(self.about["nodes"])
        is_run = len(numbers) > 1 and numbers == list(range(len(numbers)))
        return f"0-{numbers[-1]}" if is_run else ",".join(map(str, numbers))

    def edac(self):
        name, folder = self.about["edac"], "/sys/devices/system/edac/mc"
        if not name or self.has(folder):
            return
        controllers = 4 * len(self.about["packages"])
        for number in range(controllers):
            mc = f"{folder}/mc{number}"
            self.lines(mc, mc_name=f"{name}#{number % 4}", size_mb=self.about["memory_gib"] * 1024 // controllers,
                       ce_count=0, ue_count=0, ce_noinfo_count=0, ue_noinfo_count=0,
                       seconds_since_reset=int(self.about["uptime_s"]))
            self.lines(f"{mc}/dimm0", dimm_label=f"CPU_SrcID#{number // 4}_MC#{number % 4}_Chan#0_DIMM#0",
                       dimm_ce_count=0,
                       dimm_ue_count=0, dimm_location="channel 0 slot 0", size=65536)

    def cpu_files(self):
        folder, clocks = "/sys/devices/system/cpu", self.about["clocks"]
        self.add(folder, isolated="", present=self.all_cpus())
        numbers = [] if not self.all_cpus() else list(cpu_numbers(self.all_cpus()))
        if clocks and not self.has(f"{folder}/cpu0/cpufreq"):
            driver, governor, highest = clocks
            for number in numbers:
                self.lines(f"{folder}/cpu{number}/cpufreq", scaling_driver=driver, scaling_governor=governor,
                           cpuinfo_max_freq=highest, scaling_max_freq=highest, scaling_cur_freq=highest * 3 // 4,
                           cpuinfo_min_freq=800000, scaling_min_freq=800000)
        tells_heat = "Intel" in self.about["cpu"] and not self.about["virtual"]
        if tells_heat and not self.has(f"{folder}/cpu0/thermal_throttle"):
            for number in numbers:
                self.lines(f"{folder}/cpu{number}/thermal_throttle", core_throttle_count=0, package_throttle_count=0)

    def settings(self):
        self.add("/proc/sys/kernel", numa_balancing=0)
        self.add("/proc/sys/vm", swappiness=60, overcommit_memory=0)
        self.add("/sys/module/pcie_aspm/parameters", policy="[default] performance powersave powersupersave")
        self.add("/sys/module/zswap/parameters", enabled="N")
        if self.release < (6, 1):
            self.remove("/proc/sys/kernel/arch")

    def statistics(self):
        numbers = list(cpu_numbers(self.all_cpus()))
        line = "81273 12 9182 918273645 1021 0 82 0 0 0"
        if not self.has("/proc/stat"):
            self.write("/proc/stat", f"cpu  {line}\n" + "".join(f"cpu{number} {line}\n" for number in numbers) +
                       "intr 60909100\nctxt 119544500\nbtime 1767200000\nprocesses 98123\nprocs_running 2\n"
                       "procs_blocked 0\n")
        if not self.has("/proc/diskstats"):
            self.write("/proc/diskstats", "".join(self.disk_lines))
        self.add("/proc", loadavg="0.42 0.37 0.31 2/1123 30211",
                 mounts="proc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0")

    def memory_forms(self):
        """What the kernel of that time tells of memory."""
        if self.about["pressure"] is None or self.release < (4, 20):
            self.remove("/proc/pressure")
        text = self.read("/proc/meminfo").decode("utf-8", "replace")
        if self.release < (3, 14):
            text = re.sub(r"(?m)^MemAvailable:.*\n", "", text)
        if self.release >= (7, 0):
            text += "GPUActive:             0 kB\nGPUReclaim:            0 kB\n"
        self.write("/proc/meminfo", text)
        if self.release < (4, 13):
            self.write("/proc/vmstat", re.sub(rb"(?m)^oom_kill .*\n", b"", self.read("/proc/vmstat")))

    def etc(self):
        if not self.has("/etc/group"):
            self.write("/etc/group", "root:x:0:\n" + "".join(
                f"{name}:x:{44 + number * 60}:\n" for number, name in enumerate(self.about["groups"])))
        if not self.has("/etc/passwd"):
            self.write("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n"
                       "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n")

    def kernel_log(self):
        if not self.has(kernel_log.PATH):
            self.write(kernel_log.PATH, kernel_log.boot_log(self))

    def memory(self):
        pressure = self.about["pressure"]
        self.about["pressure"] = pressure or {}
        super().memory()
        self.about["pressure"] = pressure
