#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# interrupt.bats - Ctrl-C and friends: what is known by then is told, whole and valid, and nobody is left behind.
# Runs beside one: it times signals.

load helpers.sh
setup_file() { is_timed; }
setup() { begin; }
teardown() { unmount_hangfs; }

# Said by supervise.py.
ending_ms=0 signalled=0 left=''

# interrupted SIGNAL STATUS [GRACE_MS]: after supervised, with the report in $OUT.
interrupted() {
	is "$signalled" 1 "was it interrupted"
	is "$status" "$2" "exit status"
	empty "$ERR"
	valid_report
	is "$(json '.messages | length')" 1 "messages"
	[[ $(json '.messages[0]') == "interrupted by SIG$1"* ]] || fail "$(json .messages)"
	at_most "$ending_ms" $((50 + ${3:-0} + SLACK_MS)) "ending"
	no_child_left
}

# while_hanging SIGNAL STATUS
while_hanging() {
	vendors sleep_devices
	supervised --when 'probe--worker opencl sleep_devices' --signal "$1" gpudiag run --level read --format json
	interrupted "$1" "$2"
	is "$(outcome 'opencl sleep_devices.icd')" interrupted
	# That is nobody's fault.
	is "$(json '[.findings[] | select(.id | startswith("probe-health"))] | length')" 0 "findings against it"
	is "$(result probe-health 'opencl sleep_devices.icd')" unknown
	# What had been read by then is judged.
	is "$(outcome 'pci ')" ok
}

@test "Ctrl-C while a driver hangs" { while_hanging INT 130; }
@test "SIGTERM while a driver hangs" { while_hanging TERM 143; }
@test "SIGHUP while a driver hangs" { while_hanging HUP 129; }

# while_measuring SIGNAL STATUS
while_measuring() {
	pocl_or_skip
	supervised --when 'probe--worker ocl-run' --signal "$1" gpudiag run --opencl-type cpu --format json
	# Who measures may tell what it has: a compiler that hears no signal uses all of that time (WORKER_GRACE_MS).
	interrupted "$1" "$2" 500
	is "$(json '.probes[] | select(.probe == "ocl-run") | .outcome')" interrupted
	is "$(json '.checks[] | select(.check == "probe-health" and (.subject | startswith("ocl-run"))) | .result')" unknown
	is "$(outcome 'opencl pocl.icd')" ok
}

@test "Ctrl-C while it measures" { while_measuring INT 130; }
@test "SIGTERM while it measures" { while_measuring TERM 143; }

@test "the text says on its first line that it is a part" {
	vendors sleep_devices
	supervised --when 'probe--worker opencl sleep_devices' gpudiag run --level read
	is "$status" 130
	[[ $(head -n 1 "$OUT") == gpudiag*'interrupted by SIGINT'* ]] || fail "$(show)"
	grep -q '^decision: ' "$OUT" || fail "$(show)"
	is "$(tail -c 1 "$OUT" | od -An -c | tr -d ' ')" '\n'
	empty "$ERR"
}

@test "the parts are written to their files too, whole" {
	vendors sleep_devices
	supervised --when 'probe--worker opencl sleep_devices' gpudiag run --level read --format json=a --format snapshot=b -o c --format text
	is "$status" 130
	valid_report a
	has c 'interrupted by SIGINT'
	# And are one: replayed it says the same.
	gpudiag run --snapshot b --format json
	same a "$OUT"
	is "$status" "$(json .exit_status)"
	gpudiag run --snapshot b
	same c "$OUT"
}

@test "collect writes what it has, and says by its status that it is a part" {
	vendors sleep_devices
	supervised --when 'probe--worker opencl sleep_devices' --signal TERM gpudiag collect --level read -o seen
	is "$status" 143
	is "$(jq -r .run.interrupted seen)" SIGTERM
	is "$(jq -r '.probes[] | select(.target == "sleep_devices.icd") | .outcome' seen)" interrupted
	no_child_left
}

@test "Ctrl-C while files hang in the kernel: it leaves the reader, and ends" {
	copy_of l40s-4
	mount_hangfs
	hang /proc/swaps
	# A slow machine: whoever reads waits for an answer at any time, not only for the one that never comes.
	echo '* delay=3' >> tree/.faults
	supervised --when 'gpudiag:host' --once tree/.hanging gpudiag run --root mnt --format json
	: > tree/.faults
	is "$status" 130
	valid_report
	at_most "$ending_ms" $((50 + SLACK_MS)) "ending"
	[[ $left == *'(gpudiag:host,D)' ]] || fail "left: \"$left\""
	is "$(json '[.checks[] | select(.result == "pass" and .check == "swap-used")] | length')" 0
}

@test "Ctrl-C by an impatient person ends it no less" {
	vendors sleep_devices
	supervised --when 'probe--worker opencl sleep_devices' --times 20 gpudiag run --level read --format json
	is "$signalled" 1
	is "$status" 130
	valid_report
	no_child_left
}

@test "killed outright it takes its workers with it" {
	vendors sleep_devices spin ignore_sigterm child_holds_pipe
	supervised --when 'probe--worker opencl ignore_sigterm' --signal KILL gpudiag run --level read
	is "$signalled" 1
	is "$status" 137
	is "$left" '' "processes left behind"
}

@test "killed outright while it measures" {
	pocl_or_skip
	supervised --when 'probe--worker ocl-run' --signal KILL gpudiag run --opencl-type cpu
	is "$status" 137
	is "$left" '' "processes left behind"
	# The lock went with the worker.
	gpudiag run --opencl-type cpu --format json --check known-answer
	is "$status" 0
	is "$(result known-answer)" pass
}

# went_on: until the time for the whole run was up.
went_on() {
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	valid_report
	hasnt "$OUT" SIGHUP SIGINT
	[[ $(json '.probes[] | select(.target == "sleep_devices.icd") | .why') == *--timeout* ]] || fail "$(show)"
}

@test "under nohup a hangup is none" {
	vendors sleep_devices
	supervised --when 'probe--worker opencl sleep_devices' --signal HUP --ignore HUP gpudiag run --level read --timeout 1 --format json
	is "$signalled" 1
	went_on
}

@test "in the background of a script Ctrl-C is none" {
	vendors sleep_devices
	supervised --when 'probe--worker opencl sleep_devices' --signal INT --ignore INT gpudiag run --level read --timeout 1 --format json
	is "$signalled" 1
	went_on
}

@test "started with SIGCHLD ignored it knows how its workers ended" {
	vendors segv_devices
	supervised --ignore CHLD gpudiag run --level read --format json
	is "$(outcome 'opencl segv_devices.icd')" crashed
	is "$(outcome 'pci ')" ok
	no_child_left
}

@test "waiting for a snapshot on standard input it just ends" {
	mkfifo pipe
	sleep 5 > pipe 3>&- &
	local writer=$! reader code=0
	(exec 3>&- "$GPUDIAG" run --snapshot -) < pipe > "$OUT" 2> "$ERR" &
	reader=$!
	sleep 0.3
	kill -TERM "$reader"
	wait "$reader" || code=$?
	kill "$writer"
	is "$code" 143
	empty "$OUT"
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }

@test "interrupted in minutes of work, it ends at once and leaves nobody at work" {
	pocl_or_skip
	supervised --when 'probe--worker ocl-run' --signal TERM gpudiag run --level deep --opencl-type cpu --format json
	is "$status" 143
	is "$left" '' "processes left behind"
	valid_report
	is "$(json '.probes[] | select(.probe == "ocl-run") | .outcome')" interrupted
}
