#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the host half of gpudiag watch costs a tick of 1 s, beside pidstat -t 1 and vmstat 1 in one interleaved run, on a
# node with 200 processes and 500 threads more. Goals: at most 10 ms of CPU time a tick (1 % of a core), less than
# pidstat, and no growth in as many ticks as ten minutes have at 100 ms. ROUNDS (3) rounds of TICKS (10) ticks, PROCESSES,
# THREADS. PIDSTAT names the program where it is not installed. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

watch=${WATCH_HOST:-build/bench/watch_host} pidstat=${PIDSTAT:-pidstat}
rounds=${ROUNDS:-3} ticks=${TICKS:-10} processes=${PROCESSES:-200} threads=${THREADS:-500}
command -v "$pidstat" > /dev/null || { echo "pidstat is not installed: apt-get install sysstat" >&2; exit 1; }

coproc LOAD { exec "$watch" load "$processes" "$threads"; }
# shellcheck disable=SC2153
load=$LOAD_PID
trap 'kill "$load" 2> /dev/null' EXIT
read -r -u "${LOAD[0]}" _

# cpu_ms COMMAND…: its CPU time, user and system, a tick.
cpu_ms() {
	local TIMEFORMAT='%U %S'
	{ time "$@" > /dev/null 2>&1; } 2>&1 | awk -v ticks="$ticks" '{ printf "%.2f\n", ($1 + $2) * 1000 / ticks }'
}

median() {
	sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

for ((round = 0; round < rounds; round++)); do
	ours+=("$(cpu_ms "$watch" "$load" "$ticks" 1000)")
	theirs+=("$(cpu_ms "$pidstat" -t 1 "$ticks")")
	vmstats+=("$(cpu_ms vmstat 1 "$((ticks + 1))")")
done
our_ms=$(printf '%s\n' "${ours[@]}" | median) pidstat_ms=$(printf '%s\n' "${theirs[@]}" | median)
vmstat_ms=$(printf '%s\n' "${vmstats[@]}" | median)
growth=$("$watch" "$load" "${GROWTH_TICKS:-6000}" 0)
first=${growth#*first_kib } first=${first%% *} last=${growth##*last_kib }

awk -v ours="$our_ms" -v theirs="$pidstat_ms" -v vmstat="$vmstat_ms" -v first="$first" -v last="$last" -v p="$processes" -v t="$threads" '
BEGIN {
	printf "CPU ms a tick, %d processes, %d threads: gpudiag %.2f, pidstat -t %.2f, vmstat %.2f\n", p, t, ours, theirs, vmstat
	printf "gpudiag memory: %d KiB at tick 20, %d KiB at the last\n", first, last
	missed = ours > 10 || ours >= theirs || last > first + 512
	if (missed)
		print "goal missed: at most 10 ms a tick, less than pidstat, no growth"
	exit missed
}'
