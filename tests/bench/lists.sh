#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Time of "list gpus" and "topology" against lspci of the same recorded node, in one interleaved run. Goal: no slower.
# NODE (build/nodes/h100-8, made by "make nodes"); ROUNDS (25) rounds; GOAL (1.0) overrides the goal. Exit status 1 where
# the goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/interleaved.sh
. tests/interleaved.sh

gpudiag=${GPUDIAG:-build/gpudiag}
node=${NODE:-build/nodes/h100-8}
rounds=${ROUNDS:-25}
if ! command -v lspci > /dev/null; then
	echo "lspci is not installed: apt install pciutils" >&2
	exit 1
fi
if [ ! -d "$node/sys" ]; then
	echo "$node: no recorded node: make nodes" >&2
	exit 1
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run

names=(lspci list topology)
run() {
	case $1 in
	lspci) lspci -O "sysfs.path=$node/sys/bus/pci" ;;
	list) "$gpudiag" list gpus --root "$node" ;;
	topology) "$gpudiag" topology --root "$node" ;;
	esac > /dev/null 2> "$work/error"
}

# Once to warm caches, and to see that each works.
for name in "${names[@]}"; do
	if ! run "$name"; then
		echo "$name failed" >&2
		cat "$work/error" >&2
		exit 1
	fi
done

interleave "$rounds"
printf '%s, %d rounds, median and quartiles in ms\n' "$node" "$rounds"
tell_ratios "${GOAL:-1.0}"
