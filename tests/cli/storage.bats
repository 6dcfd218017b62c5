#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# storage.bats - --storage and bench storage: real files on real file systems, and paths that are none. What a disk
# gives is its own affair: a figure is only asked to be there.
# Runs beside one: it times a deadline.
# Needs a disk: it reads past the page cache.

load helpers.sh
setup_file() { is_timed; }

setup() {
	begin
	mkdir -p data/sub/small
	head -c 25165824 /dev/urandom > data/sub/large
	for i in $(seq 8); do
		head -c "$((i * 1000))" /dev/urandom > "data/sub/small/$i"
	done
	sync data/sub/large
}

teardown() { unmount_hangfs; }

# Said by supervise.py.
elapsed_ms=0

# storage PATHS [ARGUMENT…]: the report in $OUT, the snapshot in ./seen.
storage() {
	local paths=$1
	shift
	gpudiag run --check storage-path,small-files --window 0 --format json --format snapshot=seen --storage "$paths" "$@"
}

# path KEY FILTER: of the record of that path.
path() {
	jq -r --arg key "$1" ".storage_paths[] | select(.key == \$key) | $2" seen
}

@test "a folder: large files, random reads, small files and absent ones are measured" {
	storage "$PWD/data"
	valid_report
	is "$(result storage-path)" note
	is "$(result small-files)" note
	is "$(path "$PWD/data" .large_files)" 1 "large files"
	is "$(path "$PWD/data" '.sequential_bytes_per_s > 0 and .random_reads_per_s > 0')" true "rates"
	is "$(path "$PWD/data" '.random_read_p50_ns <= .random_read_p95_ns and .random_read_p95_ns <= .random_read_p99_ns')" true order
	is "$(path "$PWD/data" .small_files)" 8 "small files"
	is "$(path "$PWD/data" '.failing_opens > 100 and .failing_open_p50_ns > 0')" true "absent files"
	is "$(path "$PWD/data" .file_system)" "$(findmnt -n -o FSTYPE --target data | tail -n 1)" "file system"
	# Of a file of 24 MiB 4 KiB reads and one sequential pass.
	is "$(path "$PWD/data" '.read_bytes >= 25165824')" true "bytes read"
	gpudiag run --snapshot seen --format json
	is "$(result storage-path)" note replayed
}

@test "one file: its speed, and absent files beside it" {
	storage data/sub/large
	is "$(path "$PWD/data/sub/large" '.sequential_bytes_per_s > 0')" true "rate"
	is "$(path "$PWD/data/sub/large" '.unknown.small_file_p50_ns')" "absent: fewer than 5 files of at most 256 KiB found"
	is "$(path "$PWD/data/sub/large" '.failing_opens > 100')" true "absent files"
}

@test "a memory file system is called one, and no disk's" {
	[ "$(findmnt -n -o FSTYPE --target /dev/shm | tail -n 1)" = tmpfs ] || skip "/dev/shm is no tmpfs"
	shm=$(mktemp -d /dev/shm/gpudiag-test-XXXXXX)
	cp -r data/sub "$shm"
	storage "$shm"
	rm -r "$shm"
	is "$(path "$shm" .kind)" memory
	is "$(path "$shm" .method)" "buffered, 4 threads, reads of 4 MiB"
	has "$OUT" "of memory (tmpfs on"
}

@test "an overlay is read through, and names the disk of its upper folder" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to mount"
	mkdir lower upper work over
	cp -r data/sub lower
	export GPUDIAG
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work over || exit 99
		"$GPUDIAG" run --check storage-path --window 0 --format snapshot=seen --storage over -q' > /dev/null 2>&1 ||
		skip "an overlay cannot be mounted here"
	is "$(path "$PWD/over" .kind)" overlay
	is "$(path "$PWD/over" '.sequential_bytes_per_s > 0')" true "rate"
}

@test "FIFO, device, missing, root-only and empty: each says what it is, and nothing hangs" {
	mkfifo fifo
	mkdir empty
	storage fifo,/dev/null,missing,empty
	valid_report
	is "$status" 3
	has "$OUT" "fifo (a FIFO: name a folder or a file)" "/dev/null (a " "missing (no such file or folder)"
	hasnt <(json .headline) "/empty ("
	is "$(path "$PWD/empty" .unknown.sequential_bytes_per_s)" "absent: no file of 8 MiB or more found below it"
	is "$(path "$PWD/empty" '.failing_opens > 100')" true "absent files"
	as_nobody_or_skip
	mkdir -m 700 mine
	chmod 777 .
	with "${AS_NOBODY[@]}" env HOME=/ GPUDIAG_RUNTIME_DIR= gpudiag run --check storage-path --window 0 --storage "$PWD/mine"
	is "$status" 3
	has "$OUT" "permission denied (EACCES)"
}

@test "file systems of the kernel are no storage, and not read, by whatever link" {
	ln -s /proc link
	for at in /proc /sys/kernel link; do
		storage "$at"
		is "$status" 3 "$at"
		has "$OUT" "(a file system of the kernel: no storage)"
	done
	# From above their mounts are not entered.
	mkdir -p above
	storage "$PWD/above" -q
}

@test "a redacted snapshot does not tell the paths" {
	mkdir -p somebody/secret-project
	gpudiag collect --storage "$PWD/somebody/secret-project,$PWD/somebody/missing" --window 0 --redact -o red.json
	is "$status" 0
	hasnt red.json "secret-project" "somebody"
	gpudiag run --snapshot red.json --check storage-path --format json
	is "$(result storage-path)" unknown
}

@test "links are followed, and files under a root-only folder hide themselves alone" {
	ln -s data/sub link
	storage link
	is "$(path "$PWD/link" '.small_files')" 8
}

@test "a sparse file is left out: reads of holes are none" {
	mkdir holes
	truncate -s 64M holes/file
	storage holes
	is "$(path "$PWD/holes" .unknown.sequential_bytes_per_s)" "absent: the files of 8 MiB and more below it are sparse"
}

@test "a file that is written and cut meanwhile" {
	( while :; do
		head -c 4194304 /dev/zero >> data/sub/large
		truncate -s 12M data/sub/large
	done ) &
	writer=$!
	storage data --even-if-busy
	kill "$writer"
	wait "$writer" || :
	valid_report
	is "$(path "$PWD/data" '.read_bytes > 0')" true "bytes read"
}

@test "a file system that hangs: the run goes on, the mount is named, and the next path is measured" {
	mv data/sub tree
	mount_hangfs
	mkdir data/other
	head -c 10485760 /dev/urandom > data/other/large
	echo "/large hang" > tree/.faults
	supervised gpudiag run --check storage-path,probe-health --window 0 --format json --format snapshot=seen \
		--storage "$PWD/mnt,$PWD/data/other"
	: > tree/.faults
	valid_report
	is "$status" 3
	is "$(json '[.findings[].id | select(startswith("probe-health."))] | join(" ")')" probe-health.file-system-stuck
	# A long path is cut where the step is kept.
	has "$OUT" "hangs in open large files of $PWD/mnt (fuse.hangfs on /" "no answer within 5 s" "$PWD/mnt (no answer in "
	is "$(path "$PWD/mnt" .mount_point)" "$PWD/mnt"
	is "$(path "$PWD/data/other" '.sequential_bytes_per_s > 0')" true "the next path"
	at_most "$elapsed_ms" 9000 "the run"
}

@test "a FUSE file system gets the small budget, and its errors are told" {
	mv data/sub tree
	mount_hangfs
	storage "$PWD/mnt"
	is "$(path "$PWD/mnt" .kind)" fuse
	is "$(path "$PWD/mnt" '.read_bytes <= 268435456 + 1048576')" true "bytes read"
	echo "/large eio" > tree/.faults
	storage "$PWD/mnt"
	: > tree/.faults
	is "$status" 3
	is "$(path "$PWD/mnt" .unknown.sequential_bytes_per_s)" "error: EIO"
	has "$OUT" "its large files cannot be read: EIO"
}

@test "level read puts no load on storage; the policy names paths; options are refused in words" {
	storage data --level read
	is "$(result storage-path)" skip
	is "$(json '.checks[] | select(.check == "storage-path").reason')" "level read puts no load on storage"
	printf '{ "storage.paths": ["%s/data/"] }\n' "$PWD" > policy.json
	gpudiag run --check storage-path --window 0 --policy policy.json --format json --format snapshot=seen
	is "$(path "$PWD/data" '.sequential_bytes_per_s > 0')" true "the policy's path"
	echo '{ "storage.paths": "data" }' > policy.json
	gpudiag run --policy policy.json
	refused 'policy.json:1: "storage.paths": "data" is not an absolute path'
	gpudiag run --storage data,,x
	refused "storage: an empty path"
	gpudiag bench storage
	refused "bench storage: no path"
	gpudiag bench data
	refused
}

@test "bench storage: table, JSON by its schema, rows of as many cells as the head" {
	gpudiag bench storage data --seconds 1
	is "$status" 0
	has "$OUT" "sequential" "random 4 KiB" "open, read small file" "open absent file"
	gpudiag bench storage data missing --seconds 1 -f json
	is "$status" 1
	is "$(json '[.storage[] | .key | sub(".*/"; "")] | join(" ")')" "data missing"
	is "$(json '.devices | length')" 0
	valid_by bench "$OUT"
	gpudiag bench storage data --seconds 1 -f csv
	is "$(python3 -c 'import csv, sys; print(len({len(r) for r in csv.reader(sys.stdin)}))' < "$OUT")" 1 "lengths of rows"
}

@test "every report above is valid" {
	reports_are_valid
}
