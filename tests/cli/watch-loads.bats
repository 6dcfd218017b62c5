#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
# watch-loads.bats - what gpudiag watch says of loads that run here for real: a word each, and near misses that must not
# get it.
# Runs alone: it puts load on this machine.
# Needs a disk: files are pushed out of the page cache and read again.

load helpers.sh
setup_file() { is_timed; }
LOAD=$TOP/build/fakes/host_load
CPU_TREE=/sys/fs/cgroup/cpu MEMORY_TREE=/sys/fs/cgroup/memory UNIFIED=/sys/fs/cgroup
SECONDS_WATCHED=3.1

setup() {
	begin
	[ -x "$LOAD" ] || fail "no $LOAD: make fakes"
	loads=() groups=()
}

teardown() {
	[ ${#loads[@]} -eq 0 ] || kill -KILL "${loads[@]}" 2> /dev/null || :
	wait
	for group in "${groups[@]}"; do
		for _ in {1..20}; do
			! rmdir "$group" 2> /dev/null || break
			sleep 0.05
		done
	done
	unmount_hangfs
}

# ahead COMMAND…: before all else that runs here, where that is allowed; a session is weighed against other sessions.
ahead() {
	# shellcheck disable=SC2016
	exec setsid bash -c '{ echo -15 > /proc/self/autogroup; renice -n -15 $$; } > /dev/null 2>&1; exec "$@"' ahead "$@"
}

# start COMMAND…: in the background; its number is in $load.
start() {
	ahead "$@" > /dev/null 2>&1 < /dev/null 3>&- &
	load=$!
	loads+=("$load")
}

# start_in GROUP-FOLDER COMMAND…
start_in() {
	# shellcheck disable=SC2016
	start bash -c 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"' start_in "$@"
}

# story_of PID NAME: in ./NAME, in the background; for all_told.
watch_it() {
	(ahead "$GPUDIAG" watch --for "${SECONDS_WATCHED}s" --interval 500ms --format json --pid "$1") > "$2.json" 2> "$2.err" &
	watches+=("$! $2")
}

# Waits for those that watch, and for no load.
all_told() {
	local each
	for each in "${watches[@]}"; do
		wait "${each% *}" || echo $? > "${each#* }.status"
	done
	watches=()
}

word_of() {
	jq -rs '.[-1].story.phases[0].word // "none"' "$1.json"
}

# What was said, where it is another word.
said() {
	jq -rs --arg name "$1" '$name + ": " + (.[-1].story.headline // "nothing")' "$1.json"
	cat "$1.err"
}

# says WORD NAME…
says() {
	local wanted=$1 name
	shift
	for name; do
		[[ $(said "$name") != *"in the run queue"* ]] || skip "others take the CPUs of this machine"
		[ "$(word_of "$name")" = "$wanted" ] || fail "$(word_of "$name"), not $wanted" "$(said "$name")"
		is "$(cat "$name.status" 2> /dev/null || echo 0)" "$(jq -s '.[-1].story.exit_status' "$name.json")" "exit status of $name"
	done
}

# watched WORD: of the load that was started last. Where processes wait for a disk is told from three seconds on.
watched() {
	sleep 0.3
	watch_it "$load" story
	all_told
	says "$1" story
}

# new_group TREE FILE LIMIT: a control group below, as $group, or the test is skipped.
new_group() {
	local tree=$1 file=$2 limit=$3
	group=$tree/gpudiag-test-$$
	mkdir "$group" 2> /dev/null || return 1
	groups+=("$group")
	{ echo "$limit" > "$group/$file"; } 2> /dev/null
}

# quota PERCENT: of one CPU, for ./group.
quota() {
	new_group "$CPU_TREE" cpu.cfs_quota_us "${1}000" || new_group "$UNIFIED" cpu.max "${1}000 100000" ||
		skip "no control group with a CPU quota can be made here"
	# Of groups this counts, and not how nice their processes are.
	{ echo 200000 > "$group/cpu.shares" || echo 10000 > "$group/cpu.weight"; } 2> /dev/null || :
}

# slow_folder FILES BYTES DELAY_MS: ./mnt, whose reads take that long each.
slow_folder() {
	mkdir tree
	head -c "$2" /dev/zero > tree/0
	python3 -c 'import shutil, sys
for i in range(1, int(sys.argv[1])): shutil.copyfile("tree/0", "tree/%d" % i)' "$1"
	mount_hangfs
	echo "* delay=$3" > tree/.faults
}

# ---- CPU

@test "one thread of Python at its limit" {
	start python3 -c 'while True: pass'
	watched starved-thread
	has story.json "python"
	is "$(jq -s '.[-1].story.exit_status' story.json)" 1 "exit status"
}

@test "one thread that copies from the page cache" {
	mkdir files
	head -c 4M /dev/zero > files/a
	start "$LOAD" read "$PWD/files" 65536
	watched starved-thread
}

@test "a command that computes, watched from its start" {
	status=0
	(ahead timeout 4 "$GPUDIAG" watch --for 3s --interval 500ms --format json -- timeout -s KILL 3.4 "$LOAD" peg) > out 2> err < /dev/null || status=$?
	empty out
	is "$status" 137 "exit status, which is the command's"
	is "$(jq -r '.story.phases[0].word' err)" starved-thread word
}

@test "loaders that decode below a parent that sleeps" {
	start "$LOAD" loaders "$(nproc)"
	[ "$(nproc)" -gt 1 ] || skip "one CPU does not suffice for loaders and their watcher"
	# They need every CPU: whatever else ran for a moment takes a part of it, and is gone the second time.
	watched starved-loader || watched starved-loader
	has story.json "$(nproc) worker processes"
}

@test "a CPU quota" {
	quota 50
	start_in "$group" "$LOAD" peg
	watched starved-cpu-quota
	has story.json "held back by a quota"
}

# ---- memory and files

@test "a memory limit below what is used" {
	head -c 128M /dev/zero > data
	# Pages that are in memory count for the group that read them.
	sync data && dd if=data iflag=nocache count=0 2> err
	new_group "$MEMORY_TREE" memory.limit_in_bytes 24M || new_group "$UNIFIED" memory.max 24M ||
		skip "no control group with a memory limit can be made here"
	SECONDS_WATCHED=5.1
	start_in "$group" "$LOAD" map "$PWD/data"
	watched thrashing
}

@test "a checkpoint" {
	start "$LOAD" write "$PWD/data" 64 0
	watched checkpoint
}

@test "ten thousand small files of a slow file system" {
	slow_folder 10000 4096 1
	SECONDS_WATCHED=5.1
	start "$LOAD" read "$PWD/mnt" 65536
	watched starved-small-files
}

@test "large files of a slow file system" {
	slow_folder 4 16M 20
	SECONDS_WATCHED=5.1
	start "$LOAD" read "$PWD/mnt" 1048576
	watched starved-storage
}

# ---- nobody is to blame

@test "one that sleeps, and one that gives way while it waits" {
	start sleep 60
	watch_it "$load" asleep
	start "$LOAD" yield
	watch_it "$load" yields
	all_told
	says waits-elsewhere asleep yields
	has yields.json "given away (sched_yield)"
}

@test "near misses: half a CPU, a quota that suffices, a log, a few small files" {
	quota 80
	start "$LOAD" peg 50
	watch_it "$load" half
	start_in "$group" "$LOAD" peg 40
	watch_it "$load" quota
	start "$LOAD" write "$PWD/log" 1 500
	watch_it "$load" log
	mkdir files
	for i in {1..20}; do echo "$i" > "files/$i"; done
	start bash -c 'while sleep 0.2; do cat files/*; done'
	watch_it "$load" files
	all_told
	says mixed half quota
	says waits-elsewhere log files
	for name in half quota log files; do
		[ ! -e "$name.status" ] || fail "accused" "$(said "$name")"
	done
}

@test "near misses: loaders with time to spare" {
	start "$LOAD" loaders 2 40
	watched mixed
}
