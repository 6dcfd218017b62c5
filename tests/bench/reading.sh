#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reading everything that files tell: eight GPUs against one, and both against the slowest probe, in one
# interleaved run. Goals: eight GPUs at most 1.3 × one, and at most 50 ms beyond the slowest probe.
# ROUNDS (21) rounds. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
rounds=${ROUNDS:-21}
eight=${EIGHT:-build/nodes/h100-8} one=${ONE:-build/nodes/h100-1}
for tree in "$eight" "$one"; do
	[ -d "$tree" ] || { echo "$tree is not there: make nodes" >&2; exit 1; }
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run

for ((round = 0; round <= rounds; round++)); do
	for name in one eight; do
		start=$EPOCHREALTIME
		"$gpudiag" collect --root "${!name}" -o "$work/snapshot" || exit 1
		end=$EPOCHREALTIME
		# The first round warms the caches.
		((round)) || continue
		echo "$((${end/./} - ${start/./})) $(jq '[.probes[].elapsed_ms] | max' "$work/snapshot")" >> "$work/$name"
	done
done

for name in one eight; do
	sort -n "$work/$name" | awk -v name="$name" '
		{ us[NR] = $1; beyond[NR] = $1 / 1e3 - $2 }
		END {
			# The median run, and its own slowest probe.
			middle = int((NR + 1) / 2)
			print name, us[middle] / 1e3, beyond[middle]
		}'
done | awk '
	BEGIN { printf "%-6s %10s %24s\n", "GPUs", "median ms", "beyond slowest probe ms" }
	{ printf "%-6s %10.1f %24.1f\n", $1, $2, $3; ms[$1] = $2; beyond[$1] = $3 }
	END {
		ratio = ms["eight"] / ms["one"]
		missed = ratio > 1.3 || beyond["eight"] > 50
		printf "eight / one: %.2f  goal 1.30: %s\n", ratio, (ratio > 1.3) ? "missed" : "met"
		printf "beyond the slowest probe: %.1f ms  goal 50: %s\n", beyond["eight"], (beyond["eight"] > 50) ? "missed" : "met"
		exit missed
	}'
