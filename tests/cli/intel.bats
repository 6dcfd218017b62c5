#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # variables of helpers.sh
# intel.bats - who holds an Intel GPU's memory, by the lines of its clients that i915 and xe write.

load helpers.sh
setup() { begin; }

# held NODE LINE…: the bytes that a process of that machine holds by these lines of its client.
held() {
	local node=$1 folder
	shift
	copy_of "$node"
	folder=$(dirname tree/proc/*/fdinfo)
	ln -sfn /dev/dri/renderD128 "$folder/fd/9"
	printf '%s\n' "pos:	0" "drm-client-id:	7" "$@" > "$folder/fdinfo/9"
	gpudiag collect --level read --root tree -o seen
	jq -r --arg node /dev/dri/renderD128 '.holders[] | select(.node == $node) |
		"\(.gpu) \(.memory_bytes // .unknown.memory_bytes)"' seen
}

@test "xe: the memory of its tiles, none of the machine's" {
	is "$(held arc-b580-xe 'drm-driver:	xe' 'drm-pdev:	0000:03:00.0' 'drm-total-vram0:	9 GiB' \
		'drm-resident-vram0:	8 GiB' 'drm-resident-system:	3 GiB' 'drm-resident-gtt:	5 GiB')" \
		"0000:03:00.0 8589934592"
}

@test "i915: local memory, and the part of it that firmware took" {
	is "$(held arc-a770 'drm-driver:	i915' 'drm-pdev:	0000:03:00.0' 'drm-resident-local0:	4 GiB' \
		'drm-resident-stolen-local0:	1 MiB' 'drm-resident-system0:	3 GiB')" "0000:03:00.0 4296015872"
}

@test "an i915 that counts no memory: not known, and not none" {
	is "$(held arc-a770 'drm-driver:	i915' 'drm-pdev:	0000:03:00.0' 'drm-engine-render:	5 ns')" \
		"0000:03:00.0 unsupported: the driver does not count its clients' memory"
}
