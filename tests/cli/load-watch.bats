#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016
# load-watch.bats - the worker that looks at a GPU while our load is on it: NVIDIA's by a library without a GPU, the
# others' by recorded files. It is told to end by SIGTERM, as when the load has ended.
# Runs alone: it measures.

load helpers.sh
setup_file() { is_timed; }
setup() { begin; }

FAKES=$TOP/build/fakes/nvml
GPU=0000:3b:00.0

# library VARIANT [JQ]: two GPUs in ./driver, as jq changes them.
library() {
	mkdir -p driver/usr/lib64
	ln -sf "$FAKES/$1/libnvidia-ml.so.1" driver/usr/lib64/
	jq -n '{driver_version: "550.54.14", gpus: [("19", "3b") as $bus | {pci: "0000:\($bus):00.0",
		name: "NVIDIA H100 80GB HBM3", serial: "16537\($bus)", uuid: "GPU-\($bus)", busy_percent: 90}]}'"${2:+ | $2}" \
		> driver/usr/lib64/nvml.json
}

# watch NODE ADDRESS [SECONDS]: frames in ./frames, its facts in ./samples.
watch() {
	status=0
	GPUDIAG_DRIVER_ROOT=$PWD/driver timeout --preserve-status -k 2 -s TERM "${3:-0.6}" \
		"$GPUDIAG" probe--worker --root "$NODES/$1" load-watch "$2" 3> frames || status=$?
	jq -c '.fact.gpus[]?.load_samples[]?' frames > samples 2> /dev/null || :
}

# at_least NUMBER LEAST WHAT
at_least() {
	[ "$1" -ge "$2" ] || fail "$1 $3, not $2 or more"
}

last_step() {
	grep '"step"' frames | tail -n 1 | jq -r .step
}

@test "an NVIDIA GPU, ten times a second until it is told to end" {
	library current '.gpus[1] += {clock_reasons: 68}'
	watch h100-8 "$GPU" 1.5
	is "$status" 0
	is "$(tail -n 1 frames | jq -c .)" '{"end":true,"outcome":"ok"}'
	at_least "$(wc -l < samples)" 5 samples
	is "$(jq -s -c 'map([.busy_percent, .link_speed_mtps, .link_width, .throttle_reasons]) | unique' samples)" \
		'[[90,32000,16,"power-cap, hw-thermal"]]'
	is "$(jq -s 'map(.key == (.at_ms | tostring | "000000000000"[length:] + .)) | all' samples)" true
	is "$(jq -s 'map(.at_ms) | . == (sort | unique)' samples)" true
	is "$(jq -c 'select(.fact.gpus[0].key != null) | .fact.gpus[0].key' frames | sort -u)" "\"$GPU\""
}

@test "what a GPU does not tell it is asked once" {
	library current ".faults = [{call: \"nvmlDeviceGetPowerUsage\", do: \"error\", code: 3},
		{call: \"nvmlDeviceGetCurrPcieLinkWidth\", do: \"error\", code: 999}]"
	watch h100-8 "$GPU"
	is "$status" 0
	is "$(jq -r .unknown.power_mw samples | sort -u)" "unsupported: NVML_ERROR_NOT_SUPPORTED"
	is "$(grep -c nvmlDeviceGetPowerUsage frames)" 1
	# That may be over the next time.
	is "$(jq -r .unknown.link_width samples | sort -u)" "error: NVML_ERROR_UNKNOWN"
	at_least "$(grep -c nvmlDeviceGetCurrPcieLinkWidth frames)" 2 "questions"
}

@test "a call that hangs or crashes is named, and what was seen before it is kept" {
	library current '.faults = [{call: "nvmlDeviceGetPowerUsage", nth: 2, do: "hang"}]'
	watch h100-8 "$GPU"
	[ "$status" -ne 0 ] || fail "it ended by itself"
	is "$(last_step)" nvmlDeviceGetPowerUsage
	is "$(wc -l < samples)" 1
	library current '.faults = [{call: "nvmlDeviceGetPowerUsage", nth: 2, do: "crash"}]'
	watch h100-8 "$GPU"
	[ "$status" -ne 0 ] || fail "it ended by itself"
	is "$(last_step)" nvmlDeviceGetPowerUsage
	is "$(wc -l < samples)" 1
}

@test "a GPU that is lost is asked nothing more" {
	library current '.faults = [{call: "nvmlDeviceGetClockInfo", do: "error", code: 15}]'
	watch h100-8 "$GPU"
	is "$status" 0
	is "$(tail -n 1 frames | jq -r '"\(.outcome) \(.why)"')" "partial NVML_ERROR_GPU_IS_LOST"
	is "$(wc -l < samples)" 1
	is "$(jq -r .unknown.power_mw samples)" "lost: NVML_ERROR_GPU_IS_LOST"
}

@test "a library that is not there, or does not know the GPU" {
	watch h100-8 "$GPU"
	is "$(tail -n 1 frames | jq -r .outcome)" unavailable
	library current '.gpus[1].handle_error = "UNKNOWN"'
	watch h100-8 "$GPU"
	is "$(tail -n 1 frames | jq -r '"\(.outcome) \(.why)"')" \
		"partial nvmlDeviceGetHandleByPciBusId: NVML_ERROR_UNKNOWN"
	is "$(wc -l < samples)" 0
}

@test "an AMD GPU tells it in files" {
	watch rx7900xtx 0000:03:00.0
	is "$status" 0
	at_least "$(wc -l < samples)" 2 samples
	is "$(jq -s -c 'map([.busy_percent, .link_speed_mtps, .link_width, .temperature_c, .throttle_reasons]) | unique' samples)" \
		'[[0,16000,16,43,"none"]]'
}

@test "an Intel GPU does not tell its use, and has no power before the second look" {
	watch arc-b580-xe 0000:03:00.0
	is "$status" 0
	at_least "$(wc -l < samples)" 2 samples
	is "$(jq -s -r '.[0].unknown.power_mw' samples)" "absent: only one sample of a counter"
	is "$(jq -r .unknown.busy_percent samples | sort -u)" "unsupported: not reported by its driver in a file"
	is "$(jq -r .throttle_reasons samples | sort -u)" none
}

@test "a GPU that sleeps is left alone" {
	watch laptop-amd-asleep "$(asleep laptop-amd-asleep)"
	is "$status" 0
	is "$(wc -l < samples)" 0
}

# The first GPU of a node whose runtime_status is suspended.
asleep() {
	local folder
	for folder in "$NODES/$1"/sys/bus/pci/devices/*; do
		if grep -qs suspended "$folder/power/runtime_status" && grep -q '^0x03' "$folder/class"; then
			basename "$folder"
			return
		fi
	done
}

@test "of no GPU, and of a driver that tells nothing" {
	status=0
	timeout -k 2 1 "$GPUDIAG" probe--worker --root "$NODES/nouveau" load-watch 3> frames || status=$?
	is "$status" 0
	is "$(tail -n 1 frames | jq -r .outcome)" unavailable
	watch nouveau "$(basename "$(dirname "$(grep -l '^0x03' "$NODES"/nouveau/sys/bus/pci/devices/*/class | head -n 1)")")"
	is "$(tail -n 1 frames | jq -r .outcome)" unavailable
}
