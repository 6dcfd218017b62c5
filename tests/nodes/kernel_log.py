# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel_log.py - what the kernel of a healthy machine says: a boot's banners, and what is said in weeks after it.

Nothing in it is a fault, and much of it looks like one at a glance: "xid" of a
file system, AER that is enabled, a link whose width is told, a USB reset.
Forms: dmesg of Debian 12 and Ubuntu 22.04 on such machines, the drivers' own
words (Linux drivers/pci, drivers/gpu/drm; NVIDIA open-gpu-kernel-modules).
"""
PATH = "/sos_commands/kernel/dmesg"
BRIDGE_CLASS = 0x060400


def stamped(lines):
    return "".join(f"[{seconds:12.6f}] {text}\n" for seconds, text in lines)


def early(m):
    about = m.about
    yield f"Linux version {about['kernel']} (build@host) (gcc (Debian 12.2.0-14) 12.2.0) #1 SMP PREEMPT_DYNAMIC"
    yield f"Command line: {about['command_line']}"
    yield "BIOS-provided physical RAM map:"
    yield "DMI: Supermicro SYS-421GE-TNRT/X13DEG-OA, BIOS 2.1 03/12/2024"
    yield "mce: CPU0: Thermal monitoring enabled (TM1)"
    yield "ACPI: PCI Root Bridge [PC00] (domain 0000 [bus 00-14])"
    if about["iommu"]:
        yield "DMAR: IOMMU enabled"
        yield "DMAR: Intel(R) Virtualization Technology for Directed I/O"
        yield "AMD-Vi: Interrupt remapping enabled"
    yield "EDAC MC: Ver: 3.0.0"
    yield "pci_bus 0000:00: root bus resource [io  0x0000-0x0cf7 window]"


def buses(m):
    for number, (address, function) in enumerate(m.functions.items()):
        vendor, device = function["ids"].split(":")
        yield f"pci {address}: [{vendor}:{device}] type 00 class 0x{function['class']:06x}"
        if function["class"] == BRIDGE_CLASS:
            yield f"pcieport {address}: PME: Signaling with IRQ {120 + number}"
            yield f"pcieport {address}: AER: enabled with IRQ {120 + number}"
            yield f"pcieport {address}: DPC: enabled with IRQ {120 + number}"
    yield "pciehp 0000:15:01.0:pcie004: Slot #4 AttnBtn- PwrCtrl- MRL- AttnInd- PwrInd- HotPlug+ Surprise+ LLActRep+"


def of_nvidia(m, address, number):
    yield f"nvidia {address}: enabling device (0140 -> 0142)"
    if not number:
        yield "nvidia: loading out-of-tree module taints kernel."
        yield "nvidia: module license 'NVIDIA' taints kernel."
        yield "nvidia-nvlink: Nvlink Core is being initialized, major device number 234"
        yield "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024"
        yield ("nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  550.54.14  Thu Feb 22 "
               "01:25:25 UTC 2024")
        yield "nvidia_uvm: module uses symbols nvUvmInterfaceDisableAccessCntr from proprietary module nvidia"
        yield "nvidia-uvm: Loaded the UVM driver, major device number 508."
    yield f"[drm] [nvidia-drm] [GPU ID 0x{int(address.split(':')[1], 16) << 8:08x}] Loading driver"
    yield f"[drm] Initialized nvidia-drm 0.0.0 20160202 for {address} on minor {number}"


def of_amdgpu(m, address, number):
    if not number:
        yield "[drm] amdgpu kernel modesetting enabled."
        yield "amdgpu: Virtual CRAT table created for CPU"
        yield "amdgpu: Topology: Add CPU node"
    yield f"amdgpu {address}: enabling device (0006 -> 0007)"
    yield "[drm] initializing kernel modesetting (IP DISCOVERY 0x1002:0x74A1 0x1002:0x74A1 0x00)."
    yield f"amdgpu {address}: amdgpu: Fetched VBIOS from VFCT"
    yield f"amdgpu {address}: amdgpu: Trusted Memory Zone (TMZ) feature not supported"
    yield f"amdgpu {address}: amdgpu: VRAM: 65520M 0x0000008000000000 - 0x0000008FFEFFFFFF (65520M used)"
    yield f"amdgpu {address}: amdgpu: RAS: optional ras ta ucode is not available"
    yield f"amdgpu {address}: amdgpu: SMU is initialized successfully!"
    yield f"amdgpu {address}: amdgpu: ring comp_1.0.0 uses VM inv eng 0 on hub 0"
    yield f"[drm] Initialized amdgpu 3.49.0 20150101 for {address} on minor {number}"


def of_i915(m, address, number):
    yield f"i915 {address}: [drm] VT-d active for gfx access"
    yield f"i915 {address}: [drm] Finished loading DMC firmware i915/dg2_dmc_ver2_06.bin (v2.6)"
    yield f"i915 {address}: [drm] GuC firmware i915/dg2_guc_70.bin version 70.5.1"
    yield f"[drm] Initialized i915 1.6.0 20201103 for {address} on minor {number}"


def of_xe(m, address, number):
    yield f"xe {address}: [drm] Found battlemage (device ID e20b) discrete display version 14.01 stepping B0"
    yield f"xe {address}: [drm] Using GuC firmware from xe/bmg_guc_70.bin version 70.44.1"
    yield f"[drm] Initialized xe 1.1.0 for {address} on minor {number}"


DRIVERS = {"nvidia": of_nvidia, "amdgpu": of_amdgpu, "i915": of_i915, "xe": of_xe}


def drivers(m):
    counts = {}
    for address in m.functions:
        driver = m.functions[address]["driver"]
        if driver in DRIVERS and address in (*m.gpus(), "0000:00:02.0"):
            yield from DRIVERS[driver](m, address, counts.get(driver, 0))
            counts[driver] = counts.get(driver, 0) + 1


def rest(m):
    yield "nvme nvme0: 32/0/0 default/read/poll queues"
    yield "XFS (nvme0n1p2): Mounting V5 Filesystem"
    yield "XFS (nvme0n1p2): Ending clean mount"
    yield "usb 1-14.4: new high-speed USB device number 9 using xhci_hcd"
    yield "snd_hda_intel 0000:01:00.1: Disabling MSI"
    yield "snd_hda_intel 0000:01:00.1: bound 0000:00:02.0 (ops i915_audio_component_bind_ops [i915])"
    yield "mlx5_core 0000:2a:00.0: firmware version: 28.39.1002"
    yield "audit: type=1400 audit(1767200012.123:2): apparmor=\"STATUS\" operation=\"profile_load\""


def later(m):
    yield "usb 1-14.4: reset high-speed USB device number 9 using xhci_hcd"
    yield "RPC: fragment too large: xid 0x4f2a79 of 10.0.0.7"
    yield "RPC: server files timed out for a call (xid 79)"
    yield "nfs: server files OK"
    yield "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500"
    yield "TCP: request_sock_TCP: Possible SYN flooding on port 29500. Sending cookies."
    yield "hrtimer: interrupt took 79131 ns"


def boot_log(m):
    """A healthy boot and what followed, as dmesg prints it."""
    lines = [(0.0, next(early(m)))]
    lines += [(0.01 * number, text) for number, text in enumerate([*early(m)][1:], 1)]
    lines += [(1.0 + 0.003 * number, text) for number, text in enumerate(buses(m))]
    lines += [(7.0 + 0.05 * number, text) for number, text in enumerate([*drivers(m), *rest(m)])]
    uptime = m.about["uptime_s"]
    lines += [(uptime * (0.3 + 0.08 * number), text) for number, text in enumerate(later(m))]
    return stamped(sorted(lines, key=lambda line: line[0]))


def say(m, ago_s, *texts):
    """Lines so long before now, behind those there are."""
    log = m.read(PATH).decode()
    m.write(PATH, log + stamped((m.about["uptime_s"] - ago_s + 0.001 * number, text)
                                for number, text in enumerate(texts)))


def wrap(m, covers_s):
    """What is older was overwritten, as in a ring that is full."""
    begin = m.about["uptime_s"] - covers_s
    lines = [line for line in m.read(PATH).decode().splitlines(True) if float(line[1:line.index("]")]) >= begin]
    m.write(PATH, stamped([(begin, "TCP: out of memory -- consider tuning tcp_mem")]) + "".join(lines))
