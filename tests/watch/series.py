#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Series of ticks for the judge of `gpudiag watch`: one for each word, near misses, healthy loads, and hostile ones.

    series.py FOLDER [--seed N]

writes FOLDER/NAME.jsonl, as `gpudiag watch --record` does: a line {"schema": "gpudiag.watch/1", "snapshot": {…}}, then a
line {"tick": {…}} each; and FOLDER/expect.tsv: NAME, the words that it may be judged as (the first is the one that is
meant), the words that it must not be, and whether it is a healthy load, which nobody may be accused of.

The thresholds here are those of the published rules, not those of the code: what is meant to be beyond one is well
beyond it, and a near miss just short of it.
"""
import argparse
import copy
import json
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
SNAPSHOTS = os.path.join(HERE, "..", "snapshots")
GIB = 1 << 30
SECOND = 1_000_000_000


def base(name):
    """A recorded node, without the processes that ran on it then."""
    with open(os.path.join(SNAPSHOTS, name + ".json"), encoding="utf-8") as file:
        node = json.load(file)
    node["holders"] = []
    node["gpu_processes"] = []
    node["tasks"] = []
    return node


class Node:
    """Counters that grow with each tick, and gauges with noise."""

    def __init__(self, snapshot, seed, interval=1.0, noise=0.02):
        self.snapshot = copy.deepcopy(snapshot)
        self.random = random.Random(seed)
        self.interval = interval
        self.noise = noise
        self.counters = {}
        gpus = [gpu for gpu in self.snapshot.get("gpus", []) if gpu["pci"].get("driver") in ("nvidia", "amdgpu", "i915", "xe")]
        self.addresses = [gpu["key"] for gpu in gpus]
        self.by_address = {gpu["key"]: gpu for gpu in gpus}

    def near(self, value, top=None):
        """The value with noise, and no more than the top, where there is none: a GPU that spins does so in every sample."""
        reach = value if top is None else min(value, 2 * (top - value))
        noisy = max(0.0, value + reach * self.random.gauss(0, self.noise))
        return round(noisy if top is None else min(noisy, top), 3)

    def grow(self, name, rate, noisy=True):
        """A counter that grows by so much a second."""
        step = rate * self.interval
        if noisy and step:
            step *= max(0.0, 1 + self.random.gauss(0, self.noise))
        self.counters[name] = self.counters.get(name, 1000) + step
        return int(self.counters[name])


def at(value, t):
    """What a description says at that time: a value, or a function of the time."""
    return value(t) if callable(value) else value


def vendor(gpu, name):
    for record in ("nvml", "amdgpu", "intel"):
        if gpu.get(record, {}).get(name) is not None:
            return gpu[record][name]
    return None


def gpu_tick(node, index, spec, t):
    """spec: busy low high sm tensor dram mem power clock temp vram (shares, 0 to 1), sent received peer (bytes a second)."""
    address = node.addresses[index]
    known = node.by_address[address]
    get = lambda name, default=None: at(spec.get(name, default), t)
    row = {"key": address}
    busy = get("busy")
    if busy is not None:
        mean = node.near(100 * busy, 100)
        row["busy_percent"] = mean
        low, high = get("low"), get("high")
        if low is not None:
            row["busy_min_percent"] = min(mean, node.near(100 * low, 100))
            row["busy_max_percent"] = max(mean, node.near(100 * high, 100))
    for name, field in (("mem", "memory_busy_percent"), ("sm", "sm_active_percent"), ("tensor", "tensor_active_percent"),
                        ("dram", "memory_active_percent"), ("switching", "context_switch_percent")):
        if get(name) is not None:
            row[field] = node.near(100 * get(name), 100)
    if get("power") is not None:
        watts = get("power") * (vendor(known, "power_limit_mw") or 300000)
        row["power_mw"] = int(node.near(watts))
        row["energy_mj"] = node.grow(f"energy{index}", watts)
    clock = vendor(known, "clock_max_mhz")
    if clock:
        row["clock_mhz"] = int(node.near(clock * get("clock", 0.9), clock))
    row["temperature_c"] = node.near(get("temp", 60))
    total = vendor(known, "vram_total_bytes")
    if total:
        row["vram_used_bytes"] = int(total * get("vram", 0.5))
    row["link_width"] = get("width", 16)
    row["link_speed_mtps"] = 32000
    for name, field in (("sent", "link_sent_bytes"), ("received", "link_received_bytes"), ("peer", "peer_sent_bytes")):
        row[field] = node.grow(f"{field}{index}", get(name, 1e6))
    row["peer_received_bytes"] = node.grow(f"peer_received{index}", get("peer", 1e6))
    for name, field in (("cap", "power_cap_ns"), ("heat", "thermal_ns"), ("brake", "brake_ns")):
        if get(name, 0) is not None:
            row[field] = node.grow(f"{field}{index}", SECOND * get(name, 0))
    if get("reasons") is not None:
        row["throttle_reasons"] = get("reasons")
    row["clients"] = [client_tick(node, index, client, t) for client in get("clients", [])]
    if spec.get("unknown"):
        row.setdefault("unknown", {})
        for field, why in spec["unknown"].items():
            row[field] = None
            row["unknown"][field] = why
    return row


def client_tick(node, index, client, t):
    row = {"key": str(client["pid"]), "memory_bytes": int(client.get("memory", 10 * GIB))}
    if client.get("busy") is not None:
        row["busy_percent"] = node.near(100 * at(client["busy"], t), 100)
    for name in ("evicted_ms", "page_ins", "page_outs"):
        if name in client:
            row[name] = node.grow(f"{name}{index}.{client['pid']}", at(client[name], t))
    return row


def thread_tick(node, pid, thread, t):
    tid = thread.get("tid", pid)
    cpu = at(thread.get("cpu", 0.0), t)
    system = thread.get("system", 0.1)
    state = pick(node, at(thread.get("state", "R" if cpu > 0.5 else "S"), t))
    row = {
        "key": str(tid), "comm": thread.get("comm", "python3"), "state": state, "cpu": tid % 64,
        "user_ns": node.grow(f"tu{tid}", SECOND * cpu * (1 - system)), "system_ns": node.grow(f"ts{tid}", SECOND * cpu * system),
        "wait_ns": node.grow(f"tw{tid}", SECOND * at(thread.get("wait", 0.0), t)),
        "voluntary_switches": node.grow(f"tv{tid}", at(thread.get("switches", 5), t)),
    }
    if state != "R":
        row["wchan"] = at(thread.get("wchan", "futex_wait_queue"), t)
    return row


def pick(node, states):
    """One of a dict of states with their shares, or the state itself."""
    if isinstance(states, str):
        return states
    roll, sum_ = node.random.random(), 0.0
    for state, share in states.items():
        sum_ += share
        if roll < sum_:
            return state
    return "S"


def process_tick(node, spec, t):
    pid = spec["pid"]
    threads = spec.get("threads")
    if threads is None:
        threads = [{name: spec[name] for name in ("comm", "cpu", "system", "state", "wchan", "switches", "wait") if name in spec}]
    seen = [thread_tick(node, pid, thread, t) for thread in threads]
    row = {
        "key": str(pid), "parent": spec.get("parent", 1000), "comm": spec.get("comm", "python3"), "role": spec["role"],
        "gpus": [node.addresses[index] for index in spec.get("gpus", [])], "state": seen[0]["state"],
        "started_ns": spec.get("started", 5 * SECOND), "threads": len(seen),
        "user_ns": sum(thread["user_ns"] for thread in seen), "system_ns": sum(thread["system_ns"] for thread in seen),
        "cpus_allowed": spec.get("cpus", 64), "group": spec.get("group", "/job"), "threads_seen": seen,
    }
    for name, default in (("major_faults", 0), ("read_bytes", 0), ("written_bytes", 0), ("read_call_bytes", 1000),
                          ("written_call_bytes", 1000), ("read_calls", 2)):
        row[name] = node.grow(f"{name}{pid}", at(spec.get(name, default), t))
    return row


def group_tick(node, spec, t):
    row = {"key": spec.get("key", "/job"), "memory_bytes": int(at(spec.get("memory", 10 * GIB), t))}
    for name in ("cpu_quota", "memory_limit_bytes"):
        if name in spec:
            row[name] = spec[name]
    for name in ("throttled_ns", "io_full_ns", "memory_full_ns", "io_some_ns", "memory_some_ns", "cpu_some_ns"):
        row[name] = node.grow(row["key"] + name, SECOND * at(spec.get(name, 0.0), t))
    for name in ("refaults", "memory_stalls", "periods", "throttled_periods"):
        row[name] = node.grow(row["key"] + name, at(spec.get(name, 0), t))
    return row


def host_tick(node, spec, t):
    cpus = spec.get("cpus", 64)
    busy = at(spec.get("busy", 0.05), t)
    steal = spec.get("steal", 0.0)
    row = {
        "cpus": cpus, "cpu_busy_ns": node.grow("cpu_busy", SECOND * cpus * busy),
        "cpu_idle_ns": node.grow("cpu_idle", SECOND * cpus * (1 - busy - steal)),
        "cpu_iowait_ns": node.grow("cpu_iowait", 0), "cpu_steal_ns": node.grow("cpu_steal", SECOND * cpus * steal),
        "swap_in_pages": node.grow("swap_in", at(spec.get("swap_in", 0), t)),
        "gpu_faults_ns": node.grow("gpu_faults", SECOND * at(spec.get("gpu_faults", 0.0), t)),
        "processes_seen": 1,
    }
    for name in ("io_full_ns", "memory_full_ns", "io_some_ns", "memory_some_ns", "cpu_some_ns"):
        row[name] = node.grow("host" + name, SECOND * at(spec.get(name, 0.0), t))
    return row


def disk_tick(node, spec, t):
    name = spec.get("key", "nvme0n1")
    reads, size, await_ms = (at(spec.get(key, default), t) for key, default in (("reads", 10), ("size", 131072), ("await", 0.3)))
    writes = at(spec.get("writes", 5), t)
    return {
        "key": name, "reads": node.grow(name + "r", reads), "read_bytes": node.grow(name + "rb", reads * size),
        "read_ms": node.grow(name + "rm", reads * await_ms), "writes": node.grow(name + "w", writes),
        "written_bytes": node.grow(name + "wb", writes * spec.get("write_size", 65536)),
        "write_ms": node.grow(name + "wm", writes * 0.5), "in_flight": 1,
        "busy_ms": node.grow(name + "b", min(1000, reads * await_ms)),
        "queue_ms": node.grow(name + "q", reads * await_ms + writes * 0.5),
    }


def mount_tick(node, spec, t):
    name = spec.get("key", "/data")
    reads, operations = at(spec.get("reads", 100), t), at(spec.get("operations", 120), t)
    return {
        "key": name, "device": "server:/export", "operations": node.grow(name + "o", operations),
        "reads": node.grow(name + "r", reads), "read_bytes": node.grow(name + "b", reads * spec.get("size", 1 << 20)),
        "written_bytes": node.grow(name + "w", 0), "round_trip_ms": node.grow(name + "t", operations * spec.get("rtt", 1.0)),
        "execute_ms": node.grow(name + "e", operations * spec.get("rtt", 1.0) * 1.2), "timeouts": 0,
    }


def port_tick(node, spec, t):
    name = spec["key"]
    row = {"key": name, "received_bytes": node.grow(name + "r", at(spec.get("received", 1e6), t)),
           "sent_bytes": node.grow(name + "s", at(spec.get("sent", 1e6), t))}
    if "/" in name:
        row["transmit_waits"] = node.grow(name + "w", at(spec.get("waits", 0), t))
    else:
        row["drops"] = node.grow(name + "d", 0)
    return row


def series(snapshot, seed, *, gpus=(), processes=(), groups=({},), host=None, disks=({},), mounts=(), networks=(), ports=(),
           seconds=40, interval=1.0, noise=0.02, change=None):
    """The lines of a series. gpus: of each GPU a description or None; change(tick, number, node): the last word."""
    node = Node(snapshot, seed, interval, noise)
    lines = [{"schema": "gpudiag.watch/1", "snapshot": node.snapshot}]
    for number in range(int(seconds / interval) + 1):
        t = number * interval
        tick = {
            "seq": number, "at_ns": int(t * SECOND), "host": host_tick(node, host or {}, t),
            "gpus": [gpu_tick(node, index, spec, t) for index, spec in enumerate(gpus) if spec],
            "processes": [process_tick(node, spec, t) for spec in processes],
            "groups": [group_tick(node, spec, t) for spec in groups], "disks": [disk_tick(node, spec, t) for spec in disks],
            "mounts": [mount_tick(node, spec, t) for spec in mounts],
            "networks": [port_tick(node, spec, t) for spec in networks],
            "rdma_ports": [port_tick(node, spec, t) for spec in ports],
            "sources": [{"key": "nvml", "state": "ok"}, {"key": "host", "state": "ok"}],
        }
        if change:
            tick = change(tick, number, node) or tick
        lines.append({"tick": tick})
    return lines


# ---- what jobs look like

BUSY = dict(busy=0.99, low=0.97, high=1.0, sm=0.9, tensor=0.65, dram=0.4, power=0.92)
LOW = dict(busy=0.3, low=0.05, high=0.55, sm=0.2, tensor=0.1, dram=0.1, power=0.35)
NONE = dict(busy=0.0, low=0.0, high=0.0, sm=0.0, tensor=0.0, dram=0.0, power=0.1, clock=0.2, temp=35)
SPIN = dict(busy=1.0, low=1.0, high=1.0, sm=0.12, tensor=0.0, dram=0.005, power=0.15)


def holder(pid, gpus, **more):
    return dict(dict(pid=pid, role="holder", gpus=gpus, cpu=0.1, comm="python3"), **more)


def workers(first, parent, number, cpu, **more):
    return [dict(dict(pid=first + i, parent=parent, role="child", comm="pt_data_worker", cpu=cpu), **more) for i in range(number)]


def all_of(spec, number=8, **more):
    return [dict(dict(spec, clients=[dict(pid=18422 + i, busy=spec.get("busy"))]), **more) for i in range(number)]


def ranks(number=8, **more):
    """A rank for each GPU, of one launcher."""
    return [holder(18422 + i, [i], parent=18400, comm="pt_main_thread", **more) for i in range(number)]


def alternate(period, one, other, share=0.5):
    return lambda t: one if (t % period) < share * period else other


def in_turn(works, waits, number=8, period=3):
    """GPUs of which one works at a time, for so many seconds, while the others wait; by fives, not in their order."""
    def spec(index):
        now = lambda t: works if int(t / period) * 5 % number == index else waits
        return {name: (lambda t, name=name: now(t)[name]) for name in works if name in waits}
    return [dict(spec(index), clients=[dict(pid=18422 + index)]) for index in range(number)]


def write(folder, seed):
    import cases  # pylint: disable=import-outside-toplevel

    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "expect.tsv"), "w", encoding="utf-8") as expect:
        for case in cases.all_cases():
            lines = case.make(seed)
            with open(os.path.join(folder, case.name + ".jsonl"), "w", encoding="utf-8") as file:
                for line in lines:
                    file.write(json.dumps(line, separators=(",", ":")) + "\n")
            expect.write("\t".join((case.name, "|".join(case.words), "|".join(case.never) or "-",
                                    "healthy" if case.healthy else "-", str(case.pid))) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.seed)


if __name__ == "__main__":
    main()
