#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Storage figures against fio's on the same file, and opens of small files against a plain C loop, in one interleaved
# run. Goals: rates within 5 % of fio's, an open within 10 % of the loop's. ROUNDS (7) rounds; FOLDER (a new one in /tmp)
# is where the files are made, 1 GiB. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=${GPUDIAG:-build/gpudiag} opens=${OPENS:-build/bench/opens}
rounds=${ROUNDS:-7}
command -v fio > /dev/null || { echo "fio is not installed: apt-get install fio" >&2; exit 1; }
work=$(mktemp -d "${FOLDER:-/tmp}/gpudiag-bench-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export GPUDIAG_RUNTIME_DIR=$work/run

mkdir "$work/large" "$work/small"
dd if=/dev/urandom of="$work/large/file" bs=1M count=1024 status=none
for i in $(seq 1000); do head -c 20000 /dev/urandom > "$work/small/$i"; done
sync

# fio_rate ARGUMENT…: KiB/s and IOPS of reads by eight threads with O_DIRECT.
fio_rate() {
	fio --name=x --filename="$work/large/file" --direct=1 --ioengine=psync --thread --numjobs=8 --readonly --minimal \
		--group_reporting "$@" | tail -n 1 | cut -d ';' -f 7,8 | tr ';' ' '
}

ours() {
	"$gpudiag" bench storage "$work/$1" --seconds 4 -f json | jq ".storage[0].$2"
}

for ((round = 0; round <= rounds; round++)); do
	read -r kib _ < <(fio_rate --rw=read --bs=1M --size=128M --offset_increment=128M)
	read -r _ iops < <(fio_rate --rw=randread --bs=4k --runtime=1 --time_based)
	sequential=$(ours large sequential_bytes_per_s)
	random=$(ours large random_reads_per_s)
	small=$(ours small small_file_p50_ns)
	loop=$("$opens" "$work/small") || exit 1
	# The first round warms the caches.
	((round)) || continue
	awk -v a="$sequential" -v b="$kib" -v c="$random" -v d="$iops" -v e="$small" -v f="$loop" \
		'BEGIN { print a / b / 1024, c / d, e / f }' >> "$work/ratios"
done

for column in 1 2 3; do
	cut -d ' ' -f "$column" "$work/ratios" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
done | paste -sd ' ' | awk '
	function off(x) { return x > 1 ? x - 1 : 1 - x }
	{
		printf "sequential / fio: %.3f  goal within 5 %%: %s\n", $1, off($1) > 0.05 ? "missed" : "met"
		printf "random 4 KiB / fio: %.3f  goal within 5 %%: %s\n", $2, off($2) > 0.05 ? "missed" : "met"
		printf "small file / C loop: %.3f  goal within 10 %%: %s\n", $3, $3 > 1.1 ? "missed" : "met"
		exit off($1) > 0.05 || off($2) > 0.05 || $3 > 1.1
	}'
