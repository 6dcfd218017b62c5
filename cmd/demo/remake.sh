#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cmd/demo/remake.sh - makes the recorded nodes of `gpudiag demo` anew, after a change of the recorded machines or of what
# a snapshot holds: `make all nodes` first, then read the difference. Needs jq.
#
# All are one machine of eight GPUs, healthy.json. The faults are scripts for it that `diff -e` made, so that the binary
# holds the machine once.
# shellcheck disable=SC2016 # the programs of jq
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gpudiag=build/gpudiag
snapshots=tests/snapshots

# tree NAME FILE: the snapshot of a recorded machine with its fake NVIDIA library.
tree() {
	"$gpudiag" collect --root "build/nodes/$1" --driver-root "build/nodes/$1/driver" -o "$2"
}

# What a run on such a machine records: with the window and the OpenCL timings of other snapshots, and durations that are
# the same each time.
live='
def keyed($a; $b): [$a[], ($b[] | select(.key as $k | all($a[]; .key != $k)))] | sort_by(.key);
del(.request.driver_root)
| .run |= {tool, taken_at: "2026-11-21T03:12:44.000Z", source: "live", elapsed_ms: 5180, argv: ["gpudiag"]}
| .host |= (.name = "gpu-17" | .machine_serial = "DEMO0017" | .boot_id = "5f0c0c1e-0017-4c5a-9d0e-000000000017"
	| .shm_size_bytes = 270583627776 | del(.unknown.shm_size_bytes)
	| .sees_all_devices = true | .sees_all_processes = true | .has_all_rights = true | .user_id = 0)
| (.nvml // {}) as $nvml | if $nvml.library then .nvml.library = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1" else . end
| .kernel_log.source = "/dev/kmsg"
| .device_nodes[].may_open = true
| .window = ($load[0].window | .cpu_busy_percent = 2 | .io_some_percent = 0 | .io_full_percent = 0 | .cpu_some_percent = 0)
| .cpu_uses = ($load[0].cpu_uses | map(.busy_percent = 1)) | .listed.cpu_uses = (.cpu_uses | length)
| .opencl = $ocl[0].opencl | .icds = $ocl[0].icds | .ocl_devices = $ocl[0].ocl_devices
| .probes = keyed(.probes; $load[0].probes + $ocl[0].probes)
| .probes |= map(if .elapsed_ms and (.probe != "ocl-run") and (.probe | test("^nvml") | not) then .elapsed_ms = 12 else . end)
| (.probes[] | select(.probe | test("^nvml")) | select(.elapsed_ms) | .elapsed_ms) = 180
'

# fault NAME FILTER FILE: from the healthy machine, or the snapshot FILE, what that fault is.
fault() {
	jq --slurpfile healthy "$work/healthy.json" "$2" "${3:-$work/healthy.json}" > "$work/edited.json"
	"$gpudiag" run --snapshot "$work/edited.json" -f "snapshot=$work/$1.json" > /dev/null || [ $? -lt 4 ]
	diff -e "$work/healthy.json" "$work/$1.json" > "cmd/demo/$1.ed" || [ $? -eq 1 ]
}

as_live() {
	jq --slurpfile load $snapshots/h100-8-load.json --slurpfile ocl $snapshots/h100-8-opencl.json "$live" "$1"
}

tree h100-8 "$work/idle"
as_live "$work/idle" > "$work/idle.live"
"$gpudiag" run --snapshot "$work/idle.live" -f "snapshot=$work/healthy.json" || [ $? -lt 4 ]
cp "$work/healthy.json" cmd/demo/healthy.json

# Half of its lanes, and so half of its transfers.
fault narrow-link '
	(.gpus[] | select(.key == "0000:5d:00.0")) |= (.pci.link_width = 8
		| if .nvml.link_width then .nvml.link_width = 8 else . end)
	| (.ocl_devices[3].timings[] | select(.key == "h2d-pinned" or .key == "d2h-pinned")).samples_ns |= map(. * 2.1 | round)'

# Gone from the bus since its driver said so: nobody answers for it, and nothing is measured by that driver.
fault xid-79 '
	"Xid 79 in the kernel log; --touch-hung overrides" as $why
	| (.gpus[] | select(.key == "0000:bb:00.0")) |= (.pci.config_all_ones = true
		| del(.nvml, .throttle, .use, .links, .hops, .nvidia, .pci.link_width, .pci.link_speed_mtps))
	| .ocl_devices |= map(select(.pci_address != "0000:bb:00.0") | del(.timings, .known_answer)) | .icds[0].devices = 7
	| .probes |= map(select(.key != "ocl-run opencl:nvidia.icd:7")
		| if .probe == "ocl-run" or .key == "nvml-gpu 0000:bb:00.0" then
			{key, probe, target, touches, outcome: "refused", why: $why} else . end)
	| .log_lines += [
		{key: "190", boot_ns: 3548112900000000, text: "NVRM: Xid (PCI:0000:bb:00): 79, pid=18422, name=python3, GPU has fallen off the bus."},
		{key: "191", boot_ns: 3548113000000000, text: "NVRM: GPU 0000:bb:00.0: GPU has fallen off the bus."}]
	| .kernel_log.last_ns = 3548113000000000'

# The driver is not called, so what its library would have told is missing; the reason is kept where a check quotes it.
tree tasks-stuck "$work/hung"
as_live "$work/hung" > "$work/hung.live"
fault hung-driver '
	def only($keys): with_entries(select(.key as $key | $keys | index($key))) + {unknown: .unknown
		| with_entries(select(.key as $key | $keys | index($key)))};
	(.probes[] | select(.key == "nvml") | .why) as $why
	| .ocl_devices = [] | .icds |= map(del(.platforms, .devices)) | .log_lines = $healthy[0].log_lines
	| .gpus |= map(del(.links, .throttle)
		| if .nvml then .nvml |= only(["handle", "nvlinks", "nvlinks_active", "power_limit_mw", "clock_application_mhz",
			"clock_boost_max_mhz", "temperature_c", "temperature_margin_c", "vram_total_bytes", "vram_used_bytes"])
		else . end
		| if .use then .use |= only(["busy_percent"]) else . end)
	| .probes |= map(select(.probe != "ocl-run")
		| if .probe == "opencl" then {key, probe, target, touches, outcome: "refused", why: $why} else . end)' \
	"$work/hung.live"

# A training job on half of the GPUs, which wait: for the thread that prepares their data, or for the disk that holds it.
tree h100-8-busy "$work/busy"
as_live "$work/busy" > "$work/busy.live"
jq --slurpfile load $snapshots/h100-8-load.json '
	["0000:19:00.0", "0000:3b:00.0", "0000:4c:00.0", "0000:5d:00.0"] as $held
	| .gpus |= map(.key as $key | if $held | index($key) then .use |= (.samples_busy = 1 | .power_mw = 128000) else . end)
	| .gpu_processes |= map(.key as $key | . + ($load[0].gpu_processes[] | select(.key == $key) | {use}))
	| .disks = $load[0].disks
	| .ocl_devices |= map(del(.timings, .known_answer))
	| .probes |= map(if .probe == "ocl-run" then {key, probe, target, touches, outcome: "refused",
		why: "the GPU is in use; --even-if-busy overrides"} else . end)' "$work/busy.live" > "$work/training.live"
fault starved-loader '
	.window.cpu_busy_percent = 5
	| (.gpus[] | select(.use.samples_busy == 1)).use |= (.busy_percent = 4 | .busy_max_percent = 31)
	| (.gpu_processes[] | select(.comm == "python3")).use |= (.cpu_percent = 112 | .busiest_thread_percent = 100
		| .busiest_thread_system_percent = 9)
	| (.gpu_processes[] | select(.key == "18423")).use |= (.busiest_thread = 18431 | .busiest_thread_cpu = 11)
	| (.cpu_uses[] | select(.key == "7" or .key == "11")).busy_percent = 100' "$work/training.live"
fault starved-storage '
	.window |= (.io_some_percent = 61 | .io_full_percent = 44 | .cpu_iowait_percent = 12)
	| .disks[].use |= (.read_bytes_per_s = 2900000000 | .reads_per_s = 22600 | .busy_percent = 100 | .read_ms = 9.4)
	| (.gpus[] | select(.use.samples_busy == 1)).use |= (.busy_percent = 3 | .busy_max_percent = 26)' \
	"$work/training.live"
wc -c cmd/demo/*
