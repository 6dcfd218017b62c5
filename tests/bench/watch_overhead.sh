#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the whole of gpudiag watch costs: the parent and its workers, with 8 GPUs of a library without any and a load of 200
# processes and 500 threads below the process that is watched. Goals at one tick a second: at most 1 % of a core from the
# first tick on, 32 MB (proportional set size); at 100 ms no growth. Beside pidstat -t 1 and vmstat 1 in the same time,
# where they are installed. LENGTH_S (20), GROWTH_S (40), PROCESSES, THREADS. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag} load_program=${WATCH_HOST:-build/bench/watch_host}
length_s=${LENGTH_S:-20} growth_s=${GROWTH_S:-40} processes=${PROCESSES:-200} threads=${THREADS:-500}
driver=build/nodes/h100-8/driver
[ -d "$driver" ] || { echo "no $driver: make nodes" >&2; exit 1; }
# This machine's own /proc beside the GPUs of a recorded node, whose /sys lies over ours: read as a node is, and not as a
# recorded tree, of which each file costs twice as much. Without root no GPUs are read.
if [ "$(id -u)" -eq 0 ] && [ -z "${WATCH_OVERHEAD_OWN_MOUNTS:-}" ]; then
	WATCH_OVERHEAD_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"
fi
work=$(mktemp -d) || exit 1
trap 'kill "$load" $(jobs -p) 2> /dev/null; umount -l /sys "$work/sys/fs/cgroup" 2> /dev/null; rm -rf --one-file-system "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run GPUDIAG_FAKE_NVML=$work/nvml.json
cp "$driver/usr/lib/x86_64-linux-gnu/nvml.json" "$work/nvml.json"

coproc LOAD { exec "$load_program" load "$processes" "$threads"; }
# shellcheck disable=SC2153
load=$LOAD_PID
read -r -u "${LOAD[0]}" _

if [ "$(id -u)" -eq 0 ] && cp -a build/nodes/h100-8/sys "$work/sys" && mkdir -p "$work/sys/fs/cgroup" &&
	mount --rbind /sys/fs/cgroup "$work/sys/fs/cgroup"; then
	mount --rbind "$work/sys" /sys || exit 1
else
	echo "/sys of a node cannot be put over this one without root: no GPUs are read"
fi

# family PID: it and its workers.
family() {
	echo "$1"
	cat /proc/"$1"/task/*/children 2> /dev/null | tr ' ' '\n'
}

# cpu_ticks PID…: user and system time of all, those of ended children of the first too.
cpu_ticks() {
	local pid
	for pid; do
		sed 's/.*) //' "/proc/$pid/stat" 2> /dev/null
	done | awk 'NR == 1 { sum += $14 + $15 } { sum += $12 + $13 } END { print sum + 0 }'
}

pss_kib() {
	local pid
	for pid; do
		cat "/proc/$pid/smaps_rollup" 2> /dev/null
	done | awk '/^Pss:/ { sum += $2 } END { print sum + 0 }'
}

# start_watch INTERVAL: as $watch, and all of it as $all once it goes.
start_watch() {
	"$gpudiag" watch --interval "$1" --pid "$load" --driver-root "$driver" > /dev/null 2> "$work/err" &
	watch=$!
	sleep 3
	mapfile -t all < <(family "$watch")
}

# used_percent COMMAND…: of a core, over the length.
used_percent() {
	local TIMEFORMAT='%U %S'
	command -v "$1" > /dev/null || { echo none; return; }
	{ time timeout "$length_s" "$@" > /dev/null 2>&1; } 2>&1 | awk -v s="$length_s" '{ printf "%.2f\n", ($1 + $2) * 100 / s }'
}

missed=0
# goal WHAT MEASURED GOAL UNIT
goal() {
	awk -v what="$1" -v is="$2" -v goal="$3" -v unit="$4" 'BEGIN {
		printf "%-40s %9.2f %s  goal %g: %s\n", what, is, unit, goal, (is > goal) ? "missed" : "met"
		exit is > goal
	}' || missed=1
}

"$gpudiag" watch --for 2s --pid "$load" --driver-root "$driver" -f json > "$work/ticks" 2> "$work/err"
start_watch 1s
before=$(cpu_ticks "${all[@]}")
used_percent pidstat -t 1 > "$work/pidstat" &
beside=($!)
used_percent vmstat 1 > "$work/vmstat" &
beside+=($!)
sleep "$length_s"
after=$(cpu_ticks "${all[@]}")
each=$(for pid in "${all[@]}"; do
	name=$(tr '\0' '\n' < "/proc/$pid/cmdline" | tail -n 1)
	[ "$pid" != "$watch" ] || name=parent
	printf '%s %s, ' "$name" "$(cpu_ticks "$pid")"
done)
pss=$(pss_kib "${all[@]}")
wait "${beside[@]}"
kill -TERM "$watch"
wait "$watch"
gpus=$(tail -n 2 "$work/ticks" | head -n 1 | jq '[.tick.gpus[]? | select(.busy_percent != null)] | length')
seen=$(tail -n 2 "$work/ticks" | head -n 1 | jq '.tick.host.threads_seen')
per_s=$(getconf CLK_TCK)
echo "CPU time in all, in 1/$per_s s: ${each%, }"
echo "$gpus GPUs read, $seen threads, ${#all[@]} processes of gpudiag; pidstat -t 1: $(cat "$work/pidstat") %, vmstat 1: $(cat "$work/vmstat") % of a core"
goal "CPU at 1 s" "$(awk -v t="$((after - before))" -v per="$per_s" -v s="$length_s" 'BEGIN { print 100 * t / per / s }')" 1 "% of a core"
goal "PSS of parent and workers" "$(awk -v kib="$pss" 'BEGIN { print kib / 1024 }')" 32 MiB

# Figures of the span are there after ten seconds; what comes then is growth.
start_watch 100ms
sleep 10
first=$(pss_kib "${all[@]}")
sleep "$growth_s"
last=$(pss_kib "${all[@]}")
kill -TERM "$watch"
wait "$watch"
goal "growth of PSS in $((growth_s * 10)) ticks of 100 ms" "$((last - first))" 256 KiB
exit "$missed"
