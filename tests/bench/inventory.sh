#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole-process time of taking inventory against clinfo, in one interleaved run. Goal: at most 0.6 of
# clinfo's time with one OpenCL driver, 0.9 with several: gpudiag starts a process for each.
# ROUNDS (15) rounds; GOAL overrides the goal. Exit status 1 where the goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/interleaved.sh
. tests/interleaved.sh

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

interleave "$rounds"

drivers=$(find "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}" -name '*.icd' 2> /dev/null | wc -l)
goal=${GOAL:-$([ "$drivers" -gt 1 ] && echo 0.9 || echo 0.6)}

printf '%d OpenCL driver(s), %d rounds, median and quartiles in ms\n' "$drivers" "$rounds"
tell_ratios "$goal"
