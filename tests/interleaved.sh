# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# interleaved.sh - sourced by benches that time whole processes against a peer. They set names, the peer first, work, a
# folder, and run NAME, which says what went wrong in $work/error.

# interleave ROUNDS: each of them once in a round.
interleave() {
	local round name start end
	for ((round = 0; round < $1; round++)); do
		for name in "${names[@]}"; do
			start=$EPOCHREALTIME
			run "$name"
			end=$EPOCHREALTIME
			echo "$((${end/./} - ${start/./}))" >> "$work/$name"
		done
	done
}

# tell_ratios GOAL: median and quartiles, and each median by the peer's. Status 1 where one is above the goal.
tell_ratios() {
	local name
	printf '%-16s %8s %8s %8s %8s\n' command median lower upper ratio
	for name in "${names[@]}"; do
		sort -n "$work/$name" | awk -v name="$name" '
			{ us[NR] = $1 }
			END { print name, us[int((NR + 1) / 2)] / 1e3, us[int((NR + 3) / 4)] / 1e3, us[int((3 * NR + 3) / 4)] / 1e3 }'
	done | awk -v goal="$1" '
		NR == 1 { peer = $2 }
		{
			ratio = $2 / peer
			printf "%-16s %8.1f %8.1f %8.1f %8.2f", $1, $2, $3, $4, ratio
			if (NR > 1) {
				missed = missed || (ratio > goal)
				printf "  goal %.2f: %s", goal, (ratio > goal) ? "missed" : "met"
			}
			print ""
		}
		END { exit missed }'
}
