#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# explain-log.bats - the kernel log's catalogue, explained: by number, name, what its maker calls it, and kind.

load helpers.sh
setup() { begin; }

@test "an Xid by its number: what it says, means and asks for, NVIDIA's name, and where that is from" {
	gpudiag explain xid 79
	is "$status" 0
	has "$OUT" 'klog-errors.nvidia-xid-79' 'says    {device} has fallen off the bus' GPU_HAS_FALLEN_OFF_THE_BUS critical \
		'source  NVIDIA Xid catalogue' 'counts  fail; action: drain-and-repair'
	is "$(grep -c '^klog-errors' "$OUT")" 1
}

@test "an Xid whose text tells more: each row of it" {
	gpudiag explain xid 154
	has "$OUT" 'klog-errors.nvidia-xid-154-reset' 'klog-errors.nvidia-xid-154-reboot' 'klog-errors.nvidia-xid-154-none'
	is "$(grep -c '^klog-errors' "$OUT")" 7
}

@test "several numbers, and something else after them" {
	gpudiag explain xid 79 119 pcie-width XID 13 sxid 20034
	is "$status" 0
	is "$(grep -E '^(klog-errors|pcie-width:|SXid)' "$OUT" | cut -d : -f 1)" "klog-errors.nvidia-xid-79
klog-errors.nvidia-xid-119
pcie-width
klog-errors.nvidia-xid-13
SXid 20034
klog-errors.nvidia-sxid-port-fatal"
}

@test "an SXid says its class" {
	gpudiag explain sxid 20034 12020 11004
	is "$status" 0
	has "$OUT" 'SXid 20034: LTSSM fault up' 'class   potentially fatal: to a port' 'class   always fatal: to the whole' \
		'class   not fatal' 'klog-errors.nvidia-sxid-nonfatal'
}

@test "a number that no document names" {
	gpudiag explain xid 999
	refused 'no NVIDIA document names Xid 999' 'list xids'
	gpudiag explain sxid 999
	refused 'does not name SXid 999'
	gpudiag explain xid 79 99999999999999999999
	refused '99999999999999999999'
}

@test "a number alone, or with xid before it: what to type" {
	for name in 79 xid79 Xid-79; do
		gpudiag explain "$name"
		refused "unknown id \"$name\"; for NVIDIA's Xid: gpudiag explain xid 79"
	done
	gpudiag explain xid7x
	refused 'unknown id "xid7x"' 'list checks'
}

@test "by name and by what its maker calls it" {
	gpudiag explain nvidia-xid-79
	is "$(head -n 1 "$OUT")" klog-errors.nvidia-xid-79
	gpudiag explain gsp_rpc_timeout
	is "$(head -n 1 "$OUT")" klog-errors.nvidia-xid-119
}

@test "a kind of event: one line for each of its rows" {
	gpudiag explain aer
	is "$status" 0
	has "$OUT" 'klog-errors.pcie-aer-correctable'
	hasnt "$OUT" nvidia-xid
	gpudiag explain xid
	is "$(grep -c 'klog-errors.nvidia-xid-79 ' "$OUT")" 1
	hasnt "$OUT" nvidia-sxid
	gpudiag explain nvidia-sxid
	has "$OUT" klog-errors.nvidia-sxid-fabric-fatal
}

@test "each word that completes explains something" {
	local word words
	words=$(sed -n 's/^const char \*const explain_log_words\[\] = { \(.*\), NULL };/\1/p' "$TOP/cmd/explain_log.c" | tr -d '",')
	[ "$(wc -w <<< "$words")" -gt 5 ]
	for word in $words; do
		gpudiag explain "$word"
		is "$status" 0
		has "$OUT" 'klog-errors.'
	done
}

@test "the step for firmware that is not there: nothing where the module names none, packed files too" {
	local step

	gpudiag explain klog-errors.nvidia-gsp-firmware-not-loaded
	step=$(grep -F 'modinfo -F firmware nvidia' "$OUT")
	mkdir bin
	printf '#!/bin/sh\ncat names\n' > bin/modinfo
	chmod +x bin/modinfo
	touch names gsp_tu10x.bin.xz
	is "$(PATH=$PWD/bin:$PATH bash -c "$step" 2>&1)" ''
	echo gsp_tu10x.bin > names
	PATH=$PWD/bin:$PATH bash -c "${step//\/lib\/firmware/$PWD}" > "$OUT"
	has "$OUT" "$PWD/gsp_tu10x.bin.xz"
}

@test "list xids: number, name, outcome, severity, action, blame, title" {
	gpudiag list xids
	is "$status" 0
	is "$(awk '$1 == 79 { print $2, $3, $4, $5, $6 }' "$OUT")" \
		'GPU_HAS_FALLEN_OFF_THE_BUS fail critical drain-and-repair hardware'
	has "$OUT" 'has fallen off the bus'
	# In the order of the numbers, each that NVIDIA names, and aligned.
	awk '{ print $1 }' "$OUT" | sort -nc
	is "$(awk '{ print $1 }' "$OUT" | sort -u | wc -l)" 176
	is "$(awk '{ print index($0, " " $3 " ") }' "$OUT" | sort -u | wc -l)" 1
}

@test "an error message of a container runtime or a framework, as it is pasted" {
	gpudiag explain 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
	is "$status" 0
	has "$OUT" "Docker knows no NVIDIA runtime" "nvidia-ctk runtime configure" "source"
	gpudiag explain $'RuntimeError: CUDA error: no kernel image\nis available for execution on the device'
	is "$status" 0
	has "$OUT" "not built for this GPU's architecture"
	gpudiag explain "something else went wrong"
	refused 'no known message in "something else went wrong"'
}

@test "a number in quotes, and a pasted line of a kernel log" {
	gpudiag explain xid 79
	cp "$OUT" plain
	local words
	for words in "Xid 79" "xid  79" "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus." \
		"[12.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."; do
		gpudiag explain "$words"
		is "$status" 0 "exit status of $words"
		cmp "$OUT" plain
	done
	# Of two lines of one event once, of two events both.
	gpudiag explain $'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:3b:00): 79, pid=2, GPU has fallen off the bus.'
	cmp "$OUT" plain
	gpudiag explain $'NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\nNVRM: Xid (PCI:0000:5d:00): 31, pid=2, Ch 00000001, intr 00000000. MMU Fault'
	is "$(grep -c '^klog-errors\.' "$OUT")" 2 "events explained"
	for words in "Xid of the year" "usb 1-1: new high-speed USB device number 2 using xhci_hcd" "Xid 79 of"; do
		gpudiag explain "$words"
		refused "a whole kernel log: gpudiag logs FILE"
	done
}
