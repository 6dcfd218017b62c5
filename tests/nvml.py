#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every call of NVIDIA's library × every way it can fail. Speaks TAP.

tests/nvml.py                 a part of the combinations, another one every day
NVML_SWEEP=all tests/nvml.py  all of them, as with FULL=1
GPUDIAG=PATH                  another binary than build/gpudiag
NVML_JOBS=N                   runs at the same time; otherwise as many as there are processors

The machine is a recorded one of eight GPUs, its library the fake of tests/fakes/nvml.c. Which calls there are, a run
without a fault tells: the fake writes a log. One run then carries a fault on each of seven GPUs; the eighth must be
told of as if nothing was. Of each fault:

  error    what the call gives is not known, in the state that the error is of; nothing else changes, and no value
           is told that the library did not give; trouble and its call are named where the error says that the GPU is
           not well; findings about that GPU are those of FINDINGS
  hang     the run ends in its time, the worker's call is named, and what it told before is kept
  crash    likewise

What the library itself is asked, beside its GPUs, fails one call a run: all GPUs must still be reported.
"""
import concurrent.futures
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import batch  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPUDIAG = os.path.abspath(os.environ.get("GPUDIAG", f"{TOP}/build/gpudiag"))
FAKE = f"{TOP}/build/fakes/nvml/current/libnvidia-ml.so.1"
NODES = f"{TOP}/build/nodes"
ALL = os.environ.get("NVML_SWEEP") == "all" or bool(os.environ.get("FULL"))
TIMEOUT_S = 60
HANGS_S = (3, 6, 12)                    # a run of calls that hang; the next is tried only where one went wrong
LATE_S = 5                              # by how much it may end later, on a machine with other work

CODES = {
    1: "UNINITIALIZED", 2: "INVALID_ARGUMENT", 3: "NOT_SUPPORTED", 4: "NO_PERMISSION", 5: "ALREADY_INITIALIZED",
    6: "NOT_FOUND", 7: "INSUFFICIENT_SIZE", 8: "INSUFFICIENT_POWER", 9: "DRIVER_NOT_LOADED", 10: "TIMEOUT",
    11: "IRQ_ISSUE", 12: "LIBRARY_NOT_FOUND", 13: "FUNCTION_NOT_FOUND", 14: "CORRUPTED_INFOROM", 15: "GPU_IS_LOST",
    16: "RESET_REQUIRED", 17: "OPERATING_SYSTEM", 18: "LIB_RM_VERSION_MISMATCH", 19: "IN_USE", 20: "MEMORY",
    21: "NO_DATA", 22: "VGPU_ECC_NOT_SUPPORTED", 23: "INSUFFICIENT_RESOURCES", 24: "FREQ_NOT_SUPPORTED",
    25: "ARGUMENT_VERSION_MISMATCH", 26: "DEPRECATED", 27: "NOT_READY", 28: "GPU_NOT_FOUND", 29: "INVALID_STATE",
    30: "RESET_TYPE_NOT_SUPPORTED", 999: "UNKNOWN",
}
ALWAYS = (3, 4, 15, 16, 25, 999)        # also in a part
OFTEN = 3                               # of the others, so many a day

# The state of a value whose call failed so; any other error is "error".
STATES = {3: "unsupported", 4: "denied", 6: "absent", 13: "unsupported", 15: "lost", 21: "absent", 22: "unsupported",
          25: "unsupported", 26: "unsupported"}
TROUBLE = (8, 11, 14, 15, 16, 999)      # says that the GPU is not well, whichever call it comes from

# What a failed call raises about its GPU, by its error: the one finding that warns or fails. Any other error: nothing.
FINDINGS = {8: "gpu-enumerated.no-power", 11: "gpu-enumerated.no-interrupts", 15: "gpu-lost.by-driver",
            16: "gpu-enumerated.reset-required"}
# Where the library does not open the GPU at all, and of the call that asks whether the inforom is valid.
FINDINGS_OF_HANDLE = {**FINDINGS, **{code: "gpu-enumerated.not-in-library" for code in (2, 6, 28, 999)}}
FINDINGS_OF_INFOROM = {**FINDINGS, 14: "vram-health.inforom"}

# Errors that some calls use to say what is no failure, so that a value may stay, or be of another state.
MEANT = {
    "nvmlDeviceGetGpuFabricInfoV": (25,),               # an older form is asked for
    "nvmlDeviceGetMemoryInfo_v2": (13, 25),                # in which what is used has what is reserved in it
    "nvmlDeviceGetMigDeviceHandleByIndex": (6, 2),      # a hole; no more of them
    "nvmlDeviceGetNvLinkState": (2, 3),                 # no more of them
    "nvmlDeviceValidateInforom": (14,),                 # not valid: that is the answer
}
LISTS = ("RunningProcesses", "RetiredPages")            # "too small": they are asked again
# Values that come of several calls or change by themselves.
COUNTED = {"nvlinks", "clients", "mig_instances"}
ALIVE = {"energy_mj", "pcie_new_replays", "trouble", "trouble_call", "unanswered_ms", "unknown"}


class Machine:
    """A recorded one, its answers and a run of them."""

    def __init__(self, name, folder):
        self.tree, self.folder = f"{NODES}/{name}", folder
        with open(f"{self.tree}/driver/usr/lib64/nvml.json", encoding="utf-8") as file:
            self.said = json.load(file)
        for number, gpu in enumerate(self.said["gpus"]):
            gpu["processes"] = [{"pid": 18000 + number, "kind": kind, "memory_bytes": 1 << 30}
                                for kind in ("compute", "graphics", "mps")]
            gpu |= {"numa_node": 3, "temperature_shutdown_c": 95, "temperature_slowdown_c": 92, "temperature_max_c": 88,
                    "memory_temperature_max_c": 95, "fans": [30], "pages_retired": [0, 0], "retirement_pending": 0,
                    "c2c_links": 5, "addressing_mode": 1}
        self.gpus = [gpu["pci"] for gpu in self.said["gpus"]]
        self.driver = f"{folder}/driver"
        os.mkdir(self.driver)
        os.symlink(FAKE, f"{self.driver}/libnvidia-ml.so.1")

    def look(self, name, faults, *arguments, log=None):
        """(snapshot, report, seconds) of one run with those faults."""
        place = f"{self.folder}/{name}"
        with open(f"{place}.nvml", "w", encoding="utf-8") as file:
            json.dump({**self.said, "faults": faults}, file)
        environment = {"GPUDIAG_FAKE_NVML": f"{place}.nvml", "GPUDIAG_RUNTIME_DIR": f"{place}.run"}
        if log:
            environment["GPUDIAG_FAKE_NVML_LOG"] = log
        began = datetime.datetime.now()
        self.call(["collect", "--root", self.tree, "--driver-root", self.driver, "--window", "0", "--level", "read",
                   "-o", f"{place}.snapshot", *arguments], environment)
        seconds = (datetime.datetime.now() - began).total_seconds()
        self.call(["run", "--snapshot", f"{place}.snapshot", "--format", f"json={place}.report"], environment)
        documents = []
        for kind in ("snapshot", "report"):
            with open(f"{place}.{kind}", encoding="utf-8") as file:
                documents.append(json.load(file))
            os.unlink(f"{place}.{kind}")
        os.unlink(f"{place}.nvml")
        return (*documents, seconds)

    @staticmethod
    def call(arguments, environment):
        done = batch.run(GPUDIAG, arguments, environment=environment, limit_s=TIMEOUT_S)
        if not 0 <= done.returncode < 64:
            raise RuntimeError(f"{arguments[0]}: exit status {done.returncode}: "
                               f"{done.stderr.decode('utf-8', 'replace').strip()[-300:]}")


class Seen:
    """What a run told of each GPU."""

    def __init__(self, snapshot, report, seconds):
        self.by_gpu = {gpu["key"]: gpu for gpu in snapshot["gpus"]}
        self.probes = {probe.get("target"): probe for probe in snapshot["probes"] if probe["probe"] == "nvml-gpu"}
        self.library = snapshot.get("nvml", {})
        self.library_probe = next((probe for probe in snapshot["probes"] if probe["probe"] == "nvml"), {})
        self.loud = {}
        for finding in report["findings"]:
            if finding["outcome"] in ("warn", "fail"):
                self.loud.setdefault(finding["gpu"], set()).add(finding["id"])
        self.seconds = seconds

    def values(self, gpu):
        return self.by_gpu[gpu].get("nvml") or {}


class Point:
    """A call that the probe makes, with its first arguments."""

    def __init__(self, call, detail):
        self.call, self.detail = call, detail

    def __str__(self):
        return f"{self.call} {self.detail}".strip()

    def fault(self, gpu, **deed):
        return {"call": self.call, **({"detail": self.detail} if self.detail else {}), **({"gpu": gpu} if gpu else {}),
                **deed}


def points_in(log):
    """Those of GPUs and those of the library; of links the first alone."""
    of_gpus, of_library = {}, {}
    misused = []
    with open(log, encoding="utf-8") as file:
        for line in file:
            name = re.match(r"(NVML field \d+|\w+) (\S+) ?(.*)", line)
            call, address, detail = name[1], name[2], name[3]
            if detail.startswith("misuse:"):
                misused.append(line.strip())
            elif address == "-":
                of_library.setdefault(call, Point(call, ""))
            elif "NvLink" in call or "ByIndex" in call:
                of_gpus.setdefault(call, Point(call, detail))
            else:
                detail = "" if call.startswith("NVML field") else detail
                of_gpus.setdefault((call, detail), Point(call, detail))
    return list(of_gpus.values()), list(of_library.values()), misused


def state_of(values, key):
    return (values.get("unknown") or {}).get(key, "").partition(":")[0]


def is_meant(call, code):
    return code in MEANT.get(call, ()) or (code == 7 and any(word in call for word in LISTS))


def judge_values(point, code, values, base):
    """Of a GPU one of whose calls gave that error."""
    changed = [key for key in base if key not in ALIVE and values.get(key) != base[key]]
    for key in changed:
        value, state = values.get(key), state_of(values, key)
        if value is not None and key != "inforom_valid" and key not in COUNTED and not is_meant(point.call, code):
            yield f"{key} is {value!r}, which the library did not say ({base[key]!r})"
        elif value is None and state not in (STATES.get(code, "error"), "lost" if code == 15 else "") and \
                not is_meant(point.call, code):
            yield f"{key} is {state or 'null without a reason'}, not {STATES.get(code, 'error')}"
    for key in values:
        if base.get(key) is None and values[key] is not None and key not in ALIVE and state_of(base, key):
            yield f"{key} is {values[key]!r}, and is not known without the fault"
    # Of a field that does not exist on this GPU some drivers say "unknown error".
    is_of_field = point.call.startswith("NVML field") and code == 999
    trouble = CODES[code] if code in TROUBLE and not is_of_field else None
    if values.get("trouble") != trouble:
        yield f"trouble is {values.get('trouble')}, not {trouble}"
    told = values.get("trouble_call") or ""
    if trouble and not (told.startswith(point.call) or point.call.startswith("NVML field") and "ield" in told):
        yield f"trouble's call is {told}"


def differences(values, base):
    return [f"{key}: {values.get(key)!r}, not {base[key]!r}" for key in base
            if key not in ALIVE and values.get(key) != base[key]]


class Sweep:
    def __init__(self, folder):
        self.machine = Machine("h200-8", folder)
        snapshot, report, seconds = self.machine.look("base", [], log=f"{folder}/log")
        self.base = Seen(snapshot, report, seconds)
        self.of_gpus, self.of_library, self.misused = points_in(f"{folder}/log")
        self.tried = 0

    def groups(self, work):
        """Seven at a time, far apart in the list: GPUs that fail alike would be as twins are."""
        room = len(self.machine.gpus) - 1
        count = -(-len(work) // room)
        return [work[at::count] for at in range(count)]

    def judge_others(self, seen, faulty):
        if set(seen.by_gpu) != set(self.base.by_gpu):
            yield f"GPUs are missing: {sorted(set(self.base.by_gpu) - set(seen.by_gpu))}"
            return
        for gpu in self.machine.gpus:
            if gpu not in faulty:
                for text in differences(seen.values(gpu), self.base.values(gpu)):
                    yield f"a GPU without a fault: {text}"

    def try_errors(self, number, group):
        """group: [(point, code), …]"""
        gpus = self.machine.gpus[:len(group)]
        seen = Seen(*self.machine.look(f"error{number}", [
            point.fault(gpu, **{"do": "error", "code": code}) for gpu, (point, code) in zip(gpus, group)]))
        wrong = list(self.judge_others(seen, gpus))
        for gpu, (point, code) in zip(gpus, group):
            said = []
            if point.call.startswith("nvmlDeviceGetHandleBy"):
                said += self.judge_handle(seen.values(gpu), code)
            else:
                said += judge_values(point, code, seen.values(gpu), self.base.values(gpu))
            said += self.judge_findings(seen, gpu, point, code)
            wrong += [f"{point} gives {CODES[code]}: {text}" for text in said]
        return wrong

    @staticmethod
    def judge_handle(values, code):
        state = state_of(values, "handle")
        if values.get("handle") is not None or not state:
            yield f"handle is {values.get('handle')!r}"
        # A GPU that is bound can be opened: one that is "not supported" or "not found" has failed.
        expected = STATES[code] if code in (4, 15) else "error"
        if state != expected:
            yield f"handle is {state}, not {expected}"
        # In words, as nvidia-smi's users know them.
        if CODES[code] not in (values.get("unknown") or {}).get("handle", "") and code != 13:
            yield f"the reason does not name it: {(values.get('unknown') or {}).get('handle')}"

    def judge_findings(self, seen, gpu, point, code):
        of_error = FINDINGS_OF_HANDLE if point.call.startswith("nvmlDeviceGetHandleBy") else \
            FINDINGS_OF_INFOROM if point.call == "nvmlDeviceValidateInforom" else FINDINGS
        expected = {of_error[code]} if code in of_error else set()
        new = seen.loud.get(gpu, set()) - self.base.loud.get(gpu, set())
        # What keeps failing on one GPU, and its twins answer.
        if any("error" in state for state in (seen.values(gpu).get("unknown") or {}).values()):
            new -= {"twins-differ.no-answer"}
        if new != expected:
            yield f"raises {sorted(new) or 'nothing'}, not {sorted(expected) or 'nothing'}"

    def try_deeds(self, deed, number, group):
        """Calls that do not come back: each GPU has one."""
        if deed in ("hang", "spin"):
            return patiently(lambda limit_s: self.try_deeds_within(deed, number, group, limit_s))
        return self.try_deeds_within(deed, number, group)

    def try_deeds_within(self, deed, number, group, limit_s=0):
        gpus = self.machine.gpus[:len(group)]
        limit = [f"--timeout={limit_s}s"] if limit_s else []
        # A lock that a stuck worker holds is not met again by the next try.
        seen = Seen(*self.machine.look(f"{deed}{number}-{limit_s}", [
            point.fault(gpu, do=deed) for gpu, point in zip(gpus, group)], *limit))
        wrong = list(self.judge_others(seen, gpus))
        if limit_s and seen.seconds > late_s(limit_s):
            wrong.append(f"took {seen.seconds:.1f} s of {limit_s} s")
        for gpu, point in zip(gpus, group):
            wrong += [f"{point} does {deed}: {text}" for text in self.judge_deed(seen, gpu, point, deed)]
        return wrong

    def judge_deed(self, seen, gpu, point, deed):
        probe = seen.probes.get(gpu, {})
        outcomes = ("crashed",) if deed in ("crash", "exit") else ("interrupted", "timed-out", "hung", "timeout")
        if probe.get("outcome") not in outcomes:
            yield f"outcome {probe.get('outcome')}"
        named = probe.get("call", "")
        if not named.startswith("nvmlDeviceGetFieldValues" if point.call.startswith("NVML field") else point.call):
            yield f"the call is said to be {named}"
        base = self.base.values(gpu)
        for key, value in seen.values(gpu).items():
            if value is not None and key not in ALIVE | COUNTED and value != base.get(key):
                yield f"{key} is {value!r}, which the library did not say ({base.get(key)!r})"

    def try_library(self, number, point, code):
        if code == "hang":
            return patiently(lambda limit_s: self.try_library_within(number, point, code, limit_s))
        return self.try_library_within(number, point, code)

    def try_library_within(self, number, point, code, limit_s=0):
        deed = {"do": "error", "code": code} if isinstance(code, int) else {"do": code}
        limit = [f"--timeout={limit_s}s"] if limit_s else []
        name = CODES.get(code, code)
        seen = Seen(*self.machine.look(f"library{number}-{limit_s}", [point.fault(None, **deed)], *limit))
        wrong = []
        if set(seen.by_gpu) != set(self.base.by_gpu):
            wrong.append("GPUs are missing")
        for key, value in seen.library.items():
            base = self.base.library.get(key)
            if value is not None and key not in ("unknown", "addresses", "gpus") and value != base:
                wrong.append(f"{key} is {value!r}, which the library did not say ({base!r})")
        if deed["do"] != "error" and not seen.library_probe.get("call", "").startswith(point.call):
            wrong.append(f"the call is said to be {seen.library_probe.get('call')}")
        if limit_s and seen.seconds > late_s(limit_s):
            wrong.append(f"took {seen.seconds:.1f} s of {limit_s} s")
        return [f"{point} gives {name}: {text}" for text in wrong]

    def codes(self):
        if ALL:
            return list(CODES)
        others = [code for code in CODES if code not in ALWAYS]
        day = datetime.date.today().toordinal()
        return [*ALWAYS, *(others[(day * OFTEN + place) % len(others)] for place in range(OFTEN))]


def main():
    os.chdir(TOP)
    if not os.access(GPUDIAG, os.X_OK) or not os.path.exists(FAKE):
        print(f"Bail out! {GPUDIAG} or {FAKE} is not there: make all fakes nodes")
        return 1
    tests = {}
    jobs = int(os.environ.get("NVML_JOBS", os.cpu_count() or 1))
    with tempfile.TemporaryDirectory(prefix="gpudiag-nvml-") as folder:
        sweep = Sweep(folder)
        tests["the library is used as it is to be"] = sorted(set(sweep.misused))
        enough = len(sweep.of_gpus) > 50 and sweep.of_library
        tests["its calls are known"] = [] if enough else ["too few calls in the log"]
        failing = [(point, code) for point in sweep.of_gpus for code in sweep.codes()]
        library = [(point, code) for point in sweep.of_library for code in [*sweep.codes(), "hang", "crash"]]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool, concurrent.futures.ThreadPoolExecutor(16) as asleep:
            work = {
                "a call that hangs": [asleep.submit(sweep.try_deeds, "hang", number, group)
                                      for number, group in enumerate(sweep.groups(sweep.of_gpus))],
                "a call that spins": [asleep.submit(sweep.try_deeds, "spin", 0, sweep.of_gpus[40:42])],
                "a call of the library itself": [
                    (asleep if code == "hang" else pool).submit(sweep.try_library, number, point, code)
                    for number, (point, code) in enumerate(library)],
                "a call that crashes": [pool.submit(sweep.try_deeds, "crash", number, group)
                                        for number, group in enumerate(sweep.groups(sweep.of_gpus))],
                "a call that gives an error": [asleep.submit(sweep.try_errors, number, group)
                                               for number, group in enumerate(sweep.groups(failing))],
            }
            for name, runs in work.items():
                tests[name] = [text for run in runs for text in outcome(run.result)]
    combinations = len(failing) + len(library) + 2 * len(sweep.of_gpus) + 2
    for number, (name, wrong) in enumerate(tests.items(), 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for text in wrong[:60]:
            print(f"# {text}")
        if len(wrong) > 60:
            print(f"# and {len(wrong) - 60} more")
    calls = len(sweep.of_gpus) + len(sweep.of_library)
    print(f"#: NVML: {combinations} combinations of {calls} calls and ways to fail")
    print(f"1..{len(tests)}")
    return 1 if any(tests.values()) else 0


def late_s(limit_s):
    """When a run with that limit is late. The limits grow on a busy machine, and what is beside them with them."""
    return limit_s + LATE_S * max(1, limit_s / HANGS_S[0])


def patiently(attempt):
    """What was wrong with the last of some attempts, each with more time: a busy machine wakes and kills late."""
    wrong = []
    for limit_s in HANGS_S:
        wrong = outcome(lambda limit_s=limit_s: attempt(limit_s))
        if not wrong:
            break
    return wrong


def outcome(run):
    try:
        return run()
    except (subprocess.TimeoutExpired, RuntimeError, OSError, ValueError) as error:
        return [f"no report: {error}"]


if __name__ == "__main__":
    sys.exit(main())
