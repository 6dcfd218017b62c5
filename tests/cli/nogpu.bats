#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# nogpu.bats - no GPU, too few, too many; and no standard streams, no environment, no folder to stand in.
# Runs beside one: it looks at this machine.

load helpers.sh
setup() { begin; }

# on TREE ARGUMENT…: the report of a recorded machine, as JSON.
on() {
	local tree=$1
	shift
	need_tree "$tree"
	gpudiag run --root "$NODES/$tree" --format json "$@"
	valid_report
	is "$status" "$(json .exit_status)"
}

# without_gpu N: the N-th of ./tree's GPUs is taken off the bus.
without_gpu() {
	rm "tree/sys/bus/pci/devices/$1"
}

live_without_gpu_or_skip() {
	gpudiag collect --level read -o seen
	[ "$(jq .bus.gpus seen)" = 0 ] || skip "this machine has a GPU"
}

# ---- how many

@test "this machine without GPU: not judged, and what to do" {
	local own
	live_without_gpu_or_skip
	gpudiag run --level read --format json --format text=text
	valid_report
	[ "$(finding gpu-visible.none)" = '' ] || skip "this machine has a trace of a GPU"
	is "$status" 3
	[[ $(finding gpu-visible.no-trace) == 'No GPU found'* ]] || fail "$(json .findings)"
	is "$(json .decision.schedulable)" not-judged
	has text 'UNKNOWN  No GPU found' 'lspci' 'gpudiag --expect-gpus 0' 'gpudiag demo'
	gpudiag run --level read --expect-gpus 0 --format json
	valid_report
	is "$(result gpu-visible)" pass
	own=$(json '[.findings[] | select(.outcome == "warn" or .outcome == "fail").id] | join(" ")')
	[ -z "$own" ] || skip "this machine has troubles of its own: $own"
	is "$status" 0
	is "$(json .verdict)" pass
}

@test "recorded machines without GPU" {
	local tree
	for tree in head-node bmc-only; do
		on "$tree"
		is "$status" 3
		isnt "$(finding gpu-visible.no-trace)" ''
		is "$(json .decision.action)" none
		is "$(json .decision.reason)" 'it is unknown whether a GPU belongs here'
		is "$(json .decision.schedulable)" not-judged
		on "$tree" --exit npd
		is "$status" 2
		on "$tree" --expect-gpus 0
		is "$status" 0
		is "$(result gpu-visible)" pass
		on "$tree" --expect-gpus 8
		is "$status" 2
		[[ $(finding gpu-visible.none) == 'No GPU on the PCI bus'* ]] || fail "$(json .findings)"
	done
}

@test "a machine without GPU is no fault to a monitor, and a gate cannot decide" {
	need_tree head-node
	gpudiag run --root "$NODES/head-node" --format nagios
	is "$status" 3
	has "$OUT" 'GPUDIAG UNKNOWN - No GPU found' 'Decision: none'
	gpudiag gate --root "$NODES/head-node"
	is "$status" 3
	has "$OUT" 'CANNOT DECIDE: gpu-visible: no GPU on the PCI bus' '--expect-gpus N'
}

@test "without a word nothing says how many belong: seven of eight is no pass" {
	on h100-8
	is "$status" 0
	is "$(result gpu-visible)" skip
	copy_of h100-8
	without_gpu 0000:4c:00.0
	gpudiag run --root tree --format json
	is "$(result gpu-visible)" warn
	has "$OUT" '--expect-gpus'
}

@test "as many as belong" {
	on h100-8 --expect-gpus 8
	is "$status" 0
	is "$(result gpu-visible)" pass
	on h100-8 --expect-gpus=8:H100
	is "$status" 0
	is "$(result gpu-model)" pass
}

@test "fewer than belong" {
	copy_of h100-8
	without_gpu 0000:4c:00.0
	gpudiag run --root tree --expect-gpus 8 --format json
	is "$status" 2
	valid_report
	is "$(finding gpu-visible.missing)" '7 of 8 GPUs on the PCI bus'
	is "$(json .decision.schedulable)" no
	[[ $(json .headline) == *'7 of 8'* ]] || fail "$(json .headline)"
	on h100-8 --expect-gpus 4096
	is "$status" 2
}

@test "more than belong" {
	on h100-8 --expect-gpus 7
	is "$status" 1
	is "$(finding gpu-visible.more-than-expected)" 'GPUs on the bus: 8, expected 7'
	on l40s-4 --expect-gpus 0
	is "$status" 1
}

@test "others than belong" {
	on h100-8 --expect-gpus 8:A100
	is "$status" 2
	has "$OUT" 'gpu-model.other' 'A100'
	on h100-8 --expect-gpus 8:h100
	is "$status" 0
}

@test "a bus that could not be read is not one without GPUs" {
	copy_of l40s-4
	rm -r tree/sys/bus
	gpudiag run --root tree --format json
	is "$status" 3
	valid_report
	is "$(result gpu-visible)" unknown
	is "$(finding gpu-visible.none)" ''
	gpudiag run --root tree --expect-gpus 0 --format json
	is "$status" 3
}

@test "a tree of nothing" {
	mkdir -p tree/sys tree/proc
	gpudiag run --root tree --format json --format text=text
	is "$status" 3
	valid_report
	is "$(json '[.checks[] | select(.result == "pass" and .check != "probe-health")] | length')" 0 "passes"
	has text UNKNOWN
}

# ---- without standard streams

@test "without standard input" {
	need_tree head-node
	status=0
	"$GPUDIAG" run --root "$NODES/head-node" <&- > "$OUT" 2> "$ERR" || status=$?
	is "$status" 3
	empty "$ERR"
	has "$OUT" UNKNOWN
}

@test "without any of the three, on this machine: the files are written and hold nothing else" {
	vendors segv_devices
	status=0
	"$GPUDIAG" run --level read --format json=a --format snapshot=b <&- >&- 2>&- || status=$?
	[ "$status" -le 3 ] || fail "exit status $status"
	valid_report a
	is "$(jq -r .schema b)" gpudiag.snapshot/1
	is "$(jq -r '.probes[] | select(.key == "opencl segv_devices.icd") | .outcome' b)" crashed
	is "$(jq -r '[.probes[] | select(.outcome == "garbled")] | length' b)" 0
	gpudiag run --snapshot b --format json
	same a "$OUT"
}

@test "without standard error: nothing that belongs there lands elsewhere" {
	need_tree head-node
	status=0
	"$GPUDIAG" run --root "$NODES/head-node" --format json=a > "$OUT" 2>&- || status=$?
	is "$status" 3
	empty "$OUT"
	: > "$ERR"
	valid_report a
	# Two that fail and one that does not: the complaints must not land in the file that is open at the time.
	echo precious > kept
	ln -s /dev/full full
	status=0
	"$GPUDIAG" run --root "$NODES/head-node" --format json=/dev/full --format snapshot=full --format text=c 2>&- || status=$?
	is "$status" 70
	hasnt c 'cannot write'
	status=0
	"$GPUDIAG" run --snapshot kept 2>&- || status=$?
	is "$status" 64
	is "$(cat kept)" precious
}

@test "a standard error that is full or closed does not change the status" {
	status=0
	"$GPUDIAG" run --nonsense 2> /dev/full || status=$?
	is "$status" 64
	status=0
	{
		"$GPUDIAG" run --nonsense 2>&1 >&7 || status=$?
		echo "$status" > said
	} 7> /dev/null | true
	is "$(cat said)" 64
}

# ---- without surroundings

@test "without any environment" {
	with env -i ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} gpudiag run --level read --format json
	[ "$status" -le 3 ] || fail "exit status $status"
	empty "$ERR"
	valid_report
	is "$(json '[.probes[] | select(.outcome | IN("crashed", "garbled", "timeout"))] | length')" 0
	with env -i ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} gpudiag --help
	is "$status" 0
}

@test "with an environment of nonsense" {
	with env HOME= PATH= TERM=$'\033' LANG=$'\377' TZ=/ COLUMNS=-1 NO_COLOR= XDG_RUNTIME_DIR=x GPUDIAG_RUNTIME_DIR= \
		gpudiag run --level read --format json
	[ "$status" -le 3 ] || fail "exit status $status"
	empty "$ERR"
	valid_report
}

@test "without arguments, even a name" {
	status=0
	(exec -a '' "$GPUDIAG" > "$OUT" 2> "$ERR") || status=$?
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	has "$OUT" 'decision: '
}

@test "from a folder that may not be entered" {
	as_nobody_or_skip
	mkdir -m 700 closed
	with env -C closed "${AS_NOBODY[@]}" gpudiag run --level read --format json
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	empty "$ERR"
	valid_report
	is "$(json '[.probes[] | select(.outcome | IN("crashed", "garbled", "timeout"))] | length')" 0
}

@test "from a folder that is gone" {
	vendors control
	mkdir gone
	# shellcheck disable=SC2016 # for the inner one
	with env -C gone sh -c 'rmdir ../gone && exec "$@"' sh gpudiag run --level read --format json
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	valid_report
	is "$(outcome 'opencl control.icd')" ok
}

@test "with drivers named by a path that is relative" {
	vendors control
	export OCL_ICD_VENDORS=vendors
	gpudiag run --level read --format json
	is "$(outcome 'opencl control.icd')" ok
	export OCL_ICD_VENDORS=vendors/control.icd
	gpudiag run --level read --format json
	is "$(outcome 'opencl control.icd')" ok
	is "$(outcome 'opencl pocl.icd')" ''
}

@test "with few descriptors to be had" {
	vendors control
	(ulimit -n 40 && gpudiag run --level read --format json && is "$(outcome 'opencl control.icd')" ok)
	(ulimit -n 12 && gpudiag run --level read --format json && is "$status" 3)
	valid_report
	has "$OUT" 'EMFILE'
	has "$ERR" 'only 12 files may be open at once' 'ulimit -n 1024'
	is "$(json '[.checks[] | select(.result == "pass")] | length')" 0 "passes"
}

@test "with no process to be had: nothing is known, and that is said" {
	as_nobody_or_skip
	command -v prlimit > /dev/null || skip "prlimit is not installed"
	with "${AS_NOBODY[@]}" prlimit --nproc=0 env ASAN_OPTIONS=detect_leaks=0 gpudiag run --level read --format json
	is "$status" 3
	valid_report
	is "$(json '[.checks[] | select(.result == "pass")] | length')" 0 "passes"
	has "$OUT" 'EAGAIN'
}

@test "under another name, by a link, from the search path" {
	need_tree head-node
	mkdir bin
	ln -s "$GPUDIAG" bin/sick
	status=0
	PATH=$PWD/bin:$PATH sick run --root "$NODES/head-node" --format json > "$OUT" 2> "$ERR" || status=$?
	is "$status" 3
	valid_report
	is "$(outcome 'pci ')" ok
}

@test "taken away, as an update does, once it runs" {
	cp "$GPUDIAG" mine
	vendors control
	status=0
	(exec 7< mine && rm mine && exec /proc/self/fd/7 run --level read --format json > "$OUT" 2> "$ERR") || status=$?
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	valid_report
	is "$(json '[.probes[] | select(.outcome | IN("crashed", "garbled"))] | length')" 0
	is "$(outcome 'opencl control.icd')" ok
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }

# ---- what is missing around it

# without FOLDER COMMAND…: with an empty folder in its place.
without() {
	[ "$(id -u)" -eq 0 ] || skip "mounting needs root"
	unshare -m mount -t tmpfs none "$1" 2> /dev/null || skip "nothing can be mounted on $1 here"
	# shellcheck disable=SC2016
	with unshare -m sh -c 'mount -t tmpfs none "$1" && shift && exec "$@"' sh "$@"
}

@test "without /proc or /dev/null it says so, and judges nothing" {
	local command
	for command in run 'run --format json' gate 'collect --level read' 'bench kernel' 'baseline save -o b.json'; do
		# shellcheck disable=SC2086
		without /proc gpudiag $command
		is "$status" 70 "exit status of $command without /proc"
		has "$ERR" '/proc is not mounted here' 'mount -t proc'
		is "$(cat "$OUT")" ''
		# shellcheck disable=SC2086
		without /dev gpudiag $command
		is "$status" 70 "exit status of $command without /dev/null"
		has "$ERR" '/dev/null cannot be opened (No such file or directory)' 'mknod'
	done
	# What is recorded needs none of it.
	without /proc gpudiag run --snapshot "$TOP/tests/snapshots/h100-8-nvml.json"
	is "$status" 0
}

@test "with fewer descriptors than a driver's library opens no driver is blamed" {
	local files
	command -v prlimit > /dev/null || skip "prlimit is not installed"
	vendors control error
	for files in 10 14 20 40; do
		with prlimit --nofile=$files gpudiag run --level read --format json
		is "$(json '[.findings[] | select(.check == "opencl-runtime" or .check == "probe-health") | .id] | length')" 0 \
			"findings about drivers with $files files"
		has "$OUT" EMFILE
		hasnt "$OUT" EINVAL
	done
	# A limit that may be raised is, and the driver fails by itself.
	with prlimit --nofile=10:4096 gpudiag run --level read --format json
	hasnt "$OUT" EMFILE
	hasnt "$ERR" 'open at once'
	isnt "$(json '[.findings[] | select(.check == "opencl-runtime" or .check == "probe-health") | .id] | length')" 0
}
