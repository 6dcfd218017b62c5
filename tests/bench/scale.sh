#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node of many GPUs, each with its device node, its process and NVIDIA's library: how long a whole run over the recorded
# node takes. Goals: 256 GPUs under 0.2 s and 1,024 under 1.5 s, by run, gate and diff, which judges two such nodes. The
# best of ROUNDS (5), as whatever else the machine does only adds. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
rounds=${ROUNDS:-5}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# node GPUS: the recorded eight, again and again, each time in a PCI domain of its own.
node() {
	jq --argjson copies "$(($1 / 8))" '
		def moved($n): ("000\($n)")[-4:] + .[4:];
		([.device_nodes[] | select(.gpu)] | map(.gpu)) as $addresses
		| [.gpus[] | select(.key | IN($addresses[]))] as $gpus
		| [.device_nodes[] | select(.gpu)] as $nodes
		| [.holders[] | select(.gpu)] as $holders
		| .gpus = [range($copies) as $n | $gpus[] | .key |= moved($n) | .nvml.uuid += "-\($n)" | .nvml.serial += "-\($n)"]
		| .device_nodes = [.device_nodes[] | select(.gpu | not)]
			+ [range($copies) as $n | $nodes | to_entries[] | (.value | .gpu |= moved($n))
				+ {key: "/dev/nvidia\($n * 8 + .key)"}]
		| .holders = [range($copies) as $n | $holders[] | .gpu |= moved($n) | .key = "\(.pid):\(.gpu)"]
		| .bus.gpus = (.gpus | length) | .nvml.gpus = .bus.gpus' tests/snapshots/h100-8-nvml.json
}

# best_s COMMAND…: the shortest of the rounds, in seconds.
best_s() {
	for ((round = 0; round < rounds; round++)); do
		local from=$EPOCHREALTIME
		"$@" > /dev/null 2>&1
		[ $? -lt 64 ] || { echo "$*: failed" >&2; return 1; }
		echo "$from $EPOCHREALTIME"
	done | awk '{ s = $2 - $1; if (!best || s < best) best = s } END { printf "%.3f\n", best }'
}

missed=0
# goal WHAT GPUS GOAL_S COMMAND…
goal() {
	local what=$1 gpus=$2 goal_s=$3 s
	shift 3
	s=$(best_s "$@") && [ -n "$s" ] || exit 1
	awk -v what="$what" -v gpus="$gpus" -v s="$s" -v goal="$goal_s" 'BEGIN {
		printf "%-5s %5d GPUs %7.3f s  goal %.1f: %s\n", what, gpus, s, goal, (s > goal) ? "missed" : "met"
		exit s > goal
	}' || missed=1
}

for size in 256:0.2 1024:1.5; do
	gpus=${size%:*} goal_s=${size#*:}
	node "$gpus" > "$work/$gpus" || exit 1
	jq '.gpus |= map(.nvml.vbios = "changed")' "$work/$gpus" > "$work/$gpus-after" || exit 1
	goal run "$gpus" "$goal_s" "$gpudiag" run --snapshot "$work/$gpus"
	goal gate "$gpus" "$goal_s" "$gpudiag" gate --snapshot "$work/$gpus"
	goal diff "$gpus" "$goal_s" "$gpudiag" diff "$work/$gpus" "$work/$gpus-after"
done
exit "$missed"
