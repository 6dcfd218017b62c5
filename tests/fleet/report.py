# SPDX-License-Identifier: GPL-2.0-or-later
"""Compact reports as "gpudiag run -f jsonl" prints them (man/report.schema.json), written fast: what never changes is
made once, the rest is filled in.
"""
import datetime
import json
from collections import namedtuple

from noise import FAMILIES

Test = namedtuple("Test", "family unit size_bytes method")
GIB = 1 << 30
MAPPED = "a mapped buffer of CL_MEM_ALLOC_HOST_PTR, event stamps"
TESTS = {
    "h2d-pinned": Test("transfer", "GB/s", GIB, "blocking clEnqueueWriteBuffer from " + MAPPED),
    "h2d-pageable": Test("pageable", "GB/s", GIB, "blocking clEnqueueWriteBuffer from ordinary memory, host clock"),
    "d2h-pinned": Test("transfer", "GB/s", GIB, "blocking clEnqueueReadBuffer into " + MAPPED),
    "d2h-pageable": Test("pageable", "GB/s", GIB, "blocking clEnqueueReadBuffer into ordinary memory, host clock"),
    "memory-read": Test("memory", "GB/s", None, "kernel that sums a buffer, event stamps"),
    "memory-write": Test("memory", "GB/s", None, "kernel a = s, event stamps"),
    "memory-copy": Test("memory", "GB/s", None, "kernel a = b, event stamps"),
    "memory-triad": Test("memory", "GB/s", None, "kernel a = b + s * c, event stamps"),
    "fp32": Test("compute", "GFLOP/s", None, "kernel of independent fma chains, event stamps"),
    "fp64": Test("compute", "GFLOP/s", None, "kernel of independent fma chains, event stamps"),
    "fp16": Test("compute", "GFLOP/s", None, "kernel of independent fma chains, event stamps"),
    "launch-latency": Test("latency", "ns", None, "empty kernel, enqueue to end of clFinish, host clock"),
}
LEVELS = {
    "quick": ["h2d-pinned", "d2h-pinned", "memory-read", "memory-triad", "fp32", "launch-latency"],
    "standard": list(TESTS),
}

Model = namedtuple("Model", "name vendor_id device_id driver driver_version vbios partition power_limit_mw clock_mhz "
                   "vram transfer pageable memory compute latency gpus", defaults=[8])
MODELS = {
    "h100": Model("NVIDIA H100 SXM5 80GB", "0x10de", "0x2330", "nvidia", "570.86.15", "96.00.89.00.01", "none",
                  700000, 1980, 85520809984, 55.0, 11.5, 2950.0, 52000.0, 6200.0),
    "h200": Model("NVIDIA H200", "0x10de", "0x2335", "nvidia", "570.86.15", "96.00.CF.00.02", "none",
                  700000, 1980, 150754820096, 55.2, 11.5, 4150.0, 52500.0, 6100.0),
    "mi300x": Model("AMD Instinct MI300X OAM", "0x1002", "0x74a1", "amdgpu", "6.10.5", "113-M3000100-103", "SPX",
                    750000, 2100, 206158430208, 54.1, 10.0, 4010.0, 101000.0, 9800.0),
    "l40s": Model("NVIDIA L40S", "0x10de", "0x26b9", "nvidia", "570.86.15", "95.02.66.00.02", "none",
                  350000, 2520, 48305799168, 25.6, 9.0, 720.0, 71000.0, 5900.0, 4),
    "rtx": Model("NVIDIA RTX 6000 Ada Generation", "0x10de", "0x26b1", "nvidia", "570.86.15", "95.02.3C.00.01", "none",
                 300000, 3105, 51527024640, 25.4, 9.5, 830.0, 73000.0, 5700.0, 2),
}
ADDRESSES = ["0000:19:00.0", "0000:3b:00.0", "0000:4c:00.0", "0000:5d:00.0",
             "0000:9b:00.0", "0000:bb:00.0", "0000:cb:00.0", "0000:db:00.0"]
# What airflow does to the temperature of a slot, in °C.
WARMER = [-8, -3, 1, 4, -5, 0, 5, 8]


def dumps(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def rfc3339(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


REQUEST = {
    "level": "quick", "run_id": None, "opencl_type": "gpu", "expect_gpus": None, "expect_model": None, "even_if_busy": None,
    "touch_hung": None, "wake": None, "window_ms": 1000, "pid": None, "pid_is_self": None, "measure_ms": None,
    "memory_share_percent": None, "sustain_ms": None, "together": None, "per_numa_node": None, "framework": None,
    "collective": None, "collective_ms": None, "gpus": [], "python": [], "storage": [], "tests": [], "sizes_bytes": [],
    "only_checks": [], "skip_checks": [],
}
STAGES = [
    ("device", "no task stuck in a driver, driver {driver}, drivers list every GPU on the bus, responds on the bus, "
     "device nodes accessible, probes respond: all 35 ok, same as its twins (20 settings)"),
    ("versions", "driver {driver_version} matches its library"),
    ("link", "link x16, 32 GT/s, 63.02 GB/s to the processor, max payload 256 bytes"),
    ("throttle", "no thermal throttling in 1 s of load, clock settings at default, as cool as its twins"),
    ("vram", "no processes on GPUs 0-7, not shared"),
    ("swap", "no disk swap in use, memory stalls 0 %, pinned memory limit sufficient for RDMA, no OOM kills"),
    ("numa", "GPUs spread over 2 sockets"),
    ("timing", "all results correct, transfers as fast as their twins'"),
    ("integrity", "no fault in the kernel log since boot, no driver restarts, no uncorrected PCIe errors"),
    ("feed", "CPUs 1 % busy, governor performance, disk stalls 0 %, network errors ok"),
    ("stack", "nvidia-persistenced running"),
]
PASSED = {"driver-tasks-stuck": 1, "gpu-bound": 8, "gpu-enumerated": 8, "gpu-lost": 8, "gpu-access": 8,
          "probe-health": 35, "twins-differ": 8, "driver-match": 1, "pcie-width": 8, "pcie-speed": 8, "pcie-path": 8,
          "pcie-settings": 8, "throttle-thermal": 8, "throttle-power": 8, "throttle-clocks": 8,
          "known-answer": 8, "klog-errors": 9}
SKIPPED = {"secure-boot": 1, "storage-path": 1, "nvme-health": 4}
# What comes of a node: verdict, exit status, action, schedulable, the GPU's state, and the finding: id, outcome, blame,
# title.
OUTCOMES = {
    "pass": ("pass", 0, "none", "yes", "usable", None),
    "no-go": ("fail", 2, "drain-and-repair", "no", "unusable",
              ("gpu-lost.all-ones", "fail", "hardware",
               "has fallen off the bus: configuration space reads as all ones")),
    "warn": ("warn", 1, "watch", "yes", "suspect",
             ("throttle-thermal.earlier", "warn", "thermal-power",
              "was slowed down by heat for 62 s since its driver was loaded")),
    "unknown": ("unknown", 3, "none", "not-judged", "not-judged", None),
    "interrupted": ("unknown", 3, "none", "not-judged", "not-judged", None),
}


def finding(outcome, gpu, pci, key):
    """The finding that a node ends with, and its sentence."""
    _, _, action, _, _, found = OUTCOMES[outcome]
    name, grade, blame, title = found
    sentence = f"GPU {gpu} ({pci}, slot {gpu + 1}) {title}."
    check = name.split(".", maxsplit=1)[0]
    return {
        "id": name, "key": key, "check": check, "stage": "device" if grade == "fail" else "throttle",
        "subject": f"GPU {gpu}",
        "gpu": pci, "outcome": grade, "action": action, "blame": blame, "title": title, "sentence": sentence,
        "why": None,
        "next": [{"text": "Save the kernel log", "command": "dmesg -T | tail -50", "disruptive": False}],
        "evidence": [], "caused_by": None, "caused_by_key": None, "explains": [], "possible_causes": [],
    }


class Writer:
    """Reports of one kind of run. lean: without summaries and conditions, as small as the schema lets them be."""

    def __init__(self, level="quick", lean=False):
        self.tests, self.lean = LEVELS[level], lean
        self.timing = {}
        for name in self.tests:
            test = TESTS[name]
            self.timing[name] = (
                '{"test":"%s","key":"%s","subject":"GPU %%d","gpu":"%%s","size_bytes":%s,"noisy":%%s,"conditions":%%s,'
                '"median":%%.9g,"unit":"%s","p5":%%.9g,"p95":%%.9g,"p99":%%.9g,"min":%%.9g,"max":%%.9g,'
                '"mad":%%.6g,"n":%%d,"method":"%s","clock":"%s","clock_why":null,"event_ratio":null,'
                '"vector_width":null,"local_items":null,"rows":null,"numa_node":null,"cpu_percent":%%.4g,'
                '"settled":%%s,"unknown":{}}' % (
                    name, name, dumps(test.size_bytes), test.unit, "" if lean else test.method,
                    "host" if "host clock" in test.method else "events"))
        request = dumps({**REQUEST, "level": level})
        self.begin = ('{"schema":"gpudiag.report/1","tool":"gpudiag 0.1.0","argv":["gpudiag","run","-f","jsonl"],'
                      '"taken_at":"%s","host":{"name":"%s","product":"PowerEdge XE9680","machine_serial":"%s",'
                      '"machine_id":"%s","boot_id":"%s",'
                      '"kernel":"6.1.0-28-amd64","os":"Debian GNU/Linux 12 (bookworm)","architecture":"x86_64",'
                      '"virtualisation":"none","container":"none","unknown":{}},"request":' + request +
                      ',"policy":{"source":"built-in","set":[]},')
        self.stages = {}

    def _stages(self, model, outcome):
        if (model, outcome) not in self.stages:
            stages = []
            for number, (name, summary) in enumerate(STAGES, 1):
                verdict = "skip" if outcome == "interrupted" else "pass"
                text = None if self.lean else summary.format(**model._asdict())
                stages.append({"number": number, "name": name, "verdict": verdict, "summary": text, "finding": None})
            found = OUTCOMES[outcome][5]
            if found:
                stages[0 if found[1] == "fail" else 3].update(verdict=found[1], finding=found[0])
            self.stages[model, outcome] = dumps(stages)
        return self.stages[model, outcome]

    def report(self, node, rng):
        """One line. node has what is of the machine, its outcome and its gpus (see simulate.py)."""
        verdict, exit_status, action, schedulable, state, found = OUTCOMES[node.outcome]
        ill = node.ill_gpu if node.outcome != "pass" else None
        findings, messages, unknown = [], [], []
        headline = "Nothing broken found: %d GPUs, 216 checks passed." % len(node.gpus)
        if found:
            findings = [finding(node.outcome, ill, node.gpus[ill].pci, "%016x" % rng.getrandbits(64))]
            headline = findings[0]["sentence"]
        elif node.outcome in ("unknown", "interrupted"):
            headline = "Not judged: probe-health (probe nvml: no answer within 15000 ms)."
            unknown = [{"check": "probe-health", "stage": "device", "subject": "node", "gpu": None, "required": True,
                        "reason": "probe nvml: no answer within 15000 ms", "failed_to_answer": True, "caused_by": None,
                        "caused_by_key": None}]
        if node.outcome == "interrupted":
            messages = ["interrupted by SIGTERM: the rest is not judged"]
        broken = [node.gpus[ill].pci] if state == "unusable" else []
        decision = {"action": action, "reason": headline, "schedulable": schedulable, "unusable_gpus": broken,
                    "next": findings[0]["next"] if findings else []}
        parts = [
            self.begin % (rfc3339(node.taken_at), node.name, node.machine_serial, node.machine_id, node.boot_id),
            '"verdict":"%s","headline":%s,"decision":%s,"stages":' % (verdict, dumps(headline), dumps(decision)),
            self._stages(node.gpus[0].model, node.outcome), ',"gpus":[',
            ",".join(self._gpu(gpu, state if gpu.index == ill or ill is None else "usable", rng) for gpu in node.gpus),
            '],"holders":[],"checks":[],"left_out":', dumps({"pass": PASSED, "skip": SKIPPED}), ',"timings":[',
            ",".join(self._timings(node, ill, rng)),
            '],"findings":%s,"unknown":%s,"unanswered":[],"probes":[],"messages":%s,' % (
                dumps(findings), dumps(unknown), dumps(messages)),
            '"exit_status":%d,"elapsed_ms":%d}' % (exit_status, 11000 + rng.randrange(4000)),
        ]
        return "".join(parts)

    @staticmethod
    def _gpu(gpu, state, rng):
        model = gpu.model
        return ('{"index":%d,"pci":"%s","model":"%s","serial":%s,"uuid":"%s","vbios":"%s","slot":"%s","module_id":%d,'
                '"minor":%d,"vendor_id":"%s","device_id":"%s","driver":"%s","driver_version":"%s","partition":"%s",'
                '"clock_application_mhz":null,"clock_max_mhz":%d,"numa_node":%d,"temperature_c":%d,"power_mw":%d,'
                '"power_limit_mw":%d,"busy_percent":0,"vram_used_bytes":1114112,"vram_total_bytes":%d,"link_width":16,'
                '"link_width_able":16,"link_speed_mtps":32000,"link_speed_able_mtps":32000,"ecc_corrected":0,'
                '"ecc_uncorrected":0,"role":"gpu","under_test":true,"state":"%s","unknown":{}}' % (
                    gpu.index, gpu.pci, model.name, dumps(gpu.serial), gpu.uuid, gpu.vbios, gpu.index + 1, gpu.index,
                    gpu.index, model.vendor_id, model.device_id, model.driver, gpu.driver_version, gpu.partition,
                    model.clock_mhz, gpu.index // 4, 34 + WARMER[gpu.index] + rng.gauss(0, 2),
                    72000 * max(0.3, rng.gauss(1, 0.076)), gpu.power_limit_mw, model.vram, state))

    def _timings(self, node, ill, rng):
        """A broken GPU is not measured; of an interrupted run only what comes first."""
        for gpu in node.gpus:
            if gpu.index == ill and node.outcome == "no-go" or node.outcome == "interrupted" and gpu.index > 1:
                continue
            conditions = "null" if self.lean else self._conditions(gpu, rng)
            for name in self.tests:
                median, mad, noisy, samples = gpu.measured[name]
                sigma = 1.4826 * mad
                yield self.timing[name] % (
                    gpu.index, gpu.pci, "true" if noisy else "false", conditions, median, median - 1.6 * sigma,
                    median + 1.6 * sigma, median + 2.3 * sigma, max(0, median - 2.5 * sigma), median + 2.6 * sigma,
                    mad, samples, 20 + 60 * rng.random(), "false" if noisy else "true")

    @staticmethod
    def _conditions(gpu, rng):
        temperature = 52 + WARMER[gpu.index] + rng.gauss(0, 2)
        power = int(gpu.power_limit_mw * (0.7 + 0.25 * rng.random()))
        return ('{"samples":%d,"link_speed_mtps":32000,"link_width":16,"clock_mhz":%d,"memory_clock_mhz":2619,'
                '"power_mean_mw":%d,"power_max_mw":%d,"temperature_max_c":%d,"busy_percent":99,"throttle_percent":null,'
                '"unknown":{}}' % (8 + rng.randrange(5), gpu.model.clock_mhz, power, power + 15000, temperature))


def nominal(model, name):
    """What a GPU of that model is expected to reach in a test."""
    family = TESTS[name].family
    value = getattr(model, family)
    share = {"memory-read": 1.0, "memory-write": 0.97, "memory-copy": 0.95, "memory-triad": 0.98, "fp64": 0.5,
             "fp16": 1.9, "d2h-pinned": 0.98, "d2h-pageable": 0.95}
    return value * share.get(name, 1.0)


def family_of(name):
    return FAMILIES[TESTS[name].family]
