#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016
# nvml.bats - NVIDIA's management library asked of a recorded node, by a library without a GPU.
# Runs beside one: it times deadlines.

load helpers.sh
setup_file() { is_timed; }
setup() { begin; }

FAKES=$TOP/build/fakes/nvml
HANGING=0000:3b:00.0

# library VARIANT [JQ]: eight GPUs in ./driver, as jq changes them.
library() {
	mkdir -p driver/usr/lib64
	ln -s "$FAKES/$1/libnvidia-ml.so.1" driver/usr/lib64/
	jq -n '{driver_version: "550.54.14", gpus: [("19", "3b", "4c", "5d", "9b", "bb", "cb", "db") as $bus |
		{pci: "0000:\($bus):00.0", name: "NVIDIA H100 80GB HBM3", serial: "16537\($bus)", uuid: "GPU-\($bus)",
		 busy_percent: 90}]}'"${2:+ | $2}" > driver/usr/lib64/nvml.json
}

look() {
	"$GPUDIAG" collect --root "$NODES/h100-8" --driver-root "$PWD/driver" -o seen "$@"
}

# Of the GPU that faults are about.
gpu() {
	jq -c ".gpus[] | select(.key == \"$HANGING\") | $1" seen
}

worker() {
	jq -r ".probes[] | select(.key == \"nvml-gpu ${2:-$HANGING}\") | .$1" seen
}

@test "each GPU tells who it is, and what it did over the window" {
	library current '.gpus[] += {violations_ns: {"5": 7000000000, "10": 9000000000}, margin_memory_max_c: -1}'
	look --window 300ms
	is "$(gpu .nvml.serial)" '"165373b"'
	is "$(gpu .nvml.trouble)" null
	is "$(gpu .use.busy_percent)" 90
	is "$(gpu .use.link_width_busy)" 16
	is "$(gpu .throttle.reliability_total_s)" 7
	is "$(gpu .throttle.application_clocks_total_s)" 9
	is "$(gpu .nvml.margin_memory_max_c)" -1
	is "$(jq -r .nvml.gpus seen)" 8
	is "$(jq -r .nvml.library seen)" "$PWD/driver/usr/lib64/libnvidia-ml.so.1"
}

@test "a GPU that is idle and busy by turns within the window" {
	library current ".gpus[].busy_percent = {samples: [0, 0, 100, 100]}"
	look --window 1s
	is "$(gpu '[.use.busy_p5_percent, .use.busy_p95_percent, .use.busy_max_percent]')" '[0,100,100]'
	is "$(gpu '.use.busy_percent | . >= 30 and . <= 70')" true
}

@test "under WSL the library is asked though no bus shows a GPU, and names the models" {
	library current '.gpus |= (.[:2] | .[0].name = "NVIDIA GeForce RTX 4090" | .[1].name = "NVIDIA GeForce RTX 3080")'
	with gpudiag run --level read --root "$NODES/wsl" --driver-root "$PWD/driver" --expect-gpus 2:4090 --format json \
		--format snapshot=seen
	is "$(jq -c .nvml.models seen)" '["NVIDIA GeForce RTX 4090","NVIDIA GeForce RTX 3080"]'
	is "$(json '[.findings[] | select(.outcome == "fail") | .id] | join(" ")')" gpu-visible.other-model
	is "$status" 2
	with gpudiag run --level read --root "$NODES/wsl" --driver-root "$PWD/driver" --expect-gpus 2:GeForce --format json
	is "$status" 0
}

@test "its serial number and place stand in the report" {
	library current '.gpus[].module_id = 3'
	"$GPUDIAG" run --level read --root "$NODES/h100-8" --driver-root "$PWD/driver" --window 0 \
		--format json > report || true
	is "$(jq -r ".gpus[] | select(.pci == \"$HANGING\") | \"\(.serial) \(.module_id)\"" report)" "165373b 3"
}

@test "a GPU that hangs is named with its call, and keeps nothing of the others" {
	library current ".faults = [{call: \"nvmlDeviceGetPowerUsage\", gpu: \"$HANGING\", do: \"hang\"}]"
	look --window 0
	is "$(worker outcome)" timeout
	is "$(worker call)" nvmlDeviceGetPowerUsage
	[ "$(worker deadline_ms)" -le 8000 ] || fail "$(worker deadline_ms) ms, with nvidia-persistenced"
	is "$(worker outcome 0000:4c:00.0)" ok
	# What it said before is kept.
	is "$(gpu .nvml.serial)" '"165373b"'
	is "$(gpu .nvml.unknown.nvlinks)" '"timeout: in nvmlDeviceGetPowerUsage"'
}

@test "slow answers, however many, are no hang: all is told, and how long it took is a note" {
	# Longer in all than any one call may take.
	jq '. + {call_us: 60000}' "$NODES"/h100-8/driver/usr/lib/*/nvml.json > slow.json
	with env "GPUDIAG_FAKE_NVML=$PWD/slow.json" gpudiag run --level read --root "$NODES/h100-8" \
		--driver-root "$NODES/h100-8/driver" --format json --format snapshot=seen
	is "$status" 0
	is "$(jq -r '[.probes[] | select(.probe == "nvml-gpu") | .outcome] | unique | join(" ")' seen)" ok
	[ "$(worker elapsed_ms)" -gt 15000 ] || fail "$(worker elapsed_ms) ms"
	is "$(json '[.findings[] | select(.id | startswith("probe-health.")) | "\(.id) \(.outcome)"] | unique | join(" ")')" \
		"probe-health.slow note"
	is "$(gpu .nvml.nvlinks)" 18
}

@test "where the library itself hangs one process waits, and no GPU is asked" {
	library current '.faults = [{call: "nvmlInit_v2", do: "hang"}]'
	look --window 0
	is "$(jq -r '.probes[] | select(.key == "nvml") | "\(.outcome) \(.call)"' seen)" "timeout nvmlInit_v2"
	is "$(jq -r '[.probes[] | select(.probe == "nvml-gpu") | .outcome] | unique | join(" ")' seen)" refused
	is "$(gpu .nvml.unknown.serial)" \
		"\"skipped: NVIDIA's management library did not come back in nvmlInit_v2; --touch-hung overrides\""
}

@test "a GPU that is lost is asked nothing more" {
	library current ".faults = [{call: \"nvmlDeviceGetPowerUsage\", gpu: \"$HANGING\", do: \"error\", code: 15}]"
	look --window 300ms
	is "$(worker outcome)" ok
	is "$(worker call)" nvmlDeviceGetPowerUsage
	is "$(gpu .nvml.trouble)" '"GPU_IS_LOST"'
	is "$(gpu .use.unknown.busy_percent)" '"lost: NVML_ERROR_GPU_IS_LOST"'
}

@test "a crash costs what comes after it alone" {
	library current ".faults = [{call: \"nvmlDeviceGetPowerUsage\", gpu: \"$HANGING\", nth: 3, do: \"crash\"}]"
	look --window 1s
	is "$(worker outcome)" crashed
	is "$(gpu .nvml.fabric_state)" null
	is "$(gpu .use.unknown.busy_percent)" '"error: crashed in nvmlDeviceGetPowerUsage: killed by SIGSEGV"'
	gpu '.nvml.vram_total_bytes' | grep -q '[0-9]' || fail "its memory was said before"
}

@test "a GPU without a handle, and a library that does not start" {
	library current ".gpus |= map(if .pci == \"$HANGING\" then .handle_error = \"UNKNOWN\" else . end)"
	look --window 0
	is "$(worker outcome)" partial
	is "$(gpu .nvml.unknown.handle)" '"error: NVML_ERROR_UNKNOWN"'
	rm -r driver
	library current '.init = "LIB_RM_VERSION_MISMATCH"'
	look --window 0
	is "$(jq -r .nvml.unknown.init seen)" "error: nvmlInit_v2: NVML_ERROR_LIB_RM_VERSION_MISMATCH"
}

@test "a GPU that answers with errors alone does not tell how many links it has" {
	library current ".gpus |= map(if .pci == \"$HANGING\" then .error = \"RESET_REQUIRED\" else . end)"
	look --window 0
	is "$(gpu .nvml.nvlinks)" null
	is "$(gpu .nvml.unknown.nvlinks)" '"error: NVML_ERROR_RESET_REQUIRED"'
}

@test "an old driver lacks calls, and no more than what they tell" {
	library r470
	look --window 0
	is "$(worker outcome)" ok
	is "$(gpu .nvml.unknown.module_id)" "\"unsupported: not in this driver's library\""
	is "$(gpu .nvml.serial)" '"165373b"'
}

@test "numbers that cannot be are no values" {
	library current '.cuda_version = -12040 | .gpus[].temperature_c = -1 | .gpus[].ecc_corrected = -2'
	look --window 300ms
	is "$(jq -r .nvml.unknown.cuda_version seen)" "error: reads -12040"
	is "$(gpu .nvml.unknown.temperature_c)" '"error: reads all ones"'
	is "$(gpu .use.temperature_max_c)" null
	is "$(gpu .nvml.ecc_corrected)" null
}

@test "thousands of processes on one GPU cost nothing else" {
	library current "(.gpus[] | select(.pci == \"$HANGING\")).processes = [range(4000) as \$pid |
		(\"compute\", \"graphics\", \"mps\") as \$kind | {pid: (\$pid + 100), kind: \$kind, gi: 7, ci: 0}]"
	look --window 0
	is "$(worker outcome)" ok
	is "$(gpu .nvml.unknown.clients)" '"skipped: incomplete: thousands of entries"'
	is "$(gpu '.clients | length')" 3072
	is "$(gpu .nvml.mig_instances)" 0
}

@test "a driver's root that is none is refused, as is one beside a snapshot; one may be relative" {
	library current
	gpudiag collect --root "$NODES/h100-8" --driver-root none -o seen
	refused "--driver-root: none: No such file or directory"
	gpudiag collect --root "$NODES/h100-8" --driver-root driver/usr/lib64/nvml.json -o seen
	refused "Not a directory"
	"$GPUDIAG" collect --root "$NODES/h100-8" --driver-root driver -o seen --window 0
	is "$(worker outcome)" ok
	gpudiag run --snapshot seen --driver-root driver
	refused "no library is called for a snapshot"
}

@test "whose folder the library lies in is taken out of what is handed on, where it lies there is not" {
	mkdir alices
	cd alices
	library current
	look --window 0 --redact
	hasnt seen alices
	[[ $(jq -r .nvml.library seen) == anon-*/usr/lib64/libnvidia-ml.so.1 ]] || fail "$(jq .nvml.library seen)"
}

@test "no library, and one that is broken" {
	mkdir -p driver/lib
	look --window 0
	is "$(worker outcome)" unavailable
	is "$(gpu .use.unknown.busy_percent)" "\"absent: libnvidia-ml.so.1: not installed below $PWD/driver\""
	echo junk > driver/lib/libnvidia-ml.so.1
	look --window 0
	is "$(worker outcome)" partial
	is "$(gpu .nvml.unknown.serial)" "\"error: $PWD/driver/lib/libnvidia-ml.so.1: file too short\""
}

@test "it is not asked where no GPU is its own" {
	library current
	"$GPUDIAG" collect --root "$NODES/mi300x-8" --driver-root "$PWD/driver" -o seen
	is "$(jq '[.probes[] | select(.probe | startswith("nvml"))] | length' seen)" 0
}
