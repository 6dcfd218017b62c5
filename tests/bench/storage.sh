#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Storage figures against fio's on the same file, and opens of small files against a plain C loop, in turns. Goals: rates
# within 5 % of fio's, an open within 10 % of the loop's, by the median of the rounds' ratios. ROUNDS (7) rounds; FOLDER
# (/tmp) is where the files are made, 1 GiB. STEADY=1, as root: the files lie on a disk of memory instead, that the kernel
# limits to 600 MiB/s and 20,000 reads a second. A disk that gives in bursts, a virtual machine's above all, differs more
# from itself than the goal allows: on this one what is left is ours. Exit status 1 where a goal is missed.
set -u
cd "$(dirname "$0")/../.." || exit 1

gpudiag=$(realpath "${GPUDIAG:-build/gpudiag}") opens=$(realpath "${OPENS:-build/bench/opens}")
rounds=${ROUNDS:-7} steady=${STEADY:-} seconds=4 fio_seconds=1
command -v fio > /dev/null || { echo "fio is not installed: apt-get install fio" >&2; exit 1; }
work=$(mktemp -d "${FOLDER:-/tmp}/gpudiag-bench-XXXXXX") || exit 1
loop='' group=''
# shellcheck disable=SC2317 # called at exit
clean_up() {
	[ -z "$group" ] || { echo $$ > "${group%/*}/cgroup.procs" && rmdir "$group"; }
	! mountpoint -q "$work/disk" || umount "$work/disk"
	[ -z "$loop" ] || losetup -d "$loop"
	! mountpoint -q "$work/memory" || umount "$work/memory"
	rm -rf "$work"
}
trap clean_up EXIT
export GPUDIAG_RUNTIME_DIR=$work/run

give_up() {
	echo "$1" >&2
	exit 1
}

# limit_reads DEVICE: by the control group of this shell, and so of both readers.
limit_reads() {
	local number
	number=$(lsblk -dno MAJ:MIN "$1" | tr -d ' ')
	if [ -d /sys/fs/cgroup/blkio ]; then
		group=/sys/fs/cgroup/blkio/gpudiag-bench-$$
		mkdir "$group" && echo "$number 629145600" > "$group/blkio.throttle.read_bps_device" &&
			echo "$number 20000" > "$group/blkio.throttle.read_iops_device"
	else
		echo +io > /sys/fs/cgroup/cgroup.subtree_control && group=/sys/fs/cgroup/gpudiag-bench-$$ &&
			mkdir "$group" && echo "$number rbps=629145600 riops=20000" > "$group/io.max"
	fi || give_up "no control group limits reads here"
	echo $$ > "$group/cgroup.procs"
}

mkdir "$work/disk"
if [ -n "$steady" ]; then
	mkdir "$work/memory"
	if ! mount -t tmpfs -o size=2G tmpfs "$work/memory" || ! truncate -s 1500M "$work/memory/backing" ||
		! loop=$(losetup --show -f --direct-io=on "$work/memory/backing") || ! mkfs.ext4 -q "$loop" ||
		! mount "$loop" "$work/disk"; then
		give_up "no loop device over memory here"
	fi
	# What a limit did not use while the sequential part ran is given at once: 100 ms of it vanish in a longer part.
	seconds=16 fio_seconds=4
fi
mkdir "$work/disk/large" "$work/disk/small"
dd if=/dev/urandom of="$work/disk/large/file" bs=1M count=1024 status=none
for i in $(seq 1000); do head -c 20000 /dev/urandom > "$work/disk/small/$i"; done
sync
[ -z "$steady" ] || limit_reads "$loop"

# fio_rate ARGUMENT…: KiB/s and IOPS of reads with O_DIRECT, eight at a time.
fio_rate() {
	fio --name=x --filename="$work/disk/large/file" --direct=1 --readonly --minimal --group_reporting "$@" | tail -n 1 |
		cut -d ';' -f 7,8 | tr ';' ' '
}

ours() {
	"$gpudiag" bench storage "$work/disk/$1" --seconds "$seconds" -f json | jq ".storage[0].$2"
}

# Each turn begins with the other, so that what a disk gives in bursts goes to both.
for ((round = 0; round <= rounds; round++)); do
	order="fio ours"
	((round % 2)) || order="ours fio"
	for who in $order; do
		if [ "$who" = fio ]; then
			read -r kib _ < <(fio_rate --rw=read --bs=1M --ioengine=libaio --iodepth=8)
			sequential=$((kib * 1024))
			read -r _ random < <(fio_rate --rw=randread --bs=4k --ioengine=psync --thread --numjobs=8 --runtime="$fio_seconds" --time_based)
			small=$("$opens" "$work/disk/small") || exit 1
		else
			sequential=$(ours large sequential_bytes_per_s)
			random=$(ours large random_reads_per_s)
			small=$(ours small small_file_p50_ns)
		fi
		# The first round warms the caches.
		((round)) && echo "$sequential $random $small" >> "$work/$who.figures"
	done
done

missed=0
# compare WHAT COLUMN GOAL IS_TIME: both ways, except for times, where less is no fault.
compare() {
	paste -d ' ' "$work/ours.figures" "$work/fio.figures" | awk -v column="$2" '{ print $column / $(column + 3) }' |
		sort -g | awk -v what="$1" -v goal="$3" -v is_time="$4" '{ ratio[NR] = $1 } END {
		median = ratio[int((NR + 1) / 2)]
		missed = (median > 1 + goal) || (!is_time && median < 1 - goal)
		printf "%s: %.3f (%.3f to %.3f)  goal within %d %%: %s\n", what, median, ratio[1], ratio[NR], 100 * goal,
			missed ? "missed" : "met"
		exit missed
	}' || missed=1
}
compare "sequential / fio" 1 0.05 0
compare "random 4 KiB / fio" 2 0.05 0
compare "small file / C loop" 3 0.1 1
exit "$missed"
