#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mknodes.py - the machines our tests run on, as trees of /sys, /proc, /dev and /etc.

mknodes.py DIR [NAME…]    writes DIR/NAME for each machine, or for those named
mknodes.py --list         says what there is
mknodes.py --healthy      names those that tests/matrix.py takes

Each machine is a function below: its name with dashes is the tree's, its first
line says what it is, the rest where its values come from. "facts" are the
project's notes on kernel, driver and vendor behaviour, each with its source.
To add a machine, add a function; for one with another in its first argument,
that one's description is built on.
"""
import os
import shutil
import struct
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
# pylint: disable=wrong-import-position
import amdgpu
import nvml
from files import sync
from machine import Node
from settings import Setting, driver_in_container, in_container, untouchable
from tree import DOWNSTREAM, LEGACY_ENDPOINT, NO_LINK, OFF_BUS, ROOT_PORT, TO_PCI, UPSTREAM

MACHINES = {}
HEALTHY = {}                            # machines of which nothing is wrong: how tests/matrix.py asks them
FULL_GEN5, FULL_GEN4 = (5, 16, 5, 16), (4, 16, 4, 16)
DISPLAY, GPU_3D, OTHER_DISPLAY, BRIDGE, AUDIO, NETWORK = 0x030000, 0x030200, 0x038000, 0x060400, 0x040300, 0x020000
ACCELERATOR, OTHER_BRIDGE, INFINIBAND = 0x120000, 0x068000, 0x020700
ONE_NODE = {"nodes": {0: "0-15"}, "packages": ["0-15"], "memory_gib": 64}
XE9680 = {"vendor": "Dell Inc.", "product": "PowerEdge XE9680"}


def machine(**about):
    """A machine with these deviations from the usual one (tree.py)."""
    def add(build):
        MACHINES[build.__name__.replace("_", "-")] = (build, about)
        return build
    return add


def healthy(args="", reason=None, gate=None):
    """
    A machine that is to pass in every setting. args: what its operator would say on the command line;
    reason: where "no verdict" is the answer, why. gate: why a gate cannot decide, where a run can.
    """
    def add(build):
        HEALTHY[build.__name__.replace("_", "-")] = {"args": args.split(), "exit": 3 if reason else 0, "reason": reason,
                                                     "gate": gate, "doc": build.__doc__.splitlines()[0]}
        return build
    return add


def nvswitches(m, ids, addresses, **pci):
    """Switches of NVLink, their device nodes and the daemon that serves them."""
    for number, address in enumerate(addresses):
        m.pci(address, ids, OTHER_BRIDGE, driver="nvidia-nvswitch", **pci)
        m.write(f"/dev/nvidia-nvswitch{number}", "")
    m.write("/dev/nvidia-nvswitchctl", "")
    m.about["char_devices"].append("234 nvidia-nvswitch")
    m.process(2240, "nv-fabricmanage", fds={3: "/dev/nvidia-nvswitchctl", 4: "/dev/nvidiactl"})


def node_software(m, driver):
    """What stands beside the driver: its module's file, packages, a toolkit, NCCL, containers with CDI.
    Forms: dpkg's status file of Ubuntu 22.04, version.json of CUDA 12.4, nvidia-ctk cdi generate."""
    modules = f"/lib/modules/{m.about['kernel']}"
    m.write(f"{modules}/modules.dep", "kernel/drivers/gpu/drm/drm.ko:\nupdates/dkms/nvidia-uvm.ko: "
            "updates/dkms/nvidia.ko\nupdates/dkms/nvidia.ko: kernel/drivers/gpu/drm/drm.ko\n")
    m.write(f"{modules}/updates/dkms/nvidia.ko", module_file(f"version={driver}", "license=NVIDIA"))
    dkms_driver(m, driver)
    m.write("/var/lib/dpkg/status", "".join(
        f"Package: {name}\nStatus: {status}\nPriority: optional\nArchitecture: amd64\nVersion: {version}\n"
        f"Description: of {name}\n with a second line\n\n" for name, status, version in (
            ("bash", "install ok installed", "5.1-6ubuntu1.1"),
            (f"nvidia-fabricmanager-{driver[:3]}", "install ok installed", f"{driver}-1"),
            ("nvidia-fabricmanager-535", "deinstall ok config-files", "535.183.01-1"),
            ("nvidia-container-toolkit", "install ok installed", "1.17.4-1"),
            ("libnccl2", "install ok installed", "2.21.5-1+cuda12.4"),
            ("datacenter-gpu-manager", "hold ok installed", "1:3.3.7"))))
    m.write("/usr/local/cuda-12.4/version.json", '{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}\n')
    m.link("/usr/local/cuda", "cuda-12.4")
    m.write("/usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5", b"\x7fELF\x02\x01\x01")
    m.write("/var/run/cdi/nvidia.yaml", "---\ncdiVersion: 0.5.0\nkind: nvidia.com/gpu\ncontainerEdits:\n  mounts:\n"
            f"  - containerPath: /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.{driver}\n"
            f"    hostPath: /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.{driver}\n")
    m.process(960, "containerd")


def dkms_driver(m, driver):
    """The same as DKMS 3 leaves it: what it built, the kernel's headers, an image and initramfs, a file that keeps nouveau off; and a
    firmware with Secure Boot off."""
    kernel = m.about["kernel"]
    m.write(f"/usr/src/linux-headers-{kernel}/Makefile", "")
    m.link(f"/lib/modules/{kernel}/build", f"/usr/src/linux-headers-{kernel}")
    m.write(f"/boot/vmlinuz-{kernel}", "")
    m.write(f"/boot/initrd.img-{kernel}", b"\x1f\x8b\x08\0" + bytes(508))
    m.write(f"/usr/src/nvidia-{driver}/dkms.conf", "")
    m.link(f"/var/lib/dkms/nvidia/{driver}/source", f"/usr/src/nvidia-{driver}")
    m.write(f"/var/lib/dkms/nvidia/{driver}/{kernel}/x86_64/module/nvidia.ko", "")
    m.link(f"/var/lib/dkms/nvidia/kernel-{kernel}-x86_64", f"{driver}/{kernel}/x86_64")
    m.write("/usr/lib/modprobe.d/nvidia-graphics-drivers.conf", "# of the package\nblacklist nouveau\n")
    m.write("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", b"\x06\0\0\0\0")
    m.write("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n")
    m.write("/sys/module/module/parameters/sig_enforce", "N\n")


def module_file(*information):
    """An ELF file with a .modinfo, as linux/include/linux/module.h makes it."""
    text = b"".join(line.encode() + b"\0" for line in information)
    names = b"\0.modinfo\0.shstrtab\0"
    header, section = 64, 64
    table = header + len(text) + len(names)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    return (struct.pack("<16sHHIQQQIHHHHHH", ident, 1, 62, 1, 0, 0, table, 0, header, 0, 0, section, 3, 2) +
            text + names + bytes(section) +
            struct.pack("<IIQQQQIIQQ", 1, 1, 2, 0, header, len(text), 0, 0, 1, 0) +
            struct.pack("<IIQQQQIIQQ", 10, 3, 0, 0, header + len(text), len(names), 0, 0, 1, 0))


def amd_gpu(m, address, ids, **pci):
    """A GPU that amdgpu drives, with its DRM nodes."""
    m.pci(address, ids, pci.pop("class_code", ACCELERATOR), driver="amdgpu", **pci)
    m.drm(address)


def rocm(m):
    """What all AMD cards of a machine share."""
    m.write("/dev/kfd", "")
    m.about["char_devices"].append("510 kfd")
    m.about["icds"]["amdocl64.icd"] = "libamdocl64.so\n"


def mi300x_board(m):
    """Eight below a switch each, joined by xGMI. Their addresses."""
    addresses = []
    for number, bus in enumerate((0x05, 0x26, 0x46, 0x65, 0x85, 0xa6, 0xc6, 0xe5)):
        root, up, down = f"0000:{bus - 3:02x}:01.1", f"0000:{bus - 2:02x}:00.0", f"0000:{bus - 1:02x}:00.0"
        addresses.append(f"0000:{bus:02x}:00.0")
        m.pci(root, "1022:14ab", BRIDGE, driver="pcieport", node=number, link=FULL_GEN5, port=ROOT_PORT)
        m.pci(up, "1000:c030", BRIDGE, below=root, driver="pcieport", node=number, link=FULL_GEN5, port=UPSTREAM)
        m.pci(down, "1000:c030", BRIDGE, below=up, driver="pcieport", node=number, link=FULL_GEN5, port=DOWNSTREAM)
        amd_gpu(m, addresses[-1], "1002:74a1", below=down, node=number, link=FULL_GEN5, subsystem="1002:74a1")
        m.nic(f"0000:{bus + 6:02x}:00.0", f"rdma{number}", ids="14e4:1760", driver="bnxt_en", rdma=f"bnxt_re{number}",
              node=number)
    amdgpu.hive(m, addresses)
    amdgpu.partition(m, addresses)
    return addresses


def h100_board(m, hops=FULL_GEN5, links=None, gpus=8):
    """GPUs, each below a root port and a switch; links: {number: link} of those that differ."""
    for number, bus in enumerate((0x19, 0x3b, 0x4c, 0x5d, 0x9b, 0xbb, 0xcb, 0xdb)[:gpus]):
        node = 0 if number < 4 else 1
        link = (links or {}).get(number, FULL_GEN5)
        root, up, down = f"0000:{bus - 4:02x}:01.0", f"0000:{bus - 3:02x}:00.0", f"0000:{bus - 2:02x}:00.0"
        m.pci(root, "8086:352a", BRIDGE, driver="pcieport", node=node, link=hops, port=ROOT_PORT)
        m.pci(up, "1000:c030", BRIDGE, below=root, driver="pcieport", node=node, link=hops, port=UPSTREAM)
        m.pci(down, "1000:c030", BRIDGE, below=up, driver="pcieport", node=node, port=DOWNSTREAM, link=link)
        m.nvidia_gpu(f"0000:{bus:02x}:00.0", "NVIDIA H100 80GB HBM3", ids="10de:2330", subsystem="10de:16c1",
                     revision=0xa1, below=down, node=node, link=link)
    m.pci("0000:0b:00.0", "1a03:2000", DISPLAY, driver="ast", node=0)
    m.pci("0000:2a:00.0", "15b3:1021", NETWORK, driver="mlx5_core", node=0, link=FULL_GEN5)
    m.nvidia_driver()
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl", **{
        4 + n: f"/dev/nvidia{n}" for n in range(gpus)}})


def h100_node(m, gpus=8):
    """The board with what stands beside it: InfiniBand cards, a disk, the switches of NVLink."""
    h100_board(m, gpus=gpus)
    for number, (bus, node) in enumerate(((0x2e, 0), (0x6a, 0), (0xaa, 1), (0xea, 1))):
        root = f"0000:{bus - 1:02x}:01.0"
        m.pci(root, "8086:352a", BRIDGE, driver="pcieport", node=node, link=FULL_GEN5, port=ROOT_PORT)
        m.nic(f"0000:{bus:02x}:00.0", f"ib{number}", class_code=INFINIBAND, rdma=f"mlx5_{number}", below=root,
              node=node)
    m.pci("0000:01:01.0", "8086:352a", BRIDGE, driver="pcieport", node=0, link=(4, 4, 5, 4), port=ROOT_PORT)
    m.nvme("0000:02:00.0", "nvme0n1", below="0000:01:01.0", node=0)
    # GH100's switches hang on two lanes of the fourth generation each.
    nvswitches(m, "10de:22a3", [f"0000:{bus:02x}:00.0" for bus in (0x05, 0x06, 0x07, 0x08)], node=0, link=(4, 2, 4, 2))


@healthy("--expect-gpus 8:H100")
@machine(**XE9680)
def h100_8(m):
    """8 × H100 SXM, each below a root port and a switch, healthy and idle.
    x16 at 32 GT/s; four NVSwitches, four InfiniBand cards; nvidia-persistenced holds the nodes. Ids: pci.ids."""
    h100_node(m)


@healthy("--expect-gpus 1:H100")
@machine(**XE9680)
def h100_1(m):
    """The machine of h100-8 with one of its GPUs, and all that stands beside them.
    As h100-8: what more GPUs cost is the difference (tests/bench/reading.sh)."""
    h100_node(m, gpus=1)


@machine(**XE9680)
def h100_8_x8(m):
    """8 × H100 SXM, GPU 3 has 8 of 16 lanes and both ends allow 16.
    As h100-8; the lanes as a bad contact leaves them, seen at both ends of the link."""
    h100_board(m, links={3: (5, 8, 5, 16)})


@machine(**XE9680, config_bytes=64)
def h100_8_user(m):
    """8 × H100 SXM as recorded by a user: 64 bytes of configuration space.
    As h100-8; a user reads the first 64 bytes (Linux drivers/pci/pci-sysfs.c)."""
    h100_board(m)


@healthy("--expect-gpus 8")
@machine(**XE9680)
def h100_8_busy(m):
    """8 × H100 SXM, a training job of two processes holds GPUs 0 to 3.
    As h100-8; a process of a framework holds nvidia<N>, nvidia-uvm and nvidiactl."""
    h100_node(m)
    for number in range(2):
        mine = {3: "/dev/nvidiactl", 4: "/dev/nvidia-uvm", 5: f"/dev/nvidia{2 * number}",
                6: f"/dev/nvidia{2 * number}", 7: f"/dev/nvidia{2 * number + 1}", 9: "/dev/null"}
        m.process(18422 + number, "python3", uid=1042, fds=mine, threads={18500 + number: {}},
                  cgroup="/system.slice/slurmstepd.scope/job_4711/step_0")


NEVER_OPENED = {"GPU UUID": "GPU-????????-????-????-????-????????????", "Video BIOS": "??.??.??.??.??",
                "GPU Firmware": "N/A"}


def given(m, *numbers):
    """The eight GPUs as a container sees them: all in /sys and /proc, and the nodes of these."""
    h100_board(m)
    m.write("/.dockerenv", "")
    m.without_node(*(f"nvidia{n}" for n in range(8) if n not in numbers))


@machine(**XE9680)
def container_2_of_8(m):
    """A container with GPUs 2 and 3 of a host's 8 × H100.
    /sys and /proc/driver/nvidia are the host's; the toolkit makes the nodes of what was asked for (7.1)."""
    given(m, 2, 3)


@machine(**XE9680)
def container_0_of_8(m):
    """A container without a GPU on a host with 8 × H100.
    As container-2-of-8, without any node of NVIDIA's driver; the display's folder shows that nodes were recorded."""
    given(m)
    m.without_node("nvidiactl", "nvidia-uvm")
    m.write("/dev/dri/by-path/pci-0000:0b:00.0-card", "")


@machine(**XE9680)
def tasks_stuck(m):
    """8 × H100 SXM, a thread has hung in the nvidia driver for 41 minutes; a job waits for its file server.
    As h100-8; form of stack and wchan: /proc on Linux 6.1. The second task holds a GPU and is no driver's fault."""
    h100_board(m)
    m.process(30100, "python3", uid=1042, fds={5: "/dev/nvidia5"}, threads={30107: {
        "state": "D", "asleep_s": 2460, "wchan": "os_acquire_rwlock_write", "stack": [
            "down_write+0x3a/0x60", "os_acquire_rwlock_write+0x35/0x50 [nvidia]", "_nv042330rm+0x10/0x40 [nvidia]",
            "nvidia_ioctl+0x5a1/0x8f0 [nvidia]", "__x64_sys_ioctl+0x8b/0xc0", "do_syscall_64+0x5b/0xc0"]}})
    m.process(30200, "python3", uid=1042, fds={5: "/dev/nvidia6"}, state="D", asleep_s=95,
              wchan="rpc_wait_bit_killable", stack=[
                  "rpc_wait_bit_killable+0xd/0x60 [sunrpc]", "nfs4_do_close+0x2a1/0x2e0 [nfsv4]",
                  "__fput+0x8d/0x250", "do_syscall_64+0x5b/0xc0"])
    m.process(411, "kworker/u128:3+events_unbound", parent=2, kernel=True, state="D", asleep_s=0,
              wchan="io_schedule", stack=["io_schedule+0x46/0x70", "worker_thread+0x4d/0x3b0"])


LOCK_OF_DPKG = "1: POSIX  ADVISORY  WRITE {} 08:02:393229 0 EOF\n2: POSIX  ADVISORY  WRITE 1127 00:1a:1043 0 EOF\n"


def dpkg_update(m, number, package, status):
    """One file of dpkg's journal, as an upgrade on Debian 12 writes it."""
    m.write(f"/var/lib/dpkg/updates/{number:04d}", f"Package: {package}\nStatus: install ok {status}\nPriority: optional\n"
            "Section: misc\nArchitecture: amd64\nVersion: 580.95.05-1\nDescription: a package\n\n")


@machine(**XE9680)
def driver_upgrade(m):
    """8 × H100 while apt upgrades the driver: its libraries are the new ones, dpkg runs the script that has DKMS build
    the module, and the old one is still loaded. Working directories: dkms 3.0.10; names of scripts: dpkg(1)."""
    h100_board(m)
    m.user_libraries("580.95.05")
    m.process(700, "apt-get")
    m.process(801, "dpkg", parent=700)
    m.process(805, "nvidia-dkms-580", parent=801, cwd="/")
    m.process(812, "dkms", parent=805, cwd="/var/lib/dkms/nvidia/580.95.05/build")
    m.process(850, "make", parent=812, cwd="/var/lib/dkms/nvidia/580.95.05/build")
    m.process(851, "make", parent=850, cwd="/usr/src/linux-headers-6.8.0-31-generic")
    m.write("/proc/locks", LOCK_OF_DPKG.format(801))
    dpkg_update(m, 0, "libnvidia-compute-580", "unpacked")
    dpkg_update(m, 1, "libnvidia-compute-580", "installed")
    dpkg_update(m, 2, "nvidia-dkms-580", "half-configured")


@machine(product="SYS-421GE-TNRT")
def driver_loading(m):
    """Four L40S whose driver's module is being loaded, and dpkg that unpacks the driver's programs."""
    l40s_ports(m, driver=None)
    m.lines("/sys/module/nvidia", initstate="coming", version="580.95.05", refcnt=1)
    m.process(640, "modprobe", state="R")
    m.process(801, "dpkg", state="D", asleep_s=0)
    m.write("/proc/locks", LOCK_OF_DPKG.format(801))
    dpkg_update(m, 0, "nvidia-driver-580", "half-installed")


@machine(**XE9680)
def gpu_resets(m):
    """8 × H100 while somebody resets one: it reads as all ones, its link is down. Options: nvidia-smi(1)."""
    h100_board(m)
    m.process(4100, "nvidia-smi", arguments=["nvidia-smi", "-i", "3", "--gpu-reset"])


@machine(**XE9680)
def gpu_asked(m):
    """The same without a reset: a shell whose words tell of one, queries, counters that are cleared, an nvidia-smi that
    sleeps for good, whose memory may be locked; package managers that wait, list or refresh."""
    h100_board(m)
    m.process(4090, "bash", arguments=["bash", "-c", "sleep 60; nvidia-smi -r"])
    m.process(4091, "nvidia-smi", arguments=["nvidia-smi", "-q", "-d", "ECC"])
    m.process(4092, "nvidia-smi", arguments=["nvidia-smi", "nvlink", "-r", "0"])
    m.process(4093, "nvidia-smi", state="D", asleep_s=2, wchan="rwsem_down_read_slowpath",
              arguments=["nvidia-smi", "-r"])
    m.process(4094, "nvidia-smi", arguments=["nvidia-smi", "-rac"])
    m.process(4095, "xpu-smi", arguments=["xpu-smi", "stats", "-d", "0"])
    m.process(4096, "python3", arguments=["python3", "reset.py", "--gpu-reset"])
    m.process(4097, "cat", fds={3: "/sys/devices/virtual/net/reset", 4: "/home/user/amdgpu_gpu_recover"})
    m.process(900, "packagekitd")
    m.process(901, "dnf", fds={5: "/var/cache/dnf/metadata_lock.pid"})
    m.process(902, "rpm", fds={4: "/root/nvidia-driver-580.95.05-1.el9.x86_64.rpm"})
    m.process(903, "dnf", fds={4: "/var/cache/dnf/extras/packages/nvidia-container-toolkit-1.17.8-1.x86_64.rpm"})
    m.process(904, "akmodsbuild", uid=975, fds={1: "/var/cache/akmods/v4l2loopback/.last.log"})
    m.write("/proc/locks", LOCK_OF_DPKG.format(903) + "3: POSIX  ADVISORY  READ 902 08:02:393229 0 EOF\n"
            "4: POSIX  ADVISORY  WRITE 901 08:02:393230 0 EOF\n")


@machine(**XE9680)
def driver_upgrade_rpm(m):
    """8 × H100 while dnf upgrades the driver: the libraries are the new ones, rpm's file of the module's package is open
    (rpmteOpen()) under the lock of a transaction, and akmods builds the module. Its log: akmods 0.4."""
    h100_board(m)
    m.user_libraries("580.95.05")
    m.process(700, "dnf", fds={7: "/usr/lib/sysimage/rpm/.rpm.lock",
                               19: "/var/cache/dnf/cuda-rhel9/packages/kmod-nvidia-open-dkms-580.95.05-1.el9.noarch.rpm"})
    m.process(812, "akmodsbuild", uid=975, parent=805,
              fds={1: "/var/cache/akmods/nvidia/.last.log", 2: "/var/cache/akmods/nvidia/.last.log"})
    m.write("/proc/locks", LOCK_OF_DPKG.format(700))


@machine(product="SYS-421GE-TNRT")
def maintenance_elsewhere(m):
    """Four L40S without a driver, and work on other things: DKMS builds zfs and NVIDIA's storage driver, dpkg installs
    an editor and lists packages, mig-manager waits, a make runs at home, and the start of the driver's module crashed."""
    l40s_ports(m, driver=None)
    m.lines("/sys/module/nvidia", initstate="coming", version="580.95.05", refcnt=1)
    m.process(640, "nvidia-mig-mana", fds={3: "/dev/nvidiactl"})
    m.process(801, "dpkg")
    m.process(802, "dpkg")
    m.process(805, "vim.postinst", parent=801)
    m.process(806, "nvidia-driver")
    m.process(812, "dkms", cwd="/var/lib/dkms/zfs/2.2.2/build")
    m.process(850, "make", cwd="/var/lib/dkms/nvidia-fs/2.25/build")
    m.process(851, "make", uid=1000, cwd="/home/user/nvidia/580.95.05")
    m.write("/proc/locks", LOCK_OF_DPKG.format(801))
    m.write("/var/lib/dpkg/status", "Package: nvidia-dkms-580\nStatus: install ok half-configured\nVersion: 580.95.05-1\n\n")
    dpkg_update(m, 0, "vim", "half-configured")
    dpkg_update(m, 1, "nvidia-container-toolkit", "half-configured")
    dpkg_update(m, 2, "nvidia-driver-580", "half-configured")
    dpkg_update(m, 3, "nvidia-driver-580", "installed")


@healthy()
@machine(vendor="ASUS", product="System Product Name", serial="System Serial Number", **ONE_NODE,
         cpu="13th Gen Intel(R) Core(TM) i9-13900K")
def rtx4090_x8_slot(m):
    """A workstation with one RTX 4090 in a slot of 8 lanes; idle, so at 2.5 GT/s.
    Ids: pci.ids; an idle link at 2.5 GT/s is no fault."""
    m.pci("0000:00:01.0", "8086:a70d", BRIDGE, driver="pcieport", link=(1, 8, 5, 8), port=ROOT_PORT)
    m.nvidia_gpu("0000:01:00.0", "NVIDIA GeForce RTX 4090", ids="10de:2684", class_code=DISPLAY, below="0000:00:01.0",
                 link=(1, 8, 4, 16), port=LEGACY_ENDPOINT, subsystem="1043:889d", revision=0xa1)
    m.pci("0000:01:00.1", "10de:22ba", AUDIO, below="0000:00:01.0", driver="snd_hda_intel", link=(1, 8, 4, 16))
    m.drm("0000:01:00.0")
    m.nvidia_driver()
    m.process(1502, "Xorg", fds={8: "/dev/nvidiactl", 9: "/dev/nvidia0", 12: "/dev/dri/card0"})


@healthy()
@machine(vendor="LENOVO", product="82XV", **ONE_NODE, cpu="13th Gen Intel(R) Core(TM) i7-13620H")
def laptop_asleep(m):
    """A laptop whose discrete GPU is suspended; the integrated one draws the screen.
    Integrated: "Unknown" and 0. What the sleeping one's files hold must not be read
    (4.8): they read as the device would if asked in D3cold."""
    m.pci("0000:00:02.0", "8086:a7a0", DISPLAY, driver="i915", link=NO_LINK, port=9, subsystem="17aa:3802", revision=4)
    m.drm("0000:00:02.0")
    m.pci("0000:00:01.0", "8086:a70d", BRIDGE, driver="pcieport", link=OFF_BUS, port=ROOT_PORT, power="D3cold",
          runtime="suspended", config="ones")
    m.nvidia_gpu("0000:01:00.0", "NVIDIA GeForce RTX 4060 Laptop GPU", ids="10de:28e0", class_code=DISPLAY,
                 below="0000:00:01.0", link=OFF_BUS, power="D3cold", runtime="suspended", config="ones",
                 subsystem="17aa:3802", revision=0xa1, info=NEVER_OPENED)
    m.nvidia_driver()
    m.process(1502, "gnome-shell", uid=1000, fds={9: "/dev/dri/card0", 12: "/dev/dri/renderD128"})


@healthy("--expect-gpus 1")
@machine(vendor="QEMU", product="Standard PC (Q35 + ICH9, 2009)", serial="Not Specified", **ONE_NODE,
         flags="fpu vme de pse tsc msr sse sse2 ht hypervisor avx512f")
def vm_passthrough(m):
    """A virtual machine with one A100 passed through; no bridge above it.
    DMI texts of QEMU; numa_node -1 and all CPUs local."""
    m.nvidia_gpu("0000:00:06.0", "NVIDIA A100 80GB PCIe", ids="10de:20b5", subsystem="10de:1533", revision=0xa1,
                 link=FULL_GEN4)
    m.pci("0000:00:02.0", "1af4:1041", NETWORK, driver="virtio-pci")
    m.nvidia_driver()


@machine(vendor="Supermicro", product="AS-4124GS-TNR", cpu="AMD EPYC 7513 32-Core Processor")
def mi210_switch(m):
    """An MI210 in a card with a switch of its own: the GPU claims 16 GT/s x16, the slot gives 8 GT/s x8.
    Linux drivers/gpu/drm/amd/amdgpu/amdgpu_device.c has the trap: the slot's link is the upstream port's."""
    m.pci("0000:40:01.1", "1022:1483", BRIDGE, driver="pcieport", node=1, link=(3, 8, 4, 16), port=ROOT_PORT)
    m.pci("0000:41:00.0", "1002:1478", BRIDGE, below="0000:40:01.1", driver="pcieport", node=1, link=(3, 8, 4, 16),
          port=UPSTREAM)
    m.pci("0000:42:00.0", "1002:1479", BRIDGE, below="0000:41:00.0", driver="pcieport", node=1, link=FULL_GEN4,
          port=DOWNSTREAM)
    m.pci("0000:43:00.0", "1002:740f", OTHER_DISPLAY, below="0000:42:00.0", driver="amdgpu", node=1, link=FULL_GEN4,
          subsystem="1002:0c34", revision=2, files={
              "mem_info_vram_total": 68702699520, "mem_info_vram_used": 11431936,
              "mem_info_vis_vram_total": 68702699520, "unique_id": "9f2a1c0de5b7d304", "serial_number": "PCB0123456",
              "product_name": "AMD INSTINCT MI210", "vbios_version": "113-D67301-059"})
    m.drm("0000:43:00.0")
    m.write("/dev/kfd", "")
    m.about["char_devices"].append("510 kfd")
    m.about["icds"]["amdocl64.icd"] = "libamdocl64.so\n"
    # Two descriptors of one client, one of another; a worker inherits the first.
    client = {"drm-driver": "amdgpu", "drm-client-id": 41, "drm-pdev": "0000:43:00.0",
              "drm-memory-vram": "62914560 KiB", "drm-memory-gtt": " 1048576 KiB", "drm-memory-cpu": " 0 KiB"}
    other = client | {"drm-client-id": 42, "drm-memory-vram": "1048576 KiB"}
    render = "/dev/dri/renderD128"
    m.process(7004, "python3", uid=1042, fds={3: "/dev/kfd", 4: render, 5: render, 6: render},
              fdinfo={4: client, 5: client, 6: other}, cgroup=f"0::/system.slice/docker-{'0b1c2d3e' * 8}.scope")
    m.process(10012, "python3", uid=1042, fds={4: render}, fdinfo={4: client}, memory_gib=0.25,
              cgroup=f"0::/system.slice/docker-{'0b1c2d3e' * 8}.scope")


@machine(vendor="ASUSTeK COMPUTER INC.", product="ROG Zephyrus G14", **ONE_NODE, cpu="AMD Ryzen 9 6900HS")
def laptop_amd_asleep(m):
    """A laptop whose discrete Radeon is suspended; the integrated GPU draws the screen.
    Kernels up to 6.x wake the card for these files (1.1): what they hold must not be read."""
    m.pci("0000:00:02.0", "8086:a7a0", DISPLAY, driver="i915", link=NO_LINK, port=9, revision=4)
    m.drm("0000:00:02.0")
    m.pci("0000:00:01.0", "1022:1483", BRIDGE, driver="pcieport", link=OFF_BUS, port=ROOT_PORT, power="D3cold",
          runtime="suspended", config="ones")
    m.pci("0000:03:00.0", "1002:73ef", DISPLAY, below="0000:00:01.0", driver="amdgpu", link=OFF_BUS, power="D3cold",
          runtime="suspended", config="ones", files={
              "mem_info_vram_total": 8573157376, "mem_info_vram_used": 8573157376, "unique_id": "woken"})
    m.drm("0000:03:00.0")


@healthy()
@machine(vendor="ASRock", product="To Be Filled By O.E.M.", serial="To Be Filled By O.E.M.", **ONE_NODE,
         cpu="12th Gen Intel(R) Core(TM) i5-12400")
def arc_a770(m):
    """An Arc A770: the GPU and the bridge above it say 2.5 GT/s x1, the slot is at the switch's upstream port.
    As recorded in ilya-zlobintsev/LACT and told in Syllo/nvtop#344."""
    internal = (1, 1, 1, 1)
    m.pci("0000:00:01.0", "8086:a70d", BRIDGE, driver="pcieport", link=FULL_GEN4, port=ROOT_PORT)
    m.pci("0000:01:00.0", "8086:4fa0", BRIDGE, below="0000:00:01.0", driver="pcieport", link=FULL_GEN4, port=UPSTREAM)
    m.pci("0000:02:01.0", "8086:4fa4", BRIDGE, below="0000:01:00.0", driver="pcieport", link=internal, port=DOWNSTREAM)
    m.pci("0000:03:00.0", "8086:56a0", DISPLAY, below="0000:02:01.0", driver="i915", link=internal,
          subsystem="8086:1020", revision=8)
    m.drm("0000:03:00.0")
    m.about["icds"]["intel.icd"] = "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n"


def arc_b580(m, **pci):
    """A Battlemage card in a slot of 16 lanes, of which it has eight; ids of its switch: lspci of such cards."""
    eight, internal = (4, 8, 4, 8), (1, 1, 1, 1)
    m.pci("0000:00:01.0", "8086:a70d", BRIDGE, driver="pcieport", link=(4, 8, 5, 16), port=ROOT_PORT)
    m.pci("0000:01:00.0", "8086:e2ff", BRIDGE, below="0000:00:01.0", driver="pcieport", link=eight, port=UPSTREAM)
    m.pci("0000:02:01.0", "8086:e2f0", BRIDGE, below="0000:01:00.0", driver="pcieport", link=internal, port=DOWNSTREAM)
    m.pci("0000:03:00.0", "8086:e20b", DISPLAY, below="0000:02:01.0", driver="xe", link=internal,
          subsystem="8086:1100", **pci)
    m.about["icds"]["intel.icd"] = "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n"


XE_DESKTOP = {"vendor": "ASRock", "product": "Z790 Pro RS", **ONE_NODE, "kernel": "6.16.4-arch1-1", "os": "Arch Linux",
              "cpu": "13th Gen Intel(R) Core(TM) i5-13600K"}


@healthy("--expect-gpus 1:B580")
@machine(**XE_DESKTOP)
def arc_b580_xe(m):
    """An Arc B580 by xe: the GPU says 2.5 GT/s x1, its slot runs at 16 GT/s x8.
    As recorded in ilya-zlobintsev/LACT (b580-6.16): energy of the card stays 0, that of its package counts."""
    arc_b580(m)
    m.drm("0000:03:00.0")


@healthy("--expect-gpus 1:B580")
@machine(**{**XE_DESKTOP, "kernel": "7.0.2-arch1-1"})
def arc_b580_newer(m):
    """An Arc B580 by the xe of Linux 7: limits of its sensors, and all reasons in one file.
    As recorded in ilya-zlobintsev/LACT (b580); a program draws on it."""
    arc_b580(m)
    m.drm("0000:03:00.0")
    m.process(1502, "gnome-shell", uid=1000, fds={9: "/dev/dri/card0", 12: "/dev/dri/renderD128"})


@machine(**XE_DESKTOP)
def arc_b580_survivability(m):
    """An Arc B580 whose firmware is damaged: xe holds it for repair only and makes no device of it.
    Files: Linux 7.2 drivers/gpu/drm/xe/xe_survivability_mode.c; readable by root alone."""
    arc_b580(m, files={"survivability_mode": "Boot", "survivability_info/capability_info": "0x7",
                       "survivability_info/postcode_trace": "0xf05", "survivability_info/aux_info0": "0x1"})
    for name in ("survivability_mode", *(f"survivability_info/{file}" for file in (
            "capability_info", "postcode_trace", "aux_info0"))):
        m.deny(f"{m.paths['0000:03:00.0']}/{name}")


@machine(**XE_DESKTOP)
def arc_b580_bad_files(m):
    """An Arc B580 whose driver tells nonsense: impossible temperatures and limits, reasons that cannot be read.
    What registers of a card give that does not answer well: all ones, absolute zero."""
    arc_b580(m)
    m.drm("0000:03:00.0")
    gpu = m.paths["0000:03:00.0"]
    m.lines(f"{gpu}/hwmon/hwmon4", name="xe", temp2_input=-273150, temp3_input=65535000, fan1_input=65535,
            power1_cap=18446744073709551615, energy1_input="?")
    m.lines(f"{gpu}/tile0/gt0/freq0", act_freq=4294967295, rp0_freq=627200)
    m.write(f"{gpu}/tile0/gt0/freq0/throttle/reasons", b"\xff\xfe\x01")


@machine(**XE_DESKTOP)
def arc_b580_no_sensors(m):
    """An Arc B580 by a kernel without hwmon: no temperature, no power limit.
    CONFIG_HWMON off; all else as arc-b580-xe."""
    arc_b580(m)
    m.drm("0000:03:00.0")
    m.lines(f"{m.paths['0000:03:00.0']}/hwmon/hwmon4", name="nvme")


def max1550_board(m):
    for number, bus in enumerate((0x18, 0x3a, 0x9a, 0xca)):
        node = 0 if number < 2 else 1
        port = f"0000:{bus - 1:02x}:01.0"
        m.pci(port, "8086:352a", BRIDGE, driver="pcieport", node=node, link=FULL_GEN5, port=ROOT_PORT)
        m.pci(f"0000:{bus:02x}:00.0", "8086:0bd5", OTHER_DISPLAY, below=port, driver="i915", node=node, link=FULL_GEN5,
              subsystem="8086:0000", revision=0x2f)
        m.drm(f"0000:{bus:02x}:00.0")
        m.lines(f"{m.paths[f'0000:{bus:02x}:00.0']}/hwmon/hwmon{number}", name="i915", power1_max=600000000,
                power1_rated_max=600000000, energy1_input=1728012345678)
    m.about["icds"]["intel.icd"] = "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n"


@healthy("--expect-gpus 4")
@machine(vendor="Intel Corporation", product="D50DNP1SBB", cpu="Intel(R) Xeon(R) CPU Max 9470",
         kernel="5.15.0-113-generic", os="Ubuntu 22.04.5 LTS")
def max1550_4(m):
    """4 × Data Center GPU Max 1550 (OAM), two tiles each, by i915.
    Ids: pci.ids (0bd5). Intel's own i915 package for Linux 5.15 tells of no limit in files known here."""
    max1550_board(m)


@machine(vendor="Intel Corporation", product="D50DNP1SBB", cpu="Intel(R) Xeon(R) CPU Max 9470",
         kernel="5.15.0-113-generic", os="Ubuntu 22.04.5 LTS")
def max1550_resets(m):
    """The same while xpumcli waits for a reset, and xpumd makes it by the bus's file."""
    max1550_board(m)
    m.process(4300, "xpumd", fds={9: "/sys/devices/pci0000:39/0000:39:01.0/0000:3a:00.0/reset"})
    m.process(4301, "xpumcli", arguments=["xpumcli", "config", "-d", "1", "--reset"])


@healthy("--expect-gpus 0")
@machine(vendor="LENOVO", product="21MC", **ONE_NODE, cpu="Intel(R) Core(TM) Ultra 7 155H", kernel="6.12.9-arch1-1",
         os="Arch Linux")
def laptop_intel(m):
    """A laptop with nothing but integrated graphics: two parts, no memory and no sensors of its own.
    Link files of such say "Unknown" and 0 (tigerlake in ilya-zlobintsev/LACT)."""
    m.pci("0000:00:02.0", "8086:7d55", DISPLAY, driver="i915", link=NO_LINK, port=9, subsystem="17aa:2234", revision=8)
    m.drm("0000:00:02.0")
    m.process(1502, "gnome-shell", uid=1000, fds={9: "/dev/dri/card0", 12: "/dev/dri/renderD128"})


@healthy("--expect-gpus 2")
@machine(**XE_DESKTOP)
def mixed_rtx_arc(m):
    """A workstation with an RTX 4090 that computes and an Arc A380 that draws: two drivers, two makers.
    The A380 as recorded in ilya-zlobintsev/LACT (a380-xe)."""
    eight, internal = (4, 8, 4, 8), (1, 1, 1, 1)
    m.pci("0000:00:01.0", "8086:a70d", BRIDGE, driver="pcieport", link=(1, 16, 5, 16), port=ROOT_PORT)
    m.nvidia_gpu("0000:01:00.0", "NVIDIA GeForce RTX 4090", ids="10de:2684", class_code=DISPLAY, below="0000:00:01.0",
                 link=(1, 16, 4, 16), port=LEGACY_ENDPOINT, subsystem="1043:889d", revision=0xa1)
    m.drm("0000:01:00.0")
    m.pci("0000:00:1b.4", "8086:352a", BRIDGE, driver="pcieport", link=eight, port=ROOT_PORT)
    m.pci("0000:05:00.0", "8086:4fa0", BRIDGE, below="0000:00:1b.4", driver="pcieport", link=eight, port=UPSTREAM)
    m.pci("0000:06:01.0", "8086:4fa4", BRIDGE, below="0000:05:00.0", driver="pcieport", link=internal, port=DOWNSTREAM)
    m.pci("0000:07:00.0", "8086:56a5", DISPLAY, below="0000:06:01.0", driver="xe", link=internal, subsystem="1849:6007",
          revision=5)
    m.drm("0000:07:00.0")
    m.nvidia_driver()
    m.about["icds"]["intel.icd"] = "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n"
    m.process(1502, "Xorg", fds={8: "/dev/nvidiactl", 9: "/dev/nvidia0", 12: "/dev/dri/card1"})


@healthy("--expect-gpus 0")
@machine()
def bmc_only(m):
    """A server whose only display is the management controller's.
    Ids 1a03:1150 and 1a03:2000: a recorded Xeon in open-mpi/hwloc. Conventional PCI has no link files."""
    m.pci("0000:00:1c.0", "8086:a70d", BRIDGE, driver="pcieport", node=0, link=(2, 1, 3, 1), port=ROOT_PORT)
    m.pci("0000:04:00.0", "1a03:1150", BRIDGE, below="0000:00:1c.0", node=0, link=(2, 1, 2, 1), port=TO_PCI)
    m.pci("0000:05:00.0", "1a03:2000", DISPLAY, below="0000:04:00.0", driver="ast", node=0, subsystem="1a03:2000",
          revision=0x41)
    m.drm("0000:05:00.0")


@healthy("--expect-gpus 0")
@machine(product="SYS-610C-TR", **ONE_NODE)
def head_node(m):
    """A login node without any display or GPU.
    A network card stands for the rest of the bus."""
    m.pci("0000:17:02.0", "8086:352a", BRIDGE, driver="pcieport", node=0, link=(4, 8, 5, 16), port=ROOT_PORT)
    m.pci("0000:18:00.0", "15b3:1021", NETWORK, below="0000:17:02.0", driver="mlx5_core", node=0, link=(4, 8, 4, 8))


def l40s_ports(m, odd=None, driver="nvidia", **odd_gpu):
    """Four cards, each in a slot below a root port. odd: the number of the one that odd_gpu describes."""
    for number in range(4):
        bus, node = 0x10 + 0x20 * number, 0 if number < 2 else 1
        port, address = f"0000:{bus:02x}:01.0", f"0000:{bus + 1:02x}:00.0"
        gpu = {"ids": "10de:26b9", "subsystem": "10de:1851", "revision": 0xa1, "node": node, "link": FULL_GEN4}
        gpu |= odd_gpu if number == odd else {}
        is_down = gpu["link"] == OFF_BUS
        m.pci(port, "8086:352a", BRIDGE, driver="pcieport", node=node, port=ROOT_PORT,
              link=(1, 16, 5, 16) if is_down else (4, 16, 5, 16))
        if driver == "nvidia":
            m.nvidia_gpu(address, "NVIDIA L40S", below=port, **gpu)
        else:
            m.pci(address, gpu.pop("ids"), GPU_3D, below=port, driver=driver, **gpu)
    if driver == "nvidia":
        m.nvidia_driver()


@healthy("--expect-gpus 4")
@machine(product="SYS-421GE-TNRT")
def l40s_4(m):
    """Four L40S in slots of Gen5 ports, healthy.
    Ids: pci.ids; Gen4 x16 by the data sheet."""
    l40s_ports(m)


@machine(product="SYS-421GE-TNRT")
def gpu_off_bus(m):
    """Four L40S, GPU 2 has fallen off the bus.
    "Unknown", 63 and all ones, as seen after Xid 79."""
    l40s_ports(m, odd=2, link=OFF_BUS, config="ones")


@machine(product="SYS-421GE-TNRT", command_line="BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro nomodeset")
def unbound(m):
    """Four L40S that no driver is bound to.
    No "driver" link."""
    l40s_ports(m, driver=None)


@machine(product="SYS-421GE-TNRT")
def nouveau(m):
    """Four L40S taken by nouveau, which was loaded before NVIDIA's driver."""
    l40s_ports(m, driver="nouveau")
    m.drm("0000:11:00.0")


@healthy("--expect-gpus 4")
@machine(product="SYS-421GE-TNRT")
def vfio(m):
    """Four L40S given to virtual machines by vfio-pci.
    An idle one is put to D3hot, which is asleep for our purpose."""
    l40s_ports(m, driver="vfio-pci", odd=3, power="D3hot", runtime="suspended")


@machine(product="SYS-421GE-TNRT", available=0.09, vmstat={"pswpin": 918273, "pswpout": 1827364, "oom_kill": 2},
         swaps=[("/dev/sdb2", "partition", 67108860, 31457280),
                ("/srv/swap\\040space/file\\134one", "file", 8388604, 0),
                ("/dev/zram0", "partition", 4194300, 1048576)],
         pressure={"memory": (23.41, 12.30), "io": (31.02, 18.77), "cpu": (4.01, 0.0)})
def swap_in_use(m):
    """Four L40S on a machine that swaps: 30 GiB on a disk, memory stalls of 12 %.
    Forms of /proc/swaps with escaped names, /proc/vmstat and PSI: Linux mm/swapfile.c, Documentation/accounting/psi.rst."""
    l40s_ports(m)


@healthy("--expect-gpus 2")
@machine(vendor="IBM", product="8335-GTH", arch="ppc64le", cpu="POWER9, altivec supported",
         nodes={0: "0-31", 8: "32-63", 252: "", 253: ""}, memory_gib=256)
def power9(m):
    """A POWER9 with V100s in a PCI domain of 32 bits, GPU memory as NUMA nodes without CPUs.
    Domain form: a recorded machine in open-mpi/hwloc, nodes: its nvidiagpunumanodes. The GPUs have masks, no lists."""
    for number, node in enumerate((0, 8)):
        bus = 2 + 0x10 * number
        port, address = f"10000:{bus:02x}:00.0", f"10000:{bus + 1:02x}:00.0"
        m.pci(port, "1014:04c1", BRIDGE, driver="pcieport", node=node, link=(3, 16, 4, 16), port=ROOT_PORT)
        m.nvidia_gpu(address, "Tesla V100-SXM2-16GB", ids="10de:1db1", subsystem="10de:1212", revision=0xa1, below=port,
                     node=node, link=(3, 16, 3, 16),
                     files={"local_cpulist": None, "local_cpus": ("00000000,ffffffff", "ffffffff,00000000")[number]})
    m.nvidia_driver("535.183.01")


@healthy()
@machine(vendor="LENOVO", product="82XV", **ONE_NODE, cpu="13th Gen Intel(R) Core(TM) i7-13620H", edac=None,
         iommu="DMA-FQ")
def laptop_untouchable(m):
    """A laptop whose discrete GPU sleeps so deep that asking its link or configuration fails.
    As laptop-asleep; folders in place of those files fail whoever reads them, as EIO does after D3cold."""
    m.pci("0000:00:02.0", "8086:a7a0", DISPLAY, driver="i915", link=NO_LINK, port=9, subsystem="17aa:3802", revision=4)
    m.drm("0000:00:02.0")
    m.pci("0000:00:01.0", "8086:a70d", BRIDGE, driver="pcieport", link=OFF_BUS, port=ROOT_PORT, power="D3cold",
          runtime="suspended")
    m.nvidia_gpu("0000:01:00.0", "NVIDIA GeForce RTX 4060 Laptop GPU", ids="10de:28e0", class_code=DISPLAY,
                 below="0000:00:01.0", link=OFF_BUS, power="D3cold", runtime="suspended", subsystem="17aa:3802",
                 revision=0xa1)
    m.nvidia_driver()
    m.process(1502, "gnome-shell", uid=1000, fds={9: "/dev/dri/card0", 12: "/dev/dri/renderD128"})
    m.afterwards.append(lambda made: untouchable(made, ("0000:00:01.0", "0000:01:00.0")))


@healthy("--expect-gpus 16:V100")
@machine(vendor="NVIDIA", product="DGX-2", nodes={0: "0-23,48-71", 1: "24-47,72-95"},
         packages=["0-23,48-71", "24-47,72-95"],
         cpu="Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz", memory_gib=1536, edac="Skylake",
         kernel="5.4.0-193-generic", os="Ubuntu 20.04.6 LTS", clocks=("intel_pstate", "performance", 3700000))
def v100_16(m):
    """16 × V100 SXM3 on one board, two below each switch, with twelve NVSwitches; Linux 5.4.
    Ids: pci.ids (1db8, 1ac2). Kernel 5.4 still writes "8 GT/s". 32 GB each, PCIe third generation."""
    gen3 = (3, 16, 3, 16)
    for number in range(8):
        node, bus = number // 4, 0x30 + 0x0c * number
        root, up = f"0000:{bus:02x}:00.0", f"0000:{bus + 1:02x}:00.0"
        m.pci(root, "8086:2030", BRIDGE, driver="pcieport", node=node, link=gen3, port=ROOT_PORT)
        m.pci(up, "10b5:9797", BRIDGE, below=root, driver="pcieport", node=node, link=gen3, port=UPSTREAM)
        for half in range(2):
            down, gpu = f"0000:{bus + 2:02x}:{4 + 4 * half:02x}.0", f"0000:{bus + 3 + half:02x}:00.0"
            m.pci(down, "10b5:9797", BRIDGE, below=up, driver="pcieport", node=node, link=gen3, port=DOWNSTREAM)
            m.nvidia_gpu(gpu, "Tesla V100-SXM3-32GB", ids="10de:1db8", revision=0xa1, below=down, node=node, link=gen3)
    nvswitches(m, "10de:1ac2", [f"0000:{0x9f + n:02x}:00.0" for n in range(12)], node=0, link=(2, 4, 2, 4))
    m.nvidia_driver("535.183.01")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl",
                                                     **{4 + n: f"/dev/nvidia{n}" for n in range(16)}})


@healthy("--expect-gpus 8:B200")
@machine(vendor="Supermicro", product="SYS-A22GA-NBRT", kernel="7.2.13-1-amd64", os="Debian GNU/Linux 13 (trixie)",
         cpu="Intel(R) Xeon(R) 6960P", memory_gib=2048, uptime_s=81234.5)
def b200_8(m):
    """8 × B200 SXM under Linux 7.2; its NVLink switches are on no PCI bus.
    Ids: open-gpu-kernel-modules' list (2901). Forms of kernel 7.2: meminfo's GPUActive, no PCIe word lost."""
    for number, bus in enumerate((0x17, 0x3d, 0x60, 0x83, 0xa3, 0xb9, 0xcf, 0xe5)):
        node, root, address = number // 4, f"0000:{bus:02x}:01.0", f"0000:{bus + 1:02x}:00.0"
        m.pci(root, "8086:0db0", BRIDGE, driver="pcieport", node=node, link=FULL_GEN5, port=ROOT_PORT)
        m.nvidia_gpu(address, "NVIDIA B200", ids="10de:2901", subsystem="10de:1999", revision=0xa1, below=root,
                     node=node,
                     link=FULL_GEN5)
    m.nvidia_driver("595.71.05")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl",
                                                     **{4 + n: f"/dev/nvidia{n}" for n in range(8)}})


@healthy("--expect-gpus 8:H200")
@machine(vendor="Supermicro", product="SYS-821GE-TNHR")
def h200_8(m):
    """8 × H200 SXM, each below a root port, its driver in a container: libraries in /run/nvidia/driver.
    Id: open-gpu-kernel-modules' list (2335); memory as nvidia-smi tells it. The folder: NVIDIA's GPU operator."""
    for number, bus in enumerate((0x19, 0x3b, 0x4c, 0x5d, 0x9b, 0xbb, 0xcb, 0xdb)):
        node, root = number // 4, f"0000:{bus - 1:02x}:01.0"
        m.pci(root, "8086:352a", BRIDGE, driver="pcieport", node=node, link=FULL_GEN5, port=ROOT_PORT)
        m.nvidia_gpu(f"0000:{bus:02x}:00.0", "NVIDIA H200", ids="10de:2335", subsystem="10de:18be", revision=0xa1,
                     below=root, node=node, link=FULL_GEN5)
    nvswitches(m, "10de:22a3", [f"0000:{bus:02x}:00.0" for bus in (0x05, 0x06, 0x07, 0x08)], node=0, link=(4, 2, 4, 2))
    m.nvidia_driver("580.95.05")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl",
                                                     **{4 + n: f"/dev/nvidia{n}" for n in range(8)}})
    m.afterwards.append(driver_in_container)


@healthy("--expect-gpus 2:T4")
@machine(vendor="Dell Inc.", product="PowerEdge R740", kernel="5.15.0-122-generic", os="Ubuntu 22.04.5 LTS",
         cpu="Intel(R) Xeon(R) Gold 6230", memory_gib=192)
def t4_2(m):
    """2 × T4 with a driver of 535.86: its process lists have records of 32 bytes.
    Id: DCGM's list (1eb8). Records: drivers 535.43 to 535.86 filled 32 bytes where nvml.h has 24."""
    for number, bus in enumerate((0x3b, 0xd8)):
        m.pci(f"0000:{bus - 1:02x}:00.0", "8086:2030", BRIDGE, driver="pcieport", node=number, link=(3, 16, 3, 16),
              port=ROOT_PORT)
        m.nvidia_gpu(f"0000:{bus:02x}:00.0", "Tesla T4", ids="10de:1eb8", subsystem="10de:12a2", revision=0xa1,
                     below=f"0000:{bus - 1:02x}:00.0", node=number, link=(3, 16, 3, 16))
    m.nvidia_driver("535.86.05")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl", 4: "/dev/nvidia0", 5: "/dev/nvidia1"})
    for number in range(2):
        m.process(18422 + number, "python3", uid=1042, fds={3: "/dev/nvidiactl", 4: "/dev/nvidia-uvm",
                                                            5: "/dev/nvidia0"})
    m.afterwards.append(lambda m: m.nvml.update(process_record_bytes=32))


@healthy("--expect-gpus 4:A100")
@machine(vendor="Supermicro", product="AS-2124GQ-NART", cpu="AMD EPYC 7543 32-Core Processor", edac="F19h_M00h",
         clocks=("acpi-cpufreq", "performance", 2800000))
def a100_4_mig(m):
    """4 × A100 SXM, each divided into seven instances (MIG).
    Id: open-gpu-kernel-modules' list (20b2)."""
    for number, bus in enumerate((0x01, 0x41, 0x81, 0xc1)):
        node = number // 2
        m.pci(f"0000:{bus - 1:02x}:01.1", "1022:1483", BRIDGE, driver="pcieport", node=node, link=FULL_GEN4,
              port=ROOT_PORT)
        m.nvidia_gpu(f"0000:{bus:02x}:00.0", "NVIDIA A100-SXM4-80GB", ids="10de:20b2", subsystem="10de:1463",
                     revision=0xa1, below=f"0000:{bus - 1:02x}:01.1", node=node, link=FULL_GEN4)
    m.nvidia_driver("570.133.20")
    m.process(2201, "nvidia-persiste", uid=113,
              fds={3: "/dev/nvidiactl", **{4 + n: f"/dev/nvidia{n}" for n in range(4)}})
    m.about["char_devices"].append("237 nvidia-caps")
    m.afterwards.append(lambda m: [nvml.add_instances(gpu, 7) for gpu in m.nvml["gpus"]])


@healthy("--expect-gpus 16:A100")
@machine(vendor="Inspur", product="NF5488A5", cpu="AMD EPYC 7763 64-Core Processor", edac="F19h_M00h", memory_gib=2048,
         clocks=("acpi-cpufreq", "performance", 2450000))
def a100_16_mig(m):
    """16 × A100 SXM, two below each switch, each divided into seven instances: 112 of them.
    Id: open-gpu-kernel-modules' list (20b2). Domains above 16 bits, as the kernel numbers those that have no segment
    of the firmware's (Linux 7.2 drivers/pci/controller/vmd.c): the last four GPUs."""
    for number in range(8):
        node, domain, bus = number // 4, 0x10000 + number - 6 if number >= 6 else 0, 0x10 + 0x10 * number
        root, up = f"{domain:04x}:{bus:02x}:01.1", f"{domain:04x}:{bus + 1:02x}:00.0"
        m.pci(root, "1022:1483", BRIDGE, driver="pcieport", node=node, link=FULL_GEN4, port=ROOT_PORT)
        m.pci(up, "1000:c010", BRIDGE, below=root, driver="pcieport", node=node, link=FULL_GEN4, port=UPSTREAM)
        for half in range(2):
            down, gpu = f"{domain:04x}:{bus + 2:02x}:{4 * half:02x}.0", f"{domain:04x}:{bus + 3 + half:02x}:00.0"
            m.pci(down, "1000:c010", BRIDGE, below=up, driver="pcieport", node=node, link=FULL_GEN4, port=DOWNSTREAM)
            m.nvidia_gpu(gpu, "NVIDIA A100-SXM4-80GB", ids="10de:20b2", subsystem="10de:1463", revision=0xa1,
                         below=down, node=node, link=FULL_GEN4)
    m.nvidia_driver("570.133.20")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl",
                                                     **{4 + n: f"/dev/nvidia{n}" for n in range(16)}})
    m.about["char_devices"].append("237 nvidia-caps")
    m.afterwards.append(lambda m: [nvml.add_instances(gpu, 7) for gpu in m.nvml["gpus"]])


@healthy("--expect-gpus 4:GB200")
@machine(vendor="NVIDIA", product="GB200 NVL", arch="aarch64", cpu="Neoverse-V2", flags="", edac=None,
         nodes={0: "0-71", 1: "72-143", **{n: "" for n in range(2, 34)}}, packages=["0-71", "72-143"], memory_gib=960,
         clocks=("cppc_cpufreq", "performance", 3510000), kernel="6.8.0-1021-nvidia-64k", os="Ubuntu 24.04.3 LTS")
def gb200_4(m):
    """A tray of 4 × GB200: each GPU hangs on its processor by C2C and shows one PCIe lane.
    Id: open-gpu-kernel-modules' list (2941); domains and one lane as on GH200; its NVLink switches are elsewhere."""
    for number, domain in enumerate((0x0008, 0x0009, 0x0018, 0x0019)):
        node = number // 2
        m.pci(f"{domain:04x}:00:00.0", "10de:22b1", BRIDGE, driver="pcieport", node=node, link=(1, 1, 5, 1),
              port=ROOT_PORT)
        m.nvidia_gpu(f"{domain:04x}:01:00.0", "NVIDIA GB200", ids="10de:2941", subsystem="10de:2046", revision=0xa1,
                     below=f"{domain:04x}:00:00.0", node=node, link=(1, 1, 5, 1))
    m.nvidia_driver("580.95.05")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl",
                                                     **{4 + n: f"/dev/nvidia{n}" for n in range(4)}})


@healthy("--expect-gpus 4:M2090", gate="a kernel that tells the width of no link")
@machine(vendor="HP", product="ProLiant SL390s G7", kernel="2.6.32-754.35.1.el6.x86_64", cgroup=1, edac="i7core_edac.c",
         os="CentOS release 6.10 (Final)", cpu="Intel(R) Xeon(R) CPU X5675 @ 3.07GHz", nodes={0: "0-5", 1: "6-11"},
         packages=["0-5", "6-11"], memory_gib=48, clocks=("acpi-cpufreq", "ondemand", 3067000), iommu=None)
def m2090_4(m):
    """4 × Tesla M2090 under Linux 2.6.32: no link files, no MemAvailable, no PSI, no comm, groups of version 1.
    Ids: pci.ids (1091); 390 is the last driver of that GPU. What 2.6.32 lacks: machine.py."""
    for number, bus in enumerate((0x07, 0x0a, 0x13, 0x16)):
        port, node = f"0000:00:{1 + 2 * number:02x}.0", number // 2
        m.pci(port, "8086:3408", BRIDGE, driver="pcieport", node=node, link=(2, 16, 2, 16), port=ROOT_PORT)
        m.nvidia_gpu(f"0000:{bus:02x}:00.0", "Tesla M2090", ids="10de:1091", subsystem="10de:0887", revision=0xa1,
                     below=port, node=node, link=(2, 16, 2, 16))
    m.nvidia_driver("390.157")


@healthy("--expect-gpus 8")
@machine(vendor="Supermicro", product="AS -8125GS-TNMR2", cpu="AMD EPYC 9654 96-Core Processor", edac="EPYC_SSP",
         nodes={n: f"{16 * n}-{16 * n + 15}" for n in range(8)}, packages=["0-63", "64-127"], memory_gib=1536,
         clocks=("acpi-cpufreq", "performance", 2400000), kernel="6.8.0-60-generic", os="Ubuntu 24.04.2 LTS")
def mi300x_8(m):
    """8 × MI300X, four NUMA nodes a socket (NPS4), RDMA cards beside them.
    Ids: pci.ids (74a1, class processing accelerator); 192 GB each, all of it mapped."""
    mi300x_board(m)
    rocm(m)


@machine(vendor="Supermicro", product="AS -8125GS-TNMR2", cpu="AMD EPYC 9654 96-Core Processor", edac="EPYC_SSP",
         nodes={n: f"{16 * n}-{16 * n + 15}" for n in range(8)}, packages=["0-63", "64-127"], memory_gib=1536,
         clocks=("acpi-cpufreq", "performance", 2400000), kernel="6.8.0-60-generic", os="Ubuntu 24.04.2 LTS")
def mi300x_resets(m):
    """8 × MI300X while amd-smi, a script, resets one by amdgpu's file."""
    mi300x_board(m)
    rocm(m)
    m.process(4200, "python3", fds={5: "/sys/kernel/debug/dri/3/amdgpu_gpu_recover"})


@healthy("--expect-gpus 8")
@machine(vendor="Supermicro", product="AS -8125GS-TNMR2", cpu="AMD EPYC 9654 96-Core Processor", edac="EPYC_SSP",
         nodes={n: f"{16 * n}-{16 * n + 15}" for n in range(8)}, packages=["0-63", "64-127"], memory_gib=1536,
         clocks=("acpi-cpufreq", "performance", 2400000), kernel="6.14.0-29-generic", os="Ubuntu 24.04.3 LTS")
def mi300x_cpx(m):
    """8 × MI300X, each in eight partitions (CPX), one of which computes; a newer kernel, whose table has the links.
    A partition is a node of the compute driver; its number stands in the lowest bits of location_id."""
    addresses = mi300x_board(m)
    amdgpu.partition(m, addresses, "CPX")
    for address in addresses:
        m.write(f"{m.paths[address]}/gpu_metrics", amdgpu.metrics_table((1, 7), {
            "hotspot": 41, "memory": 33, "power": 141, "gfx": 0, "counter": 918273, "prochot": 0, "ppt": 4120,
            "socket_thm": 0, "vr_thm": 0, "hbm_thm": 0, "width": 16, "speed": 320, "xgmi_width": 16, "xgmi_speed": 32,
            "recoveries": 1, "replays": 0, "links": (1, 1, 1, 1, 1, 1, 1, 2), "clock": 132}))
    rocm(m)
    m.process(7004, "python3", uid=1042, fds={3: "/dev/kfd", 4: "/dev/dri/renderD128"})


@healthy("--expect-gpus 4:MI210")
@machine(vendor="Supermicro", product="AS-4124GS-TNR", cpu="AMD EPYC 7513 32-Core Processor", edac="EPYC_SSP",
         clocks=("acpi-cpufreq", "schedutil", 2600000))
def mi210_4(m):
    """Four MI210, each a card with a switch of its own, all lanes there; one is at work.
    As mi210-switch; the slot's link is that of the upstream port."""
    for number in range(4):
        bus, node = 0x20 + 0x20 * number, number // 2
        root, up, down = f"0000:{bus:02x}:01.1", f"0000:{bus + 1:02x}:00.0", f"0000:{bus + 2:02x}:00.0"
        m.pci(root, "1022:1483", BRIDGE, driver="pcieport", node=node, link=FULL_GEN4, port=ROOT_PORT)
        m.pci(up, "1002:1478", BRIDGE, below=root, driver="pcieport", node=node, link=FULL_GEN4, port=UPSTREAM)
        m.pci(down, "1002:1479", BRIDGE, below=up, driver="pcieport", node=node, link=FULL_GEN4, port=DOWNSTREAM)
        amd_gpu(m, f"0000:{bus + 3:02x}:00.0", "1002:740f", class_code=OTHER_DISPLAY, below=down, node=node,
                link=FULL_GEN4,
                subsystem="1002:0c34", revision=2)
    rocm(m)
    m.process(7004, "python3", uid=1042, fds={3: "/dev/kfd", 4: "/dev/dri/renderD128", 5: "/dev/dri/renderD128"})


@healthy()
@machine(vendor="ASUS", product="ROG STRIX X570-E GAMING", **ONE_NODE, cpu="AMD Ryzen 9 5950X 16-Core Processor",
         edac=None,
         clocks=("acpi-cpufreq", "schedutil", 5083398), iommu="DMA-FQ", kernel="6.12.9-arch1-1", os="Arch Linux")
def rx6900xt(m):
    """A desktop with one RX 6900 XT, drawing the screen.
    Ids, sizes, VBIOS and the zero counters as recorded in ilya-zlobintsev/LACT (rx6900xt)."""
    m.pci("0000:00:03.1", "1022:1483", BRIDGE, driver="pcieport", link=FULL_GEN4, port=ROOT_PORT)
    m.pci("0000:0a:00.0", "1002:1478", BRIDGE, below="0000:00:03.1", driver="pcieport", link=FULL_GEN4, port=UPSTREAM)
    m.pci("0000:0b:00.0", "1002:1479", BRIDGE, below="0000:0a:00.0", driver="pcieport", link=FULL_GEN4, port=DOWNSTREAM)
    amd_gpu(m, "0000:0c:00.0", "1002:73bf", class_code=DISPLAY, below="0000:0b:00.0", link=FULL_GEN4,
            port=LEGACY_ENDPOINT,
            subsystem="1da2:440e", revision=0xc0)
    m.pci("0000:0c:00.1", "1002:ab28", AUDIO, below="0000:0b:00.0", driver="snd_hda_intel", link=FULL_GEN4)
    rocm(m)
    m.process(1502, "kwin_wayland", uid=1000, fds={9: "/dev/dri/card0", 12: "/dev/dri/renderD128"})


@healthy()
@machine(vendor="ASUS", product="ROG CROSSHAIR X670E HERO", **ONE_NODE, cpu="AMD Ryzen 9 7950X 16-Core Processor",
         edac=None, clocks=("amd-pstate-epp", "powersave", 5881000), iommu="DMA-FQ", kernel="6.12.9-arch1-1",
         os="Arch Linux")
def rx7900xtx(m):
    """A desktop with one RX 7900 XTX, idle; the firmware says all the same that its hotspot holds it back.
    That bit sticks on RDNA3 and RDNA4 (ROCm/rocm-systems#11781); clocks are a range, two links have stars."""
    m.pci("0000:00:01.1", "1022:1483", BRIDGE, driver="pcieport", link=FULL_GEN4, port=ROOT_PORT)
    m.pci("0000:01:00.0", "1002:1478", BRIDGE, below="0000:00:01.1", driver="pcieport", link=FULL_GEN4, port=UPSTREAM)
    m.pci("0000:02:00.0", "1002:1479", BRIDGE, below="0000:01:00.0", driver="pcieport", link=FULL_GEN4, port=DOWNSTREAM)
    amd_gpu(m, "0000:03:00.0", "1002:744c", class_code=DISPLAY, below="0000:02:00.0", link=FULL_GEN4,
            port=LEGACY_ENDPOINT, subsystem="1002:0e3b", revision=0xc8)
    rocm(m)


@healthy()
@machine(vendor="LENOVO", product="21ME001BGE", **ONE_NODE, cpu="AMD Ryzen 7 PRO 7840U w/ Radeon 780M Graphics",
         edac=None, clocks=("amd-pstate-epp", "powersave", 5132000), iommu="DMA-FQ", kernel="6.12.48+deb13-amd64",
         os="Debian GNU/Linux 13 (trixie)")
def phoenix(m):
    """A laptop whose only GPU is a part of the processor: no memory of its own, no limits to read, one sensor.
    As recorded in ilya-zlobintsev/LACT (phoenix): gpu_metrics 2.1, power by hwmon alone."""
    m.pci("0000:00:08.1", "1022:14eb", BRIDGE, driver="pcieport", link=FULL_GEN4, port=ROOT_PORT)
    amd_gpu(m, "0000:64:00.0", "1002:15bf", class_code=DISPLAY, below="0000:00:08.1", link=FULL_GEN4,
            port=LEGACY_ENDPOINT, subsystem="17aa:50dd", revision=0xdd)
    rocm(m)


@healthy("--expect-gpus 1")
@machine(vendor="Intel Corporation", product="D50DNP1SBB", cpu="Intel(R) Xeon(R) Gold 6438Y+")
def flex170_sriov(m):
    """A Flex 170 with four virtual functions that are given to virtual machines.
    Ids: pci.ids (56c0). Files physfn, virtfnN, sriov_*: Linux Documentation/ABI/testing/sysfs-bus-pci."""
    gpu = "0000:4d:00.0"
    m.pci("0000:4a:01.0", "8086:352a", BRIDGE, driver="pcieport", node=0, link=FULL_GEN4, port=ROOT_PORT)
    m.pci("0000:4b:00.0", "8086:4fa0", BRIDGE, below="0000:4a:01.0", driver="pcieport", node=0, link=FULL_GEN4,
          port=UPSTREAM)
    m.pci("0000:4c:01.0", "8086:4fa4", BRIDGE, below="0000:4b:00.0", driver="pcieport", node=0, link=(1, 1, 1, 1),
          port=DOWNSTREAM)
    m.pci(gpu, "8086:56c0", OTHER_DISPLAY, below="0000:4c:01.0", driver="i915", node=0, link=(1, 1, 1, 1),
          subsystem="8086:4905", revision=8, files={"sriov_numvfs": 4, "sriov_totalvfs": 31, "sriov_vf_device": "56c0"})
    m.drm(gpu)
    for number in range(4):
        function = f"0000:4d:00.{number + 1}"
        m.pci(function, "8086:56c0", OTHER_DISPLAY, below="0000:4c:01.0", driver="vfio-pci", node=0, link=(1, 1, 1, 1))
        m.link(f"{m.paths[function]}/physfn", m.paths[gpu])
        m.link(f"{m.paths[gpu]}/virtfn{number}", m.paths[function])
    m.about["icds"]["intel.icd"] = "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n"


@healthy("--expect-gpus 1:GH200")
@machine(vendor="Quanta Cloud Technology Inc.", product="QuantaGrid S74G-2U", arch="aarch64", cpu="Neoverse-V2",
         flags="",
         nodes={0: "0-71", **{n: "" for n in range(1, 9)}}, packages=["0-71"], memory_gib=480, edac=None,
         clocks=("cppc_cpufreq", "performance", 3510000), kernel="6.8.0-1021-nvidia-64k", os="Ubuntu 22.04.5 LTS")
def gh200(m):
    """A GH200: the GPU hangs on the processor by C2C and shows one PCIe lane; its memory is NUMA nodes without CPUs.
    Id and one lane: facts nvidia.md 4.1 (DCGM accepts x1). Nodes 1 to 8 wait for MIG instances."""
    m.pci("0009:00:00.0", "10de:22b1", BRIDGE, driver="pcieport", node=0, link=(1, 1, 5, 1), port=ROOT_PORT)
    m.nvidia_gpu("0009:01:00.0", "NVIDIA GH200 480GB", ids="10de:2342", subsystem="10de:16eb", revision=0xa1,
                 below="0009:00:00.0", node=0, link=(1, 1, 5, 1))
    m.nvidia_driver("560.35.05")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl", 4: "/dev/nvidia0"})


@healthy("--expect-gpus 1")
@machine(vendor="NVIDIA", product="NVIDIA_DGX_Spark", arch="aarch64", cpu="Cortex-X925", flags="", nodes={0: "0-19"},
         packages=["0-19"], memory_gib=119, edac=None, clocks=("cppc_cpufreq", "performance", 3900000),
         kernel="6.17.0-1008-nvidia", os="Ubuntu 24.04.3 LTS")
def gb10(m):
    """A DGX Spark: GB10, memory shared with the processor, one PCIe lane for show.
    Id: facts nvidia.md 4.1 (2e12); domain 000f as in real Xid lines of such a machine; 119 GiB: open-mpi/hwloc."""
    m.pci("000f:00:00.0", "10de:22d1", BRIDGE, driver="pcieport", link=(1, 1, 5, 1), port=ROOT_PORT)
    m.nvidia_gpu("000f:01:00.0", "NVIDIA GB10", ids="10de:2e12", revision=0xa1, below="000f:00:00.0", link=(1, 1, 5, 1))
    m.nvidia_driver("580.95.05")
    m.process(2201, "nvidia-persiste", uid=113, fds={3: "/dev/nvidiactl", 4: "/dev/nvidia0"})


@healthy(gate="under WSL no GPU is on the bus to be counted")
@machine(vendor="Microsoft Corporation", product="Virtual Machine", kernel="5.15.153.1-microsoft-standard-WSL2",
         **ONE_NODE,
         flags="fpu vme de pse tsc msr sse sse2 ht hypervisor", virtual=True, os="Ubuntu 22.04.5 LTS")
def wsl(m):
    """Windows' Linux: GPUs are behind /dev/dxg and on no bus.
    Functions of Microsoft's virtual bus as lspci shows them there (1414:008e); libraries in /usr/lib/wsl/lib."""
    m.pci("5582:00:00.0", "1414:008e", GPU_3D, driver="dxgkrnl")
    m.pci("0000:00:03.0", "1af4:1041", NETWORK, driver="virtio-pci")
    m.write("/dev/dxg", "")
    for name in ("libcuda.so.1", "libnvidia-ml.so.1", "libdxcore.so"):
        m.write(f"/usr/lib/wsl/lib/{name}", b"\x7fELF\x02\x01\x01")


@healthy("--expect-gpus 2")
@machine(**XE9680, command_line="BOOT_IMAGE=/boot/vmlinuz root=/dev/md0 ro")
def pod_2_of_8(m):
    """A Kubernetes container that may use GPUs 2 and 3 of eight; /sys shows all of them.
    As h100-8; device nodes and /proc/driver/nvidia/gpus of the two, processes of the pod only (facts nvidia.md 7.1)."""
    h100_node(m)
    m.afterwards.append(lambda made: in_container(made, (2, 3)))


@machine(vendor="Supermicro", product="AS-4124GS-TNR", cpu="AMD EPYC 7513 32-Core Processor", edac="EPYC_SSP")
def amdgpu_bad(m):
    """Eight MI210 of which each tells its measurements in a way that is none, or none at all.
    Tables cut short, too long, of an unknown version, all ones; sensors without labels or beyond what is measured;
    counters that the driver cannot ask now."""
    whole = amdgpu.metrics_table((1, 3), {"edge": 38, "hotspot": 42, "power": 41, "throttle": 0, "indep": 0})
    tables = [whole[:60], whole + b"\0" * 3976, whole[:2] + b"\x04\x01" + whole[4:], b"\xff" * 120,
              b"\x70" + whole[1:], b"", whole, whole]
    nonsense = {
        "name": "amdgpu", "temp1_label": "edge", "temp1_input": -273150, "temp1_crit": 0, "temp2_label": "junction",
        "temp2_input": 65535000, "temp2_crit": 4294967295, "temp3_label": "mem", "temp3_input": 0,
        "power1_average": 4294967295000000, "power1_input": 41000000, "power1_cap": 0, "fan1_input": 4294967295}
    for number, table in enumerate(tables):
        address = f"0000:{0x21 + 0x10 * number:02x}:00.0"
        amd_gpu(m, address, "1002:740f", class_code=OTHER_DISPLAY, link=FULL_GEN4, node=0)
        m.write(f"{m.paths[address]}/gpu_metrics", table)
    paths = list(m.paths.values())
    m.lines(f"{paths[0]}/hwmon/hwmon2", name="amdgpu", temp1_input=38000, temp2_input=42000, power1_average=41000000)
    m.lines(f"{paths[6]}/hwmon/hwmon8", **nonsense)
    m.lines(f"{paths[6]}/ras", umc_err_count="Query currently inaccessible", gfx_err_count="ue: 3\nce: many",
            sdma_err_count="", gpu_vram_bad_pages="0x00012345 : 0x00001000 : R\n0x00012346 : 0x00001000 : X")
    m.lines(f"{paths[7]}/ras", umc_err_count="ue: 1\nce: 12", gpu_vram_bad_pages="\n".join(
        f"0x{0x12345 + page:08x} : 0x00001000 : {'RRRPF'[page % 5]}" for page in range(400)))
    rocm(m)


@machine(product="", serial="\x00\xff\xfe binary", kernel="", arch="", command_line="", uptime_s=0.0, **ONE_NODE)
def values_bad(m):
    """Nine GPUs whose files hold nothing, nonsense or what cannot be, and the same in /proc.
    What devices that are gone or half configured report (63, 255, 0, "Unknown"), and damaged files."""
    garbage = b"\x7fELF\x00\x01\xff\xfe\x80garbage\n"
    bad = [
        {"current_link_width": "63", "current_link_speed": "Unknown", "max_link_width": "63"},
        {"current_link_width": "255", "max_link_width": "255", "max_link_speed": "Unknown speed"},
        {"current_link_width": "", "current_link_speed": "", "max_link_width": "0", "max_link_speed": "Unknown"},
        {"current_link_width": "-1", "current_link_speed": "-2.5 GT/s PCIe", "max_link_width": "x16"},
        {"current_link_width": "4294967296", "current_link_speed": "99999999999999999999 GT/s", "max_link_width": "7"},
        {"current_link_width": garbage, "current_link_speed": garbage, "max_link_speed": garbage, "device": garbage},
        {"vendor": "", "device": "Unknown", "revision": "0x1ff", "subsystem_vendor": None, "numa_node": "-2"},
        {"numa_node": "99999999999999999999", "local_cpulist": "0-x", "power_state": garbage,
         "power/runtime_status": ""},
        {"config": b"\x00" * 10, "current_link_width": "16 ", "current_link_speed": " 16.0 GT/s PCIe"},
    ]
    for number, files in enumerate(bad):
        m.pci(f"0000:{number + 1:02x}:00.0", "10de:2230", DISPLAY, driver="nvidia", node=0, link=FULL_GEN4, files=files)
    m.pci("0000:20:00.0", "10de:2230", DISPLAY, files={"class": garbage})
    m.pci("0000:21:00.0", "10de:2230", DISPLAY, files={"class": ""})
    m.nvidia_driver()
    m.process(666, "a) S 1 (b", state="D", fds={3: "/dev/nvidia99", 4: "/dev/nvidiaX", 5: "/dev/dri/card9 (deleted)"})
    m.process(667, "zombie", state="Z", cgroup=":::", memlock="lots", cpus="0-")
    m.process(668, "slurmd", fds={3: "/dev/dri/card9"}, memlock=-1, cgroup="0::/slurmstepd.scope/job_/pod", cpus="x",
              fdinfo={3: {"drm-driver": "amdgpu", "drm-resident-vram": "much", "drm-client-id": "first"}})
    m.later = {
        "/proc/meminfo": "MemTotal:  99999999999999999999 kB\nMemAvailable:   -5 kB\nSwapTotal:\nSwapFree 12\n",
        "/proc/vmstat": b"pswpin\npswpout x\noom_kill 1.5\n\x00\x00\xff",
        "/proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/a\\04\n\\777\\ partition big -1\n\n",
        "/proc/uptime": "yesterday\n", "/proc/cpuinfo": garbage * 4,
        "/proc/pressure/memory": "some avg10=nan\nfull avg10=\n",
        "/proc/pressure/io": "some avg10=101.00 avg60=0\nfull\n", "/proc/pressure/cpu": "",
        "/sys/devices/system/node/node0/distance": "10 ten\n", "/sys/devices/system/node/node0/cpulist": "3-1\n",
        "/sys/devices/system/node/node0/meminfo": "Node 0 MemTotal: -1 kB\n", "/proc/4242/stat": "4242 (no end",
        "/sys/devices/system/node/nodeX/cpulist": "0\n", "/sys/devices/system/cpu/online": garbage,
        "/proc/4243/stat": "", "/etc/os-release": "PRETTY_NAME=\n", "/etc/OpenCL/vendors/empty.icd": "",
        "/etc/OpenCL/vendors/.icd": "not one\n", "/etc/OpenCL/vendors/crlf.icd": "libcrlf.so\r\n",
        "/sys/bus/pci/devices/not-an-address/class": "0x030000\n",
    }


@machine(**XE9680, nodes={n: f"{128 * n}-{128 * n + 127}" for n in range(4)}, packages=["0-255", "256-511"])
def cluster_node(m):
    """8 × H100 with a network card beside each, 512 CPUs in four NUMA nodes, disks, and a Slurm job's limits.
    Distances as sub-NUMA clustering gives them (12 within a package). Files of EDAC, cpufreq, thermal_throttle and
    control groups: facts amd-intel-kernel.md 6, 7; of networks and disks: Linux Documentation/ABI/testing."""
    h100_board(m)
    for number, bus in enumerate((0x20, 0x3f, 0x50, 0x60, 0x9f, 0xbf, 0xcf, 0xdf)):
        address = f"0000:{bus:02x}:00.0"
        m.pci(address, "15b3:1021", NETWORK, driver="mlx5_core", node=0 if number < 4 else 1, link=FULL_GEN5)
        if number < 6:
            m.rdma(f"mlx5_{number}", address)
        else:
            m.network(f"enp{bus}s0np0", address, speed=400000, rdma=f"mlx5_{number}", rx_dropped=17)
    for number in range(8):
        address = f"0000:e{number}:00.0"
        m.pci(address, "8086:1521", NETWORK, driver="igb", node=3)
        m.network(f"eth{number}", address, state="up" if number < 2 else "down", speed=1000)
    m.network("lo", None, place="/sys/devices/virtual")
    m.network("usb0", None, place="/sys/devices/pci0000:00/0000:00:14.0/usb1/1-9/1-9:2.0", speed=10)
    for number in range(8):
        m.disk(f"nvme{number}n1", place=f"pci0000:e8/0000:e9:0{number}.0/nvme/nvme{number}", size_gib=7153,
               model="SAMSUNG MZWLO7T6HBLA-00A07")
    m.disk("sda", place="pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0", size_gib=447, model="Micron_5400",
           rotational=1, scheduler="none [mq-deadline]", state="running")
    m.disk("md0", place="virtual", size_gib=14306)
    m.write("/proc/mdstat", "Personalities : [raid10]\n"
            "md0 : active raid10 nvme3n1[3] nvme2n1[2] nvme1n1[1] nvme0n1[0]\n"
            "      15000928256 blocks super 1.2 512K chunks 2 near-copies [4/4] [UUUU]\n      \nunused devices: <none>\n")
    m.disk("loop0", place="virtual", size_gib=1)
    m.disk("nbd0", place="virtual", size_gib=0)
    m.disk("nvme0c0n1", place="pci0000:e8/0000:e9:00.0/nvme/nvme0", size_gib=7153, files={"hidden": 1})
    m.module("nvidia", version="550.54.14", taint="OE", users=412)
    m.module("nvidia_uvm", taint="OE", users=4)
    m.module("mlx5_core", users=1)
    m.module("ext4", users=3)
    m.user_libraries("550.54.14")
    m.lines("/proc/driver/nvidia", params="ModifyDeviceFiles: 1\nDeviceFileUID: 0\nNvLinkDisable: 0")
    node_software(m, "550.54.14")
    m.clocks(odd={3: {"scaling_governor": "powersave", "scaling_max_freq": 2100000}, 7: {"cpuinfo_max_freq": 4300000}})
    for number in range(4):
        m.memory_controller(number)
    m.cgroup_v2("/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0", {
        "/": {"cpuset.cpus.effective": "0-511", "cpuset.mems.effective": "0-3", "cgroup.controllers": "cpuset memory"},
        "/system.slice/slurmstepd.scope": {"memory.max": "max"},
        "/system.slice/slurmstepd.scope/job_4711": {
            "memory.max": 206158430208, "memory.current": 171798691840, "memory.swap.max": 0,
            "memory.stat": "anon 85899345920\nactive_file 10737418240\ninactive_file 64424509440",
            "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0",
            "cpuset.cpus.effective": "0-63", "cpuset.mems.effective": "0"},
        "/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0": {"memory.max": "max", "memory.current": 4096}})
    m.shared_memory("rw,nosuid,nodev,size=1056964608k")
    m.later = {"/sys/devices/system/node/node%d/distance" % n: " ".join(
        str(10 if n == o else 12 if n // 2 == o // 2 else 21) for o in range(4)) + "\n" for n in range(4)}
    m.later |= {"/proc/sys/kernel/tainted": "12289\n", "/proc/sys/kernel/numa_balancing": "1\n",
                "/sys/module/pcie_aspm/parameters/policy": "[default] performance powersave powersupersave \n",
                "/proc/sys/vm/swappiness": "60\n", "/sys/module/zswap/parameters/enabled": "N\n",
                "/sys/devices/system/cpu/isolated": "\n"}


@machine(product="PowerEdge R750")
def container_v1(m):
    """A Docker container with two of the host's L40S: its control group of version 1 is what is mounted.
    Docker gives 64 MiB of shared memory; libraries come from the container toolkit, an empty file from the image."""
    l40s_ports(m)
    m.write("/.dockerenv", "")
    m.user_libraries("550.54.14")
    m.write("/usr/lib/x86_64-linux-gnu/libcuda.so.470.57.02", "")
    m.write("/usr/lib/i386-linux-gnu/libcuda.so.550.54.14", b"\x7fELF\x01\x01\x01" + bytes(9))
    m.cgroup_v1("/docker/5f0c", {
        "memory": {"/": {"memory.limit_in_bytes": 34359738368, "memory.usage_in_bytes": 8589934592,
                         "memory.stat": "total_inactive_file 4294967296\ntotal_active_file 1073741824",
                         "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3",
                         "memory.memsw.limit_in_bytes": 68719476736}},
        "cpu": {"/": {"cpu.cfs_quota_us": 1600000, "cpu.cfs_period_us": 100000,
                      "cpu.stat": "nr_periods 91000\nnr_throttled 1200\nthrottled_time 5100000000"}},
        "cpuset": {"/": {"cpuset.cpus": "0-63", "cpuset.mems": "0-1"}}}, mount_root="/docker/5f0c")
    m.shared_memory("rw,nosuid,nodev,noexec,relatime,size=65536k,inode64")
    m.later = {"/etc/ld.so.conf.d/i386-linux-gnu.conf": "# Multiarch support\n/usr/lib/i386-linux-gnu\n"}


@machine(product="PowerEdge R750")
def memory_errors(m):
    """Four L40S, one memory module with 212 corrected errors in 41 days; the driver's folders are named rankN.
    Files: Linux Documentation/ABI/testing/sysfs-devices-edac."""
    l40s_ports(m)
    m.memory_controller(0, modules={"dimm0": ("CPU1_DIMM_A1", 0, 0)})
    m.memory_controller(1, corrected=212, modules={"rank0": ("CPU2_DIMM_A1", 2, 0), "rank3": ("CPU2_DIMM_B2", 210, 0)})


def slots_board(m, gpus=4, answering=4):
    """Two switches with ports for that many cards each, every port with a slot that the kernel and the firmware name.

    answering: of the cards below the second switch, how many are on the bus.
    """
    on, labels = {"payload_able": 512, "present": True, "active": True, "acs": 0}, {}
    for board, bus in enumerate((0x40, 0xc0)):
        root, up = f"0000:{bus:02x}:01.0", f"0000:{bus + 1:02x}:00.0"
        m.pci(root, "8086:352a", BRIDGE, driver="pcieport", node=board, link=FULL_GEN5, port=ROOT_PORT, settings=on)
        m.pci(up, "1000:c030", BRIDGE, below=root, driver="pcieport", node=board, link=FULL_GEN5, port=UPSTREAM,
              settings={"payload_able": 512})
        m.aer(root, root_fatal=0)
        m.aer(up)
        for number in range(gpus):
            answers = board == 0 or number < answering
            down, place = f"0000:{bus + 2:02x}:{number:02x}.0", f"0000:{bus + 3 + number:02x}:00"
            m.pci(down, "1000:c030", BRIDGE, below=up, driver="pcieport", node=board, port=DOWNSTREAM,
                  link=(4, 16, 5, 16) if answers else (1, 0, 5, 16), settings=on | {"active": answers})
            m.aer(down)
            m.slot(str(10 * (board + 1) + number), place, down, adapter=1, power=1, attention=0, latch=0)
            if not answers:
                continue
            m.nvidia_gpu(f"{place}.0", "NVIDIA L40S", ids="10de:26b9", subsystem="10de:1851", revision=0xa1, below=down,
                         node=board, link=FULL_GEN4, files={
                             "resource": "0x00000000a0000000 0x00000000a0ffffff 0x0000000000040200\n"
                             "0x0000205000000000 0x0000205fffffffff 0x000000000014220c\n" + 11 * f"{' '.join(3 * ['0x' + 16 * '0'])}\n",
                             "resource1_resize": "000000000001ffc0", "sriov_numvfs": 0})
            m.aer(f"{place}.0")
            m.link(f"{m.paths[f'{place}.0']}/iommu_group", f"/sys/kernel/iommu_groups/{16 * board + number}")
            m.lines(f"/sys/kernel/iommu_groups/{16 * board + number}", type="identity")
            labels[f"PCIe-{4 * board + number + 1}"] = f"{place}.0"
    # A port without a card sleeps. Read, it and its slot would tell of one that does not answer.
    m.pci("0000:c2:1f.0", "1000:c030", BRIDGE, below="0000:c1:00.0", driver="pcieport", node=1, link=(1, 0, 5, 16),
          port=DOWNSTREAM, power="D3hot", runtime="suspended", settings=on | {"active": False})
    m.slot("30", "0000:d0:00", "0000:c2:1f.0", adapter=1, power=1, attention=0, latch=0)
    m.firmware_slots(labels)
    m.nvidia_driver()


@machine(product="SYS-421GE-TNRT3")
def slots_8(m):
    """Eight L40S in hotplug slots below two switches, which the kernel and the firmware name; healthy.
    Slot files: Linux drivers/pci/hotplug/pci_hotplug_core.c; SMBIOS: DSP0134; BAR of 64 GiB and AER files: recorded cards."""
    slots_board(m)


@machine(product="SYS-421GE-TNRT3", config_bytes=64)
def slots_8_dead_user(m):
    """As slots-8-dead, recorded by a user, who sees it by the slot alone."""
    slots_board(m, answering=3)


@machine(product="SYS-421GE-TNRT3")
def slots_8_dead(m):
    """As slots-8, but one of the cards does not answer: presence without a link."""
    slots_board(m, answering=3)


def build(name, setting=Setting(), asked=()):
    """The machine in that setting, in memory; asked: what the run will be asked."""
    make, about = MACHINES[name]
    m = Node(name, **{**about, **setting.about(about)})
    m.asked = asked
    m.later = {}
    m.afterwards = []
    make(m)
    setting.before(m)
    m.close()
    for path, content in m.later.items():
        m.write(path, content)
    for change in m.afterwards:
        change(m)
    setting.after(m)
    nvml.lay(m)
    return m


def main(arguments):
    if arguments == ["--list"]:
        for name, (make, _) in MACHINES.items():
            print(f"{name:<18}{make.__doc__.splitlines()[0]}")
        return 0
    if arguments == ["--healthy"]:
        print("\n".join(HEALTHY))
        return 0
    unknown = [name for name in arguments[1:] if name not in MACHINES]
    if not arguments or arguments[0].startswith("-") or unknown:
        print(f"mknodes.py: no machine {unknown[0]}" if unknown else __doc__, file=sys.stderr)
        return 64
    for name in arguments[1:] or MACHINES:
        top = os.path.join(arguments[0], name)
        shutil.rmtree(top, ignore_errors=True)
        os.makedirs(arguments[0], exist_ok=True)
        sync(top, build(name).files)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
