# SPDX-License-Identifier: GPL-2.0-or-later
"""faults.py - faults planted on a healthy node: the rows of the second table of tests/matrix.py.

A fault is a Setting whose machine is ill. finds names what must be said: a
finding, or a check of which some warn or fail will do; one of several is
enough. Nothing else may warn or fail. exit: the exit status; None: that of a
warn or a fail. quiet: what is wrong is nobody's to mend tonight, so that a note
must tell it. unknown: no finding; the check must say that it cannot judge.
"""
import re
import struct

import kernel_log
import nvml
from settings import NotHere, Setting, driven, holders_files, need, put_to_work, relink, told
from tree import NO_LINK, OFF_BUS

FAULTS = {}
AT_WORK = "600ms"                       # a window with enough samples to judge a GPU at work


class Fault(Setting):
    finds = ()
    exit = None
    quiet = False
    unknown = False

    def edit(self, snapshot):
        """Changes the snapshot that its tree gives; for what no tree can tell. True: it did."""
        return False


def fault(*finds, **about):
    def add(cls):
        cls.finds = finds
        for name, value in about.items():
            setattr(cls, name, value)
        FAULTS[cls.__name__.replace("_", "-")] = cls()
        return cls
    return add


def linked(m):
    """GPUs with a link, awake; in a container its own."""
    gpus = [gpu for gpu in m.given or m.gpus() if not m.functions[gpu]["asleep"]
            and m.functions[gpu]["driver"] != "vfio-pci"
            and m.functions[gpu]["link"] not in (None, NO_LINK, OFF_BUS)]
    need(gpus, "no GPU with a link")
    return gpus


def last(gpus):
    return gpus[-1]


def twins(m, why):
    gpus = linked(m)
    need(len(gpus) > 2, why)
    return gpus


def of_xe(m):
    gpus = [gpu for gpu in linked(m) if m.functions[gpu]["driver"] == "xe"]
    need(gpus, "no GPU of xe")
    return last(gpus)


@fault("gpu-lost.survivability", exit=2)
class firmware_damaged(Fault):
    """xe holds a GPU for repair only, and makes no device of it"""

    def after(self, m):
        folder = m.paths[of_xe(m)]
        m.write(f"{folder}/survivability_mode", "Runtime\n")
        m.write(f"{folder}/survivability_info/capability_info", "0x7\n")


@fault("pcie-speed.downgraded")
class link_fell_back(Fault):
    """a Battlemage card has lowered the rate of its link"""

    def after(self, m):
        status = f"{m.paths[of_xe(m)]}/auto_link_downgrade_status"
        need(m.has(status), "no card that could")
        m.write(status, "1\n")


@fault("gpu-lost.all-ones", exit=2)
class off_the_bus(Fault):
    """one GPU reads as all ones"""

    def after(self, m):
        path = m.paths[last(linked(m))]
        m.write(f"{path}/config", b"\xff" * len(m.read(f"{path}/config")))
        if m.has(f"{path}/current_link_width"):
            m.lines(path, current_link_speed="Unknown", current_link_width=63, max_link_width=63)


@fault("pcie-width")
class half_the_lanes(Fault):
    """one GPU has half the lanes that both ends of its link can"""

    def after(self, m):
        gpu = last(linked(m))
        ends = [gpu, *m.chain(gpu)]
        need(len(ends) > 1 and m.has(f"{m.paths[gpu]}/current_link_width"), "no link to be seen at both ends")
        # The link of a card with a switch of its own is that of its switch's upstream port.
        ends = ends[2:4] if m.functions[gpu]["ids"].startswith(("1002", "8086")) and len(ends) == 4 and \
            m.functions[ends[1]]["ids"][:4] == m.functions[gpu]["ids"][:4] else ends[:2]
        width = int(m.read(f"{m.paths[ends[0]]}/current_link_width"))
        need(width >= 8 and int(m.read(f"{m.paths[ends[1]]}/max_link_width")) == width, "nothing to lose")
        for end in ends:
            relink(m, end, width=width // 2)


@fault("gpu-bound.no-driver", exit=2)
class no_driver(Fault):
    """one GPU has no driver"""

    def after(self, m):
        need(not m.given, "a container, to which only driven GPUs are given")
        gpu = last(linked(m))
        m.remove(f"{m.paths[gpu]}/driver")


@fault("gpu-bound.nouveau", exit=2)
class nouveau(Fault):
    """one compute card is nouveau's"""

    def after(self, m):
        cards = [gpu for gpu in linked(m) if gpu in m.nvidia_gpus and m.functions[gpu]["class"] == 0x030200]
        need(cards and not m.given, "no compute card of NVIDIA, or a container, to which only driven GPUs are given")
        m.lines("/sys/module/nouveau", refcnt=1, taint="")
        m.link(f"{m.paths[last(cards)]}/driver", "/sys/bus/pci/drivers/nouveau")


@fault("driver-tasks-stuck.in-driver", exit=2)
class task_stuck(Fault):
    """a task has slept in the driver for 41 minutes"""

    def before(self, m):
        gpu = last(driven(m))
        driver = m.functions[gpu]["driver"]
        m.process(39000, "python3", uid=1042, state="D", asleep_s=2460, wchan="os_acquire_rwlock_write", stack=[
            f"down_write+0x3a/0x60 [{driver}]", f"{driver}_ioctl+0x5a1/0x8f0 [{driver}]", "do_syscall_64+0x5b/0xc0"],
            fds=dict(enumerate(holders_files(m, gpu), 3)))

    def after(self, m):
        need(m.has("/proc/39000"), "a container, which sees its own processes only")


@fault("gpu-visible.missing", exit=2)
class one_gone(Fault):
    """one GPU is not on the bus at all, and somebody said how many belong here"""

    def after(self, m):
        gpu = last(linked(m))
        need(len(m.gpus()) > 1 and not m.given, "it would be none, or nobody says whose they are")
        m.remove(f"/sys/bus/pci/devices/{gpu}")
        m.remove(m.paths[gpu])
        if gpu in m.nvidia_gpus:
            m.remove(f"/proc/driver/nvidia/gpus/{gpu}")
            m.remove(f"/dev/nvidia{m.nvidia_gpus.index(gpu)}")
        if gpu in m.drm_minors:
            for name in (f"card{m.drm_minors[gpu]}", f"renderD{128 + m.drm_minors[gpu]}"):
                m.remove(f"/sys/class/drm/{name}")
                m.remove(f"/dev/dri/{name}")

    def arguments(self, m, arguments):
        return ["--expect-gpus", str(len(m.gpus()))]


@fault("network-link.slower-than-twins", exit=1)
class slow_port(Fault):
    """one of several RDMA ports runs with half its lanes"""

    def after(self, m):
        ports = [port for port in m.rdma_ports if "/mlx5" in port]
        need(len(ports) >= 3, "no three RDMA ports of a type")
        need(m.read(f"{ports[-1]}/rate").startswith(m.read(f"{ports[0]}/rate").split()[0]), "of different rates")
        m.lines(ports[-1], rate="100 Gb/sec (2X HDR)")


@fault("io-link.below-twins", exit=1)
class narrow_card(Fault):
    """one of several network cards of a model has half its lanes"""

    def after(self, m):
        cards = [address for address, function in m.functions.items() if function["class"] >> 16 == 0x02
                 and list(m.chain(address)) and m.has(f"{m.paths[address]}/current_link_width")]
        card = next((card for card in reversed(cards) if sum(
            m.functions[card]["ids"] == m.functions[other]["ids"] for other in cards) > 1), None)
        need(card, "no two network cards of a model")
        width = int(m.read(f"{m.paths[card]}/current_link_width"))
        need(width >= 2, "nothing to lose")
        for end in (card, next(m.chain(card))):
            relink(m, end, width=width // 2)


@fault("nvme-health.not-live", exit=2)
class dead_disk(Fault):
    """an NVMe controller that the kernel has given up"""

    def after(self, m):
        need(m.nvme_folders, "no NVMe disk")
        m.lines(m.nvme_folders[-1], state="dead")


@fault("disk-health.array-degraded", exit=1)
class degraded_mirror(Fault):
    """a mirror of two disks has lost one of them"""

    def after(self, m):
        m.write("/proc/mdstat", "Personalities : [raid1]\nmd0 : active raid1 sdb1[1](F) sda1[0]\n"
                "      976630464 blocks super 1.2 [2/1] [U_]\n      \nunused devices: <none>\n")


@fault("disk-full.no-space", exit=1)
class full_root(Fault):
    """not a byte is free on /"""

    def edit(self, snapshot):
        snapshot["rooms"] = [{"key": "/", "size_bytes": 500 << 30, "available_bytes": 0, "available_files": 90000}]
        return True


@fault("gpu-lost", exit=3, unknown=True)
class config_unreadable(Fault):
    """the configuration space of one GPU cannot be read"""

    def after(self, m):
        gpu = last(linked(m))
        m.remove(f"{m.paths[gpu]}/config")


@fault("gpu-visible", exit=3, unknown=True)
class class_unreadable(Fault):
    """the class of one function cannot be read: it may be a GPU"""

    def after(self, m):
        need("--expect-gpus" in m.asked, "nobody says how many belong here")
        m.remove(f"{m.paths[last(linked(m))]}/class")


@fault("memory-available.exhausted", exit=1)
class memory_exhausted(Fault):
    """1 % of memory available, 2 GiB at the most"""

    def about(self, about):
        return {"available": min(0.01, 2 / about.get("memory_gib", 512))}

    def after(self, m):
        need(b"MemAvailable" in m.read("/proc/meminfo"), "a kernel that does not tell")


@fault("memory-available.stalled", exit=1)
class memory_stalled(Fault):
    """tasks wait for memory a third of the time"""

    def about(self, about):
        need(about.get("pressure", {}) is not None, "no PSI")
        return {"available": 0.08, "pressure": {"memory": (61.02, 33.41)}}

    def after(self, m):
        need(m.has("/proc/pressure"), "a kernel without PSI")


@fault("swap-used.short-of-memory", exit=1)
class swap_short(Fault):
    """half of a disk's swap used, and little memory left"""

    def about(self, about):
        return {"available": 0.09, "swaps": [("/dev/nvme0n1p3", "partition", 67108860, 41943040)]}

    def after(self, m):
        need(b"MemAvailable" in m.read("/proc/meminfo"), "a kernel that does not tell")
        need(not m.given, "a container, whose host's swap is not its own")


@fault("swap-rate", "memory-pressure")
class swap_storm(Fault):
    """pages come back from a disk's swap at 200 MB/s while tasks wait"""

    def about(self, about):
        return {"swaps": [("/dev/nvme0n1p3", "partition", 67108860, 20971520)]}

    def edit(self, snapshot):
        if snapshot["host"].get("container", "none") != "none":
            return False  # a container sees the host's swap, which is a note there
        snapshot["run"]["source"] = "live"
        snapshot.setdefault("window", {}).update(
            length_ms=1000, samples=11, swap_in_bytes_per_s=2.1e8, swap_out_bytes_per_s=1.9e8,
            major_faults_per_s=9000.0,
            oom_kills=0, memory_some_percent=71.0, memory_full_percent=44.0)
        snapshot["pressure"].update(memory_some_avg10=71.0, memory_full_avg10=44.0)
        return True


@fault("driver-match")
class library_other(Fault):
    """the driver was updated without a reload: libraries of another version than the module"""

    def after(self, m):
        need(m.has("/proc/driver/nvidia/version") and not m.given, "no driver of NVIDIA")
        loaded = m.read("/sys/module/nvidia/version").decode().strip()
        m.lines("/sys/module/nvidia", version="470.256.02")
        m.write("/proc/driver/nvidia/version", m.read("/proc/driver/nvidia/version").replace(loaded.encode(),
                                                                                             b"470.256.02"))


@fault("pcie-errors")
class errors_uncorrected(Fault):
    """AER has counted errors of one GPU's link that were not corrected, in two hours since boot"""

    def about(self, about):
        return {"uptime_s": 7203.25}

    def after(self, m):
        path = m.paths[last(linked(m))]
        need(m.has(f"{path}/aer_dev_nonfatal"), "a kernel without AER counters")
        for kind, name in (("nonfatal", b"CmpltTO"), ("fatal", b"DLP")):
            text = m.read(f"{path}/aer_dev_{kind}").replace(name + b" 0", name + b" 3")
            m.write(f"{path}/aer_dev_{kind}", text.replace(b"TOTAL_ERR_" + kind.upper().encode() + b" 0",
                                                           b"TOTAL_ERR_" + kind.upper().encode() + b" 3"))


@fault("pcie-settings", quiet=True)
class payload_odd(Fault):
    """one GPU of several may send 128 bytes at once, its twins 256"""

    def after(self, m):
        gpu = last(twins(m, "no twins"))
        need(m.functions[gpu]["ids"] not in nvml.SHARES_MODULE, "GPUs that reach their processor by NVLink-C2C")
        path = m.paths[gpu]
        config = bytearray(m.read(f"{path}/config"))
        control, = struct.unpack_from("<H", config, 0x68)
        struct.pack_into("<H", config, 0x68, control & ~0xe0)
        m.write(f"{path}/config", bytes(config))


@fault("twins-differ.odd-one")
class vbios_odd(Fault):
    """one GPU of several has another VBIOS"""

    def after(self, m):
        gpu = last(twins(m, "no twins"))
        information = f"/proc/driver/nvidia/gpus/{gpu}/information"
        if m.has(information):
            m.write(information, m.read(information).replace(b"96.00.89.00.01", b"96.00.30.00.01"))
        elif m.has(f"{m.paths[gpu]}/vbios_version"):
            m.lines(m.paths[gpu], vbios_version="113-OTHER-001")
        else:
            raise NotHere("no VBIOS to be seen")


@fault("numa-affinity", "numa-spread")
class pinned_remote(Fault):
    """a program on one GPU is pinned to the other socket's CPUs"""

    def before(self, m):
        nodes = [(number, cpus) for number, cpus in m.about["nodes"].items() if cpus]
        gpu = last(driven(m))
        need(len(nodes) > 1 and len(m.about["packages"]) > 1 and m.functions[gpu]["node"] not in (None, nodes[0][0]),
             "one socket, or the GPU is at the first")
        m.process(39500, "python3", uid=1042, fds=dict(enumerate(holders_files(m, gpu), 3)))

    def after(self, m):
        need(m.has("/proc/39500"), "a container, which sees its own processes only")
        first, cpus = next((number, cpus) for number, cpus in m.about["nodes"].items() if cpus)
        for folder in ("/proc/39500", "/proc/39500/task/39500"):
            text = m.read(f"{folder}/status").replace(m.all_cpus().encode(), cpus.encode())
            m.write(f"{folder}/status", text.replace(b"Mems_allowed_list:\t0", b"Mems_allowed_list:\t%d" % first))


@fault("container-runtime.stale-cdi", exit=1)
class cdi_stale(Fault):
    """the CDI file that containers are made by is of another driver"""

    def after(self, m):
        need(m.has("/sys/module/nvidia/version") and not m.given, "no driver of NVIDIA on a host")
        m.process(2700, "dockerd", cgroup="/system.slice/docker.service")
        m.complete_process(2700, "dockerd", False)
        m.write("/etc/cdi/nvidia.yaml", "kind: nvidia.com/gpu\ncontainerEdits:\n  mounts:\n"
                "  - hostPath: /usr/lib64/libcuda.so.418.39\n    containerPath: /usr/lib64/libcuda.so.418.39\n")


@fault("container-runtime.cdi-files-gone", exit=1)
class cdi_names_gone_node(Fault):
    """the CDI file that containers are made by names a device node that does not exist"""

    def after(self, m):
        need(m.has("/sys/module/nvidia/version") and not m.given, "no driver of NVIDIA on a host")
        need(any(name.startswith("nvidia") for name in m.names("/dev")), "no device node is recorded")
        m.process(2701, "dockerd", cgroup="/system.slice/docker.service")
        m.complete_process(2701, "dockerd", False)
        m.write("/var/run/cdi/by-hand.yaml", "cdiVersion: 0.6.0\nkind: nvidia.com/gpu\ndevices:\n- name: \"77\"\n"
                "  containerEdits:\n    deviceNodes:\n    - path: /dev/nvidia77\n")


@fault("pinned-limit")
class memlock_small(Fault):
    """beside RDMA, jobs of the scheduler's daemon may pin 64 KiB only"""

    def after(self, m):
        need(m.has("/sys/class/infiniband") and not m.given, "no RDMA device, or no daemon to be seen")
        driven(m)
        m.process(2600, "slurmd", cgroup="/system.slice/slurmd.service")
        m.complete_process(2600, "slurmd", False)
        m.write("/proc/2600/limits", re.sub(rb"(Max locked memory +)unlimited( +)unlimited( +)",
                                            rb"\g<1>65536    \g<2>65536    \g<3>",
                                            m.read("/proc/2600/limits")))


@fault("gpu-visible.missing", exit=2)
class slot_silent(Fault):
    """one slot of several below the processor is taken, and the card in it does not answer"""

    def after(self, m):
        gpu = last(linked(m))
        above = list(m.chain(gpu))
        need(len(m.gpus()) > 2 and len(above) == 1 and m.has(f"{m.paths[gpu]}/max_link_width"),
             "no slot beside its like")
        one_gone.after(self, m)
        port = above[0]
        config = bytearray(m.read(f"{m.paths[port]}/config"))
        struct.pack_into("<H", config, 0x72, struct.unpack_from("<H", config, 0x72)[0] & ~(1 << 13))
        m.write(f"{m.paths[port]}/config", bytes(config))

    def arguments(self, m, arguments):
        return []


@fault("gpu-access")
class node_missing(Fault):
    """the device node of one GPU is not there"""

    def after(self, m):
        need(len(m.nvidia_gpus) > 2 and not m.given, "not several nodes that the driver does not make itself")
        m.remove(f"/dev/nvidia{len(m.nvidia_gpus) - 1}")


@fault("edac", "memory-errors")
class memory_error(Fault):
    """a memory controller has counted an error that was not corrected"""

    def after(self, m):
        need(m.has("/sys/devices/system/edac/mc/mc1"), "no EDAC")
        m.lines("/sys/devices/system/edac/mc/mc1", ue_count=2)
        m.lines("/sys/devices/system/edac/mc/mc1/dimm0", dimm_ue_count=2)


@fault("cgroup-memory", quiet=True)
class group_full(Fault):
    """the container's memory limit is reached, without a page cache to give back"""

    def after(self, m):
        need(m.given, "not in a container")
        limit = m.read("/sys/fs/cgroup/memory.max").decode().strip()
        m.lines("/sys/fs/cgroup", **{"memory.current": limit, "memory.stat": f"anon {limit}\nfile 0\ninactive_file 0",
                                     "memory.events": "low 0\nhigh 0\nmax 812\noom 3\noom_kill 3\noom_group_kill 0"})


@fault("pcie-speed")
class speed_under_load(Fault):
    """one GPU at work all through the window, its link never above 5 GT/s"""

    @staticmethod
    def slot_end(gpu):
        """The lower end of the slot's link: of a card with a switch of its own that is the switch's."""
        hops = gpu.get("hops", [])
        is_switch = len(hops) > 2 and gpu["pci"]["vendor_id"] in ("0x1002", "0x8086") and \
            hops[1]["pci"]["vendor_id"] == gpu["pci"]["vendor_id"]
        return hops[1]["pci"] if is_switch else gpu["pci"]

    def edit(self, snapshot):
        gpus = [gpu for gpu in snapshot.get("gpus", []) if gpu["pci"].get("runtime_status") == "active"
                and (self.slot_end(gpu).get("link_speed_able_mtps") or 0) >= 16000
                and (self.slot_end(gpu).get("link_width") or 0) >= 8 and gpu["pci"].get("driver") != "vfio-pci"]
        if not gpus:
            return False
        snapshot["run"]["source"] = "live"
        snapshot.setdefault("window", {}).update(length_ms=1000, samples=11)
        end = self.slot_end(gpus[-1])
        end["link_speed_mtps"] = 5000
        gpus[-1]["use"] = {"busy_percent": 97.0, "busy_max_percent": 99.0, "samples_busy": 11,
                           "link_speed_busy_mtps": 5000, "link_width_busy": end["link_width"]}
        return True


def driven_by(m, driver):
    gpus = [gpu for gpu in linked(m) if m.functions[gpu]["driver"] == driver]
    need(gpus, f"no GPU of {driver}")
    return last(gpus)


def xid(gpu, code, words, process="pid=31, name=python3, "):
    return f"NVRM: Xid (PCI:{gpu[:-2]}): {code}, {process}{words}"


@fault("klog-errors.nvidia-xid-79", exit=2)
class log_off_the_bus(Fault):
    """the log says that a GPU has fallen off the bus, after a storm of corrected errors"""

    def after(self, m):
        gpu = driven_by(m, "nvidia")
        port = next(m.chain(gpu), gpu)
        storm = [f"pcieport {port}: AER: Corrected error received: {gpu}",
                 f"nvidia {gpu}: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
                 f"nvidia {gpu}:   device [10de:2330] error status/mask=00000001/0000e000",
                 f"nvidia {gpu}:    [ 0] RxErr                  (First)"] * 1500
        kernel_log.say(m, 3600, *storm, f"NVRM: GPU at PCI:{gpu[:-2]}: GPU-12345678-0000-0000-0000-000000000000",
                       xid(gpu, 79, "GPU has fallen off the bus."))


@fault("klog-errors", exit=2)
class log_memory_story(Fault):
    """the log tells of an uncorrectable error of GPU memory, and that the GPU must be reset"""

    def after(self, m):
        gpu = driven_by(m, "nvidia")
        kernel_log.say(
            m, 1800,
            xid(gpu, 48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at "
                "partition 6, subpartition 0."),
            xid(gpu, 63, "Row Remapper: New row (0x00000000abcdef00) marked for remapping, reset gpu to activate.", ""),
            xid(gpu, 94, "Contained: SM (0x1). RST: No, D-RST: No"),
            xid(gpu, 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", ""))


@fault("klog-errors")
class log_firmware_silent(Fault):
    """the log says that a GPU's system processor does not answer"""

    def after(self, m):
        gpu = driven_by(m, "nvidia")
        kernel_log.say(m, 600, xid(gpu, 119, "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected "
                                   "function 76 (GSP_RM_CONTROL) (0x2080a0d1 0x5f0)."))


@fault("klog-errors", exit=1)
class log_out_of_memory(Fault):
    """the log says that a program was killed as the node had no memory left"""

    def after(self, m):
        kernel_log.say(
            m, 7200, "python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, "
            "oom_score_adj=0",
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,"
            "task_memcg=/user.slice,task=python3,pid=4242,uid=1042",
            "Out of memory: Killed process 4242 (python3) total-vm:901284732kB, anon-rss:524288000kB, file-rss:0kB, "
            "shmem-rss:0kB, UID:1042 pgtables:1048576kB oom_score_adj:0")


@fault("klog-errors", exit=2)
class log_wedged(Fault):
    """the log says that xe has given up a GPU"""

    def before(self, m):
        gpu = last([gpu for gpu in linked(m) if m.functions[gpu]["driver"] in ("i915", "xe")] or [None])
        need(gpu, "no GPU of Intel")
        self.gpu = gpu

    def after(self, m):
        kernel_log.say(m, 60, f"xe {self.gpu}: [drm] CRITICAL: Xe has declared device {self.gpu} as wedged.")


@fault("klog-errors.amdgpu-reset-failed", exit=2)
class log_reset_failed(Fault):
    """the log says that amdgpu could not reset a GPU"""

    def after(self, m):
        gpu = driven_by(m, "amdgpu")
        kernel_log.say(m, 900, f"amdgpu {gpu}: amdgpu: GPU reset begin!",
                       f"amdgpu {gpu}: amdgpu: GPU reset end with ret = -62")


@fault("klog-errors.amdgpu-ras-uncorrectable", exit=2)
class log_memory_of_amd(Fault):
    """the log tells of uncorrectable errors of an AMD GPU's memory"""

    def after(self, m):
        gpu = driven_by(m, "amdgpu")
        kernel_log.say(m, 900, f"amdgpu {gpu}: amdgpu: socket: 0, die: 0, 1 uncorrectable hardware errors detected in umc "
                       "block")


@fault("klog-errors.pcie-aer-fatal", exit=2)
class log_link_fatal(Fault):
    """the log tells of a fatal error of a GPU's link"""

    def after(self, m):
        gpu = last(linked(m))
        port, driver = next(m.chain(gpu), gpu), m.functions[gpu]["driver"]
        kernel_log.say(m, 900, f"pcieport {port}: AER: Uncorrected (Fatal) error received: {gpu}",
                       f"{driver} {gpu}: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)")


@fault("klog-errors.mce-uncorrected")
class log_processor(Fault):
    """the log tells of a processor's error that could not be corrected"""

    def after(self, m):
        kernel_log.say(m, 900, "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400")


# ---- what NVIDIA's library alone tells: the files are those of a healthy machine

def told_odd(m, **values):
    """Values of the last GPU, of several where twins are needed to tell."""
    gpu = last(told(m))
    gpu |= values
    return gpu


def has(gpu, key):
    need(gpu.get(key) is not None, f"a GPU that tells nothing of {key}")


@fault("vram-health.remap-pending", exit=1)
class remap_pending(Fault):
    """a row of one GPU's memory waits for a reset to be replaced"""

    def after(self, m):
        has(last(told(m)), "rows_remapped_corrected")
        told_odd(m, remap_pending=1, rows_remapped_uncorrected=1)


@fault("vram-health.remap-failed", exit=2)
class remap_failed(Fault):
    """a row of one GPU's memory could not be replaced"""

    def after(self, m):
        has(last(told(m)), "rows_remapped_corrected")
        told_odd(m, remap_failed=1, rows_remapped_uncorrected=9, banks=[2558, 0, 0, 1, 1])


@fault("vram-health.uncorrected")
class memory_uncorrected(Fault):
    """errors that ECC could not correct, since the driver was loaded"""

    def after(self, m):
        need(last(told(m))["ecc_enabled"], "a GPU without ECC")
        told_odd(m, ecc_uncorrected=2, ecc_uncorrected_lifetime=2)


@fault("vram-health", "gpu-lost")
class asks_for_reboot(Fault):
    """the driver asks for a reboot to get one GPU well"""

    def after(self, m):
        need(m.functions[last(told(m))["pci"]]["ids"] in ("10de:2330", "10de:2335", "10de:2901"), "no such card")
        told_odd(m, recovery_action=2)


@fault("throttle-thermal.hardware", "temperature-margin.at-limit", exit=2)
class slowed_by_heat(Fault):
    """one GPU's clocks are halved for heat, at work"""
    window = AT_WORK

    def after(self, m):
        need(not last(told(m))["mig_enabled"], "a divided GPU does not tell its utilization")
        put_to_work(m, told_odd(m))
        told_odd(m, clock_reasons=0x48, clock_mhz=705, temperature_c=92, violations_ns={"1": {"base": 0, "per_s": 9e8}})
        if "temperature_margin_c" in last(told(m)):
            told_odd(m, temperature_margin_c=-3)


@fault("throttle-power.brake", exit=2)
class power_brake(Fault):
    """one GPU is slowed from outside (power brake), at work"""
    window = AT_WORK

    def after(self, m):
        need(not last(told(m))["mig_enabled"], "a divided GPU does not tell its utilization")
        put_to_work(m, told_odd(m))
        told_odd(m, clock_reasons=0x88, clock_mhz=705)


@fault("throttle-power.brake-idle", exit=1)
class power_brake_idle(Fault):
    """one idle GPU is slowed from outside (power brake) all the time"""
    window = AT_WORK

    def after(self, m):
        told_odd(m, clock_reasons=0x89)


@fault("throttle-thermal.hardware-idle", exit=1)
class thermal_idle(Fault):
    """one idle GPU's clocks are halved for heat all the time"""
    window = AT_WORK

    def after(self, m):
        told_odd(m, clock_reasons=0x49)


@fault("throttle-power.capped-below-twins", exit=1)
class capped_below_twins(Fault):
    """one GPU has a lower power limit than its twins"""

    def after(self, m):
        need(len(told(m)) > 2 and last(told(m))["power_min_mw"], "no twins, or no limits")
        gpu = last(told(m))
        cap = max(gpu["power_min_mw"], gpu["power_default_mw"] // 2)
        told_odd(m, power_limit_mw=cap, power_requested_mw=cap)


@fault("gpu-link.down", exit=2)
class nvlink_down(Fault):
    """two NVLinks of one GPU are down"""

    def after(self, m):
        links = last(told(m))["nvlinks"]
        need(links and len(told(m)) > 1, "no NVLink, or no twin")
        need(not last(told(m))["mig_enabled"], "an instance uses no NVLink")
        for number in (3, 4):
            links[number] |= {"state": 0, "remote": None}


@fault("gpu-link.below-model", exit=2)
class nvlinks_down_on_all(Fault):
    """on a board with NVSwitches every GPU has four NVLinks up: no twin is better"""

    def after(self, m):
        need(any(function["driver"] == "nvidia-nvswitch" for function in m.functions.values()), "no NVSwitch")
        need(not m.about["virtual"] and not m.given, "the links are the host's")
        need(not any(gpu["mig_enabled"] for gpu in told(m)), "an instance uses no NVLink")
        for gpu in told(m):
            for link in gpu["nvlinks"][4:]:
                link |= {"state": 0, "remote": None}


@fault("daemons.fabric-manager-missing", exit=2)
class fabric_manager_missing(Fault):
    """the fabric manager does not run, and no GPU has its place in the fabric of the NVSwitches"""

    def after(self, m):
        need(not m.given and any(comm.startswith("nv-fabric") for comm, _ in m.programs.values()), "no fabric manager")
        for pid, (comm, _) in list(m.programs.items()):
            if comm.startswith("nv-fabric"):
                m.remove(f"/proc/{pid}")
                del m.programs[pid]
        for gpu in told(m):
            if gpu["fabric"]:
                gpu["fabric"] |= {"state": 1, "status": 0, "health_mask": 0, "summary": 0}


@fault("gpu-lost.by-driver", exit=2)
class lost_by_driver(Fault):
    """the driver says that one GPU is lost; its registers answer"""

    def after(self, m):
        told_odd(m, handle_error="GPU_IS_LOST")


@fault("gpu-enumerated.not-in-library", exit=2)
class unknown_by_driver(Fault):
    """the driver cannot open one GPU and does not say why; its registers answer"""

    def after(self, m):
        told_odd(m, handle_error="UNKNOWN")


@fault("sharing.prohibited")
class prohibited(Fault):
    """the compute mode of one GPU lets nobody in"""

    def after(self, m):
        told_odd(m, compute_mode=2)


@fault("vram-holders.dead", exit=1)
class dead_holder(Fault):
    """half of one GPU's memory is in use, by nobody, and 5 s later too"""

    def after(self, m):
        need(m.name in ("h100-8", "t4-2"), "two nodes are enough for what takes 5 s")
        gpu = last(told(m))
        gpu["vram_used_bytes"] += gpu["vram_total_bytes"] // 2

    def edit(self, snapshot):
        # Of a tree nobody knows whether all processes are in it.
        snapshot["host"]["sees_all_processes"] = True
        return True


@fault("twins-differ.odd-one", exit=1)
class persistence_odd(Fault):
    """persistence is off on one GPU alone"""

    def after(self, m):
        need(len(told(m)) > 2 and last(told(m))["persistence"], "no twins, or off everywhere")
        told_odd(m, persistence=0)


# ---- cards of AMD, whose driver tells in files

def of_amdgpu(m, what, why):
    gpus = [gpu for gpu in linked(m) if m.functions[gpu]["driver"] == "amdgpu" and m.has(f"{m.paths[gpu]}/{what}")]
    need(gpus, why)
    return gpus


@fault("vram-health.uncorrected", exit=2)
class ras_uncorrected(Fault):
    """amdgpu counts errors of one GPU's memory that ECC could not correct"""

    def after(self, m):
        gpus = of_amdgpu(m, "ras/umc_err_count", "no GPU whose driver counts errors")
        m.lines(f"{m.paths[last(gpus)]}/ras", umc_err_count="ue: 3\nce: 17")


@fault("vram-health.unretired-pages", exit=2)
class pages_in_use(Fault):
    """bad pages of one GPU's memory could not be taken out of use"""

    def after(self, m):
        gpus = of_amdgpu(m, "ras/gpu_vram_bad_pages", "no GPU whose driver lists bad pages")
        m.lines(f"{m.paths[last(gpus)]}/ras", gpu_vram_bad_pages="0x00012345 : 0x00001000 : R\n"
                "0x00012346 : 0x00001000 : F")


@fault("throttle-power.capped-below-twins", exit=1)
class amd_capped(Fault):
    """one GPU of AMD has a lower power limit than its twins"""

    def after(self, m):
        gpus = of_amdgpu(m, "hwmon", "no GPU that tells its limit")
        need(len(gpus) > 2, "no twins")
        folder = f"{m.paths[last(gpus)]}/hwmon"
        folder += f"/{m.names(folder)[0]}"
        need(m.has(f"{folder}/power1_cap"), "no GPU that tells its limit")
        m.lines(folder, power1_cap=int(m.read(f"{folder}/power1_cap")) * 6 // 10)


@fault("twins-differ.odd-one", exit=1)
class partition_odd(Fault):
    """the memory of one GPU of AMD is divided otherwise than that of its twins"""

    def after(self, m):
        gpus = of_amdgpu(m, "current_memory_partition", "no GPU that can be divided")
        need(len(gpus) > 2, "no twins")
        m.lines(m.paths[last(gpus)], current_memory_partition="NPS4")
