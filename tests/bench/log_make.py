#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A synthetic log for tests/bench/log.sh: log_make.py LINES EVENTS_PER_1000 > FILE

What a node's syslog holds over some weeks, in the proportions of a busy cluster node, with so many lines of GPU
events in 1000, evenly spread. The same arguments give the same bytes.
"""
import random
import sys

NOISE = [
    "systemd[1]: Started Session {n} of User slurm.",
    "systemd[1]: session-{n}.scope: Deactivated successfully.",
    "systemd-logind[1123]: New session {n} of user alice.",
    "sshd[{n}]: Accepted publickey for alice from 10.1.{b}.{c} port {n} ssh2: ED25519 SHA256:ZXhhbXBsZQ",
    "sshd[{n}]: pam_unix(sshd:session): session opened for user alice(uid=10{b}) by (uid=0)",
    "CRON[{n}]: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)",
    "kubelet[2211]: I1120 14:{b}:{c}.120034    2211 prober.go:107] \"Probe failed\" pod=\"ml/train-{n}\"",
    "containerd[1890]: time=\"2026-11-20T14:00:{c}.123456789Z\" level=info msg=\"StopPodSandbox for \\\"{x}{x}\\\"\"",
    "dockerd[2001]: time=\"2026-11-20T14:00:{c}Z\" level=warning msg=\"error reading from server: EOF\" module=grpc",
    "slurmd[3021]: launch task StepId={n}.0 request from UID:10{b} GID:100 HOST:10.1.{b}.{c} PORT:{n}",
    "chronyd[811]: Selected source 10.1.{b}.{c} (ntp{c}.example.org)",
    "NetworkManager[901]: <info>  [17000{n}.1234] device (veth{x}): carrier: link connected",
    "kernel: [{t}] docker0: port {c}(veth{x}) entered blocking state",
    "kernel: [{t}] docker0: port {c}(veth{x}) entered disabled state",
    "kernel: [{t}] IPv6: ADDRCONF(NETDEV_CHANGE): veth{x}: link becomes ready",
    "kernel: [{t}] audit: type=1400 audit(17000{n}.120:{n}): apparmor=\"ALLOWED\" operation=\"open\" pid={n}",
    "kernel: [{t}] [UFW BLOCK] IN=eth0 OUT= MAC=00:16:3e:{x} SRC=10.1.{b}.{c} DST=10.1.0.2 LEN=40 PROTO=TCP SPT={n}",
    "kernel: [{t}] usb 1-{c}: new high-speed USB device number {b} using xhci_hcd",
    "kernel: [{t}] usb 1-{c}: reset high-speed USB device number {b} using xhci_hcd",
    "kernel: [{t}] nvme nvme{c}: I/O {b} QID {c} timeout, completion polled",
    "kernel: [{t}] mlx5_core 0000:{c}a:00.0 ib{c}: Port module event: module {c}, Cable plugged",
    "kernel: [{t}] XFS (nvme{c}n1p1): Mounting V5 Filesystem {x}",
    "kernel: [{t}] perf: interrupt took too long ({n} > 2500), lowering kernel.perf_event_max_sample_rate to {n}",
    "kernel: [{t}] nfs: server 10.1.{b}.{c} not responding, still trying",
    "kernel: [{t}] TCP: request_sock_TCP: Possible SYN flooding on port {n}. Sending cookies.",
    "snapd[1401]: storehelpers.go:{n}: cannot refresh: snap has no updates available: core20",
    "rsyslogd: [origin software=\"rsyslogd\" swVersion=\"8.2112.0\" x-pid=\"{n}\"] rsyslogd was HUPed",
    "postgres[{n}]: [3-1] LOG:  checkpoint complete: wrote {n} buffers ({c}.2%); xid {n}",
    "dhclient[{n}]: DHCPREQUEST for 10.1.{b}.{c} on eth0 to 10.1.0.1 port 67 (xid=0x{x})",
    "prometheus-node-exporter[1502]: level=error caller=collector.go:169 msg=\"collector failed\" name=mdadm",
]
EVENTS = [
    "NVRM: Xid (PCI:0000:5d:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:5d:00): 31, pid={n}, name=python3, Ch 0000000{c}, intr 00000000. MMU Fault: ENGINE GRAPHICS",
    "NVRM: Xid (PCI:0000:{c}d:00): 94, pid={n}, name=python3, Contained: SM (0x1). RST: No, D-RST: No",
    "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link {b} LTSSM Fault Up",
    "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq={n}, emitted seq={n}",
    "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq={n}, emitted seq={n}",
    "i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:84dffffb, in Xorg [{n}]",
    "pcieport 0000:00:1c.{c}: AER: Corrected error message received from 0000:00:1c.1",
    "pcieport 0000:00:1c.{c}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)",
    "{{12}}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: {c}",
    "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x{x})",
    "Out of memory: Killed process {n} (python3) total-vm:{n}kB, anon-rss:{n}kB, file-rss:0kB, shmem-rss:0kB",
    "DMAR: [DMA Read NO_PASID] Request device [5d:00.0] fault addr 0x{x} [fault reason 0x06] PTE Read access",
    "INFO: task kworker/{c}:1:{n} blocked for more than 120 seconds.",
    "mce: [Hardware Error]: Machine check events logged",
    "nouveau 0000:01:00.0: fifo: fault 00 [READ] at 00000000{x} engine 00 [GR] client 0{c}",
]


POOL, EVENT_POOL = 20011, 1009  # primes: no period of the one is one of the other


def fill(text, rng):
    """The text before the kernel's stamp and behind it, or the whole text: the stamp is the line's own."""
    return text.format(n=rng.randrange(1000, 99999), b=rng.randrange(10, 60), c=rng.randrange(10),
                       x=f"{rng.randrange(1 << 32):08x}", t="\0").split("\0")


def main():
    lines, per_1000 = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(4)
    # Finished texts to take from: making each line anew would take a minute.
    noise = [fill(rng.choice(NOISE), rng) for _ in range(POOL)]
    events = [fill("kernel: [{t}] " + rng.choice(EVENTS), rng) for _ in range(EVENT_POOL)]
    owed = 0
    for i in range(lines):
        owed += per_1000
        text = events[i % EVENT_POOL] if owed >= 1000 else noise[i % POOL]
        owed %= 1000
        at = i // 3
        # One boot, whose clock only rises: a stamp that goes back is another boot.
        text = f"{at + 40:6}.{i % 3 * 300000:06}".join(text)
        sys.stdout.write(f"Nov {1 + at // 86400:2} {at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02} n1 {text}\n")


main()
