#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# watch.bats - gpudiag watch as one sees it: lines, JSON, the screen and its keys, recordings, commands. What is judged of a
# series is tested elsewhere.
# Runs beside one: it waits for screens and signals.

load helpers.sh
setup_file() { is_timed; }
setup() {
	begin
	export LANG=C.UTF-8 TERM=xterm
	unset LC_ALL LC_CTYPE
}

# Said by terminal.py.
outside=0 alternate=0 cursor=1 echo=1 screens=0

# series TICKS GPUS [COMM]: a recording by hand, in series.jsonl; each GPU has a process.
series() {
	jq -cn --argjson ticks "$1" --argjson gpus "$2" --arg comm "${3:-python3}" '
		[range($gpus) | "0000:" + (16 + . | tostring) + ":00.0"] as $keys
		| {schema: "gpudiag.watch/1", snapshot: {bus: {gpus: $gpus}, gpus: [$keys[] | {key: ., pci: {class_code: "0x030200"}}]}},
		  (range($ticks) as $t | {tick: {
			gpus: [$keys | to_entries[] | {key: .value, busy_percent: (($t * 7 + .key * 11) % 101)}],
			processes: [$keys | to_entries[] | {key: (18000 + .key | tostring), comm: $comm, role: "holder", gpus: [.value]}]}})
		' > series.jsonl
}

# on_terminal [--size 80x24] STEP… -- COMMAND…: what its main screen shows is in $OUT.
on_terminal() {
	"$TOP/tests/cli/terminal.py" --limit 30 "${@:1:2}" "$REPORT" "${@:3}" > "$OUT" 2> "$ERR" < /dev/null || fail "$(cat "$ERR")"
	# shellcheck source=/dev/null
	. "$REPORT"
}

# The terminal is as it was, and nothing was written where there is no room.
terminal_is_well() {
	is "$alternate$cursor$echo" 011 "alternate screen, cursor and echo at the end"
	is "$outside" 0 "characters outside of the screen"
}

# judged: the exit status of a story.
judged() {
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
}

# ---- lines and JSON

@test "a line per tick, and the story" {
	series 5 2
	gpudiag watch --replay series.jsonl
	judged
	empty "$ERR"
	is "$(grep -c '^ *[0-9.]* s  ' "$OUT")" 5 "lines of ticks"
	has "$OUT" "    0.0 s  " "    4.0 s  " "watched for 4 s, 5 ticks"
}

@test "from standard input, through a pipe, the same bytes" {
	series 5 2
	gpudiag watch --replay series.jsonl
	cp "$OUT" first
	"$GPUDIAG" watch --replay - < series.jsonl > second || judged
	same first second
}

@test "--format json: an object per tick, the story last, all by the schema" {
	series 4 3
	gpudiag watch --replay series.jsonl -f json
	judged
	is "$(wc -l < "$OUT")" 5 lines
	is "$(jq -s -c '[.[].schema] | unique' "$OUT")" '["gpudiag.watch/1"]'
	is "$(jq -s -c '[.[0:4][].ticks]' "$OUT")" '[1,2,3,4]'
	is "$(jq -s -c '.[4].story.ticks' "$OUT")" 4
	is "$(jq -s -c '.[4].story.exit_status' "$OUT")" "$status"
	is "$(jq -s -c '[.[3].gpus[] | [.index, .key]]' "$OUT")" '[[0,"0000:16:00.0"],[1,"0000:17:00.0"],[2,"0000:18:00.0"]]'
	# What is null has its reason.
	is "$(jq -s '[.[0:4][] | (.gpus[], .host) | . as $o | to_entries[] | select(.value == null and (.key | IN("holder", "sentence",
		"busiest_thread", "disk", "network") | not)) | select($o.unknown[.key] == null)] | length' "$OUT")" 0 "nulls without reason"
	is "$(jq -s -c '.[3].tick.seq' "$OUT")" 3
	valid_by watch --lines "$OUT" series.jsonl
}

@test "-o: lines go to a file as they come" {
	series 3 1
	echo old > out.txt
	gpudiag watch --replay series.jsonl -o out.txt
	judged
	empty "$OUT"
	is "$(grep -c ' s  ' out.txt)" 3 lines
	hasnt out.txt old
}

@test "--for ends a replay, too" {
	series 10 1
	gpudiag watch --replay series.jsonl --for 3s
	judged
	has "$OUT" "watched for 3 s, 4 ticks"
}

@test "names of processes steer no terminal" {
	series 3 2 $'\033[2J\033]0;owned\007'
	for format in text json; do
		gpudiag watch --replay series.jsonl -f "$format"
		judged
		hasnt "$OUT" $'\033' $'\007'
	done
}

@test "a reader that goes away ends it quietly" {
	series 2000 1
	{ "$GPUDIAG" watch --replay series.jsonl 2> err || echo "$?" > code; } | head -n 1 > one
	is "$(wc -l < one)" 1
	empty err
	[ ! -e code ] || [ "$(cat code)" -le 3 ]
}

@test "standard output on a full disk" {
	series 3 1
	status=0
	"$GPUDIAG" watch --replay series.jsonl > /dev/full 2> "$ERR" || status=$?
	: > "$OUT"
	failed_to_write "standard output"
}

# ---- recordings

@test "a live watch and its replay give the same bytes" {
	for format in text json; do
		gpudiag watch --interval 100ms --for 550ms --record live.jsonl -f "$format"
		judged
		local live=$status
		cp "$OUT" live.out
		[ "$(wc -l < live.jsonl)" -ge 3 ] || fail "$(wc -l < live.jsonl) lines recorded"
		gpudiag watch --replay live.jsonl -f "$format"
		is "$status" "$live" "exit status"
		same live.out "$OUT"
		empty "$ERR"
	done
	is "$(head -n 1 live.jsonl | jq -r '.schema, .snapshot.schema, (.policy | type), .snapshot.request.level')" \
		$'gpudiag.watch/1\ngpudiag.snapshot/1\nobject\nread'
	is "$(tail -n +2 live.jsonl | jq -c keys | sort -u)" '["tick"]'
	valid_by watch --lines live.jsonl
}

@test "the recorded policy judges, or that of --policy" {
	echo '{ "vram.warn_ratio": 0.5 }' > policy.json
	gpudiag watch --interval 100ms --for 100ms --record live.jsonl --policy policy.json
	judged
	is "$(head -n 1 live.jsonl | jq '.policy["vram.warn_ratio"]')" 0.5
	gpudiag watch --replay live.jsonl --policy built-in
	judged
	echo '{ "nosuch": 1 }' > policy.json
	gpudiag watch --replay live.jsonl --policy policy.json
	refused "policy.json:1: "
}

@test "a cut last line: what was whole is judged" {
	series 4 1
	head -c -30 series.jsonl > cut.jsonl
	gpudiag watch --replay cut.jsonl
	judged
	has "$OUT" "watched for 2 s, 3 ticks"
	has "$ERR" "cut.jsonl:5: the last line is cut off: judged up to the line before"
}

@test "a damaged line in the middle is skipped and reported" {
	series 5 1
	sed -i '3s/.*/{"tick": {"gpus": [{"busy_percent": 3}]}}/' series.jsonl
	gpudiag watch --replay series.jsonl
	judged
	has "$OUT" "4 ticks"
	has "$ERR" 'series.jsonl:3: line skipped: "gpus": an element without its "key"'
	sed -i '5s/.*/damaged/' series.jsonl
	gpudiag watch --replay series.jsonl
	judged
	has "$ERR" "series.jsonl: 2 lines skipped"
}

@test "two damaged lines in a row are an error, and so is what is no recording" {
	series 5 1
	sed '3,4s/.*/damaged/' series.jsonl > damaged.jsonl
	gpudiag watch --replay damaged.jsonl
	is "$status" 64
	has "$ERR" "damaged.jsonl:4: "
	echo '{"schema": "gpudiag.snapshot/1"}' > snapshot.json
	gpudiag watch --replay snapshot.json
	refused 'snapshot.json:1: not a recording of gpudiag watch: no "schema": "gpudiag.watch/1"'
	gpudiag watch --replay series.jsonl -f json
	cp "$OUT" judged.jsonl
	gpudiag watch --replay judged.jsonl
	refused 'judged.jsonl:1: no "snapshot"' "--format json"
	echo '{"schema": "gpudiag.watch/2", "snapshot": {}}' > newer.jsonl
	gpudiag watch --replay newer.jsonl
	refused "use a newer one"
	: > empty.jsonl
	gpudiag watch --replay empty.jsonl
	refused "empty.jsonl: empty"
	head -n 1 series.jsonl | head -c 40 > cut.jsonl
	gpudiag watch --replay cut.jsonl
	refused "cut.jsonl:1: "
	gpudiag watch --replay nosuch.jsonl
	refused "nosuch.jsonl: No such file"
}

@test "a tick that is not after the one before is a damaged line" {
	series 2 1
	echo '{"tick": {"at_ns": 500}}' >> series.jsonl
	gpudiag watch --replay series.jsonl
	judged
	has "$ERR" 'series.jsonl:4: line skipped: "at_ns": not after that of the tick before'
}

@test "what is easily wrong by hand: a short address, a key that is a number" {
	series 3 1
	sed '2,$s/"key":"0000:/"key":"/' series.jsonl > short.jsonl
	gpudiag watch --replay short.jsonl
	judged
	has "$ERR" "GPU \"16:00.0\" of a tick is not in the recording's snapshot, which has 0000:16:00.0: not judged"
	sed -i '3s/"key":"[^"]*"/"key":4711/' series.jsonl
	gpudiag watch --replay series.jsonl
	judged
	has "$ERR" 'series.jsonl:3: line skipped: "gpus": an element whose "key" is no text'
}

@test "keys of a newer version are ignored and counted" {
	series 2 1
	sed -i 's/"tick":{/"tick":{"newer":1,/' series.jsonl
	gpudiag watch --replay series.jsonl
	judged
	has "$ERR" '2 unknown keys of the recording ignored' '"newer"'
}

@test "without ticks nothing is judged" {
	series 0 1
	gpudiag watch --replay series.jsonl
	is "$status" 3
	has "$OUT" "0 ticks"
}

@test "the example of the manual is a recording" {
	# Objects of several lines in the manual; each begins a line of the file.
	sed -n '/^\.Sh RECORDING/,/^\.Ed/p' "$TOP/man/gpudiag-watch.1" | sed '1,/^\.Bd/d;/^\.Ed/d' | jq -c . > example.jsonl
	is "$(wc -l < example.jsonl)" 3
	gpudiag watch --replay example.jsonl
	judged
	empty "$ERR"
}

@test "--record on a full disk: said once, watching goes on, and what is written is whole lines" {
	gpudiag watch --interval 100ms --for 1s --record /dev/full
	is "$status" 70
	is "$(grep -c 'cannot write' "$ERR")" 1
	has "$ERR" "/dev/full: cannot write: No space left on device; nothing is recorded"
	[ "$(grep -c ' s  ' "$OUT")" -ge 3 ]
	command -v prlimit > /dev/null || skip "prlimit is not installed"
	gpudiag watch --interval 100ms --for 100ms --record small.jsonl
	local size
	size=$(head -n 1 small.jsonl | wc -c)
	# The snapshot is not always of the same length.
	with prlimit --fsize=$((size + 1200)) gpudiag watch --interval 100ms --for 5s --record cut.jsonl
	is "$status" 70
	is "$(grep -c 'cannot write' "$ERR")" 1
	has "$ERR" "; the recording ends here"
	[ "$(grep -c ' s  ' "$OUT")" -gt "$(tail -n +2 cut.jsonl | wc -l)" ]
	is "$(tail -c 1 cut.jsonl)" "" "its last character"
	jq -c . cut.jsonl > /dev/null
	gpudiag watch --replay cut.jsonl
	[ "$status" -le 3 ]
	empty "$ERR"
}

@test "what was in the file is not lost to a start that fails" {
	echo precious > file.jsonl
	gpudiag watch --record file.jsonl -- ./nosuch
	is "$status" 127
	is "$(cat file.jsonl)" precious
	gpudiag watch --record nosuch/file.jsonl
	refused "nosuch/file.jsonl: cannot write"
	gpudiag watch --record .
	refused "cannot write"
}

# ---- the screen

@test "the screen fits 80x24, 40x10 and 200x50, with 8 and 16 GPUs" {
	local size gpus
	for gpus in 8 16; do
		series 4 "$gpus"
		for size in 80x24 40x10 200x50; do
			on_terminal --size "$size" wait="2 ticks" screen=screen.txt key=q -- "$GPUDIAG" watch --replay series.jsonl
			judged
			terminal_is_well
			has screen.txt "GPU word" "use%" "host" ">  0"
			has "$OUT" "watched for"
		done
		has screen.txt "trend" "python3 18007" "q quit  p pause  s save  arrows GPU"
	done
}

@test "one screen that stays still: one write begins each" {
	series 4 8
	on_terminal --size 80x24 wait="4 ticks" -- "$GPUDIAG" watch --replay series.jsonl
	# The waiting screen, then the ticks; ENTER moves to the corner, too.
	[ "$screens" -le 7 ] || fail "$screens screens for 4 ticks"
}

@test "a resize draws it anew" {
	series 30 16
	on_terminal --size 80x24 wait="2 ticks" size=40x10 quiet=0.2 screen=small.txt size=120x40 wait="trend" quiet=0.2 screen=large.txt key=q \
		-- "$GPUDIAG" watch --replay series.jsonl
	judged
	terminal_is_well
	is "$(wc -l < small.txt)" 10
	has small.txt "GPU word" "host"
	hasnt small.txt "trend"
	has large.txt "> " "18015"
}

@test "keys are taken while a replay waits for its pipe" {
	series 3 8
	mkfifo pipe
	{ cat series.jsonl; printf '{"tick": {'; exec sleep 60; } > pipe &
	writer=$!
	# shellcheck disable=SC2016
	on_terminal --size 80x24 wait="3 ticks" quiet=0.3 key=down wait=">  1" key=p wait="paused" key=p gone="paused" key=q \
		-- sh -c '"$1" watch --replay - < pipe' sh "$GPUDIAG"
	kill "$writer"
	judged
	terminal_is_well
	has "$OUT" "watched for"
	hasnt "$OUT" "cut off"
}

@test "keys: arrows select, p pauses, s saves" {
	series 30 8
	on_terminal --size 80x24 wait="1 tick" key=down key=down wait=">  2" wait="GPU 2 0000:18:00.0" key=up wait=">  1" key=p wait="paused" \
		screen=paused.txt quiet=1.2 screen=still.txt key=s wait="saved: " key=p gone="paused" key=space key=q \
		-- "$GPUDIAG" watch --replay series.jsonl
	judged
	terminal_is_well
	same paused.txt still.txt
	has "$OUT" "gpudiag: saved: gpudiag-watch-"
	gpudiag watch --replay gpudiag-watch-*.jsonl
	judged
	empty "$ERR"
}

@test "a pause of a live watch loses no tick" {
	on_terminal --size 80x24 wait="2 ticks" key=p wait="paused" screen=before.txt quiet=0.6 screen=after.txt key=p gone="paused" \
		screen=gone.txt key=q -- "$GPUDIAG" watch --interval 100ms --record live.jsonl
	judged
	terminal_is_well
	same before.txt after.txt
	has "$OUT" ", $(($(wc -l < live.jsonl) - 1)) ticks"
}

@test "Ctrl-C prints the summary, and its exit status is the story's" {
	on_terminal --size 80x24 wait="3 ticks" key=^C -- "$GPUDIAG" watch --interval 100ms
	judged
	terminal_is_well
	has "$OUT" "watched for"
}

@test "a signal prints the summary, too, and leaves the terminal well" {
	local -A statuses=([TERM]=143 [HUP]=129)
	local name
	for name in TERM HUP; do
		on_terminal --size 80x24 wait="2 ticks" signal="$name" -- "$GPUDIAG" watch --interval 100ms
		is "$status" "${statuses[$name]}" "exit status"
		terminal_is_well
		has "$OUT" "watched for"
	done
	is_sanitized || on_terminal --size 80x24 wait="2 ticks" signal=SEGV -- "$GPUDIAG" watch --interval 100ms
	terminal_is_well
}

@test "Ctrl-Z gives the terminal back, and it goes on" {
	on_terminal --size 80x24 wait="2 ticks" key=^Z stopped quiet=0.2 screen=stopped.txt continue wait="5 ticks" key=q \
		-- "$GPUDIAG" watch --interval 100ms
	judged
	terminal_is_well
}

@test "ASCII without UTF-8, no colour with NO_COLOR" {
	series 4 8
	on_terminal --size 120x40 wait="3 ticks" screen=screen.txt key=q -- env LANG=C "$GPUDIAG" watch --replay series.jsonl
	judged
	if LC_ALL=C grep -q '[^ -~]' screen.txt; then
		fail "not ASCII: $(LC_ALL=C grep -m 1 '[^ -~]' screen.txt)"
	fi
	script -qec "env NO_COLOR=1 $GPUDIAG watch --replay series.jsonl --for 1s" typescript > /dev/null < /dev/null || true
	! grep -q $'\033\\[[0-9;]*m' typescript || fail "colours in spite of NO_COLOR"
}

@test "a terminal that can do nothing gets lines" {
	series 3 1
	on_terminal --size 80x24 -- env TERM=dumb "$GPUDIAG" watch --replay series.jsonl
	judged
	is "$screens" 0
	is "$(grep -c ' s  ' "$OUT")" 3
}

# ---- a command

@test "the command has its exit status, its input and its outputs" {
	status=0
	printf 'one\ntwo\n' | "$GPUDIAG" watch --interval 100ms -- sh -c 'cat; echo three >&2; exit 7' > "$OUT" 2> "$ERR" || status=$?
	is "$status" 7
	is "$(cat "$OUT")" $'one\ntwo'
	is "$(head -n 1 "$ERR")" three
	has "$ERR" "watched for"
	gpudiag watch --interval 100ms -- true
	is "$status" 0
	empty "$OUT"
	gpudiag watch -- sh -c 'kill -KILL $$'
	is "$status" 137
}

@test "a command that cannot be started" {
	gpudiag watch -- ./nosuch
	is "$status" 127
	is "$(cat "$ERR")" "gpudiag: ./nosuch: command not found"
	empty "$OUT"
	: > file
	gpudiag watch -- ./file
	is "$status" 126
	is "$(cat "$ERR")" "gpudiag: ./file: Permission denied"
}

@test "options of the command are its own" {
	gpudiag watch -- echo --help --record x
	is "$status" 0
	is "$(cat "$OUT")" "--help --record x"
	# Arguments hold tokens.
	gpudiag watch --record live.jsonl -- echo secret-token
	is "$(head -n 1 live.jsonl | jq -c .snapshot.run.argv)" '["gpudiag","watch","--record","live.jsonl","--","echo"]'
	hasnt live.jsonl secret-token
	[ "$(head -n 1 live.jsonl | jq .pid)" -gt 1 ]
}

@test "with a command, JSON goes to -o, and the story to both" {
	gpudiag watch --interval 100ms -f json -o out.jsonl -- sh -c 'echo mine; sleep 0.5'
	is "$status" 0
	is "$(cat "$OUT")" mine
	[ "$(wc -l < out.jsonl)" -ge 3 ]
	is "$(tail -n 1 out.jsonl | jq -c '.story | type')" '"object"'
	is "$(tail -n 1 "$ERR" | jq -c '.story | type')" '"object"'
}

# until_said TEXT: in $OUT.
until_said() {
	for _ in {1..200}; do
		! grep -q "$1" "$OUT" || return 0
		sleep 0.05
	done
	fail "never said: $1" "$(show)"
}

@test "signals that gpudiag gets are passed on once" {
	local name
	for name in TERM HUP USR1 QUIT INT; do
		: > "$OUT"  # the "ready" of the round before is not this one's
		"$GPUDIAG" watch --interval 100ms -- bash -c "trap 'echo got; exit 9' $name; echo ready; while :; do sleep 0.05; done" \
			> "$OUT" 2> "$ERR" < /dev/null 3>&- &
		local pid=$!
		until_said ready
		# Shells start what is in the background with SIGINT and SIGQUIT ignored.
		if [[ $name == @(INT|QUIT) ]]; then
			kill -TERM "$pid"
			wait "$pid" || true
			continue
		fi
		kill -"$name" "$pid"
		status=0
		wait "$pid" || status=$?
		is "$status" 9 "exit status after SIG$name"
		is "$(grep -c got "$OUT")" 1 "times that it got SIG$name"
		has "$ERR" "watched for"
	done
}

@test "Ctrl-C of a terminal reaches the command once, and Ctrl-Z stops both" {
	on_terminal --size 80x24 wait=ready key=^C -- "$GPUDIAG" watch --interval 100ms -- \
		bash -c "trap 'echo got; exit 9' INT; echo ready; while :; do sleep 0.05; done"
	is "$status" 9
	is "$(grep -c got "$OUT")" 1
	has "$OUT" "watched for"
	is "$screens" 0
	on_terminal --size 80x24 wait=ready key=^Z stopped continue quiet=0.3 signal=TERM -- "$GPUDIAG" watch --interval 100ms -- \
		bash -c "trap 'echo got; exit 9' TERM; echo ready; while :; do sleep 0.05; done"
	is "$status" 9
}

@test "a command inherits signals as gpudiag found them" {
	grep SigIgn /proc/self/status > bare
	gpudiag watch -- grep SigIgn /proc/self/status
	same bare "$OUT"
	with env --ignore-signal=PIPE gpudiag watch -- grep SigIgn /proc/self/status
	env --ignore-signal=PIPE grep SigIgn /proc/self/status > bare
	same bare "$OUT"
}

@test "orphans of the command hold nothing up" {
	gpudiag watch --interval 100ms -- bash -c '(sleep 0.2 &) ; (setsid sleep 5 > /dev/null 2>&1 &) ; sleep 0.5; exit 3'
	is "$status" 3
	has "$ERR" "watched for"
}

@test "orphans in sessions of their own are no zombies for long" {
	# shellcheck disable=SC2016  # of the command, not of this test
	gpudiag watch --interval 100ms -- bash -c '(setsid sleep 0.2 &); (setsid true &); sleep 1
		cat /proc/[0-9]*/stat 2> /dev/null | grep -E "^[0-9]+ [(](sleep|true)[)] Z $PPID "; exit 5'
	is "$status" 5
	empty "$OUT"
}

@test "--for ends the watch, not the command" {
	gpudiag watch --interval 100ms --for 200ms -- bash -c 'sleep 1; echo done; exit 4'
	is "$status" 4
	is "$(cat "$OUT")" "done"
}

# ---- usage

@test "what it refuses" {
	local -a refusals=(
		"watch: unexpected argument \"python\"; a command to watch stands behind --|python train.py"
		"watch: no command behind --|--"
		"--interval|--interval 99ms"
		"--interval|--interval x"
		"--pid|--pid x"
		"--pid and a command|--pid 1 -- true"
		"--root and a command|--root . -- true"
		"--policy -: standard input is that of the command|--policy - -- true"
		"--replay and a command|--replay x -- true"
		"--replay and --record|--replay x --record y"
		"--replay and --interval|--replay x --interval 1s"
		"cannot be used with --replay|--replay x --touch-hung"
		"this run is not in the recording|--replay x --pid self"
		"cannot both be standard input|--replay - --policy -"
		"--record: name a file|--record -"
		"--record and -o name the same file|--record x -o ./x"
		"--format|-f yaml"
	)
	local row
	for row in "${refusals[@]}"; do
		# shellcheck disable=SC2086 # arguments
		gpudiag watch ${row#*|}
		refused "${row%%|*}"
	done
	series 2 1
	gpudiag watch --replay series.jsonl -o series.jsonl
	refused "would be replaced"
	gpudiag watch --replay series.jsonl --gpu 0000:99:00.0
	refused '--gpu: no device "0000:99:00.0"'
}
