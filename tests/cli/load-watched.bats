#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# load-watched.bats - recorded GPUs at work by a driver that is PoCL (shim_icd.c), each watched through a management
# library without a GPU: what happens to the watch never happens to the load.
# Runs alone: it measures.

load helpers.sh
setup_file() { is_timed; }
setup() { begin; export POCL_CACHE_DIR=$BATS_FILE_TMPDIR/pocl; mkdir -p "$POCL_CACHE_DIR"; }

SHIM=$TOP/build/fakes/shim/libshim.so
FIRST=0000:19:00.0 SECOND=0000:3b:00.0

# world [JQ]: ./tree with two GPUs in OpenCL; the management library's answers as jq changes them.
world() {
	pocl_or_skip
	[ -f "$SHIM" ] || skip "no driver that is PoCL in disguise"
	local library=tree/driver/usr/lib64
	copy_of h100-8
	rm -rf tree/driver
	mkdir -p tree/driver/etc/OpenCL/vendors "$library"
	cp "$SHIM" "$library/libnvidia-opencl.so.1"
	echo libnvidia-opencl.so.1 > tree/driver/etc/OpenCL/vendors/nvidia.icd
	jq -n '{device: {type: "gpu", name: "NVIDIA H100 80GB HBM3", vendor: "NVIDIA Corporation", global_bytes: 67108864,
		largest_bytes: 16777216}, devices: [("19", "3b") | {pci: "0000:\(.):00.0"}], faults: []}' > "$library/shim.json"
	cp "$TOP/build/fakes/nvml/current/libnvidia-ml.so.1" "$library/"
	jq -n '{driver_version: "550.54.14", gpus: [("19", "3b", "4c", "5d", "9b", "bb", "cb", "db") as $bus |
		{pci: "0000:\($bus):00.0", name: "NVIDIA H100 80GB HBM3", serial: "16537\($bus)", uuid: "GPU-\($bus)"}]}'"${1:+ | $1}" \
		> "$library/nvml.json"
}

run_it() {
	gpudiag run --root tree --driver-root tree/driver --window 0 --format json --format snapshot=seen "$@"
}

watch_of() {
	jq -r ".probes[] | select(.key == \"load-watch $1\") | \"\\(.outcome) \\(.call)\"" seen
}

samples_of() {
	jq ".gpus[] | select(.key == \"$1\") | .load_samples | length" seen
}

# Both were measured, whatever became of who watched.
both_measured() {
	is "$(jq -c '[.probes[] | select(.probe == "ocl-run") | .outcome]' seen)" '["ok","ok"]' "loads"
	is "$(jq '[.ocl_devices[] | .timings | length > 3] | all' seen)" true "timings"
}

# jq: do the samples of both GPUs overlap in time?
OVERLAP='[.gpus[].load_samples | select(length > 0) | [.[0].at_ms, .[-1].at_ms]] | .[0][0] <= .[1][1] and .[1][0] <= .[0][1]'

# How fast this machine's processor is in the place of a GPU is nothing that is tested here.
judged() {
	[ "$status" -le 2 ] || is "$status" "0 to 2"
}

@test "each GPU is watched while its load is on it, one after the other" {
	world
	run_it
	judged
	both_measured
	[ "$(samples_of $FIRST)" -ge 3 ] && [ "$(samples_of $SECOND)" -ge 3 ] || fail "$(samples_of $FIRST) samples"
	is "$(jq "$OVERLAP" seen)" false
	# The samples are of the time that was measured, by the same clock.
	is "$(jq --arg gpu $FIRST '(.ocl_devices[0].timings[0] | [.begin_ms, .end_ms]) as [$first, $last] |
		[.gpus[] | select(.key == $gpu) | .load_samples[] | select(.at_ms >= $first and .at_ms <= $last)] | length > 0' seen)" true
}

@test "all at once with --together" {
	world
	run_it --together
	judged
	both_measured
	is "$(jq "$OVERLAP" seen)" true
	is "$(result transfer-together)" pass
}

@test "a watch that hangs costs half a second, and says in which call" {
	world ".faults = [{call: \"nvmlDeviceGetPowerUsage\", gpu: \"$FIRST\", nth: 4, do: \"hang\"}]"
	run_it
	judged
	both_measured
	is "$(watch_of $FIRST)" "partial nvmlDeviceGetPowerUsage"
	is "$(samples_of $FIRST)" 3
	[ "$(samples_of $SECOND)" -ge 3 ] || fail "$(samples_of $SECOND) samples"
}

@test "a watch that crashes is told, and the next GPU is loaded without one" {
	world ".faults = [{call: \"nvmlDeviceGetPowerUsage\", gpu: \"$FIRST\", nth: 4, do: \"crash\"}]"
	run_it
	is "$status" 2
	both_measured
	is "$(watch_of $FIRST)" "crashed nvmlDeviceGetPowerUsage"
	is "$(watch_of $SECOND)" "refused null"
	is "$(jq -r '[.findings[].id | select(startswith("probe-health"))] | join(" ")' "$OUT")" probe-health.gpu-crashes
}
