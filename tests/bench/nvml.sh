#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# NVIDIA's management library asked of eight GPUs against one, each call taking 1 ms (CALL_US), in one interleaved run
# without a window. Goal: eight at most 1.3 × one. ROUNDS (11) rounds. Exit status 1 where it is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
rounds=${ROUNDS:-11}
library=$PWD/build/fakes/nvml/current/libnvidia-ml.so.1
for needed in build/nodes/h100-8 build/nodes/h100-1 "$library"; do
	[ -e "$needed" ] || { echo "$needed is not there: make nodes fakes" >&2; exit 1; }
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run

# driver NAME TREE: a library that knows the GPUs of that tree, with 18 NVLinks each.
driver() {
	mkdir -p "$work/$1/lib64"
	ln -s "$library" "$work/$1/lib64/"
	for address in "$2"/sys/bus/pci/devices/*; do
		[ "$(cat "$address/vendor" 2> /dev/null)" = 0x10de ] && basename "$address"
	done | jq -R . | jq -s --argjson us "${CALL_US:-1000}" '{call_us: $us, gpus: map({pci: .,
		nvlinks: [range(18) | {state: 1, version: 4, remote: "0000:07:00.0", remote_kind: 2, errors: [0, 0, 0, 0, 0],
		speed_mbps: 26562}]})}' > "$work/$1/lib64/nvml.json"
}
driver one build/nodes/h100-1
driver eight build/nodes/h100-8

for ((round = 0; round <= rounds; round++)); do
	for count in one:1 eight:8; do
		name=${count%:*}
		"$gpudiag" collect --root "build/nodes/h100-${count#*:}" --driver-root "$work/$name" --window 0 \
			-o "$work/snapshot" || exit 1
		# The first round warms the caches.
		((round)) || continue
		jq '[.probes[] | select(.probe == "nvml-gpu") | .elapsed_ms] | max' "$work/snapshot" >> "$work/$name.ms"
	done
done

median() {
	sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}
median "$work/one.ms" > "$work/one.median"
awk -v eight="$(median "$work/eight.ms")" '{
	printf "1 GPU %d ms, 8 GPUs %d ms: %.2f x\n", $1, eight, eight / $1
	exit eight / $1 > 1.3
}' "$work/one.median"
