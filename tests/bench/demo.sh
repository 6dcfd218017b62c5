#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a newcomer tries first: a demo and the help, each under 20 ms. The best of ROUNDS (20), as whatever else the
# machine does only adds. Exit status 1 where the goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
missed=0

# goal COMMAND…: the shortest of the rounds.
goal() {
	for ((round = 0; round < ${ROUNDS:-20}; round++)); do
		local from=$EPOCHREALTIME
		"$@" > /dev/null || exit 1
		echo "$from $EPOCHREALTIME"
	done | awk -v what="${*:2}" '{ ms = ($2 - $1) * 1000; if (!best || ms < best) best = ms }
		END { printf "%-24s %6.1f ms  goal 20: %s\n", what, best, (best > 20) ? "missed" : "met"; exit best > 20 }' ||
		missed=1
}

goal "$gpudiag" --help
goal "$gpudiag" demo
exit "$missed"
