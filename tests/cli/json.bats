#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# json.bats - JSON reports as engineers use them: key figures, sentences, compact reports, the jq lines of the manual.

load helpers.sh

setup() { begin; }

# jq_line TEXT: the filter of the manual's example of which TEXT is part, with its options, as a shell would split it.
jq_line() {
	sed -n 's/^\.Dl \$ gpudiag .* | jq //p' "$TOP/man/gpudiag-report.5" | sed 's/\\(dq/"/g; s/\\e/\\/g' | grep -F -- "$1"
}

# answers TEXT WANT: what that example says of the report in $OUT.
answers() {
	local line
	line=$(jq_line "$1") || fail "no example with $1"
	is "$(eval "jq $line" < "$OUT")" "$2" "jq $line"
}

@test "a GPU has its key figures, whoever made it" {
	need_tree mi300x-8
	gpudiag run --snapshot "$TOP/tests/snapshots/mi300x-8-load.json" -f json
	valid_report
	is "$(json '.gpus[0] | [.temperature_c, .power_mw, .power_limit_mw, .busy_percent, .vram_used_bytes,
		.vram_total_bytes, .link_width, .link_speed_mtps] | map(tostring) | join(" ")')" \
		"62 702000 750000 99 16613376 206158430208 16 32000"
	gpudiag run --snapshot "$TOP/tests/snapshots/h100-8-nvml.json" -f json
	is "$(json '.gpus[0] | [.ecc_corrected, .ecc_uncorrected, .temperature_c] | map(tostring) | join(" ")')" "0 0 null"
}

@test "memory errors of AMD's blocks are added up, and one that did not answer leaves no sum" {
	need_tree mi300x-8
	gpudiag collect --root "$NODES/mi300x-8" -o seen
	[ "$(jq '.gpus[0].amdgpu.ras | length' seen)" -gt 1 ] || fail "no blocks"
	jq '.gpus[0].amdgpu.ras |= map(.corrected = 3 | .uncorrected = 0)
		| .gpus[1].amdgpu.ras[0] |= (.corrected = null | .unknown.corrected = "error: EIO")' seen > some
	gpudiag run --snapshot some -f json
	is "$(json '.gpus[0].ecc_corrected')" "$((3 * $(jq '.gpus[0].amdgpu.ras | length' seen)))"
	is "$(json '.gpus[0].ecc_uncorrected')" 0
	is "$(json '.gpus[1].ecc_corrected, .gpus[1].unknown.ecc_corrected')" $'null\nerror: EIO'
}

@test "a finding is told in a full sentence that names the GPU" {
	need_tree h100-8-x8
	gpudiag run --root "$NODES/h100-8-x8" -f json
	is "$(json '.findings[0].sentence')" \
		"GPU 3 (0000:5d:00.0, slot 4) runs its PCIe link at x8 of x16, its twins at x16."
}

@test "a compact report is valid, small, and has all that is wrong" {
	for tree in h100-8-x8 mi300x-8 laptop-asleep; do
		need_tree "$tree"
		gpudiag collect --root "$NODES/$tree" -o seen
		gpudiag run --snapshot seen -f json=whole -f jsonl=line
		gpudiag run --snapshot seen -f json --compact
		valid_report
		cp "$OUT" compact
		valid_report line
		is "$(wc -l < line)" 1
		[ "$(wc -c < line)" -le 20480 ] || fail "$tree: $(wc -c < line) bytes"
		is "$(jq -cS 'del(.argv)' line)" "$(jq -cS 'del(.argv)' compact)"
		is "$(jq -cS 'del(.argv, .left_out)' line)" "$(jq -cS 'del(.argv)
			| .checks |= map(select(.failure or (.result != "pass" and .result != "skip")))
			| .probes |= map(select(.outcome != "ok"))' whole)"
		is "$(jq '[.left_out[][]] | add' line)" \
			"$(jq '[.checks[] | select(.failure == null and (.result == "pass" or .result == "skip"))] | length' whole)"
		is "$(jq '.left_out.pass["gpu-lost"] // 0' line)" \
			"$(jq '[.checks[] | select(.check == "gpu-lost" and .result == "pass")] | length' whole)"
	done
}

@test "--compact shortens JSON alone" {
	gpudiag run --root "$NODES/h100-8" --compact
	refused "--compact: nothing to shorten: add --format json"
	need_tree h100-8
	gpudiag gate --root "$NODES/h100-8" --expect-gpus 8 -f jsonl --compact
	is "$status" 0
	valid_report
	is "$(json '.gate.answer, (.left_out.pass["gpu-lost"] | tostring)')" $'go\n8'
}

@test "the jq lines of the manual say what they promise" {
	need_tree h100-8-x8
	is "$(jq_line '' | wc -l)" 10
	gpudiag run --root "$NODES/h100-8-x8" -f json
	answers 'fail' "GPU 3 (0000:5d:00.0, slot 4) runs its PCIe link at x8 of x16, its twins at x16."
	answers 'unusable_gpus' 0000:5d:00.0
	answers '.command' "lspci -vv -s 0000:5d:00.0 | grep -E 'LnkCap|LnkSta'"
	has_line=$(jq_line 'observed') || fail "no example of evidence"
	eval "jq $has_line" < "$OUT" | grep -qx 'link_width = 8 lanes' || fail "no link_width = 8 lanes"
	answers 'link_width_able' 0000:5d:00.0
	gpudiag run --root "$NODES/h100-8-x8" -f jsonl
	answers 'schedulable' $'h100-8-x8\tGPU 3 (0000:5d:00.0, slot 4) runs its PCIe link at x8 of x16, its twins at x16.'
	gpudiag run --snapshot "$TOP/tests/snapshots/mi300x-8-load.json" -f json
	is "$(eval "jq $(jq_line temperature_c)" < "$OUT" | head -n 1)" \
		$'0\t0000:05:00.0\tAMD Instinct MI300X\t\t62\t702000'
	is "$(eval "jq $(jq_line '100 * ')" < "$OUT" | cut -f 1 | tr '\n' ' ')" "0 1 2 3 4 5 6 7 "
	is "$(eval "jq $(jq_line '.unknown[]')" < "$OUT" | wc -l)" "$(json '.unknown | length')"
	isnt "$(json '.unknown | length')" 0
	gpudiag run --snapshot "$TOP/tests/snapshots/h100-8-opencl.json" -f json
	is "$(eval "jq $(jq_line '.timings')" < "$OUT" | wc -l)" 56
}

@test "the reports are valid" {
	reports_are_valid
}
