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

# fio_rate ARGUMENT…: KiB/s and IOPS of reads with O_DIRECT, eight at a time.
fio_rate() {
	fio --name=x --filename="$work/large/file" --direct=1 --readonly --minimal --group_reporting "$@" | tail -n 1 |
		cut -d ';' -f 7,8 | tr ';' ' '
}

ours() {
	"$gpudiag" bench storage "$work/$1" --seconds 4 -f json | jq ".storage[0].$2"
}

# Each turn begins with the other, so that what a disk gives in bursts goes to both.
for ((round = 0; round <= rounds; round++)); do
	order="fio ours"
	((round % 2)) || order="ours fio"
	for who in $order; do
		if [ "$who" = fio ]; then
			read -r kib _ < <(fio_rate --rw=read --bs=1M --ioengine=libaio --iodepth=8)
			sequential=$((kib * 1024))
			read -r _ random < <(fio_rate --rw=randread --bs=4k --ioengine=psync --thread --numjobs=8 --runtime=1 --time_based)
			small=$("$opens" "$work/small") || exit 1
		else
			sequential=$(ours large sequential_bytes_per_s)
			random=$(ours large random_reads_per_s)
			small=$(ours small small_file_p50_ns)
		fi
		# The first round warms the caches.
		((round)) && echo "$sequential $random $small" >> "$work/$who.figures"
	done
done

# median FILE COLUMN
median() {
	cut -d ' ' -f "$2" "$work/$1.figures" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

missed=0
# compare WHAT COLUMN GOAL: both ways, except for times, where less is no fault.
compare() {
	awk -v what="$1" -v ours="$(median ours "$2")" -v theirs="$(median fio "$2")" -v goal="$3" -v is_time="$4" 'BEGIN {
		ratio = ours / theirs
		missed = (ratio > 1 + goal) || (!is_time && ratio < 1 - goal)
		printf "%s: %.3f  goal within %d %%: %s\n", what, ratio, 100 * goal, missed ? "missed" : "met"
		exit missed
	}' || missed=1
}
compare "sequential / fio" 1 0.05 0
compare "random 4 KiB / fio" 2 0.05 0
compare "small file / C loop" 3 0.1 1
exit "$missed"
