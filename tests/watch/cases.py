# SPDX-License-Identifier: GPL-2.0-or-later
"""The series themselves; series.py says what they are for and writes them."""
import functools

import series as s
from series import BUSY, GIB, LOW, NONE, SECOND, SPIN, all_of, alternate, holder, in_turn, ranks, workers


class Case:
    def __init__(self, name, words, never=(), healthy=False, on="h100-8-nvlinks", pid=0, **spec):
        self.name, self.words, self.never, self.healthy, self.on, self.pid = name, words.split("|"), never, healthy, on, pid
        self.spec = spec

    def make(self, seed):
        spec = dict(self.spec)
        prepare = spec.pop("prepare", None)
        snapshot = node(self.on)
        if prepare:
            snapshot = prepare(snapshot)
        # Not hash(): that of a text differs from run to run.
        return s.series(snapshot, seed * 1000003 + sum(map(ord, self.name)), **spec)


@functools.lru_cache
def _node(name):
    return s.base(name)


def node(name):
    return s.copy.deepcopy(_node(name))


ACCUSED = ("stuck", "capped", "thrashing", "shared", "small-kernels", "starved-storage", "starved-small-files",
           "starved-loader", "starved-cpu-quota", "starved-cpu", "starved-thread", "held-idle", "faulted")


def on_gpu(name, words, spec, never=(), healthy=False, number=1, processes=None, **more):
    return Case(name, words, never, healthy, gpus=all_of(spec, number), processes=processes or ranks(number), **more)


def no_gpm(spec, **more):
    return dict({key: value for key, value in spec.items() if key not in ("sm", "tensor", "dram")}, **more)


def limit(mw):
    def prepare(snapshot):
        for gpu in snapshot["gpus"]:
            if gpu.get("nvml", {}).get("power_limit_mw"):
                gpu["nvml"]["power_limit_mw"] = mw
        return snapshot
    return prepare


def gpu_words():
    yield on_gpu("compute", "compute-bound", BUSY, number=8, healthy=True)
    yield on_gpu("compute-sm", "compute-bound", dict(BUSY, tensor=0.1, sm=0.85, power=0.75), healthy=True)
    yield on_gpu("compute-coarse", "compute-bound", no_gpm(BUSY), healthy=True)
    yield on_gpu("compute-at-default-limit", "compute-bound", dict(BUSY, power=0.995, cap=0.95, clock=0.75), healthy=True)
    yield on_gpu("compute-pegged-thread", "compute-bound", dict(BUSY, busy=0.95), healthy=True,
                 processes=[holder(18422, [0], cpu=1.0, switches=0)])
    yield on_gpu("compute-pegged-workers", "compute-bound", BUSY, healthy=True,
                 processes=[holder(18422, [0])] + workers(19000, 18422, 8, 1.0))
    yield on_gpu("compute-mi300x", "compute-bound", no_gpm(BUSY, mem=0.4), healthy=True, on="mi300x-8-load")
    yield on_gpu("memory", "memory-bound", dict(busy=1.0, sm=0.5, tensor=0.1, dram=0.72, power=0.5), healthy=True)
    yield on_gpu("memory-coarse", "memory-bound", dict(busy=0.98, mem=0.88, power=0.6), healthy=True)
    yield on_gpu("memory-not-quite", "mixed", dict(busy=0.98, sm=0.5, tensor=0.1, dram=0.55, power=0.55),
                 never=("memory-bound",), healthy=True)
    yield on_gpu("decode-server", "memory-bound", dict(busy=1.0, low=0.9, high=1.0, sm=0.4, tensor=0.05, dram=0.7, power=0.45),
                 healthy=True, processes=[holder(18422, [0], comm="VLLM::EngineCor", cpu=1.0, switches=0)])
    yield on_gpu("spinning", "spinning", SPIN, number=8, healthy=True)
    yield on_gpu("spinning-24", "spinning", dict(SPIN, power=0.235), healthy=True)
    yield on_gpu("spinning-27", "small-kernels", dict(SPIN, power=0.27), never=("spinning", "stuck"))
    yield on_gpu("spinning-27-coarse", "mixed", no_gpm(SPIN, power=0.27), never=("spinning", "stuck"), healthy=True)
    yield on_gpu("small-kernels", "small-kernels", dict(busy=0.95, low=0.8, high=1.0, sm=0.12, tensor=0.02, dram=0.08, power=0.35))
    yield on_gpu("small-kernels-not-quite", "mixed", dict(busy=0.95, sm=0.30, tensor=0.05, dram=0.1, power=0.45),
                 never=("small-kernels",), healthy=True)
    yield Case("idle-daemon", "idle", healthy=True, gpus=[dict(NONE, vram=0.0)], processes=[holder(900, [0], comm="nvidia-persiste")])
    yield Case("idle", "idle", healthy=True, gpus=[dict(NONE, vram=0.0)] * 8)
    yield on_gpu("held-idle", "held-idle", dict(NONE, vram=0.5), processes=[holder(18422, [0], cpu=0.0, comm="jupyter")])
    yield on_gpu("held-idle-at-4", "held-idle", dict(NONE, busy=0.04), processes=[holder(18422, [0], cpu=0.01)])
    yield on_gpu("held-not-idle-at-7", "waits-elsewhere", dict(LOW, busy=0.07, low=0.0, high=0.2),
                 processes=[holder(18422, [0], cpu=0.01)], never=("held-idle", "idle"), healthy=True)


def throttling():
    hot = dict(BUSY, clock=0.66, temp=88)
    yield on_gpu("heat", "capped", dict(hot, heat=0.43))
    yield on_gpu("heat-8", "compute-bound", dict(BUSY, heat=0.07), never=("capped",), healthy=True)
    yield on_gpu("brake", "capped", dict(hot, brake=0.5, temp=60))
    yield on_gpu("heat-by-reasons", "capped", dict(hot, heat=None, cap=None, brake=None, reasons="thermal"))
    yield on_gpu("power-limit", "capped", dict(BUSY, cap=0.9, clock=0.6), prepare=limit(400000))
    yield on_gpu("power-limit-40", "compute-bound", dict(BUSY, cap=0.4), never=("capped",), healthy=True, prepare=limit(400000))
    yield on_gpu("idle-at-limit", "idle|held-idle", dict(NONE, reasons="power-cap", cap=None), never=("capped",))


def sharing():
    two = dict(BUSY, clients=[dict(pid=18422, busy=0.5), dict(pid=18500, busy=0.4)])
    strangers = [holder(18422, [0], parent=1001, group="/user/a"), holder(18500, [0], parent=1002, group="/user/b")]
    yield Case("shared", "shared", gpus=[two], processes=strangers)
    yield Case("shared-of-one-job", "compute-bound", never=("shared",), healthy=True, gpus=[two],
               processes=[holder(18422, [0], parent=1001), holder(18500, [0], parent=1002)])
    yield Case("shared-by-8", "compute-bound", never=("shared",), healthy=True, processes=strangers,
               gpus=[dict(two, clients=[dict(pid=18422, busy=0.85), dict(pid=18500, busy=0.08)])])
    # Neither is visible here, as in a container: whose they are is not known. One that is hidden is another user's.
    yield Case("shared-unseen", "compute-bound", never=("shared",), healthy=True, gpus=[two])
    yield Case("shared-one-unseen", "shared", gpus=[two], processes=strangers[:1])
    yield Case("shared-mps", "compute-bound", never=("shared",), healthy=True, gpus=[two],
               processes=strangers + [holder(700, [0], comm="nvidia-cuda-mps", parent=1, group="/mps")])


    strange = [holder(18422, [0], parent=1001, group="/user/a"), holder(18500, [0], parent=1002, group="/user/b")]
    yield Case("shared-by-switches", "shared", gpus=[dict(BUSY, switching=0.12)], processes=strange)
    yield Case("shared-switches-3", "compute-bound", never=("shared",), healthy=True, gpus=[dict(BUSY, switching=0.03)],
               processes=strange)


def links():
    yield on_gpu("pcie", "pcie-bound", dict(busy=0.85, sm=0.25, tensor=0.1, dram=0.1, power=0.4, received=52e9))
    yield on_gpu("pcie-coarse", "pcie-bound", dict(busy=0.8, power=0.4, received=50e9))
    yield on_gpu("pcie-narrow", "pcie-bound", dict(busy=0.6, sm=0.15, tensor=0.1, dram=0.1, power=0.3, received=13e9, width=4))
    yield on_gpu("pcie-65", "mixed", dict(busy=0.85, sm=0.35, tensor=0.1, dram=0.1, power=0.45, received=40e9),
                 never=("pcie-bound",), healthy=True)
    yield on_gpu("nvlink", "link-bound", dict(busy=0.99, sm=0.3, tensor=0.15, dram=0.3, power=0.5, peer=330e9), number=8)
    yield on_gpu("nvlink-50", "mixed", dict(busy=0.99, sm=0.35, tensor=0.2, dram=0.3, power=0.5, peer=220e9), number=8,
                 never=("link-bound",), healthy=True)
    yield on_gpu("collectives", "mixed", dict(busy=1.0, low=1.0, high=1.0, sm=0.15, tensor=0.05, dram=0.2, power=0.4, peer=200e9),
                 never=("small-kernels",), healthy=True, number=8)
    yield on_gpu("rdma", "link-bound", dict(busy=0.99, sm=0.3, tensor=0.2, dram=0.3, power=0.5), number=8,
                 ports=[dict(key=f"mlx5_{i}/1", sent=46e9, received=46e9) for i in range(4)])
    yield on_gpu("rdma-60", "mixed", dict(busy=0.99, sm=0.35, tensor=0.2, dram=0.3, power=0.5), number=8, never=("link-bound",),
                 healthy=True, ports=[dict(key=f"mlx5_{i}/1", sent=30e9, received=30e9) for i in range(4)])


def memory():
    yield on_gpu("thrash-uvm", "thrashing", dict(busy=0.9, sm=0.2, tensor=0.0, dram=0.2, power=0.3, vram=0.985, received=12e9,
                                                 sent=12e9), host=dict(gpu_faults=0.7))
    yield on_gpu("faults-with-room", "small-kernels|mixed", dict(busy=0.9, sm=0.2, tensor=0.0, dram=0.2, power=0.3, vram=0.6),
                 host=dict(gpu_faults=0.7), never=("thrashing",))
    yield on_gpu("uvm-15", "compute-bound", dict(BUSY, vram=0.98), host=dict(gpu_faults=0.12), never=("thrashing",), healthy=True)
    amd = dict(no_gpm(BUSY), vram=0.99, clients=[dict(pid=18422, page_ins=5000, page_outs=4800, evicted_ms=200)])
    yield Case("thrash-kfd", "thrashing", on="mi300x-8-load", gpus=[amd], processes=[holder(18422, [0])])
    yield Case("thrash-host", "thrashing", gpus=all_of(LOW, 1),
               processes=[holder(18422, [0])] + workers(19000, 18422, 4, 0.2, state={"D": 0.7, "R": 0.3}, wchan="folio_wait_bit"),
               groups=[dict(memory_full_ns=0.45, io_full_ns=0.4, memory=4 * GIB, memory_limit_bytes=4 * GIB, refaults=9000,
                            memory_stalls=50)])


def loaders():
    eight = [holder(18422, [0], cpu=0.15)] + workers(19000, 18422, 8, 0.98)
    yield Case("loader", "starved-loader", gpus=all_of(LOW, 1), processes=eight)
    yield Case("loader-8", "starved-loader", gpus=all_of(LOW, 8),
               processes=ranks() + [w for i in range(8) for w in workers(19000 + 100 * i, 18422 + i, 4, 0.97)])
    yield Case("loader-forked", "starved-loader", gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpu=0.15)] + workers(19000, 18422, 8, 0.98, role="holder", gpus=[0]))
    yield Case("loader-swings", "starved-loader", gpus=all_of(dict(LOW, busy=0.55, low=0.0, high=1.0), 1), processes=eight)
    yield Case("loader-coarse", "starved-loader", gpus=all_of(no_gpm(LOW), 1), processes=eight)
    yield Case("loader-mi300x", "starved-loader", on="mi300x-8-load", gpus=all_of(no_gpm(LOW), 1), processes=eight)
    yield Case("loader-85", "mixed", never=("starved-loader",), healthy=True, gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpu=0.15)] + workers(19000, 18422, 8, 0.85))
    yield Case("loader-main-busy", "mixed", never=("starved-loader",), healthy=True, gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpu=0.6)] + workers(19000, 18422, 8, 0.98))
    yield Case("loader-busy-gpu", "mixed|compute-bound", never=("starved-loader",), healthy=True, processes=eight,
               gpus=all_of(dict(BUSY, busy=0.85, low=0.7, high=1.0, tensor=0.4, sm=0.7, power=0.65), 1))


def without_waits(tick, _number, _node):
    for process in tick["processes"]:
        for thread in process["threads_seen"]:
            thread["wait_ns"] = None
            thread["unknown"] = {"wait_ns": "absent: no schedstat"}


def cpus():
    yield Case("quota", "starved-cpu-quota", gpus=all_of(LOW, 1), groups=[dict(cpu_quota=4.0, throttled_ns=1.5)],
               processes=[holder(18422, [0])] + workers(19000, 18422, 8, 0.45))
    yield Case("quota-7", "mixed", never=("starved-cpu-quota",), healthy=True, gpus=all_of(LOW, 1),
               groups=[dict(cpu_quota=8.0, throttled_ns=0.07)], processes=[holder(18422, [0])] + workers(19000, 18422, 8, 0.6))
    yield Case("run-queue", "starved-cpu-quota", gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpus=2, wait=0.05)] + workers(19000, 18422, 8, 0.25, cpus=2, wait=0.7))
    # 50 others want the same CPUs.
    crowd = dict(cpus=2, busy=1.0, cpu_some_ns=1.0)
    spin = dict(cpu=0.09, wait=0.91, switches=0, state="R")
    yield Case("contention", "starved-cpu", gpus=all_of(LOW, 1), host=crowd, processes=[holder(18422, [0], cpus=2, **spin)])
    yield Case("contention-idle-gpu", "starved-cpu", gpus=all_of(dict(NONE, vram=0.5), 1), host=crowd,
               processes=[holder(18422, [0], cpus=2, **spin)])
    yield Case("contention-loader", "starved-cpu", gpus=all_of(LOW, 1), host=dict(cpus=64, busy=0.99, cpu_some_ns=0.9),
               processes=[holder(18422, [0])] + workers(19000, 18422, 8, 0.3, wait=0.6))
    yield Case("contention-quota", "starved-cpu-quota", gpus=all_of(LOW, 1), host=crowd,
               groups=[dict(cpu_quota=0.1, throttled_ns=0.9)], processes=[holder(18422, [0], cpus=2, **spin)])
    # The node has idle CPUs by its own count, and the hypervisor gives them to others (facts 3, steal: 5 %).
    yield Case("steal", "starved-cpu", gpus=all_of(LOW, 1), host=dict(cpus=8, busy=0.58, steal=0.4, cpu_some_ns=0.8),
               processes=[holder(18422, [0], cpus=8)] + workers(19000, 18422, 8, 0.55, cpus=8, wait=0.4))
    # Waits 15 % of the time that it runs: facts 5.2 say 20.
    yield Case("contention-15", "mixed", never=("starved-cpu", "starved-cpu-quota"), healthy=True, gpus=all_of(LOW, 1),
               host=dict(crowd, cpu_some_ns=0.3), processes=[holder(18422, [0], cpus=2, cpu=0.8, wait=0.12)])
    # Wakes now and then, and waits for a CPU each time: it sleeps.
    yield Case("contention-sleeper", "waits-elsewhere", never=("starved-cpu",), healthy=True, host=crowd,
               gpus=all_of(dict(NONE, busy=0.1, high=0.2, vram=0.5), 1),
               processes=[holder(18422, [0], cpus=2, cpu=0.03, wait=0.06, switches=40)])
    # No schedstat: that its thread is ready in each sample tells that it does not sleep.
    yield Case("contention-no-schedstat", "mixed", never=("waits-elsewhere", "held-idle"), healthy=True,
               gpus=all_of(LOW, 1), host=crowd, processes=[holder(18422, [0], cpus=2, **spin)], change=without_waits)
    yield Case("quota-busy-gpu", "compute-bound", never=("starved-cpu-quota",), healthy=True, gpus=all_of(BUSY, 1),
               groups=[dict(cpu_quota=4.0, throttled_ns=1.5)], processes=[holder(18422, [0])] + workers(19000, 18422, 8, 0.45))
    yield Case("thread", "starved-thread", gpus=all_of(dict(LOW, busy=0.45), 1), processes=[holder(18422, [0], cpu=0.99, switches=3)])
    yield Case("thread-at-70", "starved-thread", gpus=all_of(dict(LOW, busy=0.7, low=0.5, high=0.9, sm=0.4, power=0.5), 1),
               processes=[holder(18422, [0], cpu=0.99, switches=3)])
    yield Case("thread-busy-gpu", "mixed", never=("starved-thread",), healthy=True,
               gpus=all_of(dict(LOW, busy=0.86, low=0.7, high=1.0, sm=0.5, power=0.6), 1),
               processes=[holder(18422, [0], cpu=0.99, switches=3)])
    yield Case("thread-91", "mixed", never=("starved-thread",), healthy=True, gpus=all_of(dict(LOW, busy=0.45), 1),
               processes=[holder(18422, [0], cpu=0.90, switches=3)])
    yield Case("thread-yields", "waits-elsewhere|mixed", never=("starved-thread",), healthy=True, gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpu=0.98, system=0.85, switches=2)])
    yield Case("elsewhere-at-0", "waits-elsewhere", healthy=True, gpus=all_of(dict(NONE, vram=0.5), 1),
               processes=[holder(18422, [0], cpu=0.02, wchan="sk_wait_data")])
    # Each of many wakes a little: together more than one that sleeps may use.
    yield Case("elsewhere-workers", "waits-elsewhere", healthy=True, gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpu=0.05, wchan="ep_poll")] + workers(19000, 18422, 16, 0.04, wchan="sk_wait_data"))
    yield Case("elsewhere-workers-30", "mixed", never=("waits-elsewhere",), healthy=True, gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpu=0.05, wchan="ep_poll")] + workers(19000, 18422, 16, 0.30, wchan="sk_wait_data"))
    # One that works, and one that spins until the GPU is done; more share their work, as an optimizer on the host.
    pegged = lambda number: [dict(tid=18422 + i, cpu=0.98, switches=3) for i in range(number)]
    yield Case("thread-and-spin", "starved-thread", gpus=all_of(LOW, 1), processes=[holder(18422, [0], threads=pegged(2))])
    yield Case("threads-16", "mixed", never=("starved-thread",), healthy=True, gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], threads=pegged(16))])
    yield Case("elsewhere", "waits-elsewhere", healthy=True, gpus=all_of(dict(LOW, busy=0.15, low=0.0, high=0.4), 1),
               processes=[holder(18422, [0], cpu=0.02, wchan="sk_wait_data")])


def storage():
    reading = [holder(18422, [0], cpu=0.05)]
    stalled = dict(state={"D": 0.8, "R": 0.1}, wchan="folio_wait_bit_common")
    slow = dict(reads=900, size=1 << 20, **{"await": 25.0})
    yield Case("storage", "starved-storage", gpus=all_of(LOW, 1), groups=[dict(io_full_ns=0.6, io_some_ns=0.9)], disks=[slow],
               processes=reading + workers(19000, 18422, 8, 0.2, read_bytes=110e6, read_call_bytes=110e6, read_calls=110, **stalled))
    yield Case("storage-samples", "starved-storage", gpus=all_of(LOW, 1), groups=[], disks=[slow],
               processes=reading + workers(19000, 18422, 8, 0.2, read_bytes=110e6, read_call_bytes=110e6, read_calls=110, **stalled))
    yield Case("storage-nfs", "starved-storage", gpus=all_of(LOW, 1), groups=[dict(io_full_ns=0.5)],
               mounts=[dict(reads=1000, operations=1100, rtt=30.0, size=1 << 20)],
               processes=reading + workers(19000, 18422, 8, 0.1, state={"D": 0.9}, wchan="rpc_wait_bit_killable"))
    yield Case("storage-7", "mixed", never=("starved-storage", "starved-small-files"), healthy=True, gpus=all_of(LOW, 1),
               groups=[dict(io_full_ns=0.07)], processes=reading + workers(19000, 18422, 8, 0.5, state={"D": 0.2, "R": 0.8},
                                                                           wchan="folio_wait_bit_common"))
    yield Case("storage-busy-gpu", "compute-bound", never=("starved-storage",), healthy=True, gpus=all_of(BUSY, 1),
               groups=[dict(io_full_ns=0.3)], disks=[slow], processes=reading + workers(19000, 18422, 8, 0.3, **stalled))
    yield Case("small-files", "starved-small-files", gpus=all_of(LOW, 1), groups=[dict(io_full_ns=0.5)],
               disks=[dict(reads=6000, size=9000, **{"await": 1.1})], processes=reading + workers(19000, 18422, 8, 0.2, **stalled))
    yield Case("small-files-nfs", "starved-small-files", gpus=all_of(LOW, 1), groups=[dict(io_full_ns=0.5)],
               mounts=[dict(reads=800, operations=4200, rtt=2.0, size=20000)],
               processes=reading + workers(19000, 18422, 8, 0.2, state={"D": 0.9}, wchan="rpc_wait_bit_killable"))
    yield Case("small-files-fuse", "starved-small-files", gpus=all_of(LOW, 1), groups=[dict(io_full_ns=0.0)], disks=[],
               processes=reading + workers(19000, 18422, 8, 0.2, state={"S": 0.9, "R": 0.1}, wchan="request_wait_answer",
                                           read_call_bytes=2e6, read_calls=300))
    yield Case("checkpoint", "checkpoint", healthy=True, gpus=all_of(dict(NONE, busy=0.01, vram=0.8), 8), groups=[dict(io_full_ns=0.5)],
               disks=[dict(reads=0, writes=3000, write_size=1 << 20)],
               processes=ranks(cpu=0.4, written_bytes=400e6, written_call_bytes=400e6, state={"D": 0.6}, wchan="balance_dirty_pages"))
    yield Case("writing-50", "mixed|waits-elsewhere|held-idle", never=("checkpoint",), gpus=all_of(LOW, 1),
               processes=[holder(18422, [0], cpu=0.1, written_bytes=50e6)])


def stuck():
    odd = [dict(SPIN, clients=[dict(pid=18422 + i)]) for i in range(7)] + [dict(NONE, vram=0.8, clients=[dict(pid=18429)])]
    stopped = dict(SPIN, busy=0.995, sm=lambda t: 0.9 if t < 30 else 0.12, tensor=lambda t: 0.6 if t < 30 else 0.0,
                   dram=lambda t: 0.4 if t < 30 else 0.005, power=lambda t: 0.9 if t < 30 else 0.13)
    yield Case("stuck-odd-one", "stuck", gpus=odd, processes=ranks(), seconds=240)
    yield Case("stuck-after-work", "stuck", gpus=all_of(stopped), processes=ranks(), seconds=240)
    yield Case("stuck-50-s", "spinning", never=("stuck",), healthy=True, gpus=odd[:7] + [dict(odd[7])], processes=ranks(), seconds=50)
    yield Case("idle-server", "spinning", never=("stuck",), healthy=True, gpus=all_of(SPIN, 4), seconds=240,
               processes=[holder(18422 + i, [i], parent=18400, comm="VLLM::Worker_TP", cpu=1.0, switches=0) for i in range(4)])


def stragglers():
    """Facts 5.2: the others of its job draw less power for their use, and the one that they wait for moves."""
    told = dict(healthy=True, never=("stuck", "small-kernels"))
    untold = dict(healthy=True, never=("link-bound", "stuck"))
    works, starves = dict(BUSY, power=0.8), dict(NONE, busy=0.25, low=0.0, high=0.6, power=0.14, dram=0.03)
    yield Case("straggler", "link-bound", **told, gpus=in_turn(works, SPIN), processes=ranks(), seconds=90)
    yield Case("straggler-2-s", "link-bound", **told, gpus=in_turn(works, SPIN, period=2), processes=ranks())
    yield Case("straggler-each-tick", "link-bound", **told, gpus=in_turn(works, SPIN, period=1), processes=ranks())
    yield Case("straggler-of-3", "link-bound", **told, gpus=in_turn(works, SPIN, 3), processes=ranks(3))
    yield Case("straggler-coarse", "link-bound", **told, gpus=in_turn(no_gpm(works), no_gpm(SPIN)), processes=ranks())
    yield Case("straggler-mi300x", "link-bound", **told, on="mi300x-8-load", gpus=in_turn(no_gpm(works), no_gpm(SPIN)), processes=ranks())
    # It waits for its data, the others spin.
    yield Case("straggler-by-input", "link-bound", **told, gpus=in_turn(starves, SPIN), processes=ranks())
    # Waiting kernels of larger parts may draw more (facts 8): those of its job draw less than 0.6 of what it does.
    yield Case("straggler-at-40", "link-bound", **told, gpus=in_turn(works, dict(SPIN, power=0.40)), processes=ranks())
    yield Case("straggler-at-60", "mixed", **untold, gpus=in_turn(works, dict(SPIN, power=0.60, sm=0.4)), processes=ranks())
    # Of two that differ, neither is the odd one (facts of fleets).
    yield Case("straggler-of-2", "mixed|spinning|compute-bound", **untold, gpus=in_turn(works, SPIN, 2), processes=ranks(2))
    yield Case("straggler-strangers", "spinning|small-kernels|mixed", never=("link-bound", "stuck"), gpus=in_turn(works, SPIN),
               processes=[holder(18422 + i, [i], parent=1000 + i, group=f"/job{i}") for i in range(8)])
    # All of them together, or none.
    together = {name: alternate(6, works[name], SPIN[name]) for name in SPIN}
    yield on_gpu("bursts-of-all", "mixed|compute-bound|spinning", together, number=8, **untold)
    yield Case("one-works-others-idle", "mixed|waits-elsewhere", **untold, gpus=in_turn(works, dict(NONE, vram=0.5)), processes=ranks())
    # Servers of their own under one launcher: one reads a prompt, the others decode.
    decode = dict(busy=1.0, low=0.98, high=1.0, sm=0.4, tensor=0.08, dram=0.68, power=0.42)
    yield Case("replicas", "memory-bound", **untold, gpus=in_turn(works, decode), processes=ranks())
    # Trials of a sweep under one launcher, of which one evaluates.
    trial = dict(busy=0.97, low=0.96, high=1.0, sm=0.4, tensor=0.06, dram=0.15, power=0.30)
    yield Case("trials", "mixed", **untold, gpus=in_turn(starves, trial), processes=ranks())
    # Within a tick: all are even. Of what they could be none is said.
    even = dict(SPIN, sm=0.22, tensor=0.08, dram=0.06, power=0.27)
    yield on_gpu("straggler-within-tick", "mixed", even, number=8, **untold)
    # Too slow for the span: one that works makes nobody stuck.
    yield Case("straggler-15-s", "spinning|compute-bound|link-bound", **told, gpus=in_turn(works, SPIN, period=15), processes=ranks(), seconds=240)
    # The first rank evaluates alone for minutes, and the others wait.
    alone = [dict(BUSY, clients=[dict(pid=18422)])] + [dict(SPIN, clients=[dict(pid=18423 + i)]) for i in range(7)]
    yield Case("one-evaluates", "spinning", **untold, gpus=alone, processes=ranks(), seconds=240)
    yield Case("one-evaluates-a-little", "spinning", **untold, processes=ranks(), seconds=240,
               gpus=[dict(LOW, power=0.18, clients=[dict(pid=18422)])] + alone[1:])


def faults():
    lost = {name: "lost: NVML_ERROR_GPU_IS_LOST" for name in
            ("busy_percent", "power_mw", "energy_mj", "clock_mhz", "temperature_c", "vram_used_bytes")}

    def falls(tick, number, _node):
        if number >= 20:
            row = {"key": tick["gpus"][0]["key"], "unknown": lost}
            row.update({name: None for name in lost})
            tick["gpus"][0] = row

    def vanishes(tick, number, _node):
        if number >= 20:
            del tick["gpus"][0]

    yield Case("lost", "faulted", gpus=all_of(BUSY, 2), processes=ranks(2), change=falls)
    def speaks(text):
        def change(tick, number, _node):
            if number == 20:
                address = tick["gpus"][0]["key"].rsplit(".", 1)[0]
                tick["log_lines"] = [{"key": "1", "level": 4, "text": text.format(address=address)}]
        return change

    yield Case("xid", "faulted", gpus=all_of(BUSY, 2), processes=ranks(2),
               change=speaks("NVRM: Xid (PCI:{address}): 62, pid=1234, name=python3, 0000(0000) 00000000 00000000"))
    yield Case("xid-of-program", "compute-bound", never=("faulted",), healthy=True, gpus=all_of(BUSY, 2), processes=ranks(2),
               change=speaks("NVRM: Xid (PCI:{address}): 13, pid=1234, name=python3, Graphics Exception: ESR 0x505730=0x10"))
    yield Case("vanishes", "faulted", gpus=all_of(BUSY, 2), processes=ranks(2), change=vanishes)
    yield Case("driver-hang", "faulted", gpus=all_of(dict(NONE, vram=0.6), 1),
               processes=[holder(18422, [0], cpu=0.0, state="D", wchan="nvidia_ioctl", switches=0)])
    yield Case("driver-start", "held-idle", never=("faulted",), gpus=all_of(dict(NONE, vram=0.6), 1),
               processes=[holder(18422, [0], cpu=0.0, state="D", wchan="nvidia_ioctl", switches=5)])


def host_only():
    """A command on a node without a GPU."""
    asked = lambda **more: dict(dict(pid=500, role="asked", comm="train", parent=400), **more)
    at_work = dict(on="pocl-vm", pid=500)
    yield Case("host-thread", "starved-thread", **at_work, processes=[asked(cpu=0.99, switches=2)])
    yield Case("host-shell", "starved-thread", **at_work,
               processes=[asked(comm="bash", cpu=0.0, wchan="do_wait"), dict(pid=501, parent=500, role="child", cpu=0.99, switches=2)])
    yield Case("host-loader", "starved-loader", **at_work, processes=[asked(cpu=0.05)] + workers(600, 500, 4, 0.99))
    yield Case("host-quota", "starved-cpu-quota", **at_work, groups=[dict(cpu_quota=0.5, throttled_ns=0.5)], processes=[asked(cpu=0.5)])
    yield Case("host-contention", "starved-cpu", **at_work, host=dict(cpus=2, busy=1.0, cpu_some_ns=1.0),
               processes=[asked(cpu=0.09, wait=0.91, switches=0, state="R", cpus=2)])
    yield Case("host-storage", "starved-storage", **at_work, groups=[dict(io_full_ns=0.85)],
               disks=[dict(reads=60, size=1 << 20, **{"await": 40.0})],
               processes=[asked(cpu=0.05, state={"D": 0.9}, wchan="folio_wait_bit_common", read_bytes=60e6)])
    yield Case("host-sleeps", "waits-elsewhere", **at_work, healthy=True, processes=[asked(cpu=0.0, wchan="hrtimer_nanosleep")])
    yield Case("host-thrash", "thrashing", **at_work, groups=[dict(memory_full_ns=0.6, io_full_ns=0.5, refaults=20000,
                                                                   memory=GIB, memory_limit_bytes=GIB)],
               processes=[asked(cpu=0.2, state={"D": 0.8}, wchan="folio_wait_bit_common")])
    yield Case("host-fuse", "starved-storage", never=("starved-small-files",), **at_work,
               disks=[dict(reads=360, size=4096, **{"await": 0.1})],
               processes=[asked(cpu=0.02, wchan="request_wait_answer", read_call_bytes=6e6, read_calls=6)])
    small = dict(memory=GIB, memory_limit_bytes=GIB, memory_stalls=18000)
    maps = dict(cpu=0.5, system=0.98, switches=17000, state={"D": 0.4}, wchan="folio_wait_bit_common", read_bytes=70e6)
    yield Case("host-thrash-files", "thrashing", **at_work, groups=[dict(small, memory_full_ns=0.02, refaults=17000)],
               processes=[asked(major_faults=17000, **maps)])
    # A group's counters are added up every two seconds only.
    yield Case("host-thrash-files-early", "thrashing", never=("starved-small-files",), **at_work,
               groups=[dict(small, io_full_ns=0.3, refaults=lambda t: 0 if t < 3 else 17000)],
               disks=[dict(reads=17000, size=4096, **{"await": 0.07})], processes=[asked(major_faults=17000, **maps)])
    yield Case("host-maps-anew", "starved-small-files", never=("thrashing",), **at_work,
               groups=[dict(small, memory=GIB // 2, io_full_ns=0.3)],
               disks=[dict(reads=17000, size=4096, **{"await": 0.07})], processes=[asked(major_faults=17000, **maps)])
    yield Case("host-reads-again", "starved-storage", never=("thrashing",), **at_work,
               groups=[dict(small, io_full_ns=0.6, refaults=17000)], disks=[dict(reads=70, size=1 << 20, **{"await": 14.0})],
               processes=[asked(cpu=0.1, state={"D": 0.8}, wchan="folio_wait_bit_common", read_bytes=70e6, major_faults=20)])
    yield Case("host-copies", "starved-thread", **at_work,
               processes=[asked(cpu=0.99, system=0.9, switches=1, read_call_bytes=3e9, read_calls=3000)])
    yield Case("host-yields", "waits-elsewhere|mixed", never=("starved-thread",), **at_work, healthy=True,
               processes=[asked(cpu=0.99, system=0.85, switches=1)])
    yield Case("host-yields-in-vm", "waits-elsewhere|mixed", never=("starved-thread",), **at_work, healthy=True,
               processes=[asked(cpu=0.99, system=0.59, switches=1)])


def ticks():
    """What ticks may be like."""
    yield on_gpu("fast", "compute-bound", BUSY, healthy=True, interval=0.1, seconds=20)
    yield on_gpu("slow", "compute-bound", BUSY, healthy=True, interval=5.0, seconds=100)
    dips = lambda t: 0.3 if 20 <= t < 22 else 0.99
    yield on_gpu("two-of-five", "compute-bound", dict(BUSY, busy=dips, low=dips, high=dips), healthy=True,
                 processes=[holder(18422, [0])] + workers(19000, 18422, 8, 0.98))
    square = dict(LOW, busy=0.5, low=0.0, high=1.0)
    yield Case("square-wave", "starved-loader", gpus=all_of(square, 1),
               processes=[holder(18422, [0], cpu=0.15)] + workers(19000, 18422, 8, 0.98))
    yield on_gpu("steady-half", "mixed", dict(LOW, busy=0.55, low=0.5, high=0.6), never=("starved-loader",), healthy=True,
                 processes=[holder(18422, [0], cpu=0.3)] + workers(19000, 18422, 8, 0.98))
    yield on_gpu("gpm-broken", "compute-bound|not-judged", dict(BUSY, sm=0.0, tensor=0.0, dram=0.0),
                 never=("small-kernels", "spinning", "stuck"), healthy=True)
    yield on_gpu("only-utilization", "not-judged", dict(busy=0.98), healthy=True)
    yield on_gpu("mig", "compute-bound", dict(BUSY, busy=None, unknown={"busy_percent": "unsupported: MIG is on"}), healthy=True)
    yield on_gpu("asleep", "idle", dict(unknown={"busy_percent": "asleep: suspended"}), healthy=True, processes=[holder(1, [])])


def hostile():
    def misses(tick, number, _node):
        if number % 3 == 1 or 15 <= number < 22:
            for gpu in tick["gpus"]:
                for name in list(gpu):
                    if name not in ("key", "clients"):
                        gpu[name] = None
                gpu["unknown"] = {name: "timeout: no answer" for name in gpu if name not in ("key", "clients", "unknown")}
            tick["sources"][0].update(state="late", call="nvmlDeviceGetSamples")

    def wraps(tick, number, _node):
        for gpu in tick["gpus"]:
            for name in ("link_sent_bytes", "link_received_bytes"):
                gpu[name] %= 1 << 32
        if number == 17:
            tick["at_ns"] -= 5 * SECOND
        if number > 20:
            for process in tick["processes"]:
                process["user_ns"] = max(0, process["user_ns"] - 10**10)

    def many(tick, number, _node):
        tick["processes"] += [{"key": str(20000 + i), "parent": 18422, "comm": f"w{i}", "role": "child", "state": "S",
                               "started_ns": number, "user_ns": number * 1000, "system_ns": 0} for i in range(4000)]

    def nonsense(tick, number, _node):
        for gpu in tick["gpus"]:
            gpu["busy_percent"] = 1e9 if number % 2 else -5
            gpu["energy_mj"] = (number * 0x9E3779B97F4A7C15) % (1 << 64)
            gpu["link_sent_bytes"] = (1 << 64) - 1 - number
        for process in tick["processes"]:
            process["parent"] = int(process["key"])
            process["started_ns"] = number

    any_word = "|".join(ACCUSED + ("compute-bound", "mixed", "not-judged", "idle", "waits-elsewhere", "checkpoint",
                                   "memory-bound", "pcie-bound", "link-bound", "spinning"))
    yield on_gpu("ticks-missing", "compute-bound", BUSY, healthy=True, change=misses)
    yield on_gpu("counters-wrap", "compute-bound", dict(BUSY, received=2e8), healthy=True, change=wraps)
    yield on_gpu("processes-4000", "compute-bound", BUSY, healthy=True, change=many, seconds=15)
    yield on_gpu("nonsense", any_word, BUSY, change=nonsense)
    yield on_gpu("sixteen", "compute-bound", BUSY, number=16, healthy=True, prepare=double)


def double(snapshot):
    more = [dict(s.copy.deepcopy(gpu), key=gpu["key"].replace("0000:", "0001:")) for gpu in snapshot["gpus"]]
    snapshot["gpus"] += more
    for gpu in more:
        gpu["hops"] = []
    return snapshot


def phases():
    """A job whose minutes differ: 37 s wait for the loader, 18 s compute, 5 s write a checkpoint."""
    when = lambda loads, computes, writes: lambda t: loads if t % 60 < 37 else computes if t % 60 < 55 else writes
    gpu = {name: when(LOW[name], BUSY[name], NONE[name]) for name in ("busy", "low", "high", "sm", "tensor", "dram", "power")}
    job = [holder(18422, [0], cpu=0.15, written_bytes=when(0, 0, 2e9))] + workers(19000, 18422, 8, when(0.98, 0.5, 0.0))
    yield Case("phases", "checkpoint|starved-loader", gpus=[dict(gpu, clients=[dict(pid=18422)])], processes=job, seconds=119)


def all_cases():
    for part in (gpu_words, throttling, sharing, links, memory, loaders, cpus, storage, stuck, stragglers, faults, host_only, ticks, phases, hostile):
        yield from part()
