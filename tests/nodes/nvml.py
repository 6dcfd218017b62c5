# SPDX-License-Identifier: GPL-2.0-or-later
"""nvml.py - what NVIDIA's management library tells of a described machine: nvml.json for tests/fakes/nvml.c.

describe() makes the answers of a healthy machine from what its tree says and from the models below; lay() writes
them into the tree, at DRIVER, beside the fake of the driver's branch. In between, settings and faults
change m.nvml, a dictionary of the form that tests/fakes/nvml.c documents.

A GPU is in it where its files say that the driver has it: bound, listed in /proc/driver/nvidia, its device node there.
Names, memory, power and links of the models: NVIDIA's data sheets and DCGM's tables; clocks and cores too. Limits of
temperature: nvidia-smi -q of such cards; since Ada they are told as margins (fields 193 to 196).
"""
import functools
import json
import os
import re
import uuid

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVER = "/driver"                      # in a tree: what --driver-root is told
LIBRARIES = f"{DRIVER}/usr/lib/x86_64-linux-gnu"
FAKES = f"{TOP}/build/fakes/nvml"
BRANCHES = (470, 535, 550, 560, 580)    # of which there are fakes; NVML_BRANCHES of tests/tests.mk
MIB, GIB = 1 << 20, 1 << 30
FERMI, VOLTA, TURING, AMPERE, ADA, HOPPER, BLACKWELL = 2, 5, 6, 7, 8, 9, 10
NO_LINKS = (0, 0, 0)
ALL_WELL = 0x1aa                        # healthMask: bandwidth, routes and access are not degraded, configuration right

# By PCI ids: architecture, compute capability, cores, MiB, bus bits, W, lowest W, MHz, memory MHz, NVLinks (number,
# version by nvml.h, MB/s each), ECC, MIG instances at most
MODELS = {
    "10de:1eb8": (TURING, "7.5", 2560, 15360, 256, 70, 60, 1590, 5001, NO_LINKS, 1, 0),
    "10de:1db1": (VOLTA, "7.0", 5120, 16384, 4096, 300, 150, 1530, 877, (6, 2, 25781), 1, 0),
    "10de:1db8": (VOLTA, "7.0", 5120, 32768, 4096, 350, 150, 1597, 958, (6, 2, 25781), 1, 0),
    "10de:20b2": (AMPERE, "8.0", 6912, 81920, 5120, 400, 100, 1410, 1593, (12, 4, 25781), 1, 7),
    "10de:20b5": (AMPERE, "8.0", 6912, 81920, 5120, 300, 150, 1410, 1512, NO_LINKS, 1, 7),
    "10de:2230": (AMPERE, "8.6", 10752, 49140, 384, 300, 100, 2100, 8001, NO_LINKS, 0, 0),
    "10de:2684": (ADA, "8.9", 16384, 24564, 384, 450, 150, 3105, 10501, NO_LINKS, None, 0),
    "10de:28e0": (ADA, "8.9", 3072, 8188, 128, 115, 5, 3105, 8001, NO_LINKS, None, 0),
    "10de:26b9": (ADA, "8.9", 18176, 46068, 384, 350, 100, 2520, 9001, NO_LINKS, 1, 0),
    "10de:2330": (HOPPER, "9.0", 16896, 81559, 5120, 700, 200, 1980, 2619, (18, 6, 26562), 1, 7),
    "10de:2335": (HOPPER, "9.0", 16896, 143771, 6144, 700, 200, 1980, 3201, (18, 6, 26562), 1, 7),
    "10de:2342": (HOPPER, "9.0", 16896, 97871, 6144, 900, 100, 1980, 2619, NO_LINKS, 1, 7),
    "10de:2901": (BLACKWELL, "10.0", 18944, 183359, 7680, 1000, 200, 1965, 3996, (18, 7, 53125), 1, 7),
    "10de:2941": (BLACKWELL, "10.0", 18944, 189471, 7680, 1200, 200, 2062, 3996, (18, 7, 53125), 1, 7),
    "10de:2e12": (BLACKWELL, "12.1", 6144, None, None, 140, None, 3003, None, NO_LINKS, None, 0),
    "10de:1091": (FERMI, "2.0", 512, 6144, 384, 225, None, 1301, 1848, NO_LINKS, 1, 0),
}
UNKNOWN_MODEL = (AMPERE, "8.6", 10752, 49140, 384, 300, 100, 2100, 8001, NO_LINKS, 0, 0)
SHARES_MODULE = ("10de:2342", "10de:2941", "10de:2e12")   # with a processor, over NVLink-C2C
GEFORCE = ("10de:2684", "10de:28e0")
# Absolute limits of older cards: shutdown, slowdown, memory, work.
LIMITS = {VOLTA: (90, 87, 85, 83), TURING: (96, 93, None, 85), AMPERE: (92, 89, 95, 85),
          FERMI: (None, None, None, None)}


def information(m, address):
    """Lines of /proc/driver/nvidia/gpus/ADDRESS/information."""
    text = m.read(f"/proc/driver/nvidia/gpus/{address}/information").decode("utf-8", "replace")
    return {key: value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}


def number_in(m, path, otherwise=None):
    """The first number of a file."""
    found = re.search(rb"\d+", m.read(path)) if m.has(path) else None
    return int(found[0]) if found else otherwise


def generation_in(m, path):
    found = re.search(rb"[\d.]+", m.read(path)) if m.has(path) else None
    return {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}.get(float(found[0])) if found else None


def links_of(m, model):
    """NVLinks: to the switches where there are such; on POWER9 half to the processor; else to the other GPUs."""
    count, version, speed = model[9]
    switches = [address for address, function in m.functions.items() if function["driver"] == "nvidia-nvswitch"]
    blackwell = {"malformed": 0, "overruns": 0, "receive_errors": 0, "remote_errors": 0, "general_errors": 0,
                 "integrity_errors": 0, "recoveries": 0, "failed_recoveries": 0} if model[0] >= BLACKWELL else {}
    links = []
    for number in range(count):
        remote, kind = (switches[number % len(switches)], 2) if switches else (None, 2)
        if m.about["arch"] == "ppc64le" and number < count // 2:
            remote, kind = None, 1
        links.append({"state": 1, "version": version, "speed_mbps": speed, "remote": remote, "remote_kind": kind,
                      "errors": [0, 0, 0, 0, 0], **blackwell})
    return links


def temperatures(model, now):
    if model[0] >= ADA:
        return {"temperature_c": now, "temperature_margin_c": 87 - now, "margin_shutdown_c": -5,
                "margin_slowdown_c": -2, "margin_memory_max_c": 0, "margin_max_c": 0}
    shutdown, slowdown, memory, work = LIMITS[model[0]]
    return {"temperature_c": now, "temperature_shutdown_c": shutdown, "temperature_slowdown_c": slowdown,
            "memory_temperature_max_c": memory, "temperature_max_c": work}


def identity(m, address, index):
    told = information(m, address)
    function = m.functions[address]
    vendor, device = function["ids"].split(":")
    return {
        "pci": address, "pci_device_id": f"0x{device}{vendor}", "name": told.get("Model"), "uuid": told.get("GPU UUID"),
        "serial": f"16526230{index:05d}", "vbios": told.get("Video BIOS"), "minor": m.nvidia_gpus.index(address),
        "module_id": index + 1 if function["ids"] in ("10de:2330", "10de:2335", "10de:2901", "10de:20b2") else None,
        "part_number": f"900-{device.upper()}-0000-000", "inforom": "G520.0200.00.05",
        "gsp_firmware": told.get("GPU Firmware") if told.get("GPU Firmware") not in (None, "N/A") else None,
        "local_cpus": m.read(f"{m.paths[address]}/local_cpulist").decode().strip()
        if m.has(f"{m.paths[address]}/local_cpulist") else m.about["nodes"].get(function.get("node")),
    }


def describe_gpu(m, address, index):
    """The GPU, healthy and idle."""
    ids = m.functions[address]["ids"]
    model = MODELS.get(ids, UNKNOWN_MODEL)
    architecture, capability, cores, mib, bits, watts, lowest, clock, memory_clock, _, ecc, instances = model
    is_new = architecture >= AMPERE and ids not in GEFORCE
    milliwatts = watts * 1000
    reserved = min(636, mib // 40) * MIB if mib else None
    counts = {key: 0 if ecc else None for key in ("ecc_corrected", "ecc_uncorrected", "ecc_corrected_lifetime",
                                                  "ecc_uncorrected_lifetime", "sram_threshold_exceeded")}
    rows = {key: 0 if ecc is not None and is_new else None for key in (
        "rows_remapped_corrected", "rows_remapped_uncorrected", "remap_pending", "remap_failed")}
    values = {
        # nvml.h begins with Kepler, and the last library that drives a Fermi (R390) has no such question.
        **identity(m, address, index), "architecture": architecture if architecture != FERMI else None,
        "compute_capability": capability, "cores": cores, "vram_total_bytes": mib * MIB if mib else None,
        "vram_reserved_bytes": reserved, "vram_used_bytes": 0,
        "memory_bus_bits": bits, "power_limit_mw": milliwatts, "power_requested_mw": milliwatts,
        "power_default_mw": milliwatts, "power_min_mw": lowest * 1000 if lowest else None, "power_max_mw": milliwatts,
        "power_mw": milliwatts // 10, "clock_mhz": clock // 6, "clock_max_mhz": clock, "clock_boost_max_mhz": clock,
        "clock_application_mhz": clock, "clock_application_default_mhz": clock, "memory_clock_mhz": memory_clock,
        "memory_clock_max_mhz": memory_clock, "performance_state": 0 if ecc else 8, "clock_reasons": 1,
        **temperatures(model, 34), "memory_temperature_c": 41 if bits and bits > 1024 else None,
        "fans": [30, 30] if ids in ("10de:2684", "10de:2230") else None,
        "ecc_enabled": ecc, "ecc_pending": ecc, "ecc_default": ecc, **counts, **rows,
        "banks": [2560 if architecture >= HOPPER else 640, 0, 0, 0, 0] if rows["remap_failed"] is not None else None,
        "pages_retired": [0, 0] if ecc is not None and architecture < AMPERE else None,
        "retirement_pending": 0 if ecc is not None and architecture < AMPERE else None,
        "memory_unrepairable": 0 if architecture >= HOPPER else None,
        "channel_repair_pending": 0 if is_new else None, "tpc_repair_pending": 0 if is_new else None,
        "persistence": int(any(name == "nvidia-persiste" for name, _ in m.programs.values())),
        "compute_mode": 0, "mig_enabled": 0 if instances else None, "mig": {"max": instances, "instances": []},
        "gsp_enabled": int(architecture >= TURING), "virtualization": 1 if m.about["virtual"] else 0,
        "nvlinks": links_of(m, model), "processes": [], "energy_mj": {"base": 918273645, "per_s": milliwatts / 10},
        "fabric": {"state": 3, "status": 0, "clique": 0, "cluster": "", "health_mask": ALL_WELL, "summary": 1}
        if architecture >= HOPPER and model[9][0] else None,
        "recovery_action": 0,
    }
    if ids in SHARES_MODULE:
        values |= {"c2c": 1, "c2c_links": 10, "addressing_mode": 2, "numa_node": max(map(int, m.about["nodes"]))}
    return values


def follow_link(m, address, values):
    """The link as files tell it: settings change it there."""
    path = m.paths[address]
    now, able = generation_in(m, f"{path}/current_link_speed"), generation_in(m, f"{path}/max_link_speed")
    above = next(m.chain(address), None)
    slot = generation_in(m, f"{m.paths[above]}/max_link_speed") if above else able
    width, most = number_in(m, f"{path}/current_link_width"), number_in(m, f"{path}/max_link_width")
    lanes = number_in(m, f"{m.paths[above]}/max_link_width", most) if above else most
    values |= {"link_generation": now, "link_generation_able": able, "link_width": width,
               "link_generation_max": min(able, slot) if able and slot else able,
               "link_width_max": min(most, lanes) if most and lanes else most}


def clients_of(m):
    """By minor number: programs that hold its node, with how NVML lists them."""
    found = {}
    for pid in m.names("/proc"):
        if not pid.isdigit() or not m.has(f"/proc/{pid}/fd"):
            continue
        held = {m.read(f"/proc/{pid}/fd/{number}") for number in m.names(f"/proc/{pid}/fd")}
        comm = m.programs.get(int(pid), ("", False))[0]
        is_mps = any(name.startswith("nvidia-cuda-mps") for name, _ in m.programs.values())
        kind = "graphics" if comm in ("Xorg", "gnome-shell") else "compute"
        if kind == "compute" and "/dev/nvidia-uvm" not in held:
            continue
        if is_mps and not comm.startswith("nvidia-cuda-mps"):
            kind = "mps"
        for node in held:
            minor = re.fullmatch(r"/dev/nvidia(\d+)", str(node))
            if minor:
                found.setdefault(int(minor[1]), []).append((int(pid), comm, kind))
    return found


def follow_clients(values, clients):
    """Memory they have: what an inference server takes in advance, or some."""
    total = values["vram_total_bytes"] or 0
    room = (total - (values["vram_reserved_bytes"] or 0)) // 100
    for pid, comm, kind in clients:
        share = 90 if comm.startswith("VLLM") else 1 if kind == "graphics" or comm.startswith("nvidia-cuda") else 5
        values["processes"].append({"pid": pid, "kind": kind, "memory_bytes": share * room})
    if clients and "vram_used_bytes" in values and values["vram_total_bytes"]:
        values["vram_used_bytes"] += sum(entry["memory_bytes"] for entry in values["processes"])


def is_all_ones(m, address):
    config = m.read(f"{m.paths[address]}/config") if m.has(f"{m.paths[address]}/config") else b""
    return bool(config) and isinstance(config, bytes) and not config[:4].strip(b"\xff")


def describe(m):
    """The machine's answers; None where the driver is not loaded."""
    if not m.has("/sys/module/nvidia/version") or not m.nvidia_gpus:
        return None
    version = m.read("/sys/module/nvidia/version").decode().strip()
    branch = int(version.split(".")[0])
    cuda = {390: 9010, 470: 11040, 535: 12020, 550: 12040, 560: 12060, 580: 13000, 595: 13020}.get(branch, 12040)
    gpus = [describe_gpu(m, address, index) for index, address in enumerate(m.nvidia_gpus)]
    for gpu in gpus:
        gpu.update(m.nvml_values.get(gpu["pci"], {}))
    return {"driver_version": version, "nvml_version": f"{cuda // 1000}.{version}", "cuda_version": cuda,
            "driver_branch": f"r{branch}_00", "confidential_computing": 0, "gpus": gpus}


def follow_files(m):
    """What settings and faults did to files, the library sees too."""
    said, clients = m.nvml, clients_of(m)
    seen = []
    for gpu in said["gpus"]:
        address, minor = gpu["pci"], m.nvidia_gpus.index(gpu["pci"])
        driver = f"{m.paths[address]}/driver"
        bound = m.has(driver) and os.path.basename(m.read(driver)) == "nvidia"
        if not bound or not m.has(f"/dev/nvidia{minor}") or not m.has(f"/proc/driver/nvidia/gpus/{address}"):
            continue
        if is_all_ones(m, address):
            gpu["handle_error"] = "GPU_IS_LOST"
        follow_link(m, address, gpu)
        follow_clients(gpu, clients.get(minor, []))
        seen.append(gpu)
    said["gpus"] = seen
    if not m.has("/dev/nvidiactl"):
        said["init"] = "DRIVER_NOT_LOADED"
    loaded = m.read("/sys/module/nvidia/version").decode().strip() if m.has("/sys/module/nvidia/version") else None
    if loaded and loaded != said["driver_version"]:
        said["init"] = "LIB_RM_VERSION_MISMATCH"


def add_instances(gpu, number, profile="1g.10gb", slices=1):
    """Instances of one size."""
    gpu["mig_enabled"] = gpu["mig_pending"] = 1
    share = gpu["vram_total_bytes"] // 8
    gpu["mig"]["instances"] = [
        {"gi": 7 + place, "ci": 0, "uuid": f"MIG-{uuid.uuid5(uuid.NAMESPACE_OID, gpu['uuid'] + str(place))}",
         "name": f"{gpu['name']} MIG {profile}", "vram_total_bytes": share * slices, "vram_reserved_bytes": 0,
         "vram_used_bytes": 13 * MIB, "gpu_slices": slices, "compute_slices": slices} for place in range(number)]
    # Not told of a GPU that is divided.
    gpu |= {"busy_percent": None, "memory_busy_percent": None, "rows_remapped_corrected": None, "banks": None}


def at_work(gpu):
    """As a GPU under full load tells of itself."""
    watts = gpu["power_limit_mw"]
    gpu |= {"busy_percent": 97, "memory_busy_percent": 61, "power_mw": watts - watts // 100, "clock_reasons": 4,
            "clock_mhz": gpu["clock_max_mhz"] * 9 // 10, "temperature_c": 66, "performance_state": 0,
            "energy_mj": {"base": 918273645, "per_s": watts}}
    if "temperature_margin_c" in gpu:
        gpu["temperature_margin_c"] = 87 - 66


@functools.cache
def library(fake):
    """A copy: another user need not find where the tests lie."""
    with open(f"{FAKES}/{fake}/libnvidia-ml.so.1", "rb") as file:
        return file.read()


def lay(m):
    """Writes the answers into the tree."""
    if m.nvml is None:
        return
    follow_files(m)
    branch = int(m.nvml["driver_version"].split(".")[0])
    newest = BRANCHES[-1] if branch <= BRANCHES[-1] else None
    fake = f"r{max((number for number in BRANCHES if number <= branch), default=BRANCHES[0])}" if newest else "current"
    folder = m.nvml.pop("folder", LIBRARIES)
    m.write(f"{folder}/nvml.json", json.dumps(m.nvml))
    m.write(f"{folder}/libnvidia-ml.so.1", library(fake))
