# SPDX-License-Identifier: GPL-2.0-or-later
"""settings.py - circumstances in which a healthy node is as healthy as before: the columns of tests/matrix.py.

A setting changes the description before the machine is made (about), the
machine before it is completed (before), or its finished tree (after). It
raises NotHere, with the reason, where it means nothing for that machine.
"""
import re

import kernel_log
import nvml
from tree import GIB, NO_LINK, OFF_BUS


class NotHere(Exception):
    """This setting or fault means nothing on that machine."""


SETTINGS = {}


class Setting:
    """Nothing changed. Its first line of doc is what the legend says."""
    as_user = False                     # run without the rights of root
    window = "0"                        # for how long NVIDIA's library is watched
    opens_gate = False                  # a gate cannot decide then: it wants something judged that cannot be

    def about(self, about):             # what the description has otherwise
        return {}

    def before(self, m):                # the machine is described, not yet completed
        pass

    def after(self, m):                 # its files are there
        pass

    def arguments(self, m, arguments):
        return arguments


def setting(cls):
    SETTINGS[cls.__name__.replace("_", "-")] = cls()
    return cls


def need(condition, why):
    if not condition:
        raise NotHere(why)


def relink(m, address, *, generation=None, width=None):
    """Another link, at one function: its files and its configuration space."""
    path, config = m.paths[address], bytearray(m.read(f"{m.paths[address]}/config"))
    speeds = {1: "2.5", 2: "5.0", 3: "8.0", 4: "16.0", 5: "32.0"}
    if generation and m.has(f"{path}/current_link_speed"):
        m.lines(path, current_link_speed=f"{speeds[generation]} GT/s" + (" PCIe" if m.release >= (5, 7) else ""))
    if width and m.has(f"{path}/current_link_width"):
        m.lines(path, current_link_width=width)
    if len(config) >= 256 and config[0x60] == 0x10:
        status = config[0x72] | config[0x73] << 8
        status = status & ~0xf | generation if generation else status
        status = status & ~0x3f0 | width << 4 if width else status
        config[0x72:0x74] = status.to_bytes(2, "little")
        m.write(f"{path}/config", bytes(config))


def holders_files(m, address):
    """Device nodes that a program at work on that GPU holds."""
    if address in m.nvidia_gpus:
        return ["/dev/nvidiactl", "/dev/nvidia-uvm", f"/dev/nvidia{m.nvidia_gpus.index(address)}"]
    if address in m.drm_minors:
        kfd = ["/dev/kfd"] if m.has("/dev/kfd") else []
        return [*kfd, f"/dev/dri/renderD{128 + m.drm_minors[address]}"]
    return []


def driven(m):
    """GPUs with a driver that programs can use, awake."""
    gpus = [gpu for gpu in m.gpus() if holders_files(m, gpu) and not m.functions[gpu]["asleep"]]
    need(gpus, "no GPU that a program can hold")
    return gpus


def in_container(m, keep):
    """A Kubernetes container that was given those GPUs, by their order on the bus."""
    gpus = m.gpus()
    m.given = [gpus[number] for number in keep]
    for number, address in enumerate(gpus):
        if number in keep:
            continue
        if address in m.nvidia_gpus:
            m.remove(f"/dev/nvidia{m.nvidia_gpus.index(address)}")
            m.remove(f"/proc/driver/nvidia/gpus/{address}")
        if address in m.drm_minors:
            m.remove(f"/dev/dri/renderD{128 + m.drm_minors[address]}")
            m.remove(f"/dev/dri/card{m.drm_minors[address]}")
    for name in m.names("/proc"):
        if name.isdigit():
            m.remove(f"/proc/{name}")
    m.programs.clear()
    pod = "/kubepods.slice/kubepods-pod1d8c9a60_5d4b_4b0e_9d3a_8a5d8f1c2b3e.slice"
    group = f"{pod}/cri-containerd-{'0123456789ab' * 5}.scope"
    m.process(1, "python3", parent=0, uid=1042, cgroup="/" if m.about["cgroup"] == 2 else group)
    m.complete_process(1, "python3", False)
    m.write("/run/secrets/kubernetes.io/serviceaccount/namespace", "train\n")
    if m.about["cgroup"] != 2:
        return
    m.remove("/proc/self")
    m.remove("/sys/fs/cgroup")
    m.lines("/proc/self", cgroup="0::/",
            mountinfo="812 800 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw\n"
                      "813 801 0:99 / /dev/shm rw,nosuid,nodev,noexec,relatime - tmpfs shm rw,size=67108864")
    m.unified_group("/sys/fs/cgroup", **{
        "cgroup.controllers": "cpuset cpu io memory pids", "memory.max": 256 * GIB, "memory.current": 31 * GIB,
        "memory.stat": f"anon {20 * GIB}\nfile {11 * GIB}\ninactive_file {9 * GIB}", "cpu.max": "3200000 100000"})


def untouchable(m, addresses):
    """Files of a device in deepest sleep that fail whoever reads them, as EIO does: folders in their place."""
    for address in addresses:
        for name in ("config", "current_link_speed", "current_link_width", "max_link_speed", "max_link_width"):
            m.remove(f"{m.paths[address]}/{name}")
            m.folder(f"{m.paths[address]}/{name}")


def told(m):
    """NVIDIA GPUs, awake, in NVML's own words, which may be changed."""
    need(m.nvml and "init" not in m.nvml, "no NVML")
    gpus = [gpu for gpu in m.nvml["gpus"] if not m.functions[gpu["pci"]]["asleep"]
            and (not m.given or gpu["pci"] in m.given)]
    need(gpus, "no GPU of NVIDIA that is awake")
    return gpus


def put_to_work(m, gpu):
    """Under full load, its link at full rate."""
    nvml.at_work(gpu)
    ends = [gpu["pci"], *list(m.chain(gpu["pci"]))[:1]]
    able = [nvml.generation_in(m, f"{m.paths[end]}/max_link_speed") for end in ends]
    if all(able):
        for end in ends:
            relink(m, end, generation=min(able))


def driver_in_container(m):
    """The driver runs in a container: its libraries lie below /run/nvidia/driver, and not in lib/x86_64-linux-gnu."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"):
        for name in m.names(folder):
            if name.startswith(("libcuda", "libnvidia")):
                content, is_link = m.read(f"{folder}/{name}"), not name.endswith(m.nvml["driver_version"])
                m.remove(f"{folder}/{name}")
                (m.link if is_link else m.write)(f"/run/nvidia/driver{folder}/{name}", content)
    m.nvml["folder"] = f"{nvml.DRIVER}/usr/lib64"


# ---- the columns

@setting
class root(Setting):
    """as root, as described"""


@setting
class nobody(Setting):
    """as a user: 64 bytes of configuration space, others' processes closed"""
    as_user = True

    def after(self, m):
        for address in m.functions:
            path = f"{m.paths[address]}/config"
            if m.has(path) and m.read(path):
                m.write(path, m.read(path)[:64])
        for pid in m.programs:
            for name in ("fd", "fdinfo", "stack"):
                if m.has(f"/proc/{pid}/{name}"):
                    m.deny(f"/proc/{pid}/{name}")
        m.deny("/sys/class/dmi/id/product_serial")


@setting
class container(Setting):
    """a container with two of its GPUs"""

    def after(self, m):
        need(len(m.gpus()) > 2 and not m.given, "two GPUs at most, or a container already")
        need(all(holders_files(m, gpu) for gpu in m.gpus()), "GPUs that no program can hold")
        in_container(m, [0, 1])
        # The log is the host's, and what has become of its other GPUs is not ours to judge.
        for gpu in m.nvidia_gpus[2:]:
            kernel_log.say(m, 600, f"NVRM: Xid (PCI:{gpu[:-2]}): 79, pid=31, name=python, GPU has fallen off the bus.")

    def arguments(self, m, arguments):
        return []


@setting
class vm(Setting):
    """a virtual machine: no bridge above the GPUs, one NUMA node"""

    def about(self, about):
        need("x86_64" == about.get("arch", "x86_64") and not about.get("virtual"),
             "another architecture, or virtual already")
        return {"virtual": True, "nodes": {0: "0-31"}, "packages": ["0-31"], "vendor": "QEMU",
                "serial": "Not Specified",
                "product": "Standard PC (Q35 + ICH9, 2009)", "edac": None, "clocks": None, "iommu": None,
                "flags": "fpu vme de pse tsc msr sse sse2 ht hypervisor avx512f", "split": 1}

    def before(self, m):
        need(m.gpus() and not any(m.functions[gpu]["asleep"] for gpu in m.gpus()), "no GPU to pass through")
        need(all(m.functions[gpu]["driver"] != "vfio-pci" for gpu in m.gpus()), "passed on itself")


@setting
class busy(Setting):
    """programs at work on every GPU"""
    window = "600ms"

    def before(self, m):
        for number, gpu in enumerate(driven(m)):
            fds = dict(enumerate(["/dev/null", *holders_files(m, gpu)], 3))
            m.process(40000 + 10 * number, "python3", uid=1042, fds=fds, threads={40001 + 10 * number: {}},
                      cgroup="/system.slice/slurmstepd.scope/job_4711/step_0")

    def after(self, m):
        for gpu in driven(m):
            if m.has(f"{m.paths[gpu]}/gpu_busy_percent"):
                m.lines(m.paths[gpu], gpu_busy_percent=97, mem_busy_percent=61)
        for gpu in told(m) if m.nvml else []:
            put_to_work(m, gpu)


@setting
class idle(Setting):
    """every link down at 2.5 GT/s, as idle links are"""
    window = "200ms"

    def after(self, m):
        for gpu in driven(m):
            need(m.functions[gpu]["link"] not in (None, NO_LINK, OFF_BUS), "no link")
            for address in (gpu, *m.chain(gpu)):
                relink(m, address, generation=1)


@setting
class mig(Setting):
    """MIG instances, as far as files show them"""

    def before(self, m):
        need(any(name in m.name for name in ("h100", "b200", "gh200", "a100")), "no GPU with MIG")
        m.about["char_devices"].append("237 nvidia-caps")

    def after(self, m):
        need(m.nvidia_gpus, "no GPU of NVIDIA")
        for minor in range(len(m.nvidia_gpus)):
            for instance in (1, 2):
                folder = f"/proc/driver/nvidia/capabilities/gpu{minor}/mig/gi{instance}"
                number = minor * 135 + instance * 9 + 3
                for place, minor_of in ((folder, number), (f"{folder}/ci0", number + 1)):
                    m.write(f"{place}/access", f"DeviceFileMinor: {minor_of}\nDeviceFileMode: 292\n"
                            "DeviceFileModify: 1\n")
                m.write(f"/dev/nvidia-caps/nvidia-cap{number}", "")
                m.write(f"/dev/nvidia-caps/nvidia-cap{number + 1}", "")
        for gpu in told(m):
            nvml.add_instances(gpu, 2, "3g.40gb", 4)


@setting
class mps(Setting):
    """NVIDIA's MPS server holds every GPU, its clients do too"""

    def before(self, m):
        gpus = [gpu for gpu in driven(m) if gpu in m.nvidia_gpus]
        need(gpus, "no GPU of NVIDIA")
        nodes = [node for gpu in gpus for node in holders_files(m, gpu)]
        m.process(3100, "nvidia-cuda-mps-control", fds={3: "/dev/null"})
        m.process(3101, "nvidia-cuda-mps-server", fds=dict(enumerate(nodes, 3)))
        m.process(3102, "gmx", uid=1042, fds=dict(enumerate(nodes, 3)))


@setting
class asleep(Setting):
    """the only GPU sleeps, and so do the bridges above it; nobody said how many belong here"""

    def arguments(self, m, arguments):
        # With an expectation a machine whose GPUs all sleep is not judged.
        return [word for at, word in enumerate(arguments)
                if word != "--expect-gpus" and (not at or arguments[at - 1] != "--expect-gpus")]

    def after(self, m):
        gpus = driven(m)
        need(len(gpus) == 1 and m.functions[gpus[0]]["class"] == 0x030000 and m.release >= (5, 11),
             "not a desktop's only GPU")
        for address in (gpus[0], *m.chain(gpus[0])):
            m.lines(m.paths[address], power_state="D3cold")
            m.lines(f"{m.paths[address]}/power", runtime_status="suspended", control="auto")
        untouchable(m, (gpus[0], *m.chain(gpus[0])))
        for pid in [pid for pid in m.programs if pid > 1000]:
            m.remove(f"/proc/{pid}")


@setting
class no_opencl(Setting):
    """no OpenCL driver registered"""

    def after(self, m):
        need(m.has("/etc/OpenCL"), "none there anyway")
        m.remove("/etc/OpenCL")


@setting
class snc(Setting):
    """each socket is two NUMA nodes (SNC, NPS)"""

    def about(self, about):
        nodes = about.get("nodes", {0: "0-31", 1: "32-63"})
        need(len(nodes) == 2 and all(nodes.values()) and not about.get("virtual"), "not two sockets of one node each")
        return {"split": 2}


@setting
class swap_idle(Setting):
    """pages swapped out long ago, to disk and to zram"""

    def about(self, about):
        return {"swaps": [("/dev/nvme0n1p3", "partition", 33554428, 2097148),
                          ("/dev/zram0", "partition", 4194300, 4100000)],
                "vmstat": {"pswpin": 81273, "pswpout": 524287}}


@setting
class vram_full(Setting):
    """GPU memory taken in advance, as inference servers do"""

    def before(self, m):
        for number, gpu in enumerate(driven(m)):
            m.process(41000 + number, "VLLM::EngineCor", uid=1042, fds=dict(enumerate(holders_files(m, gpu), 3)),
                      cgroup="/system.slice/vllm.service")

    def after(self, m):
        for number, gpu in enumerate(driven(m)):
            path = m.paths[gpu]
            if not m.has(f"{path}/mem_info_vram_total"):
                continue
            used = int(m.read(f"{path}/mem_info_vram_total")) // 20 * 19
            m.lines(path, mem_info_vram_used=used, mem_info_vis_vram_used=used)
            for file in m.names(f"/proc/{41000 + number}/fdinfo"):
                info = f"/proc/{41000 + number}/fdinfo/{file}"
                m.write(info, re.sub(rb"drm-memory-vram:.*", f"drm-memory-vram:\t{used // 1024} KiB".encode(),
                                     m.read(info)))


@setting
class vram_shared(vram_full):
    """GPU memory taken in advance by servers of two pods on every GPU"""

    def before(self, m):
        super().before(m)
        pod = "/kubepods.slice/kubepods-pod1d8c9a60_5d4b_4b0e_9d3a_8a5d8f1c2b3e.slice"
        for number, gpu in enumerate(driven(m)):
            m.process(42000 + number, "text-embeddings", uid=1043, fds=dict(enumerate(holders_files(m, gpu), 3)),
                      cgroup=f"{pod}/cri-containerd-{'0123456789ab' * 5}.scope")


@setting
class log_wrapped(Setting):
    """the kernel's ring has room for three hours"""
    opens_gate = True

    def after(self, m):
        kernel_log.wrap(m, 3 * 3600)


@setting
class log_denied(Setting):
    """as a user who may not read the kernel's log"""
    opens_gate = True
    as_user = True

    def after(self, m):
        m.deny(kernel_log.PATH)


@setting
class log_of_programs(Setting):
    """programs of several jobs failed by themselves, on several GPUs"""

    def after(self, m):
        gpus = [gpu for gpu in m.nvidia_gpus if not m.functions[gpu]["asleep"]][:4]
        need(gpus, "no GPU of NVIDIA")
        for number, gpu in enumerate(gpus):
            for place, (code, words) in enumerate((
                    (13, "Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): Illegal Address"),
                    (43, "Ch 00000010"), (45, "Ch 00000012"),
                    (31, "Ch 00000014, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_8a000000. "
                         "Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"))):
                kernel_log.say(m, 900 - 100 * number - 10 * place,
                               f"NVRM: Xid (PCI:{gpu[:-2]}): {code}, pid={51000 + number}, name=python3, {words}")


@setting
class log_of_faults_past(Setting):
    """a GPU was lost days ago; its driver was loaded anew since"""

    def after(self, m):
        gpus = [gpu for gpu in m.nvidia_gpus if not m.functions[gpu]["asleep"]]
        need(gpus and m.about["uptime_s"] > 7 * 86400, "no GPU of NVIDIA, or not up for a week")
        kernel_log.say(m, 6 * 86400, f"NVRM: Xid (PCI:{gpus[-1][:-2]}): 79, GPU has fallen off the bus.")
        kernel_log.say(m, 5 * 86400, "nvidia-nvlink: Nvlink Core is being initialized, major device number 234")


@setting
class exclusive(Setting):
    """one process a GPU by its compute mode, and applications' clocks lowered: on every GPU, on purpose"""

    def after(self, m):
        for gpu in told(m):
            gpu |= {"compute_mode": 3, "clock_application_mhz": gpu["clock_max_mhz"] - 300}


@setting
class capped(Setting):
    """a lower power limit than they come with, on every one of several GPUs, and at work"""
    window = "600ms"

    def after(self, m):
        need(len(told(m)) > 1, "no twins, by which one sees that it is meant")
        for gpu in told(m):
            if gpu["power_min_mw"]:
                cap = max(gpu["power_min_mw"], gpu["power_default_mw"] * 8 // 10)
                gpu |= {"power_limit_mw": cap, "power_requested_mw": cap}
            put_to_work(m, gpu)


@setting
class ecc_off(Setting):
    """ECC and persistence mode off on every GPU, on purpose"""

    def after(self, m):
        for gpu in told(m):
            gpu["persistence"] = 0
            if gpu["ecc_enabled"]:
                gpu |= {"ecc_enabled": 0, "ecc_pending": 0}


@setting
class mig_in_part(Setting):
    """MIG on one GPU in three, the others whole"""

    def after(self, m):
        able = [gpu for gpu in told(m) if gpu["mig_enabled"] is not None and not gpu["mig_enabled"]]
        need(len(able) > 1, "not several GPUs that can have MIG")
        for gpu in able[::3]:
            nvml.add_instances(gpu, 2, "3g.40gb", 4)


@setting
class driver_container(Setting):
    """NVIDIA's driver is in a container: its libraries lie elsewhere"""

    def after(self, m):
        told(m)
        need(not m.given, "a container, which was given its libraries")
        driver_in_container(m)


@setting
class groups_v1(Setting):
    """control groups of version 1"""

    def about(self, about):
        need(about.get("cgroup", 2) == 2, "has them anyway")
        return {"cgroup": 1}


@setting
class no_psi(Setting):
    """a kernel without pressure files (psi=0)"""

    def about(self, about):
        return {"pressure": None}


def plain_kernel(about):
    need("kernel" not in about, "has a kernel of its own")


@setting
class linux_5_4(Setting):
    """Linux 5.4: \"16 GT/s\", no power_state, no arch"""

    def about(self, about):
        plain_kernel(about)
        return {"kernel": "5.4.0-193-generic"}


@setting
class linux_7_2(Setting):
    """Linux 7.2: new lines in meminfo"""

    def about(self, about):
        plain_kernel(about)
        return {"kernel": "7.2.13-1-amd64"}
