# SPDX-License-Identifier: GPL-2.0-or-later
"""amdgpu.py - the files amdgpu and its compute driver (KFD) give of a card, healthy and with nothing to do.

Forms are those of Linux 6.1 and newer (Documentation/gpu/amdgpu, pm/amdgpu_pm.c, amdgpu_ras.c, kfd_topology.c). Values
are those of cards recorded in ilya-zlobintsev/LACT (RX 6900 XT, RX 7600S, Phoenix), ROCm/k8s-device-plugin (MI210),
ROCm/legacy-rocm-build#1468 (limits of a server card) and AMD's data sheets (power, clocks, memory).
"""
import dataclasses
import struct
import uuid

from tree import GIB, cpu_numbers

MIB = 1 << 20
SERVER_BLOCKS = ("umc", "sdma", "gfx", "mmhub", "pcie_bif", "hdp", "xgmi_wafl", "mp1", "fuse")
HOTSPOT_BIT = 1 << 36


@dataclasses.dataclass
class Card:
    """One model. Temperatures of a label: (now, crit, emergency). Power in W: now, limit, default, least, most."""
    vram: int
    vbios: str
    gfx: int = 0                        # as KFD has it: 90402 is gfx942
    product: str = None
    temperatures: dict = dataclasses.field(default_factory=dict)
    power: tuple = (None,) * 5
    power_file: str = "power1_average"
    fan: int = None
    sclk: str = ""
    mclk: str = ""
    pcie: str = None
    metrics: tuple = None               # (version, {name: value}) of METRICS
    ras: tuple = ()
    deferred: bool = False              # counts errors found before anybody used what they spoiled
    is_apu: bool = False


# Where fields are, by version: size, then (offset, form) by name (kgd_pp_interface.h).
V1_3 = {"edge": (4, "H"), "hotspot": (6, "H"), "memory": (8, "H"), "gfx": (16, "H"), "power": (22, "H"),
        "clock": (54, "H"), "throttle": (68, "I"), "fan": (72, "H"), "width": (74, "H"), "speed": (76, "H"),
        "indep": (112, "Q")}
V1_7 = {"hotspot": (4, "H"), "memory": (6, "H"), "power": (10, "H"), "gfx": (12, "H"), "counter": (40, "I"),
        "prochot": (44, "I"), "ppt": (48, "I"), "socket_thm": (52, "I"), "vr_thm": (56, "I"), "hbm_thm": (60, "I"),
        "width": (68, "H"), "speed": (70, "H"), "xgmi_width": (72, "H"), "xgmi_speed": (74, "H"),
        "recoveries": (104, "Q"), "replays": (112, "Q"), "links": (264, "8H"), "clock": (296, "H")}
METRICS = {
    (1, 3): (120, V1_3),
    (1, 5): (360, {"hotspot": (4, "H"), "memory": (6, "H"), "power": (10, "H"), "gfx": (12, "H"),
                   "throttle": (104, "I"), "width": (112, "H"), "speed": (114, "H"), "xgmi_width": (116, "H"),
                   "xgmi_speed": (118, "H"), "recoveries": (144, "Q"), "replays": (152, "Q"), "clock": (312, "H")}),
    (1, 7): (2208, V1_7),
    (2, 1): (120, {"edge": (4, "H"), "gfx": (28, "H"), "power": (40, "H"), "average_clock": (64, "H"),
                   "throttle": (108, "I")}),
}


def metrics_table(version, values):
    """A table as the driver makes it: what is not filled in is all ones."""
    size, places = METRICS[version]
    table = bytearray(b"\xff" * size)
    struct.pack_into("<HBB", table, 0, size, *version)
    for name, value in values.items():
        offset, form = places[name]
        struct.pack_into(f"<{form}", table, offset, *(value if isinstance(value, tuple) else (value,)))
    return bytes(table)


GEN4 = "0: 2.5GT/s, x1 310Mhz \n1: 16.0GT/s, x16 619Mhz *"
MI300X = Card(
    192 * GIB, "113-M3000100-102", gfx=90402, product="AMD Instinct MI300X OAM",
    temperatures={2: ("junction", 41, 100, 105), 3: ("mem", 33, 105, 110)}, power=(141, 750, 750, 0, 750),
    power_file="power1_input", sclk="0: 500Mhz\n1: 132Mhz *\n2: 2100Mhz",
    mclk="0: 900Mhz *\n1: 1100Mhz \n2: 1200Mhz \n3: 1300Mhz ",
    metrics=((1, 5), {"hotspot": 41, "memory": 33, "power": 141, "gfx": 0, "throttle": 0, "width": 16, "speed": 320,
                      "xgmi_width": 16, "xgmi_speed": 32, "recoveries": 1, "replays": 0, "clock": 132}),
    ras=SERVER_BLOCKS + ("smn", "sem", "mca", "vcn", "jpeg"), deferred=True)
CARDS = {
    "1002:740f": Card(
        65520 * MIB, "113-D67301-063", gfx=90010, product="AMD INSTINCT MI210",
        temperatures={1: ("edge", 38, 100, 105), 2: ("junction", 42, 100, 105), 3: ("mem", 40, 94, 99)},
        power=(41, 300, 300, 0, 300), sclk="0: 500Mhz\n1: 800Mhz *\n2: 1700Mhz",
        mclk="0: 400Mhz \n1: 700Mhz \n2: 1200Mhz \n3: 1600Mhz *", pcie="",
        metrics=((1, 3), {"edge": 38, "hotspot": 42, "memory": 40, "gfx": 0, "power": 41, "clock": 800, "throttle": 0,
                          "width": 16, "speed": 160, "indep": 0}),
        ras=SERVER_BLOCKS),
    "1002:74a1": MI300X,
    "1002:73bf": Card(
        16368 * MIB, "113-D4121EXT-CO1", gfx=100300,
        temperatures={1: ("edge", 56, 100, 105), 2: ("junction", 59, 110, 115), 3: ("mem", 54, 100, 105)},
        power=(36, 289, 289, 0, 332), fan=0, sclk="0: 500Mhz *\n1: 2660Mhz ",
        mclk="0: 96Mhz \n1: 456Mhz \n2: 673Mhz \n3: 1000Mhz *", pcie=GEN4,
        metrics=((1, 3), {"edge": 56, "hotspot": 59, "memory": 54, "gfx": 3, "power": 36, "clock": 500, "throttle": 0,
                          "fan": 0, "width": 16, "speed": 160, "indep": 0})),
    # Of RDNA3 the bit of the hotspot is set at idle, and two levels of the link bear a star.
    "1002:744c": Card(
        24560 * MIB, "113-D7020100-102", gfx=110000,
        temperatures={1: ("edge", 43, 100, 105), 2: ("junction", 50, 110, 115), 3: ("mem", 60, 108, 113)},
        power=(18, 339, 339, 0, 390), fan=0, sclk="0: 500Mhz\n1: 21Mhz *\n2: 2526Mhz",
        mclk="0: 96Mhz *\n1: 456Mhz \n2: 772Mhz \n3: 1249Mhz ",
        pcie="0: 2.5GT/s, x1 310Mhz \n1: 16.0GT/s, x16 619Mhz *\n2: 16.0GT/s, x16 619Mhz *",
        metrics=((1, 3), {"edge": 43, "hotspot": 50, "memory": 60, "gfx": 0, "power": 18, "clock": 21, "throttle": 2,
                          "fan": 0, "width": 16, "speed": 160, "indep": HOTSPOT_BIT})),
    # An APU: its memory is a part of the machine's, and no file has its limits.
    "1002:15bf": Card(
        512 * MIB, "113-PHXGENERIC-001", gfx=110003, temperatures={1: ("edge", 42, None, None)},
        power=(3.103, None, None, None, None), sclk="0: 800Mhz *\n1: 1100Mhz \n2: 2700Mhz ",
        mclk="0: 400Mhz *\n1: 800Mhz \n2: 800Mhz \n3: 800Mhz ", pcie="",
        metrics=((2, 1), {"edge": 2500, "gfx": 79, "power": 3401, "average_clock": 800, "throttle": 0}), is_apu=True),
}


def card_of(m, address):
    return CARDS.get(m.functions[address]["ids"], Card(16 * GIB, "113-D0000000-001"))


def memory_and_identity(m, path, address, card, used, serial):
    used = used or 16613376
    m.add(path, mem_info_vram_total=card.vram, mem_info_vram_used=used, mem_info_vis_vram_total=card.vram,
          mem_info_vis_vram_used=used, mem_info_gtt_total=m.about["memory_gib"] * GIB // 2,
          mem_info_gtt_used=14761984, vbios_version=card.vbios, gpu_busy_percent=0,
          mem_busy_percent=None if card.is_apu else 0,
          unique_id="" if card.is_apu else f"{uuid.uuid5(uuid.NAMESPACE_OID, address).int >> 64:016x}",
          pcie_replay_count=None if card.is_apu else 0, product_name=card.product, serial_number=serial,
          thermal_throttling_logging=f"{address}: thermal throttling logging enabled, with interval 60 seconds")
    m.add(f"{path}/fw_version", smc_fw_version="0x004c6000" if card.is_apu else "0x003a5600",
          sos_fw_version=None if card.is_apu else "0x00210864")


def sensors(m, path, card, number):
    folder = f"{path}/hwmon/hwmon{number}"
    if m.has(f"{path}/hwmon") or not card.temperatures:
        return
    m.add(folder, name="amdgpu")
    for place, (label, now, slows, off) in card.temperatures.items():
        m.add(folder, **{f"temp{place}_label": label, f"temp{place}_input": now * 1000,
                         f"temp{place}_crit": slows and slows * 1000, f"temp{place}_emergency": off and off * 1000,
                         f"temp{place}_crit_hyst": slows and -273150})
    now, limit, default, least, most = (watts and int(watts * 1000000) for watts in card.power)
    m.add(folder, **{card.power_file: now}, power1_label="PPT", power1_cap=limit, power1_cap_default=default,
          power1_cap_min=least, power1_cap_max=most, fan1_input=card.fan, freq1_label="sclk",
          freq1_input=500000000 if card.sclk else None)


def clocks(m, path, card):
    m.add(path, pp_dpm_sclk=card.sclk, pp_dpm_mclk=card.mclk, pp_dpm_pcie=card.pcie,
          power_dpm_force_performance_level="auto")
    if card.metrics and not m.has(f"{path}/gpu_metrics"):
        m.write(f"{path}/gpu_metrics", metrics_table(*card.metrics))


def ras(m, path, card):
    if not card.ras or m.has(f"{path}/ras"):
        return
    m.lines(f"{path}/ras", features="feature mask: 0x5f", **{
        f"{block}_err_count": "ue: 0\nce: 0" + ("\nde: 0" if card.deferred else "") for block in card.ras})
    m.write(f"{path}/ras/gpu_vram_bad_pages", "")


def files(m, address, *, used=0, serial=None):
    """What amdgpu tells of a card below its folder."""
    path, card = m.paths[address], card_of(m, address)
    memory_and_identity(m, path, address, card, used, serial)
    sensors(m, path, card, 3 + list(m.functions).index(address))
    clocks(m, path, card)
    ras(m, path, card)


def hive(m, addresses):
    """Joins cards by xGMI, each to each."""
    first = m.paths[addresses[0]]
    m.lines(f"{first}/xgmi_hive_info", xgmi_hive_id=int(uuid.uuid5(uuid.NAMESPACE_OID, addresses[0]).int >> 64))
    for number, address in enumerate(addresses):
        path = m.paths[address]
        if number:
            m.link(f"{path}/xgmi_hive_info", f"{first}/xgmi_hive_info")
        m.link(f"{first}/xgmi_hive_info/node{number + 1}", path)
        m.lines(path, xgmi_num_links=" ".join(f"{int(other != address):02x}" for other in addresses) + " ")


def partition(m, addresses, compute="SPX", memory="NPS1"):
    for address in addresses:
        m.lines(m.paths[address], current_compute_partition=compute, current_memory_partition=memory,
                available_compute_partition="SPX, DPX, QPX, CPX", available_memory_partition="NPS1, NPS4")


PARTS = {"SPX": 1, "DPX": 2, "TPX": 3, "QPX": 4, "CPX": 8}
NODES = "/sys/class/kfd/kfd/topology/nodes"


def topology(m, addresses):
    """Nodes of the compute driver: those of the CPUs, then each card's parts. By card: the names it has in files."""
    ids, number = {}, 0
    for cpus in m.about["nodes"].values():
        m.lines(f"{NODES}/{number}", gpu_id=0, name="", properties=properties(cpu_cores_count=len(list(cpu_numbers(cpus))), simd_count=0))
        number += 1
    for address in addresses:
        path, card = m.paths[address], card_of(m, address)
        domain, bus, rest = address.split(":")
        place = int(bus, 16) << 8 | int(rest[:2], 16) << 3 | int(rest[3])
        mode = m.read(f"{path}/current_compute_partition").decode().strip() if m.has(
            f"{path}/current_compute_partition") else "SPX"
        for part in range(PARTS[mode]):
            gpu_id = (place * 2654435761 + part) % 65521 + 1
            ids.setdefault(address, []).append(gpu_id)
            m.lines(f"{NODES}/{number}", gpu_id=gpu_id, name="ip discovery", properties=properties(
                simd_count=416 // PARTS[mode], gfx_target_version=card.gfx, vendor_id=4098,
                device_id=int(m.functions[address]["ids"][5:], 16), location_id=place | part, domain=int(domain, 16),
                drm_render_minor=128 + m.drm_minors[address], hive_id=0, num_xcc=1))
            number += 1
    return ids


def properties(**values):
    return "\n".join(f"{key} {value}" for key, value in {
        "cpu_cores_count": 0, "simd_count": 0, "gfx_target_version": 0, "location_id": 0, "domain": 0, **values
    }.items())


def processes(m, ids):
    """Who opened /dev/kfd is known to every card; it has memory and a queue on those whose nodes it opened too."""
    m.folder("/sys/class/kfd/kfd/proc")
    for pid in m.programs:
        opened = {m.read(f"/proc/{pid}/fd/{number}") for number in m.names(f"/proc/{pid}/fd")}
        if "/dev/kfd" not in opened:
            continue
        folder = f"/sys/class/kfd/kfd/proc/{pid}"
        m.lines(folder, pasid=32769)
        for address, parts in ids.items():
            is_open = f"/dev/dri/renderD{128 + m.drm_minors[address]}" in opened
            for part in parts:
                m.lines(folder, **{f"vram_{part}": 12582912 if is_open else 0, f"sdma_{part}": 0})
            if is_open:
                m.lines(f"{folder}/queues/0", gpuid=parts[0], size=4096, type=2)


def compute(m):
    """What the compute driver tells, where it is."""
    addresses = [address for address, function in m.functions.items()
                 if function["driver"] == "amdgpu" and address in m.drm_minors and card_of(m, address).gfx]
    if addresses and m.has("/dev/kfd") and not m.has(NODES):
        processes(m, topology(m, addresses))
