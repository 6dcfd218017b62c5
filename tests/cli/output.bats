#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# output.bats - what cannot be written is told with status 70; what was there stays, or is replaced whole.

load helpers.sh
setup_file() { is_timed; }

EXCHANGE=$TOP/build/fakes/exchange

setup() {
	begin
	need_tree l40s-4
	TREE=$NODES/l40s-4
	gpudiag collect --root "$TREE" -o snapshot
	echo 'as it was' > kept
}

teardown() {
	if [ -d "$BATS_TEST_TMPDIR/small" ]; then
		umount "$BATS_TEST_TMPDIR/small" 2> /dev/null || :
	fi
}

nothing_left_over() {
	is "$(find . -name '.gpudiag-*' -o -name '*.tmp')" '' "files left over"
}

# refused_to_write [TEXT…]: exit status 64 and one line that says why, before anything was done.
refused_to_write() {
	is "$status" 64 "exit status"
	is "$(wc -l < "$ERR")" 1 "lines on stderr"
	has "$ERR" "gpudiag: " "cannot write" "$@"
}

# ---- full

@test "a full disk as standard output, of every command" {
	local -a command
	while read -ra command; do
		status=0
		"$GPUDIAG" "${command[@]}" > /dev/full 2> "$ERR" || status=$?
		: > "$OUT"
		failed_to_write 'standard output' 'No space left on device' || fail "${command[*]}"
	done <<- END
		run --snapshot snapshot
		run --snapshot snapshot --format json
		run --snapshot snapshot -o -
		run --snapshot snapshot --format snapshot=-
		collect --root $TREE
		list checks
		explain pcie-width
		schema report
		schema snapshot
		--help
		run --help
		--version
	END
}

# Minutes of measuring may lie before it.
@test "a full disk as -o and as a format's file: the report goes to standard output" {
	gpudiag run --snapshot snapshot -o /dev/full
	failed_to_write '/dev/full' 'No space left on device' 'written to standard output instead'
	has "$OUT" PASS
	gpudiag run --snapshot snapshot --format json=/dev/full
	failed_to_write '/dev/full'
	jq -e '.verdict == "pass"' "$OUT"
	gpudiag collect --root "$TREE" -o /dev/full
	failed_to_write '/dev/full'
	jq -e '.schema == "gpudiag.snapshot/1"' "$OUT"
	gpudiag diff snapshot snapshot -o /dev/full
	failed_to_write '/dev/full'
	[ -s "$OUT" ]
	# One document, and not a second one behind it.
	ln -s /dev/full full
	gpudiag run --snapshot snapshot --format json=/dev/full --format snapshot=full
	is "$status" 70
	is "$(grep -c 'written to standard output instead' "$ERR")" 1
	jq -e . "$OUT"
}

@test "what cannot be written is told before anything is looked at" {
	local begin=${EPOCHREALTIME/./}
	local -a command
	: > kept
	while read -ra command; do
		gpudiag "${command[@]}"
		is "$status" 64 "${command[*]}"
		empty "$OUT"
		has "$ERR" 'cannot write: No such file or directory'
	done <<- END
		run --window 20s --root $TREE -o none/x
		run --window 20s --format json=none/x
		collect --window 20s -o none/x
		gate --window 20s --record none/x
		bench --opencl-type cpu -o none/x
		bench --opencl-type cpu --plot none/x -o table
		baseline save --runs 9 --window 20s -o none/x
		logs -o none/x kept
		diff snapshot snapshot -o none/x
	END
	at_most "$(((${EPOCHREALTIME/./} - begin) / 1000))" 15000 "telling"
	[ ! -e table ]
	nothing_left_over
}

# ---- where others may write

needs_another_user() {
	as_nobody_or_skip
	mkdir shared
	chmod 1777 shared
}

@test "links and files of others, in a folder that they may write, are refused" {
	needs_another_user
	"${AS_NOBODY[@]}" ln -s ../kept shared/link
	"${AS_NOBODY[@]}" sh -c 'echo theirs > shared/file && chmod 666 shared/file'
	for name in link file; do
		gpudiag run --snapshot snapshot -o "shared/$name"
		is "$status" 64
		has "$ERR" "shared/$name: cannot write: a $name of another user (uid $NOBODY), in a folder that others may write"
	done
	is "$(cat kept shared/file)" $'as it was\ntheirs'
	gpudiag run --snapshot snapshot -o shared/own
	is "$status" 0
	gpudiag run --snapshot snapshot -q -o shared/own
	is "$(stat -c %u shared/own)" 0
	nothing_left_over
}

# race SECONDS TURNS: two other users exchange names in the folder as fast as they can, while root writes there.
race() {
	local race=() end=$((EPOCHSECONDS + $1)) name i _
	for _ in 1 2; do
		"$EXCHANGE" "$NOBODY" shared target "$1" "$2" >> held 3>&- &
		race+=($!)
	done
	while [ "$EPOCHSECONDS" -lt "$end" ]; do
		status=0
		(umask 077 && "$GPUDIAG" run --snapshot snapshot -o shared/target) > "$OUT" 2> "$ERR" || status=$?
		case $status in
		0) ;;
		64 | 70) has "$ERR" 'cannot write' && refused=$((refused + 1)) ;;
		*) fail "exit status $status" ;;
		esac
		runs=$((runs + 1))
		# Whatever has what root wrote is root's alone.
		while read -r name; do
			written=$((written + 1))
			is "$(stat -c '%u %a' "$name")" '0 600' "$name"
			rm -f "$name"
		done < <(grep -ls 'decision:' shared/*)
		# Where they never leave the name free, they have it before root comes again.
		for ((i = 0; $2 == 0 && i < 100; i++)); do
			if [ -e shared/target ] || [ -L shared/target ]; then
				break
			fi
			sleep 0.01
		done
	done
	wait "${race[@]}"
}

@test "a race for what root writes is lost" {
	local runs=0 refused=0 written=0
	needs_another_user
	[ -x "$EXCHANGE" ] || skip "its fake user is not built"
	chmod 600 kept
	race $((2 * BATS_TEST_TRY_NUMBER)) 0	# the name is theirs at nearly all times
	race $((4 * BATS_TEST_TRY_NUMBER)) 16	# and is free now and then
	is "$(cat kept)" 'as it was'
	is "$(stat -c '%u %a' kept)" '0 600' "the file a link led to"
	echo "# $runs runs: $written wrote, $refused were refused; names were exchanged $(awk '{ n += $1 } END { print n }' held) times" >&3
	[ "$runs" -ge 20 ] && [ "$refused" -ge 5 ] && [ "$written" -ge 1 ]
}

@test "one place that fails does not cost the others" {
	gpudiag run --snapshot snapshot --format json=/dev/full --format snapshot=copy --format text
	failed_to_write '/dev/full'
	has "$OUT" 'PASS'
	hasnt "$ERR" 'standard output'
	same copy snapshot
}

@test "a disk that is full in the middle of it: the file stays as it was" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to mount a small file system"
	mkdir small
	mount -t tmpfs -o size=12k tmpfs small 2> /dev/null || skip "nothing may be mounted here"
	echo 'as it was' > small/kept
	gpudiag run --snapshot snapshot --format json -o small/kept
	failed_to_write 'small/kept' 'No space left on device' 'unchanged'
	is "$(cat small/kept)" 'as it was'
	is "$(ls -A small)" kept "files in it"
	# There is room for the text.
	gpudiag run --snapshot snapshot --format text -o small/kept
	is "$status" 0
	has small/kept PASS
	umount small
}

@test "a file larger than may be: the file stays as it was" {
	(
		trap '' XFSZ
		ulimit -f 1
		set -o pipefail
		status=0
		"$GPUDIAG" run --snapshot snapshot --format json -o kept 2> "$ERR" | jq -e '.verdict == "pass"' > /dev/null || status=$?
		failed_to_write 'kept' 'File too large'
	)
	is "$(cat kept)" 'as it was'
	nothing_left_over
	# Where the signal is not ignored, as in any shell.
	(
		ulimit -f 1
		status=0
		"$GPUDIAG" run --snapshot snapshot --format json -o kept > /dev/null 2>&1 || status=$?
		[ "$status" -eq 70 ] || fail "exit status $status"
	)
	is "$(cat kept)" 'as it was'
	nothing_left_over
}

# ---- closed

@test "a pipe that nobody reads any more: no message, no crash" {
	local format
	for format in text json snapshot; do
		for _ in 1 2 3; do
			{
				status=0
				"$GPUDIAG" run --snapshot snapshot --format "$format" 2> "$ERR" || status=$?
				echo "$status" > said
			} | true
			is "$(cat said)" 0
			empty "$ERR"
		done
	done
	{
		status=0
		"$GPUDIAG" schema report 2> "$ERR" || status=$?
		echo "$status" > said
	} | head -c 1 > /dev/null
	is "$(cat said)" 0
	empty "$ERR"
}

@test "a pipe whose reader is gone before anything is written" {
	mkfifo pipe
	(exec 3>&- && : < pipe) &
	{
		sleep 0.1
		status=0
		"$GPUDIAG" run --snapshot snapshot 2> "$ERR" || status=$?
		echo "$status" > said
	} > pipe
	wait
	is "$(cat said)" 0
	empty "$ERR"
}

@test "the exit status is the node's, not the pipe's" {
	need_tree head-node
	{
		status=0
		"$GPUDIAG" run --root "$NODES/head-node" 2> "$ERR" || status=$?
		echo "$status" > said
	} | true
	is "$(cat said)" 3
	empty "$ERR"
}

@test "a closed standard output is told" {
	status=0
	"$GPUDIAG" run --snapshot snapshot >&- 2> "$ERR" || status=$?
	: > "$OUT"
	failed_to_write 'standard output' 'Bad file descriptor'
}

@test "a pipe that is full and does not block is waited for" {
	command -v python3 > /dev/null || skip "python3 is not installed"
	gpudiag schema report
	cp "$OUT" whole
	python3 - "$GPUDIAG" > got <<- 'PYTHON'
		import fcntl, os, subprocess, sys, time
		read, write = os.pipe()
		fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
		os.set_blocking(write, False)
		program = subprocess.Popen([sys.argv[1], "schema", "report"], stdout=write)
		os.close(write)
		time.sleep(0.2)
		while chunk := os.read(read, 65536):
		    sys.stdout.buffer.write(chunk)
		sys.exit(program.wait())
	PYTHON
	same got whole
}

# ---- places that cannot be written to

@test "a folder that is not there, a folder in place of a file" {
	gpudiag run --snapshot snapshot -o nosuch/file
	refused_to_write 'nosuch/file' 'No such file or directory'
	mkdir folder
	gpudiag run --snapshot snapshot -o folder
	refused_to_write 'folder' 'Is a directory'
	gpudiag run --snapshot snapshot -o kept/file
	refused_to_write 'kept/file' 'Not a directory'
	is "$(cat kept)" 'as it was'
	empty "$OUT"
}

@test "a folder that may not be written to: the file in it stays as it was" {
	as_nobody_or_skip
	chmod 644 snapshot
	mkdir folder
	echo 'as it was' > folder/kept
	chmod 666 folder/kept
	chmod 555 folder
	with "${AS_NOBODY[@]}" gpudiag run --snapshot snapshot -o folder/kept
	refused_to_write 'folder/kept' 'Permission denied'
	is "$(cat folder/kept)" 'as it was'
	is "$(ls -A folder)" kept "files in it"
}

@test "a read-only file system: the file stays as it was" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to mount a read-only file system"
	mkdir small
	mount -t tmpfs tmpfs small 2> /dev/null || skip "nothing may be mounted here"
	echo 'as it was' > small/kept
	mount -o remount,ro small
	gpudiag run --snapshot snapshot -o small/kept
	refused_to_write 'small/kept' 'Read-only file system'
	is "$(cat small/kept)" 'as it was'
	umount small
}

@test "a circle of links" {
	ln -s b a
	ln -s a b
	gpudiag run --snapshot snapshot -o a
	refused_to_write 'a: ' 'Too many levels of symbolic links'
}

# ---- how it is written

@test "a new file has the mode that the umask leaves" {
	(umask 027 && gpudiag run --snapshot snapshot -o new)
	is "$(stat -c %a new)" 640
	(umask 077 && gpudiag collect --root "$TREE" -o new2)
	is "$(stat -c %a new2)" 600
}

@test "an existing file is replaced whole, by a rename, and keeps its mode" {
	chmod 604 kept
	ln kept other_name
	exec 7< kept
	gpudiag run --snapshot snapshot -o kept
	is "$status" 0
	empty "$OUT"
	has kept PASS
	is "$(stat -c %a kept)" 604
	# Whoever has the old one open, or by another name, keeps it.
	is "$(cat other_name)" 'as it was'
	is "$(cat <&7)" 'as it was'
	exec 7<&-
	nothing_left_over
}

@test "root does not take a user's file away" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	chown "$NOBODY:$NOBODY" kept
	gpudiag run --snapshot snapshot -o kept
	is "$(stat -c %u:%g kept)" "$NOBODY:$NOBODY"
}

@test "a link is followed, and stays one" {
	mkdir there
	mv kept there/target
	ln -s there/target kept
	ln -s kept far
	gpudiag run --snapshot snapshot -o far
	is "$status" 0
	[ -L far ]
	[ -L kept ]
	[ ! -L there/target ]
	has there/target PASS
	is "$(ls -A there)" target "files beside it"
	# Also where it leads to what is not there yet.
	ln -s there/later hanging
	gpudiag run --snapshot snapshot -o hanging
	[ -L hanging ]
	has there/later PASS
}

@test "devices, pipes and descriptors are written to and not replaced" {
	gpudiag run --snapshot snapshot -o /dev/null
	is "$status" 0
	[ -c /dev/null ]
	gpudiag run --snapshot snapshot -o /dev/stdout
	has "$OUT" PASS
	cp "$OUT" whole
	mkfifo pipe
	(exec 3>&- && cat pipe > got) &
	gpudiag run --snapshot snapshot -o pipe
	wait
	[ -p pipe ]
	same got whole
	echo 'before' > log
	"$GPUDIAG" run --snapshot snapshot -o /dev/fd/7 7>> log
	is "$(head -n 1 log)" before
	is "$(tail -n +2 log | cmp - whole && echo same)" same
}

# Its reader may never come.
@test "a pipe without a reader: a signal ends the waiting" {
	local name number
	mkfifo pipe
	while read -r name number; do
		status=0
		timeout --preserve-status -s "$name" -k 5 0.5 "$GPUDIAG" run --snapshot snapshot --format json=pipe \
			--format snapshot=copy > "$OUT" 2> "$ERR" || status=$?
		is "$status" "$number" "after SIG$name"
		# What need not wait is written by then.
		same copy snapshot
		rm copy
	done <<- END
		INT 130
		TERM 143
		HUP 129
	END
	[ -p pipe ]
	nothing_left_over
}

@test "the input may be the output" {
	cp snapshot both
	gpudiag run --snapshot both --format snapshot -o both
	is "$status" 0
	same both snapshot
}

@test "but no report replaces what was read for it, and no format another's file, however they are spelled" {
	local output
	cp snapshot both
	ln -s both link
	mkdir folder
	for output in both ./both "$PWD/both" link folder/../both; do
		gpudiag run --snapshot both -o "$output"
		refused both: 'would be replaced'
		gpudiag diff both snapshot -o "$output"
		refused both: 'would be replaced'
		gpudiag run --snapshot snapshot --format json=both --format text="$output"
		refused 'would go to the same place'
	done
	same both snapshot
	echo '[Mon Nov  2 10:00:00 2026] NVRM: Xid (PCI:0000:19:00): 79, pid=1, GPU has fallen off the bus.' > log
	cp log before
	gpudiag logs -o ./log log
	refused log: 'would be replaced'
	gpudiag run --snapshot snapshot --policy log -o log
	refused log: 'would be replaced'
	same log before
	gpudiag run --snapshot both --format json=new --format text=link2
	is "$status" 0
}

@test "a file name that is no option, no text and long" {
	local name
	for name in ./-o $'a\nb' $'\377' ' ' "$(printf '%0200d' 0)"; do
		gpudiag run --snapshot snapshot -o "$name"
		is "$status" 0
		has "$name" PASS
	done
	nothing_left_over
}

# ---- the width of a terminal

# widest COLUMNS [NAME=VALUE…]: the longest line of a report on a terminal of so many columns, where all is of one width.
widest() {
	TERM=xterm LC_ALL=C.UTF-8 "$TOP/tests/cli/terminal.py" --limit 30 --size "${1}x400" typed end -- env "${@:2}" \
		"$GPUDIAG" demo healthy --ascii > "$OUT" 2> "$ERR" < /dev/null || fail "$(cat "$ERR")"
	# The command lines below the report are as long as they are.
	sed -e '/^Try next/,$d' -e '1,/^$/d' "$OUT" | awk '{ n = length($0); if (n > most) most = n } END { print most + 0 }'
}

@test "a report is as wide as its terminal, from 60 to 160 columns" {
	local at
	at=$(widest 80)
	[ "$at" -le 80 ] && [ "$at" -gt 70 ] || fail "$at columns of 80"
	at=$(widest 140)
	[ "$at" -le 140 ] && [ "$at" -gt 110 ] || fail "$at columns of 140"
	at=$(widest 300)
	[ "$at" -le 160 ] && [ "$at" -gt 130 ] || fail "$at columns of 300"
	at=$(widest 140 COLUMNS=70)
	[ "$at" -le 70 ] && [ "$at" -gt 60 ] || fail "$at columns of 70 by COLUMNS"
	at=$(widest 120 COLUMNS=many)
	[ "$at" -le 120 ] && [ "$at" -gt 100 ] || fail "$at columns of 120, COLUMNS is no number"
}

@test "into a file or a pipe it is as wide as ever" {
	gpudiag demo narrow-link
	cp "$OUT" first
	with env COLUMNS=60 gpudiag demo narrow-link
	same "$OUT" first
}
