#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reading a kernel log of 200 MB, its lines in the page cache, on one processor, in one interleaved run with
# grep -E -c (LC_ALL=C, into a pipe) and sixty patterns of the catalogue; all of its patterns are told beside. One line in
# 500 is an event, then one in 10. Goals: gpudiag logs 2.5 × as fast as grep (1 × where one line in 10 is an event), the
# prefilter alone 2.5 ×.
# ROUNDS (5) rounds; LINES (1900000) lines. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
bench=${BENCH:-build/bench/log}
rounds=${ROUNDS:-5}
lines=${LINES:-1900000}
if ! command -v taskset > /dev/null; then
	echo "taskset is not installed" >&2
	exit 1
fi
processor=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$bench" patterns > "$work/patterns" || exit 1
# Of all families, in even steps.
awk -v nr="$(wc -l < "$work/patterns")" 'int(NR * 60 / nr) > int((NR - 1) * 60 / nr)' "$work/patterns" > "$work/sixty"

names=(read lines prefilter logs grep-all grep)
run() {
	case $1 in
	read | lines | prefilter) taskset -c "$processor" "$bench" "$1" "$work/log" ;;
	logs) taskset -c "$processor" "$gpudiag" logs "$work/log" ;;
	grep-all) LC_ALL=C taskset -c "$processor" grep -E -c -f "$work/patterns" "$work/log" ;;
	grep) LC_ALL=C taskset -c "$processor" grep -E -c -f "$work/sixty" "$work/log" ;;
	esac 2> "$work/error" | cat > "$work/out"
	return "${PIPESTATUS[0]}"
}

measure() {
	local name round start end status
	rm -f "$work"/us.*
	for ((round = 0; round <= rounds; round++)); do
		for name in "${names[@]}"; do
			start=$EPOCHREALTIME
			run "$name"
			status=$?
			end=$EPOCHREALTIME
			# gpudiag's own exit status is a verdict below 64.
			if [ "$status" -ne 0 ] && { [ "$name" != logs ] || [ "$status" -ge 64 ]; }; then
				echo "$name: exit status $status" >&2
				cat "$work/error" >&2
				exit 1
			fi
			# The first round warms the caches.
			((round)) && echo "$((${end/./} - ${start/./}))" >> "$work/us.$name"
		done
	done
}

tell() {
	local name
	for name in "${names[@]}"; do
		sort -n "$work/us.$name" |
			awk -v name="$name" '{ us[NR] = $1 } END { print name, us[int((NR + 1) / 2)] }'
	done | awk -v goal="$1" '
		{ name[NR] = $1; us[NR] = $2 }
		END {
			for (i = 1; i <= NR; i++) {
				ratio = us[NR] / us[i]
				want = name[i] == "logs" ? goal : name[i] == "prefilter" ? 2.5 : 0
				missed = missed || ratio < want
				printf "%-12s %8.0f ms %8.2f × grep", name[i], us[i] / 1e3, ratio
				print want ? sprintf("  goal %.1f: %s", want, ratio < want ? "missed" : "met") : ""
			}
			exit missed
		}'
}

missed=0
for per_1000 in 2 100; do
	tests/bench/log_make.py "$lines" "$per_1000" > "$work/log" || exit 1
	printf '%d lines, %d MB, %d in 1000 are events\n' "$lines" "$(($(stat -c %s "$work/log") / 1000000))" "$per_1000"
	measure
	goal=2.5
	[ "$per_1000" -lt 100 ] || goal=1
	tell "$goal" || missed=1
done
exit $missed
