#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016
# window.bats - the observation window: as long as asked, true, cheap, and ended by Ctrl-C with a report.
# Runs beside one: it times windows.
# Needs a disk: what is written to it is seen.

load helpers.sh
setup_file() { is_timed; }
setup() { begin; }
teardown() {
	[ -z "${spinner:-}" ] || kill "$spinner" 2> /dev/null || true
}

# Said by supervise.py and hold_lock.
elapsed_ms=0 ending_ms=0 signalled=0 holder=''

spinner=''

# watch SECONDS [ARGUMENT…]: report in $OUT, snapshot in ./seen, time in $elapsed_ms.
watch() {
	local seconds=$1
	shift
	supervised gpudiag run --level read --expect-gpus 0 --window "$seconds" --format json --format snapshot=seen "$@"
	valid_report
	no_child_left
}

seen() {
	jq -r "$@" seen
}

# spin CPU: something that uses all of it.
spin() {
	taskset -c "$1" sh -c 'while :; do :; done' > /dev/null 2>&1 3>&- &
	spinner=$!
}

@test "it lasts as long as asked, and says how long that was" {
	watch 0.3
	is "$(outcome 'window ')" ok
	[ "$elapsed_ms" -ge 300 ] || fail "the run took $elapsed_ms ms"
	[ "$(seen .window.length_ms)" -ge 300 ] || fail "$(seen -c .window)"
	at_most "$(seen .window.length_ms)" $((300 + SLACK_MS)) "the window"
	[ "$(seen .window.samples)" -ge 1 ] || fail "$(seen -c .window)"
	is "$(seen '.cpu_uses | length')" "$(seen .listed.cpu_uses)" "CPUs"
	is "$(seen '.cpu_uses | length')" "$(getconf _NPROCESSORS_ONLN)" "CPUs"
	# No share is more than all, no rate below nothing.
	is "$(seen '[.window, .cpu_uses[], .disks[]?.use | to_entries[] | select(.key | endswith("_percent")) |
		select(.value != null and (.value < 0 or .value > 100))] | length')" 0 "wild shares"
}

@test "--window 0 watches nothing and says so" {
	watch 0
	is "$(outcome 'window ')" ''
	is "$(seen '.window // "none"')" none
	is "$(result cpu-saturation)" skip
	is "$(json '.checks[] | select(.check == "cpu-saturation").reason')" "no window (--window 0)"
}

@test "a run for checks that need no rates watches nothing" {
	watch 5 --check swap-used
	is "$(outcome 'window ')" ''
	[ "$elapsed_ms" -lt 5000 ] || fail "the run took $elapsed_ms ms"
}

@test "not possible on a recording" {
	need_tree h100-8
	gpudiag run --root "$NODES/h100-8" --format json
	is "$status" 0
	is "$(result gpu-use)" skip
	is "$(json 'first(.checks[] | select(.check == "gpu-use")).reason')" "not possible on a recording"
}

@test "times with units; a window that takes all of --timeout is refused" {
	watch 200ms
	is "$(seen .request.window_ms)" 200
	watch 0.2s --timeout 0.5m
	is "$(seen .request.window_ms)" 200
	gpudiag run --window 1s --timeout 1000ms
	refused '--window 1000ms' '--timeout 1000ms'
	gpudiag run --window 2h
	refused '--window' '"2h"'
}

@test "a short --timeout leaves time for the rest" {
	supervised gpudiag run --level read --timeout 2 --format json --format snapshot=seen
	is "$(seen .request.window_ms)" 500
	is "$(outcome 'window ')" ok
}

@test "a CPU that is in use shows" {
	local cpu
	command -v taskset > /dev/null || skip "taskset is not installed"
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	spin "$cpu"
	watch 0.6
	# What the hypervisor gives to others was not used here.
	seen -e --arg cpu "$cpu" '.window.cpu_steal_percent as $steal | .cpu_uses[] | select(.key == $cpu) |
		.busy_percent > 60 - $steal' || fail "$(seen -c .cpu_uses)"
}

@test "a process asked about is watched, thread by thread" {
	local cpu
	command -v taskset > /dev/null || skip "taskset is not installed"
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	spin "$cpu"
	watch 0.6 --pid "$spinner"
	is "$(seen --arg pid "$spinner" '.gpu_processes[] | select(.key == $pid) | .use.busiest_thread')" "$spinner"
	is "$(seen --arg pid "$spinner" '.gpu_processes[] | select(.key == $pid) | .use.busiest_thread_cpu')" "$cpu"
	seen -e --arg pid "$spinner" '.gpu_processes[] | select(.key == $pid) | .use |
		.busiest_thread_percent > 5 and .cpu_percent > 5' || fail "$(seen -c .gpu_processes)"
}

@test "a process that is not there is not watched" {
	watch 0.2 --pid 4194305
	is "$(outcome 'window ')" ok
	is "$(seen '.gpu_processes')" null
}

@test "what is read from a disk shows" {
	local device name before after
	device=$(findmnt -no SOURCE -T "$BATS_TEST_TMPDIR" 2> /dev/null) ||
		skip "which disk it is, findmnt does not tell"
	name=${device##*/}
	grep -qE "^ *[0-9]+ +[0-9]+ $name " /proc/diskstats && [ -d "/sys/block/$name" ] ||
		skip "$device is no whole disk"
	before=$(awk -v name="$name" '$3 == name { print $10 }' /proc/diskstats)
	# All the time, as nobody knows when the window begins on a busy machine.
	(
		until [ -e watched ]; do
			dd if=/dev/zero of=file bs=1M count=2 conv=fsync 2> /dev/null
			sleep 0.1
		done
	) 3>&- &
	watch 3
	touch watched
	wait
	after=$(awk -v name="$name" '$3 == name { print $10 }' /proc/diskstats)
	[ $(((after - before) * 512)) -ge 4000000 ] || skip "the writes went elsewhere"
	seen -e --arg disk "$name" --argjson most $(((after - before) * 512)) '.window.length_ms as $ms | .disks[] |
		select(.key == $disk) | .use.written_bytes_per_s * $ms / 1000 | . > 1000000 and . <= $most * 1.01' ||
		fail "$(seen -c .disks)"
}

@test "Ctrl-C while it watches" {
	supervised --when 'gpudiag:window' --signal INT gpudiag run --level read --window 30 --format json
	is "$signalled" 1
	is "$status" 130
	valid_report
	no_child_left
	at_most "$ending_ms" $((50 + SLACK_MS)) "ending"
	is "$(outcome 'window ')" interrupted
	is "$(result io-pressure)" unknown
	# What had been read by then is judged.
	is "$(outcome 'host ')" ok
}

@test "a window longer than its worker's deadline is not cut" {
	watch 5.2 --check cpu-saturation
	is "$(outcome 'window ')" ok
	[ "$(seen .window.length_ms)" -ge 5200 ] || fail "$(seen -c .window)"
	# It must not disturb what it looks at: a CPU's 2 % of the time, for all it does.
	is_sanitized || [ "$(seen .window.samples)" -ge 20 ] || fail "$(seen -c .window)"
}

@test "a run that watches for long keeps no other from it" {
	mkdir -p "$GPUDIAG_RUNTIME_DIR"
	hold_lock window-node 60 watch
	watch 0.2
	is "$(outcome 'window ')" ok
	kill "$holder"
}

@test "all reports of this file are valid" { reports_are_valid; }
