#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of NVIDIA's library, each in a run of its own: does a pass hide one? Speaks TAP, and prints the verdicts.

tests/nvml_faults.py          of the errors of calls about a GPU a third, another one every day; all others
FULL=1 tests/nvml_faults.py   all of them
GPUDIAG=PATH                  another binary than build/gpudiag
NVML_JOBS=N                   runs at the same time; otherwise 16, as most of them wait

The machine is that of tests/nvml.py: eight GPUs that are well, and a fake library. A fault is of the library's file, of
its start, of the handle of GPU 0, of a call about it, or of all calls (slow). By the rules of judging it is

  a failure     exit status 2 or 3, and no GPU that it is of is usable
  listed        the value stands in unanswered[]; exit status 0, or 1 where the twins answered for five seconds
  by nature     exit status 0

and of the GPUs that it is not of no value may be missing, nor may they be less than usable.
"""
import concurrent.futures
import datetime
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

import nvml
from nvml import CODES, Machine, Seen, differences

NUMBERS = {name: code for code, name in CODES.items()}
NAMELESS = 77
DEVICE = ("GPU_IS_LOST", "RESET_REQUIRED", "IRQ_ISSUE", "INSUFFICIENT_POWER")
BUSY = ("IN_USE", "NOT_READY")
NATURE = ("NOT_SUPPORTED", "NO_PERMISSION", "NOT_FOUND", "FUNCTION_NOT_FOUND", "NO_DATA", "VGPU_ECC_NOT_SUPPORTED",
          "ARGUMENT_VERSION_MISMATCH", "DEPRECATED", *BUSY)
# Calls whose values a pass stands on, and calls that fail on GPUs that are well.
VITAL = ("nvmlDeviceGetEccMode", "nvmlDeviceGetTotalEccErrors", "nvmlDeviceGetRemappedRows_v2", "nvmlDeviceGetMigMode",
         "nvmlDeviceGetGpuFabricInfoV")
SENSORS = ("nvmlDeviceGetPowerUsage", "nvmlDeviceGetTemperatureV", "nvmlDeviceGetPcieReplayCounter",
           "nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetPerformanceState", "nvmlDeviceGetSerial",
           "nvmlDeviceGetBoardId")
OF_CALLS = ("UNKNOWN", "TIMEOUT", "MEMORY", "OPERATING_SYSTEM", "INVALID_ARGUMENT", "NOT_SUPPORTED", "NO_PERMISSION",
            "IN_USE", *DEVICE)
CRASHES = ("nvmlInit_v2", "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetUUID", "nvmlDeviceGetEccMode",
           "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetNvLinkState")
DAYS = 3                                # each error of each call in its turn
HANGS_S = (4, 8, 16)                    # the time that a run with a hang has; the next only where one went wrong
FAILURE, LISTED, BY_NATURE = "a failure", "listed", "by nature"


class Fault:
    def __init__(self, name, kind, faults=(), whole=False, file=None, said=None, of_gpu=None, hangs=False):
        self.name, self.kind, self.faults, self.whole = name, kind, list(faults), whole
        self.file, self.said, self.of_gpu, self.hangs = file, said or {}, of_gpu or {}, hangs


def of_start():
    for code, name in [*CODES.items(), (NAMELESS, "77"), (1000, "1000")]:
        # Of a recording nobody knows with which rights it was taken: refused is by nature.
        kind = BY_NATURE if name == "NO_PERMISSION" else FAILURE
        yield Fault(f"nvmlInit says {name}", kind, [{"call": "nvmlInit_v2", "do": "error", "code": code}], whole=True)


def of_handle(gpu):
    for code, name in [*CODES.items(), (NAMELESS, "77")]:
        kind = BY_NATURE if name == "NO_PERMISSION" or name in BUSY else FAILURE
        yield Fault(f"handle says {name}", kind,
                    [{"call": "nvmlDeviceGetHandleByPciBusId_v2", "gpu": gpu, "do": "error", "code": code}])


def kind_of(call, name):
    if name in DEVICE:
        return FAILURE
    if name in NATURE:
        return BY_NATURE
    return FAILURE if call in VITAL and name != "INVALID_ARGUMENT" else LISTED


def of_calls(gpu):
    today = datetime.date.today().toordinal()
    for (at, call), (place, name) in itertools.product(enumerate((*VITAL, *SENSORS)), enumerate(OF_CALLS)):
        if nvml.ALL or (at + place + today) % DAYS == 0:
            yield Fault(f"{call} says {name}", kind_of(call, name),
                        [{"call": call, "gpu": gpu, "do": "error", "code": NUMBERS[name]}])


def of_ends(gpu):
    for call in CRASHES:
        whole = call == "nvmlInit_v2"
        where = {"call": call} if whole else {"call": call, "gpu": gpu}
        for deed in ("crash", "exit", "hang"):
            yield Fault(f"{call}: {deed}", FAILURE, [{**where, "do": deed}], whole=whole,
                        hangs=deed == "hang")


def of_loading():
    for deed in ("crash", "exit", "hang"):
        yield Fault(f"its constructor: {deed}", FAILURE, [{"call": "load", "do": deed}], whole=True,
                    hangs=deed == "hang")
    # After all answers: told, and no value is lost.
    for deed in ("crash", "exit", "hang"):
        yield Fault(f"its destructor: {deed}", BY_NATURE, [{"call": "unload", "do": deed}])


def of_answers():
    """What the library says is nonsense, or comes slowly."""
    yield Fault("all calls take 60 ms", BY_NATURE, said={"call_us": 60000}, whole=True)
    yield Fault("power reads all ones", FAILURE, of_gpu={"power_mw": 0xffffffff})
    yield Fault("ECC errors read all ones", FAILURE, of_gpu={"ecc_uncorrected": 0xffffffff})
    yield Fault("temperature reads -1", FAILURE, of_gpu={"temperature_c": -1})
    yield Fault("MIG mode reads 7", FAILURE, of_gpu={"mig_enabled": 7})
    yield Fault("performance state reads 4711", LISTED, of_gpu={"performance_state": 4711})


def write(text):
    def to(path):
        with open(path, "wb") as file:
            file.write(text)
    return to


def of_files():
    yield Fault("the file is empty", FAILURE, whole=True, file=write(b""))
    yield Fault("the file is text", FAILURE, whole=True, file=write(b"not found\n"))
    yield Fault("the file is a folder", FAILURE, whole=True, file=os.mkdir)
    yield Fault("the file is a link to nowhere", FAILURE, whole=True, file=lambda path: os.symlink("gone.so", path))
    yield Fault("the file is of another class", FAILURE, whole=True,
                file=write(b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x03\x00\x28\x00\x01" + bytes(60)))
    yield Fault("the file has none of its symbols", FAILURE, whole=True,
                file=lambda path: shutil.copy(another_library(), path))


def another_library():
    folder = f"{nvml.TOP}/build/fakes/icd"
    return f"{folder}/{sorted(os.listdir(folder))[0]}"


def faults_of(gpu):
    yield from of_start()
    yield from of_handle(gpu)
    yield from of_calls(gpu)
    yield from of_ends(gpu)
    yield from of_files()
    yield from of_loading()
    yield from of_answers()


def machine_of(fault, number, folder):
    """A machine of its own: where the file is at fault, the library's folder is too."""
    place = f"{folder}/{number}"
    os.mkdir(place)
    machine = Machine("h200-8", place)
    machine.said |= fault.said
    machine.said["gpus"][0] |= fault.of_gpu
    if fault.file:
        os.unlink(f"{machine.driver}/libnvidia-ml.so.1")
        fault.file(f"{machine.driver}/libnvidia-ml.so.1")
    return machine


def judge(fault, machine, seen, report, base):
    faulty = machine.gpus if fault.whole else machine.gpus[:1]
    states = {gpu["pci"]: gpu["state"] for gpu in report["gpus"]}
    status = report["exit_status"]
    if fault.kind == FAILURE and status not in (2, 3):
        yield f"exit status {status}: {report['headline']}"
    loud = {finding["id"] for finding in report["findings"] if finding["outcome"] in ("warn", "fail")}
    if fault.kind == BY_NATURE and status != 0:
        yield f"exit status {status}, not 0: {report['headline']}"
    if fault.kind == LISTED and (status, loud) not in ((0, set()), (1, {"twins-differ.no-answer"})):
        yield f"exit status {status}: {report['headline']}"
    if fault.kind == FAILURE and any(states[gpu] == "usable" for gpu in faulty):
        yield f"GPU 0 is {states[faulty[0]]}"
    if "destructor" in fault.name and differences(seen.values(machine.gpus[0]), base.values(machine.gpus[0])):
        yield "answers are lost"
    if fault.kind == LISTED and not any(one["gpu"] == faulty[0] for one in report["unanswered"]):
        yield "what failed is not told"
    for gpu in machine.gpus:
        if gpu in faulty:
            continue
        if states[gpu] != "usable":
            yield f"{gpu} is {states[gpu]}, whose fault it is not"
        for text in differences(seen.values(gpu), base.values(gpu))[:3]:
            yield f"{gpu}, whose fault it is not: {text}"


def try_fault(fault, number, folder, base):
    """The line of its last try, and what was wrong with it: a hang has more time in each, as in nvml.py."""
    for limit_s in HANGS_S if fault.hangs else (0,):
        line, wrong = try_within(fault, f"{number}-{limit_s}", folder, base, limit_s)
        if not wrong:
            break
    return line, wrong


def try_within(fault, name, folder, base, limit_s):
    try:
        machine = machine_of(fault, name, folder)
        limit = [f"--timeout={limit_s}s"] if limit_s else []
        snapshot, report, seconds = machine.look("run", fault.faults, *limit)
    except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        return None, [f"no report: {error}"]
    wrong = list(judge(fault, machine, Seen(snapshot, report, seconds), report, base))
    state = report["gpus"][0]["state"]
    return f"{fault.name:52} {fault.kind:10} {report['verdict']:8} {report['exit_status']} {state:11} " \
           f"{report['headline'][:90]}", wrong


def main():
    os.chdir(nvml.TOP)
    if not os.access(nvml.GPUDIAG, os.X_OK) or not os.path.exists(nvml.FAKE):
        print(f"Bail out! {nvml.GPUDIAG} or {nvml.FAKE} is not there: make all fakes nodes")
        return 1
    failed = 0
    with tempfile.TemporaryDirectory(prefix="gpudiag-faults-") as folder, \
            concurrent.futures.ThreadPoolExecutor(int(os.environ.get("NVML_JOBS", "16"))) as pool:
        machine = machine_of(Fault("none", BY_NATURE), "base", folder)
        base = Seen(*machine.look("run", []))
        faults = list(faults_of(machine.gpus[0]))
        runs = [pool.submit(try_fault, fault, number, folder, base) for number, fault in enumerate(faults)]
        for number, (fault, run) in enumerate(zip(faults, runs), 1):
            line, wrong = run.result()
            print(f"# {line or fault.name}")
            print(f"{'not ok' if wrong else 'ok'} {number} - {fault.name}")
            for text in wrong:
                print(f"# {text}")
            failed += bool(wrong)
    print(f"#: NVML: {len(faults)} faults, each in a run of its own")
    print(f"1..{len(faults)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
