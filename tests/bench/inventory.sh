#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole-process time of taking inventory against clinfo, in one interleaved run. Goal: at most 0.6 of
# clinfo's time with one OpenCL driver, 0.9 with several: gpudiag starts a process for each.
# ROUNDS (15) rounds; GOAL overrides the goal. Exit status 1 where the goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
rounds=${ROUNDS:-15}
if ! command -v clinfo > /dev/null; then
	echo "clinfo is not installed" >&2
	exit 1
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run

names=(clinfo collect opencl-runtime)
run() {
	case $1 in
	clinfo) clinfo ;;
	collect) "$gpudiag" collect --level read --window 0 -o /dev/null ;;
	opencl-runtime) "$gpudiag" run --check opencl-runtime --format json -o /dev/null ;;
	esac > /dev/null 2> "$work/error"
}

# Once to warm caches, and to see that each works. gpudiag's own exit status is a verdict below 64.
for name in "${names[@]}"; do
	run "$name"
	status=$?
	if [ "$status" -ge 64 ]; then
		echo "$name: exit status $status" >&2
		cat "$work/error" >&2
		exit 1
	fi
done

for ((round = 0; round < rounds; round++)); do
	for name in "${names[@]}"; do
		start=$EPOCHREALTIME
		run "$name"
		end=$EPOCHREALTIME
		echo "$((${end/./} - ${start/./})) $round" >> "$work/$name"
	done
done

drivers=$(find "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}" -name '*.icd' 2> /dev/null | wc -l)
goal=${GOAL:-$([ "$drivers" -gt 1 ] && echo 0.9 || echo 0.6)}

printf '%d OpenCL driver(s), %d rounds, median and quartiles in ms\n' "$drivers" "$rounds"
printf '%-16s %8s %8s %8s %8s\n' command median lower upper ratio
for name in "${names[@]}"; do
	sort -n "$work/$name" | awk -v name="$name" '
		{ us[NR] = $1 }
		END { print name, us[int((NR + 1) / 2)] / 1e3, us[int((NR + 3) / 4)] / 1e3, us[int((3 * NR + 3) / 4)] / 1e3 }'
done | awk -v goal="$goal" '
	NR == 1 { clinfo = $2 }
	{
		ratio = $2 / clinfo
		printf "%-16s %8.1f %8.1f %8.1f %8.2f", $1, $2, $3, $4, ratio
		if (NR > 1) {
			missed = missed || (ratio > goal)
			printf "  goal %.2f: %s", goal, (ratio > goal) ? "missed" : "met"
		}
		print ""
	}
	END { exit missed }'
