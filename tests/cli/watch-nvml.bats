#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# watch-nvml.bats - gpudiag watch of a recorded node, by a management library without a GPU whose answers change over time.
# Runs beside one: it waits for ticks.

load helpers.sh
setup_file() { is_timed; }
setup() { begin; }

TREE=$NODES/h100-8
# What each GPU of a job that computes as fast as it can answers, and one whose kernels wait.
COMPUTES='{busy_percent: 99, power_mw: 650000, energy_mj: {base: 1e9, per_s: 650000}, clock_mhz: 1800, clock_reasons: 4,
	gpm: {"2": 92, "3": 60, "5": 65, "10": 40}}'
SPINS='{busy_percent: 100, power_mw: 150000, energy_mj: {base: 1e9, per_s: 150000}, clock_mhz: 1800, clock_reasons: 0,
	gpm: {"2": 12, "3": 60, "5": 0, "10": 1}}'

# watch JQ LENGTH: eight GPUs as jq changes their answers, ten ticks a second; an object a line is in $OUT.
watch() {
	need_tree h100-8
	jq "$1" "$TREE/driver/usr/lib/x86_64-linux-gnu/nvml.json" > nvml.json
	with env GPUDIAG_FAKE_NVML="$PWD/nvml.json" gpudiag watch --root "$TREE" --driver-root "$TREE/driver" --interval 100ms \
		--for "$2" -f json
	empty "$ERR"
}

# ticks FILTER: of the list of all ticks.
ticks() {
	jq -sr "[.[] | select(.story | not)] | $1" "$OUT"
}

story() {
	jq -r "select(.story) | .story | $1" "$OUT"
}

@test "eight GPUs at full power are compute-bound" {
	watch ".gpus[] += $COMPUTES" 2.5s
	is "$status" 0 "exit status"
	is "$(story '[.phases[].word] | join(" ")')" compute-bound
	has "$OUT" "GPUs 0-7 are compute-bound: 99 % busy, SM 92 %, tensor 65 %, DRAM 40 %"
	is "$(ticks '.[-1].gpus | [.[].word] | unique | join(" ")')" compute-bound
}

@test "all the time busy at a quarter of the power: they spin" {
	watch ".gpus[] += $SPINS" 2.5s
	is "$status" 0 "exit status"
	is "$(story '[.phases[].word] | join(" ")')" spinning
}

@test "work that ends: the word follows, and each has its share" {
	watch ".gpus[] += $COMPUTES | .script = [.gpus[] | {t_ms: 2000, gpu: .pci} + $SPINS]" 8s
	# While the last seconds are of both there may be no single limit.
	is "$(ticks '[.[].gpus[0].word | select(. != "not-judged" and . != "mixed")] | reduce .[] as $word ([]; if .[-1] == $word then .
		else . + [$word] end) | join(" ")')" "compute-bound spinning"
	is "$(story '[.phases[] | select(.share >= 0.2) | .word] | contains(["compute-bound", "spinning"])')" true
}

@test "a driver that hangs at tick 40 in one GPU: one restart, and the rest goes on" {
	watch ".gpus[] += $COMPUTES"' | .faults = [{call: "nvmlDeviceGetSamples", gpu: .gpus[3].pci, after_ms: 4000, do: "hang"}]' 10s
	is "$status" 0 "exit status"
	# While it hangs the host is watched, and it is told which call does not return.
	is "$(ticks '[.[] | .tick.sources[] | select(.key != "sample-nvml" and .state != "ok")] | length')" 0 "late sources of the host"
	[ "$(ticks '[.[] | select(.trouble | . and contains("nvmlDeviceGetSamples of 0000:5d:00.0"))] | length')" -ge 40 ] ||
		fail "the hang is not told"
	is "$(ticks '[.[] | .tick.sources[] | select(.state == "restarted")] | length')" 1 "restarts"
	# Without that GPU from then on.
	is "$(ticks '.[-1].tick | [.gpus[] | select(.busy_percent == 99)] | length')" 7 "GPUs read at the end"
	is "$(ticks '.[-1].trouble')" "GPU 3 is not asked any more: no answer in nvmlDeviceGetSamples of 0000:5d:00.0"
	is "$(ticks '.[-1].tick.sources | map(.state) | unique | join(" ")')" ok "sources at the end"
}

@test "a GPU that falls off the bus is faulted, and the sentence at the end says so" {
	watch ".gpus[] += $COMPUTES"' | .script = [{t_ms: 3500, gpu: .gpus[5].pci, error: "GPU_IS_LOST"}]' 5s
	is "$status" 2 "exit status"
	is "$(ticks '.[-1].gpus | [.[].word] | [.[5], (.[:5] + .[6:] | unique[])] | join(" ")')" "faulted compute-bound"
	is "$(story '.headline | test("GPU 5 is faulted: the GPU does not respond any more: NVML_ERROR_GPU_IS_LOST")')" true
}
