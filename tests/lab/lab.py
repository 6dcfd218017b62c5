# SPDX-License-Identifier: GPL-2.0-or-later
"""lab.py - gpudiag in a real Linux kernel: a node with two GPUs in QEMU, and the frame of the suites here.

A suite is a function that gets a Lab and asks lab.test() questions. QEMU translates (TCG): the kernel needs no KVM,
and a boot takes some seconds. The GPUs are virtio devices with other ids (config_space.py): enough for the bus, its
links, its errors and its slots. No driver of a GPU would take them; pci-pf-stub, which drives nothing, stands in.
"""
import base64
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import config_space
from machine import Dead, Machine

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # behind: some names are there, too
from schema import Schema  # noqa: E402  pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
GPUDIAG = os.environ.get("GPUDIAG", f"{TOP}/build/gpudiag")
BUILD = f"{TOP}/build/lab"
BOOT_LIMIT_S = 60
BOOTS = 2                       # of some eighty boots in TCG one hangs
RUN_LIMIT_S = 30
CANNOT_BE_HAD = 77              # exit status of kernel.sh and initramfs.sh, with the reason as output
FORMATS = "--format json=report --format text=text --format snapshot=snapshot"
VIRTIO_SERIAL, ROOT_PORT_IDS, H100 = (0x1af4, 0x1043), (0x1b36, 0x000c), (0x10de, 0x2330)
GEN3, GEN5 = 3, 5

# Two sockets with a node each; below each a root port with a GPU. As on a server: firmware and processor name no
# hypervisor. The number of MSI-X vectors tells the GPUs' configuration spaces apart, that of the slot the ports'.
TOPOLOGY = """
    -M q35 -accel tcg -cpu max,-hypervisor -smp 4,sockets=2,cores=2 -m 512M
    -smbios type=1,manufacturer=Supermicro,product=SYS-421GE-TNRT
    -object memory-backend-ram,id=memory0,size=256M -object memory-backend-ram,id=memory1,size=256M
    -numa node,nodeid=0,cpus=0-1,memdev=memory0 -numa node,nodeid=1,cpus=2-3,memdev=memory1
    -numa dist,src=0,dst=1,val=21
    -global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off
    -device pxb-pcie,id=socket0,bus=pcie.0,bus_nr=0x40,numa_node=0
    -device pxb-pcie,id=socket1,bus=pcie.0,bus_nr=0x80,numa_node=1
    -device pcie-root-port,id=port0,bus=socket0,chassis=1,slot=1,x-speed=16,x-width=16
    -device pcie-root-port,id=port1,bus=socket1,chassis=2,slot=2,x-speed=16,x-width=16
    -device virtio-serial-pci,id=gpu0,bus=port0,aer=on,vectors=3
    -device virtio-serial-pci,id=gpu1,bus=port1,aer=on,vectors=5
    -blockdev null-co,node-name=disk0,size=67108864,read-zeroes=on
    -device nvme,id=nvme0,serial=LAB1,drive=disk0,bus=pcie.0
""".split()
PORTS, GPUS = ("0000:40:00.0", "0000:80:00.0"), ("0000:41:00.0", "0000:81:00.0")
# A hotplug port is asked every second: QEMU raises no interrupt for what is written into its memory.
COMMAND_LINE = "console=ttyS0 quiet loglevel=4 panic=-1 pciehp.pciehp_poll_mode=1 pciehp.pciehp_poll_time=1"


class Skip(Exception):
    """What this needs is not here."""


class Wrong(Exception):
    """A test has failed: why."""


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def is_equal(got, wanted, what):
    expect(got == wanted, f"{what}: {got!r}, not {wanted!r}")


def make(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True)
    if done.returncode == CANNOT_BE_HAD:
        raise Skip(done.stdout.strip())
    expect(not done.returncode, f"{command[0]}: exit status {done.returncode} {done.stdout.strip()}")


def laid_over(initramfs, overlay):
    """The kernel unpacks one archive after the other: the second brings what one suite alone needs."""
    folder = f"{BUILD}/{overlay.removesuffix('.sh')}"
    make(f"{HERE}/{overlay}", folder)
    both = f"{folder}/both"
    with open(both, "wb") as out:
        for part in (initramfs, f"{folder}/initramfs"):
            with open(part, "rb") as file:
                shutil.copyfileobj(file, out)
    return both


def prepared(overlay=None):
    """The kernel and the initial file system, made where they are not there yet."""
    kernel, initramfs = f"{BUILD}/kernel", f"{BUILD}/initramfs"
    if not shutil.which("qemu-system-x86_64"):
        raise Skip("qemu-system-x86_64 is not installed")
    make(f"{HERE}/kernel.sh", kernel)
    make(f"{HERE}/initramfs.sh", kernel, GPUDIAG, initramfs)
    if overlay:
        initramfs = laid_over(initramfs, overlay)
    return ["-kernel", f"{kernel}/vmlinuz", "-initrd", initramfs, "-append", COMMAND_LINE]


class Run:
    """A run of gpudiag in the guest: its exit status, and what it wrote as bytes."""

    def __init__(self, status, files):
        self.status, self.files = status, files
        try:
            self.report = json.loads(files["report"])
            self.snapshot = json.loads(files["snapshot"])
        except (KeyError, ValueError) as error:
            said = files.get("said", b"").decode("utf-8", "replace").strip()
            raise Wrong(f"exit status {status} and no report or snapshot: {error} {said}") from error

    def gpu(self, address):
        found = [gpu for gpu in self.snapshot.get("gpus", []) if gpu["key"] == address]
        expect(found, f"no {address} in the snapshot")
        return found[0]

    def ends(self, status):
        """It ended so; if not, the headline tells what gpudiag could not tell."""
        is_equal(self.status, status, f"exit status ({self.report['headline']})")

    def findings(self, *outcomes):
        """Ids of those of that outcome, with what they are about."""
        return sorted((finding["id"], finding.get("gpu") or finding.get("subject"))
                      for finding in self.report["findings"] if finding["outcome"] in outcomes)


class Lab:
    def __init__(self):
        self.machine = None
        self.devices = {}
        self.is_up = False
        self.nr = 0
        self.failed = False

    # ---- the machine

    def boot(self, folder, arguments):
        self.machine = Machine(folder, [*TOPOLOGY, *arguments])
        pid = self.machine.process.pid
        for name, ids, is_it in (
                ("gpu0", VIRTIO_SERIAL, lambda space: space.msix_vectors() == 3),
                ("gpu1", VIRTIO_SERIAL, lambda space: space.msix_vectors() == 5),
                ("port0", ROOT_PORT_IDS, lambda space: space.slot_number() == 1),
                ("port1", ROOT_PORT_IDS, lambda space: space.slot_number() == 2)):
            try:
                space = self.devices[name] = config_space.find(pid, ids, is_it)
            except config_space.NotFound as error:
                raise Skip(str(error)) from error
            space.set_link_able(GEN5, 16)
            space.set_link(GEN5, 16)
        for name in ("gpu0", "gpu1"):
            self.devices[name].identify(H100, 0x030200, (0x10de, 0x16c1), 0xa1)
        self.machine.go(BOOT_LIMIT_S)
        self.machine.must("insmod /modules/pci-pf-stub.ko; echo 10de 2330 > /sys/bus/pci/drivers/pci-pf-stub/new_id")
        self.is_up = True

    def close(self):
        if self.machine:
            self.machine.close()

    def gpudiag(self, *arguments, user="root", limit_s=RUN_LIMIT_S):
        """Runs gpudiag in the guest."""
        status, output = self.machine.run(f"""
            rm -rf /tmp/run && mkdir -m 777 /tmp/run && cd /tmp/run
            su -s /bin/sh {user} -c 'cd /tmp/run; gpudiag run {FORMATS} {" ".join(arguments)} > said 2>&1'
            status=$?
            tar -c * | gzip | base64
            exit $status""", limit_s)
        return Run(status, self.unpacked(output))

    @staticmethod
    def unpacked(output):
        """The files of a tar in base64."""
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(output))) as tar:
            return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}

    # ---- what must be

    @contextlib.contextmanager
    def test(self, name):
        """A test with its own name: fails by Wrong, is skipped by Skip."""
        self.nr += 1
        try:
            yield
        except Wrong as error:
            self.failed = True
            print(f"not ok {self.nr} - {name}")
            print("\n".join(f"# {line}" for line in str(error).splitlines()))
        except Skip as error:
            print(f"ok {self.nr} - {name} # SKIP {error}")
        else:
            print(f"ok {self.nr} - {name}")
        sys.stdout.flush()


def is_valid(run):
    """Report and snapshot are what the schemas say, and the report's exit status is that of the run."""
    is_equal(run.report["exit_status"], run.status, "exit status in the report")
    for name, document in (("report", run.report), ("snapshot", run.snapshot)):
        for problem in Schema.of_file(f"{TOP}/man/{name}.schema.json").problems(document):
            raise Wrong(f"{name}: {problem}")


def is_replayed(run):
    """The snapshot taken in the guest, judged here, gives the guest's report to the byte; likewise itself."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/taken", "wb") as file:
            file.write(run.files["snapshot"])
        formats = [word for name, form in (("report", "json"), ("text", "text"), ("snapshot", "snapshot"))
                   for word in ("--format", f"{form}={folder}/{name}")]
        done = subprocess.run([GPUDIAG, "run", "--snapshot", f"{folder}/taken", *formats],
                              capture_output=True, text=True, check=False)
        is_equal(done.returncode, run.status, f"exit status here {done.stderr.strip()}")
        for name in ("report", "text", "snapshot"):
            with open(f"{folder}/{name}", "rb") as file:
                expect(file.read() == run.files[name], f"the {name} differs")


def booted(folder, arguments):
    """A Lab whose guest is up; None, with the reason as a comment, where it does not come up."""
    lab = Lab()
    try:
        lab.boot(folder, arguments)
        return lab
    except Dead as error:
        print("\n".join(f"# {line}" for line in str(error).splitlines()))
    finally:
        if not lab.is_up:
            lab.close()
    return None


def run_suite(suite, overlay):
    arguments = prepared(overlay)
    for _ in range(BOOTS):
        with tempfile.TemporaryDirectory(prefix="gpudiag-lab-") as folder:
            lab = booted(folder, arguments)
            if not lab:
                continue
            try:
                suite(lab)
            finally:
                lab.close()
            print(f"1..{lab.nr}")
            return lab.failed
    print(f"Bail out! no guest came up in {BOOTS} boots of {BOOT_LIMIT_S} s")
    return True


def main(suite, overlay=None):
    try:
        return 1 if run_suite(suite, overlay) else 0
    except Skip as error:
        print(f"1..0 # SKIP {error}")
        return 0
    except (Dead, Wrong) as error:
        first, *more = str(error).splitlines()
        print("\n".join([f"Bail out! {first}", *(f"# {line}" for line in more)]))
        return 1
