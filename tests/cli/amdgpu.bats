#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # variables of helpers.sh
# amdgpu.bats - what amdgpu tells of its cards in files: what is taken, and what is refused and why.
# Runs beside one: it times readings that are repeated.

load helpers.sh
setup() { begin; }
teardown() { unmount_hangfs; }

# look_at NODE: its snapshot into ./seen
look_at() {
	with gpudiag collect --level read --root "$NODES/$1" -o seen
	is "$status" 0
}

# of NUMBER EXPRESSION: of that GPU of ./seen, in one line
of() {
	jq -r ".gpus[$1] | $2" seen
}

@test "a card of several chips: the hottest place stands for the edge it has not" {
	look_at mi300x-cpx
	is "$(of 0 '.amdgpu | [.temperature_c, .hotspot_c, .hotspot_max_c, .memory_temperature_c] | join(" ")')" "41 41 100 33"
	is "$(of 0 '.amdgpu | [.power_mw, .power_limit_mw, .clock_mhz, .clock_max_mhz] | join(" ")')" "141000 750000 132 2100"
	is "$(of 0 .amdgpu.metrics_version)" 1.7
	is "$(of 0 .amdgpu.unknown.throttle_status)" \
		"unsupported: this version counts how long it was held back, not whether it is"
}

@test "its partitions are its own, by place and number, and so is who computes on one" {
	look_at mi300x-cpx
	is "$(jq -r '[.gpus[].amdgpu.kfd_nodes] | join(" ")' seen)" "8 8 8 8 8 8 8 8"
	is "$(of 3 '.amdgpu | [.compute_partition, .memory_partition, .gfx_version] | join(" ")')" "CPX NPS1 gfx942"
	is "$(jq -r '[.gpus[].amdgpu.clients] | join(" ")' seen)" "1 0 0 0 0 0 0 0"
	is "$(of 0 '.clients[] | [.key, .kind, .memory_bytes, .alive] | join(" ")')" "7004:compute compute 100663296 true"
}

@test "links that are there and work; of one the firmware calls not available nothing is said" {
	look_at mi300x-cpx
	is "$(of 0 '.amdgpu | [.xgmi_links, .xgmi_links_active, .hive_gpus] | join(" ")')" "7 7 8"
	is "$(of 0 '[.links[] | "\(.key) \(.kind) \(.state) \(.speed_gbps)"] | .[6]')" "6 xgmi active 64"
	is "$(of 0 '.links | length')" 7
	look_at mi300x-8
	is "$(of 0 '.amdgpu | [.xgmi_links, .xgmi_links_active] | join(" ")')" "7 "
	is "$(of 0 .links)" null
}

@test "errors by block, and pages by what became of them" {
	look_at amdgpu-bad
	is "$(of 7 '.amdgpu | [.ras_blocks, .bad_pages, .pending_bad_pages, .unretired_bad_pages] | join(" ")')" "1 240 80 80"
	is "$(of 7 '.amdgpu.ras[0] | [.key, .uncorrected, .corrected, .unknown.deferred] | join(" ")')" \
		"umc 1 12 absent: not counted by this kernel"
	look_at mi300x-8
	is "$(of 0 '.amdgpu.ras[] | select(.key == "umc") | [.uncorrected, .corrected, .deferred] | join(" ")')" "0 0 0"
}

@test "the firmware's stuck bit is not believed of a cool chip, and is of one near its limit" {
	copy_of rx7900xtx
	look_at rx7900xtx
	is "$(of 0 .amdgpu.throttle_status)" none
	echo 101000 > "$(find tree/sys/devices -name temp2_input)"
	with gpudiag collect --level read --root tree -o seen
	is "$(of 0 .amdgpu.throttle_status)" TEMP_HOTSPOT
}

@test "a table that is none gives a reason and no value" {
	look_at amdgpu-bad
	is "$(of 0 .amdgpu.unknown.metrics_version)" "error: version 1.3, 60 bytes: cut short"
	is "$(of 1 .amdgpu.metrics_version)" 1.3
	is "$(of 2 .amdgpu.unknown.metrics_version)" "unsupported: version 4.1, 120 bytes: its version is not known"
	is "$(of 3 .amdgpu.unknown.metrics_version)" "absent: 120 bytes: all ones: the firmware filled nothing in"
	is "$(of 4 .amdgpu.unknown.metrics_version)" "error: version 1.3, 120 bytes: its size is not that of its version"
	is "$(of 5 .amdgpu.unknown.metrics_version)" "error: 0 bytes: cut short before its version"
	is "$(jq -r '[.gpus[] | .amdgpu.throttle_status // "-"] | join(" ")' seen)" "- none - - - - none none"
	is "$(of 0 .amdgpu.unknown.throttle_status)" "error: version 1.3, 60 bytes: cut short"
}

@test "sensors without labels are nobody's, and what cannot be measured is no value" {
	look_at amdgpu-bad
	is "$(of 0 .amdgpu.unknown.temperature_c)" "absent: no sensor bears that label"
	is "$(of 0 .amdgpu.power_mw)" 41000
	is "$(of 6 '.amdgpu.unknown | [.temperature_c, .hotspot_c, .hotspot_max_c] | join("; ")')" \
		'error: reads "-273150"; error: reads "65535000"; error: reads "4294967295"'
	is "$(of 6 '.amdgpu.unknown | [.temperature_max_c, .memory_temperature_c, .power_limit_mw] | join("; ")')" \
		"unsupported: reads 0; unsupported: reads 0; unsupported: reads 0"
	is "$(of 6 '.amdgpu | [.power_mw, .fan_rpm] | join(" ")')" "41000 "
}

@test "counters that cannot be asked now are errors, by the driver's own words" {
	look_at amdgpu-bad
	is "$(of 6 '.amdgpu.ras[] | select(.key == "umc") | .unknown.uncorrected')" \
		'error: reads "Query currently inaccessible"'
	is "$(of 6 '.amdgpu.ras[] | select(.key == "gfx") | [.uncorrected, .unknown.corrected] | join(" ")')" \
		'3 error: reads "many"'
	is "$(of 6 .amdgpu.unknown.bad_pages)" "error: a line of it is no page"
}

@test "--wake looks at a card that sleeps too, and judges it" {
	copy_of mi210-4
	local card
	card=$(readlink -f tree/sys/bus/pci/devices/0000:23:00.0)
	echo suspended > "$card/power/runtime_status"
	with gpudiag collect --level read --root tree -o seen
	is "$(of 0 .pci.unknown.link_width)" "asleep: runtime_status suspended"
	with gpudiag collect --level read --wake --root tree -o seen
	is "$(of 0 '[.pci.link_width, .amdgpu.temperature_c] | map(type) | join(" ")')" "number number"
	is "$(jq .request.wake seen)" true
	with gpudiag run --snapshot seen --format json=report
	is "$(jq -r '[.. | .reason? // empty | strings | select(test("suspended"))] | length' report)" 0
	is "$(jq -r '.gpus[0].state' report)" usable
}

@test "of a card that sleeps no sensor and no table is read" {
	copy_of mi210-4
	local card
	card=$(readlink -f tree/sys/bus/pci/devices/0000:23:00.0)
	echo suspended > "$card/power/runtime_status"
	echo D3hot > "$card/power_state"
	with gpudiag collect --level read --root tree -o seen
	is "$(of 0 '.amdgpu.unknown | [.temperature_c, .power_mw, .metrics_version, .ras_blocks, .bad_pages] |
		map(.[:6]) | unique | join(" ")')" asleep
	is "$(of 1 .amdgpu.temperature_c)" 38
}

@test "more blocks and more processes than there can be cost nothing else" {
	copy_of mi300x-8
	local gpu=tree/sys/bus/pci/devices/0000:05:00.0 kfd=tree/sys/class/kfd/kfd id
	id=$(for node in "$kfd"/topology/nodes/*; do
		if grep -qx "location_id 1280" "$node/properties"; then
			cat "$node/gpu_id"
		fi
	done)
	isnt "$id" '' "the GPU's number"
	python3 - "$gpu/ras" "$kfd/proc" "$id" <<- 'PYTHON'
		import os, sys
		ras, processes, gpu = sys.argv[1:]
		for number in range(5000):
		    with open(f"{ras}/b{number}_err_count", "w", encoding="ascii") as file:
		        file.write("ue: 0\nce: 0\n")
		    os.makedirs(f"{processes}/{100000 + number}")
		    with open(f"{processes}/{100000 + number}/vram_{gpu}", "w", encoding="ascii") as file:
		        file.write("4096")
	PYTHON
	gpudiag collect --root tree -o seen
	is "$(jq -r '.probes[] | select(.key == "gpu-files 0000:05:00.0") | .outcome' seen)" ok
	is "$(jq -r '.gpus[] | select(.key == "0000:05:00.0") | .amdgpu.unknown | .ras_blocks, .clients' seen)" \
		$'error: more blocks than any chip has\nskipped: incomplete: thousands of entries'
}

# The file of the sensor that tells the power of the first GPU of mi300x-8, as its tree has it.
power_file() {
	local folder
	folder=$(realpath tree/sys/bus/pci/devices/0000:05:00.0)/hwmon
	printf '%s' "$(find "$folder/" -name 'power1_*' ! -name '*cap*' ! -name '*label*' | head -1)"
}

@test "a sensor that fails for five seconds on one of eight: it is asked again, told, and warned of" {
	local file
	copy_of mi300x-8
	mount_hangfs
	file=$(power_file)
	printf '%s eio\n' "${file#"$PWD/tree"}" > tree/.faults
	with gpudiag run --level read --root mnt --format json --format snapshot=seen
	is "$status" 1
	is "$(of 0 .amdgpu.unknown.power_mw)" "error: EIO"
	[ "$(of 0 .amdgpu.unanswered_ms)" -ge 5000 ] || fail "$(of 0 .amdgpu)"
	is "$(of 1 .amdgpu.unanswered_ms)" null
	is "$(json '[.findings[] | select(.outcome == "warn") | .id] | join(" ")')" twins-differ.no-answer
}

@test "one that fails for a moment: its value is there, and nothing is said of it" {
	local file
	copy_of mi300x-8
	mount_hangfs
	file=$(power_file)
	printf '%s eio\n' "${file#"$PWD/tree"}" > tree/.faults
	(sleep 2 && : > tree/.faults) &
	with gpudiag run --level read --root mnt --format json --format snapshot=seen
	wait
	is "$status" 0
	[ "$(of 0 .amdgpu.power_mw)" -gt 0 ] || fail "$(of 0 .amdgpu)"
	is "$(of 0 .amdgpu.unanswered_ms)" null
}
