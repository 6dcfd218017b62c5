#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Judging sixteen GPUs and 4,000 lines of the kernel log: goal 5 ms, and at most 2.5 × what eight take (linear, with some
# room). Comparing two such nodes, after an upgrade and with other lines: the same. ROUNDS (200) rounds. Exit status 1 where
# a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag}
judging=${JUDGING:-build/bench/judging}
rounds=${ROUNDS:-200}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$gpudiag" collect --root build/nodes/h100-8 -o "$work/plain" || exit 1
# As many lines of the kernel log as a snapshot keeps: those of a boot, and faults of several kinds on each GPU.
jq '[.gpus[].key[:10]] as $gpus | .log_lines = [range(4000) as $n | {key: "\($n + 1)", boot_ns: ($n * 800000000000),
	text: (if $n % 4 == 0 then "NVRM: Xid (PCI:\($gpus[$n % 8])): \([13, 31, 43, 48, 63, 94][$n % 6]), pid=\($n), name=python3, words \($n)"
	elif $n % 4 == 1 then "pcieport 0000:59:01.0: AER: Corrected error received: \($gpus[3]).0"
	elif $n % 4 == 2 then "nvidia \($gpus[$n % 8]).0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)"
	else "nvidia \($gpus[$n % 8]).0:    [ 0] RxErr                  (First)" end)}]' "$work/plain" > "$work/eight" || exit 1
# The same node with each GPU a second time, in PCI domain 1.
jq '.gpus += (.gpus | map(.key |= sub("^0000"; "0001"))) | .bus.gpus = (.gpus | length)' "$work/eight" > "$work/sixteen" || exit 1
# As it is after an upgrade that left every GPU with other firmware, errors and a narrower link.
for name in eight sixteen; do
	jq '.host.boot_id = "another" | .host.kernel = "7.0" | .gpus |= map(.nvidia.vbios = "changed" | .pci.link_width = 4
		| .pci.aer_fatal = 7 | .hops = ((.hops // []) | map(.pci.aer_nonfatal = 3))) | .log_lines |= .[:1000]' "$work/$name" > "$work/$name-after" || exit 1
done

missed=0
# goals WHAT EIGHT SIXTEEN, in ms
goals() {
	awk -v what="$1" -v eight="$2" -v sixteen="$3" 'BEGIN {
		ratio = sixteen / eight
		printf "%-9s  8 GPUs %8.3f ms\n", what, eight
		printf "%-9s 16 GPUs %8.3f ms  goal 5: %s\n", what, sixteen, (sixteen > 5) ? "missed" : "met"
		printf "%-9s ratio   %8.2f     goal 2.5: %s\n", what, ratio, (ratio > 2.5) ? "missed" : "met"
		exit sixteen > 5 || ratio > 2.5
	}' || missed=1
}

eight=$("$judging" "$rounds" "$work/eight") && sixteen=$("$judging" "$rounds" "$work/sixteen") || exit 1
goals judging "$eight" "$sixteen"
eight=$("$judging" "$rounds" "$work/eight" "$work/eight-after") &&
	sixteen=$("$judging" "$rounds" "$work/sixteen" "$work/sixteen-after") || exit 1
goals comparing "$eight" "$sixteen"
exit "$missed"
