#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# gate.bats - the command gate: its options, its exit statuses, and what it keeps and compares. What it answers is in
# tests/cases.

load helpers.sh
setup() { begin; }

H100=$NODES/h100-8
BUSY=$TOP/tests/snapshots/h100-8-nvml.json

@test "an answer in one line, and the exit status that goes with it" {
	need_tree h100-8
	gpudiag gate --root "$H100" --expect-gpus 8 --format line
	is "$status" 0
	has "$OUT" 'go: Nothing broken found'
	gpudiag gate --root "$H100" --expect-gpus 9 -q
	is "$status" 2
	has "$OUT" 'no-go: 8 of 9 GPUs'
	gpudiag gate --root "$H100" -q
	is "$status" 3
	has "$OUT" 'cannot-decide: gpu-visible: 8 on the bus, no expected count'
	is "$(wc -l < "$OUT")" 1
}

@test "the text begins with the answer, below its head" {
	need_tree h100-8
	gpudiag gate --root "$H100" --expect-gpus 9
	is "$status" 2
	is "$(sed -n 4p "$OUT")" 'NO-GO: 8 of 9 GPUs on the PCI bus'
	gpudiag gate --root "$H100" --expect-gpus 8 --to-driver 580.95.05
	is "$status" 0
	has "$OUT" 'GO: 1 warning, first: nv-fabricmanager is running' 'Driver 550.54.14 to 580.95.05 (up)'
	gpudiag gate --root "$H100"
	has "$OUT" 'CANNOT DECIDE: gpu-visible' 'Next: Set the expected number of GPUs: --expect-gpus N'
}

@test "what to do about what is open is no more of the same" {
	need_tree wsl
	gpudiag gate --root "$TOP/build/nodes/wsl" --expect-gpus 1
	has "$OUT" 'CANNOT DECIDE: gpu-visible: under WSL' 'Next: Use gate on nodes with GPUs on the PCI bus'
	hasnt "$OUT" 'Set the expected number'
	jq 'del(.kernel_log) | .probes |= map(select(.key != "kernel-log"))' "$BUSY" > nolog.json
	gpudiag gate --snapshot nolog.json --expect-gpus 8
	has "$OUT" 'CANNOT DECIDE: klog-errors' 'Next: Run gate on the node, or take a new snapshot'
}

@test "a warning goes, and with --strict it does not" {
	jq '.gpus[2].nvml.inforom_valid = false' "$BUSY" > warns.json
	gpudiag gate --snapshot warns.json --expect-gpus 8 -q
	is "$status" 0
	has "$OUT" 'go: 1 warning, first: '
	gpudiag gate --snapshot warns.json --expect-gpus 8 -q --strict
	isnt "$status" 0
	hasnt "$OUT" 'go: 1 warning'
	gpudiag run --snapshot warns.json --expect-gpus 8 -q
	is "$status" 1
}

@test "it never ends with 1, and has no options that would" {
	gpudiag gate --exit bool
	refused '--exit'
	gpudiag gate --fail-on warn
	refused '--fail-on'
}

@test "options that contradict each other, or mean nothing" {
	gpudiag gate --to-driver newest
	refused '--to-driver: "newest" is not a version'
	gpudiag gate --to-driver ''
	refused '--to-driver'
	gpudiag gate --snapshot - --against -
	refused 'cannot both be standard input'
	gpudiag gate --policy - --against -
	refused 'cannot both be standard input'
	gpudiag gate --snapshot x --root /
	refused 'gate: --snapshot and --root'
	gpudiag gate --against nosuch
	refused 'nosuch: No such file'
	gpudiag gate x
	refused 'gate: unexpected argument "x"'
	gpudiag gate --format text=same --record same
	refused 'same place'
	gpudiag gate --format text=same --record ./same
	refused 'same place'
	echo '{' > broken.json
	gpudiag gate --against broken.json
	refused 'broken.json:'
	gpudiag gate --snapshot "$BUSY" -o report.json --format json
	gpudiag gate --snapshot "$BUSY" --against report.json
	refused 'report.json:2: not a gpudiag snapshot but "gpudiag.report/1"' 'gpudiag gate --record FILE'
}

@test "what has to be done with a change of driver stands below its GO, and nowhere else" {
	need_tree cluster-node
	gpudiag gate --root "$NODES/cluster-node" --expect-gpus 8 --to-driver 580.105.05 --record kept.json
	is "$status" 0
	sed '/^ 1 device/,$d' "$OUT" > above
	grep -A1 'Next:' above > steps
	is "$(sed -n 1p steps)" '      Next: Stop the services, one after the other (disruptive)'
	has above "            modprobe -r nvidia_peermem nvidia_uvm nvidia_drm nvidia_modeset nvidia"
	# What waits for the change comes after it.
	is "$(tail -n 1 steps)" "            nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml"
	is "$(tr -s ' \n' ' ' < "$OUT" | grep -o 'after the change to 580.105.05' | wc -l)" 1
	gpudiag gate --snapshot kept.json --format json
	is "$(jq -r '.gate.to_do | map(.finding) | join(" ")' "$OUT")" 'module-holders.services cdi-stale.after-upgrade'
	gpudiag gate --snapshot kept.json --format markdown
	is "$(grep -n 'modprobe -r\|Decision' "$OUT" | cut -d: -f2 | cut -c1-14 | tr '\n' '|')" '   modprobe -r|**Decision|'
	jq '.request.expect_gpus = 9' kept.json > less.json
	gpudiag gate --snapshot less.json
	is "$status" 2
	hasnt "$OUT" 'modprobe -r'
	gpudiag gate --root "$NODES/cluster-node" --expect-gpus 8
	is "$status" 0
	hasnt "$OUT" 'modprobe -r'
}

@test "several services are stopped in one line" {
	need_tree h100-8
	gpudiag gate --root "$H100" --expect-gpus 8 --to-driver 580.105.05
	# shellcheck disable=SC2016 # as it is to be pasted
	has "$OUT" 'for unit in nvidia-fabricmanager nvidia-persistenced; do systemctl stop $unit; done'
}

@test "what is open for one reason is told once, with the GPUs, and what mends it once" {
	need_tree h100-8
	gpudiag gate --root "$H100" --expect-gpus 8 --record kept.json -q
	jq '.gpus |= map(.pci.link_width = null | .pci.unknown.link_width = "denied: EACCES" |
		if .key == "0000:3b:00.0" then . else .pci.config_all_ones = null |
			.pci.unknown.config_all_ones = "denied: EACCES" end)' kept.json > open.json
	gpudiag gate --snapshot open.json
	is "$status" 3
	is "$(sed -n '4,7p' "$OUT" | cut -c1-80)" 'CANNOT DECIDE: gpu-lost of GPUs 0 and 2-7: its configuration space: permission d
      Open: pcie-width of GPUs 0-7: link width: permission denied
      Next: Run it as root'
}

@test "the driver of another maker is not asked about" {
	need_tree mi300x-8
	gpudiag gate --root "$NODES/mi300x-8" --expect-gpus 8 --to-driver 580.95.05
	refused "NVIDIA's driver" '8 GPUs'
}

@test "what was recorded is a snapshot, and judged the same" {
	need_tree h100-8
	gpudiag gate --root "$H100" --expect-gpus 8 --to-driver 580.95.05 --record kept.json -o first --format json
	is "$status" 0
	is "$(jq -r .request.to_driver kept.json)" 580.95.05
	gpudiag gate --snapshot kept.json -o second --format json
	is "$status" 0
	cmp first second
	gpudiag gate --snapshot kept.json -o third --format json
	cmp second third
}

@test "a no-go is recorded too" {
	need_tree h100-8
	gpudiag gate --root "$H100" --expect-gpus 9 -q --record kept.json
	is "$status" 2
	is "$(jq .request.expect_gpus kept.json)" 9
}

@test "nothing got worse" {
	gpudiag gate --snapshot "$BUSY" --expect-gpus 8 --record before.json -q
	is "$status" 0
	gpudiag gate --snapshot "$BUSY" --against before.json --format json
	is "$status" 0
	is "$(jq -c '.gate.against | [.same_machine, .worse]' "$OUT")" '[true,0]'
	gpudiag gate --snapshot "$BUSY" --against before.json
	has "$OUT" 'nothing worse'
}

@test "what got worse since is the reason, though no finding fails" {
	gpudiag gate --snapshot "$BUSY" --expect-gpus 8 --record before.json -q
	jq '.gpus |= map(if .key == "0000:3b:00.0" then .pci.link_width_able = 8 | .pci.link_width = 8 else . end)' \
		"$BUSY" > after.json
	gpudiag gate --snapshot after.json --against before.json --format json
	is "$status" 2
	is "$(jq -r .verdict "$OUT")" warn
	has "$OUT" 'link_width was x16, and is x8'
	is "$(jq '.gate.blockers | length > 0 and all(.finding == null)' "$OUT")" true
	cp "$OUT" once
	gpudiag gate --snapshot after.json --against before.json --format json
	is "$(jq -c .gate "$OUT")" "$(jq -c .gate once)"
	gpudiag gate --snapshot after.json --against before.json
	has "$OUT" 'Worse: GPU 1'
}

@test "a driver that was changed is no worse" {
	gpudiag gate --snapshot "$BUSY" --expect-gpus 8 --record before.json -q
	jq '.modules |= map(if .key == "nvidia" then .version = "550.90.07" else . end)' "$BUSY" > after.json
	gpudiag gate --snapshot after.json --against before.json --format json
	is "$status" 0
	is "$(jq '.gate.against | .worse == 0 and .other > 0' "$OUT")" true
}

@test "what another machine recorded decides nothing" {
	gpudiag gate --snapshot "$BUSY" --expect-gpus 8 --record before.json -q
	jq '.host.name = "other" | .host.machine_serial = "TEST0002" | .host.boot_id = "11111111-2222-3333-4444-555555555555" |
		.gpus |= map(if .nvml then .nvml.uuid = "GPU-other-" + .key | .nvml.serial = "9" + .key else . end)' \
		before.json > other.json
	gpudiag gate --snapshot "$BUSY" --against other.json --format json
	is "$status" 3
	has "$OUT" 'the recorded state is of another machine'
}

@test "how many GPUs belong here, who recorded it has said" {
	need_tree h100-8
	gpudiag gate --root "$H100" --expect-gpus 8 --record before.json -q
	gpudiag gate --root "$H100" --against before.json -q
	is "$status" 0
	jq '.gpus |= map(select(.key != "0000:4c:00.0")) | .bus.gpus -= 1' before.json > after.json
	gpudiag gate --snapshot after.json --against before.json -q
	is "$status" 2
	has "$OUT" 'no-go: 7 of 8 GPUs'
}

@test "explain tells what counts for more in a gate" {
	gpudiag explain vram-health.remap-pending
	has "$OUT" 'counts  warn' 'in gpudiag gate fail: '
	gpudiag explain vram-health.remap-failed
	hasnt "$OUT" 'in gpudiag gate'
}
