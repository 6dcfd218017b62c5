#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports of many nodes (tests/fleet): what is found of what was planted, and what that costs.
# Found: recall and precision by kind and metric, of fleets of 10 to 10,000 nodes, SEEDS (5) of each (one of 10,000). Goals:
# 0.95 each where three or more GPUs share an effect of twice the metric's floor, and at most 1 healthy GPU of 100,000.
# Worse than before: the same of histories of 15 and 30 reports, where nothing but a run differs from day to day and where
# 1 % does; healthy ones where 2 % does. Goals: recall 0.95 of what is worse by twice the floor, and at most 1 of 100,000
# GPUs that are not.
# Cost: 10,000 reports of eight GPUs against "jq -s length" on the same file, the best of ROUNDS (3): goal at most
# 0.4 of its time, and 100 MB.
# Linear: processor seconds by report, of 1,000, 10,000 and 100,000 reports through a pipe: goal at most twice the least,
# as what is sorted takes n log n. SIZES and PIPED: other numbers of nodes. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
rounds=${ROUNDS:-3} seeds=${SEEDS:-5}
read -ra sizes <<< "${SIZES:-10 100 1000 10000}"
read -ra piped <<< "${PIPED:-1000 10000 100000}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
missed=0

# ---- what is found

for nodes in "${sizes[@]}"; do
	scenario=mixed
	((nodes >= 100)) || scenario=small
	tests/fleet/score.py --goals -n "$nodes" --scenario "$scenario" --seeds "$((nodes < 10000 ? seeds : 1))" || missed=1
done
tests/fleet/score.py --goals -n 2000 --scenario healthy --seeds "$seeds" || missed=1
# Of parts without an end to how far they differ there is no goal: what is listed by chance is to be said.
tests/fleet/score.py -n 2000 --tails t4 --seeds 1 || missed=1

# ---- who is worse than before

for wander in 0 0.01; do
	for days in 15 30; do
		tests/fleet/history.py --goals -n 200 --days "$days" --wander "$wander" --seeds "$seeds" || missed=1
	done
done
tests/fleet/history.py --goals --healthy -n 2500 --days 10 --wander 0.02 --seeds "$seeds" || missed=1

# ---- what it costs

# best FILE COMMAND…: the round of least time
best() {
	local file=$1
	shift
	for ((round = 0; round < rounds; round++)); do
		tests/bench/fleet_cost.py "$@" "$file" || exit 1
	done | sort -n | head -n 1
}

tests/fleet/simulate.py -n 10000 --scenario valid --lean -o "$work/reports" --racks "$work/racks" || exit 1
size=$(stat -c %s "$work/reports")
ours=$(best "$work/reports" "$gpudiag" fleet --group rack="$work/racks" -f json)
theirs=$(best "$work/reports" jq -s length)
echo "$ours $theirs $size" | awk '{
	printf "10,000 reports, %.0f MB  %10s %10s\n", $9 / 1e6, "seconds", "peak MiB"
	printf "%-23s  %10.2f %10.0f\n", "gpudiag fleet", $1, $3 / 1024
	printf "%-23s  %10.2f %10.0f\n", "jq -s length", $5, $7 / 1024
	printf "ratio                    %10.2f %10.3f  goal 0.4: %s\n", $1 / $5, $3 / $7, ($1 > 0.4 * $5) ? "missed" : "met"
	exit $1 > 0.4 * $5 || $3 * 1024 > 1e8
}' || missed=1
rm "$work/reports"

for nodes in "${piped[@]}"; do
	tests/fleet/simulate.py -n "$nodes" --scenario valid --lean | tests/bench/fleet_cost.py "$gpudiag" fleet -f json - |
		sed "s/^/$nodes /"
done | awk '
	BEGIN { printf "%9s %12s %14s %10s\n", "reports", "processor s", "us by report", "peak MiB" }
	{
		us = $3 / $1 * 1e6
		printf "%9d %12.2f %14.1f %10.0f\n", $1, $3, us, $4 / 1024
		if (!least || us < least) least = us
		if (us > most) most = us
	}
	END {
		printf "most / least: %.2f  goal 2: %s\n", most / least, (most > 2 * least) ? "missed" : "met"
		exit most > 2 * least
	}' || missed=1
exit "$missed"
