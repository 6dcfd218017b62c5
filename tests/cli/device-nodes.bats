#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # variables of helpers.sh
# device-nodes.bats - whose a GPU is and who may open it, as seen live below a mock /sys and /dev; what drivers tell in
# files, and what they answer instead.
# Runs beside one: it asks who holds device nodes.

load helpers.sh
setup() { begin; }

MI210=0000:43:00.0

# umockdev puts a tree in place of /sys, /dev and /proc for all that is linked dynamically.
mock_or_skip() {
	command -v umockdev-wrapper > /dev/null || skip "umockdev is not installed"
	is_sanitized && skip "the mock and the sanitizer both want to be loaded first"
	copy_of "$1"
	MOCK=(env "UMOCKDEV_DIR=$BATS_TEST_TMPDIR/tree" umockdev-wrapper)
}

# node PATH FIELD: of ./seen
node() {
	jq -r --arg key "$1" ".device_nodes[] | select(.key == \$key) | $2" seen
}

# ---- live

@test "root: nodes, their GPUs, owners and rights" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mock_or_skip mi210-switch
	chmod 640 tree/dev/dri/renderD128
	with "${MOCK[@]}" gpudiag run --level read --check gpu-access --format json --format snapshot=seen
	is "$(jq -r '[.device_nodes[].key] | join(" ")' seen)" "/dev/dri/card0 /dev/dri/renderD128 /dev/kfd"
	is "$(node /dev/dri/renderD128 .gpu)" "$MI210"
	is "$(node /dev/kfd '.unknown.gpu')" "absent: serves every GPU"
	is "$(node /dev/dri/renderD128 '[.mode, .user_id, .group, .may_open] | join(" ")')" "0640 0 root true"
	is "$(jq .listed.device_nodes seen)" 3
	valid_report
	is "$(result gpu-access)" pass
}

@test "a user outside the group: a note, exit 0, and which group" {
	mock_or_skip l40s-4
	chmod 660 tree/dev/nvidia*
	as_nobody_or_skip
	with "${AS_NOBODY[@]}" "${MOCK[@]}" gpudiag run --level read --format json
	is "$status" 0
	valid_report
	is "$(json '.findings[0].id')" gpu-access.closed
	is "$(json '[.findings[] | select(.id == "gpu-access.closed")] | length')" 4
	has "$OUT" "not accessible to user $NOBODY"
}

@test "udev's word counts first, and without udev the same is read from /sys" {
	mock_or_skip mi210-switch
	with "${MOCK[@]}" gpudiag collect --level read -o with-udev
	is "$status" 0
	mkdir broken
	echo 'no library' > broken/libudev.so.1
	with env LD_LIBRARY_PATH="$PWD/broken" "${MOCK[@]}" gpudiag collect --level read -o without
	is "$status" 0
	is "$(jq -c .device_nodes without)" "$(jq -c .device_nodes with-udev)"
	# A name that only udev knows.
	sed -i 's,renderD128,elsewhere,' tree/sys/devices/*/*/*/*/"$MI210"/drm/renderD128/uevent
	echo > tree/dev/dri/elsewhere
	with "${MOCK[@]}" gpudiag collect --level read -o seen
	is "$(node /dev/dri/elsewhere .gpu)" "$MI210"
	with env LD_LIBRARY_PATH="$PWD/broken" "${MOCK[@]}" gpudiag collect --level read -o seen
	is "$(node /dev/dri/elsewhere .gpu)" ''
}

@test "a node that should be there and is not" {
	mock_or_skip l40s-4
	rm tree/dev/nvidia2
	with "${MOCK[@]}" gpudiag collect --level read -o seen
	is "$(node /dev/nvidia2 '[.gpu, .unknown.mode, .unknown.may_open] | join(", ")')" \
		"0000:51:00.0, absent: no such node, absent: no such node"
	# Whether this machine is a container is not the question.
	jq '.host.container = "none"' seen > metal
	gpudiag run --snapshot metal --format json
	is "$status" 1
	has "$OUT" 'GPU 2 (0000:51:00.0, slot 3) has no device node /dev/nvidia2'
}

@test "what the device cgroup refuses is told apart from what permissions do" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	local group=/sys/fs/cgroup/devices/gpudiag-test-$$
	mkdir "$group" 2> /dev/null || skip "no device control groups of version 1 here"
	mkdir -p tree/sys/bus/pci/devices tree/proc
	echo 'c 195:0 rw' > "$group/devices.deny"
	if ! mknod /dev/nvidia0 c 195 0 2> /dev/null; then
		rmdir "$group"
		skip "no device node can be made, or there is a GPU"
	fi
	# shellcheck disable=SC2016 # the inner shell expands it
	with sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" gpudiag collect --level read -o seen
	rm -f /dev/nvidia0
	rmdir "$group"
	is "$status" 0
	is "$(node /dev/nvidia0 '[.may_open, .refused_by] | join(" ")')" "false device cgroup"
}

# ---- a recorded tree

@test "a recording without /dev says nothing of nodes, and is no container without GPUs" {
	copy_of l40s-4
	rm -r tree/dev
	echo > tree/.dockerenv
	gpudiag run --root tree --format json --format snapshot=seen
	is "$status" 0
	is "$(jq -r .listed.unknown.device_nodes seen)" "unsupported: the recording holds no node of a GPU"
	is "$(json '[.gpus[].role] | unique[]')" gpu
	is "$(result gpu-access | sort -u)" skip
}

@test "a container with 2 of 8: the others are listed, and no worker looks at them" {
	need_tree container-2-of-8
	gpudiag run --root "$NODES/container-2-of-8" --format json
	is "$status" 0
	valid_report
	is "$(json '[.gpus[] | select(.role == "not-ours")] | length')" 6
	is "$(json '[.gpus[] | select(.under_test) | .pci] | join(" ")')" "0000:4c:00.0 0000:5d:00.0"
	is "$(json '[.probes[] | select(.probe == "pci-link") | .target] | join(" ")')" \
		"0000:0b:00.0 0000:4c:00.0 0000:5d:00.0" "those looked at, with the management controller's display"
	is "$(json '[.probes[] | select(.probe == "gpu-files") | .target] | join(" ")')" "0000:4c:00.0 0000:5d:00.0"
	is "$(json '[.checks[] | select(.subject == "GPU 2")] | length')" 0
}

@test "NVIDIA's driver before it opened the GPU: no UUID, no VBIOS, and not question marks" {
	copy_of laptop-asleep
	echo active | tee tree/sys/bus/pci/devices/*/power/runtime_status > /dev/null
	echo D0 | tee tree/sys/bus/pci/devices/*/power_state > /dev/null
	gpudiag run --root tree --format json
	valid_report
	is "$(json '.gpus[0] | [.uuid, .vbios, .minor] | tostring')" '[null,null,0]'
	is "$(json '.gpus[0].unknown.vbios')" "absent: not known before the driver opened the GPU"
	hasnt "$OUT" '??'
}

@test "files of a Radeon that sleeps are left alone" {
	need_tree laptop-amd-asleep
	gpudiag collect --root "$NODES/laptop-amd-asleep" -o seen
	# The compute driver answers from memory, and this node has none.
	is "$(jq -r '[.gpus[].amdgpu.unknown // empty | del(.kfd_nodes, .gfx_version, .clients) | .[]] | unique[]' seen)" \
		"asleep: runtime_status suspended"
	hasnt seen woken
}

@test "what amdgpu answers instead of a value" {
	command -v strace > /dev/null || skip "strace is not installed"
	strace -o /dev/null true 2> /dev/null || skip "nothing may be traced here"
	copy_of mi210-switch
	local file errno says
	file=$(realpath "tree/sys/bus/pci/devices/$MI210")/mem_info_vram_used
	while read -r errno says; do
		with env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null -P "$file" -e trace=read \
			-e "inject=read:error=$errno" gpudiag collect --root tree -o seen
		is "$(jq -r '.gpus[0].amdgpu.unknown.vram_used_bytes' seen)" "$says" "$errno"
		is "$(jq -r '.gpus[0].amdgpu.vram_total_bytes' seen)" 68702699520 "the file beside it"
	done <<- END
		EBUSY error: EBUSY: the driver resets the GPU
		EINVAL unsupported: EINVAL
		ENODEV unsupported: ENODEV
		ENODATA unsupported: ENODATA
		EOPNOTSUPP unsupported: EOPNOTSUPP
		EPERM denied: EPERM
		EIO error: EIO
	END
}

@test "a ticket follows the card by its serial number, and else the place" {
	need_tree mi210-switch
	local at_home elsewhere
	gpudiag collect --root "$NODES/mi210-switch" -o here
	jq '.gpus[0].key = "0000:a3:00.0"' here > there
	gpudiag run --snapshot here --format json
	at_home=$(json '.findings[0].key')
	has "$OUT" "GPU 0 ($MI210, slot 1, serial PCB0123456) runs"
	gpudiag run --snapshot there --format json
	is "$(json '.findings[0].key')" "$at_home"
	jq 'del(.gpus[].amdgpu.serial)' here > here-unnamed
	jq 'del(.gpus[].amdgpu.serial)' there > there-unnamed
	gpudiag run --snapshot here-unnamed --format json
	at_home=$(json '.findings[0].key')
	gpudiag run --snapshot there-unnamed --format json
	elsewhere=$(json '.findings[0].key')
	isnt "$elsewhere" "$at_home"
}
