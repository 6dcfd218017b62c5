#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Judging sixteen GPUs: goal 5 ms, and at most 2.5 × what eight take (linear, with some room).
# ROUNDS (200) rounds. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
judging=${JUDGING:-build/bench/judging}
rounds=${ROUNDS:-200}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$gpudiag" collect --root build/nodes/h100-8 -o "$work/eight" || exit 1
# The same node with each GPU a second time, in PCI domain 1.
jq '.gpus += (.gpus | map(.key |= sub("^0000"; "0001"))) | .bus.gpus = (.gpus | length)' "$work/eight" > "$work/sixteen" || exit 1

eight=$("$judging" "$rounds" "$work/eight") && sixteen=$("$judging" "$rounds" "$work/sixteen") || exit 1
awk -v eight="$eight" -v sixteen="$sixteen" 'BEGIN {
	ratio = sixteen / eight
	printf " 8 GPUs %8.3f ms\n16 GPUs %8.3f ms  goal 5: %s\n", eight, sixteen, (sixteen > 5) ? "missed" : "met"
	printf "ratio   %8.2f     goal 2.5: %s\n", ratio, (ratio > 2.5) ? "missed" : "met"
	exit sixteen > 5 || ratio > 2.5
}'
