#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# logs.bats - gpudiag logs: where a log comes from, what is refused, what comes out where, following, exit status. What
# is understood of a line is tested in tests/klog.
# Runs beside one: it follows logs that grow.

load helpers.sh
setup() { begin; }
teardown() {
	[ -z "${follower:-}" ] || kill -KILL "$follower" 2> /dev/null || :
}

FAULT='NVRM: Xid (PCI:0000:5d:00): 79, pid=1, name=x, GPU has fallen off the bus.'
NOTED='NVRM: Xid (PCI:0000:5d:00): 13, pid=1, name=x, Graphics SM Warp Exception on (GPC 1, TPC 0): Out Of Range Address'
OOM='Out of memory: Killed process 123 (python3) total-vm:1kB, anon-rss:1kB'
NOISE='usb 1-1: new high-speed USB device number 4 using xhci_hcd'

log() { printf '%s\n' "$@"; }

# piped ARGUMENT…: with standard input from a pipe that holds this test's standard input.
piped() {
	status=0
	cat | "$GPUDIAG" "$@" > "$OUT" 2> "$ERR" || status=$?
}

# ids: of the events in $OUT.
ids() { jq -r '.events[] | .id | sub("klog-errors."; "")' "$OUT" | paste -sd' '; }

gpus() { jq -r '.events[].gpu' "$OUT" | paste -sd' '; }

# ---- where it comes from

@test "a file, standard input, and what they are called" {
	log "$NOISE" "$FAULT" > kern.log
	gpudiag logs --format json kern.log
	is "$status" 2
	empty "$ERR"
	is "$(json .source)" kern.log
	is "$(json '.events[0] | [.id, .line] | join(" ")')" 'klog-errors.nvidia-xid-79 2'
	piped logs --format json - < kern.log
	is "$status" 2
	is "$(json .source)" 'standard input'
	is "$(ids)" nvidia-xid-79
}

@test "what was left out, or is no log by its looks, is not said to be without a fault" {
	log "2026-11-20T03:00:00Z node kernel: $FAULT" "2026-11-20T04:00:00Z node kernel: $NOISE" > kern.log
	gpudiag logs --since 2026-11-20T03:30:00Z kern.log
	is "$status" 0
	has "$OUT" 'No GPU fault in the requested part of 2 lines'
	log 'Failed to open journal: permission denied' > kern.log
	gpudiag logs kern.log
	has "$OUT" 'may not be a kernel log'
}

@test "a line beyond what is looked at is reported" {
	head -c 70000 /dev/zero | tr '\0' x > kern.log
	gpudiag logs kern.log
	is "$status" 0
	has "$OUT" ' 1 overlong line was read'
	{ cat kern.log; echo; cat kern.log; } > two.log
	gpudiag logs two.log
	has "$OUT" ' 2 overlong lines were read'
}

@test "several files are one log, lines numbered through" {
	log "$NOISE" "$NOTED" > kern.log.1
	log "$OOM" "$NOISE" "$FAULT" > kern.log
	gpudiag logs --format json kern.log.1 kern.log
	is "$(json .source)" 'kern.log.1, kern.log'
	is "$(ids)" 'nvidia-xid-13 oom-kill nvidia-xid-79'
	is "$(json '[.events[].line] | join(" ")')" '2 3 5'
	# The last line of the first file has no end, and is no beginning of the second's.
	printf '%s' "$NOTED" > kern.log.1
	piped logs --format json kern.log.1 - < kern.log
	is "$(json '[.events[].line] | join(" ")')" '1 2 4'
	is "$(json .source)" 'kern.log.1, standard input'
	# One of them may be empty.
	: > kern.log
	gpudiag logs kern.log.1 kern.log
	is "$status" 0
	has "$OUT" 'Xid'
}

@test "no end to the last line, Windows line ends" {
	printf '%s\r\n%s' "$NOISE" "$FAULT" > kern.log
	gpudiag logs --format json kern.log
	is "$(ids)" nvidia-xid-79
}

@test "without a file it is the running kernel's log" {
	dd if=/dev/kmsg of=/dev/null bs=16k count=1 2> /dev/null || skip "the kernel's log cannot be read here"
	gpudiag logs --format json
	[ "$status" -le 2 ] || fail "exit status $status" "$(show)"
	[[ $(json .source) == /dev/kmsg* ]] || fail "$(json .source)"
}

@test "the running kernel's log is for root: the way out" {
	as_nobody_or_skip
	"${AS_NOBODY[@]}" dd if=/dev/kmsg of=/dev/null bs=16k count=1 2> /dev/null && skip "anybody may read it here"
	with "${AS_NOBODY[@]}" gpudiag logs
	refused 'as root' 'journalctl -k | gpudiag logs -'
	with "${AS_NOBODY[@]}" gpudiag logs -f
	refused 'as root' 'journalctl -kf | gpudiag logs -f -'
}

@test "a terminal is told that it is waited for" {
	command -v script > /dev/null || skip "script is not installed"
	log "$FAULT" > typed
	status=0
	{ cat typed; sleep 1; printf '\004'; sleep 1; } |
		script -qec "'$GPUDIAG' logs - > '$OUT' 2> '$ERR'" /dev/null > /dev/null || status=$?
	has "$ERR" 'Ctrl-D'
	has "$OUT" 'Xid'
}

# ---- bad input

@test "missing, unreadable, a folder: the cause and the way out" {
	gpudiag logs missing.log
	refused 'missing.log' 'No such file or directory'
	mkdir journal
	gpudiag logs journal
	refused 'journal: no kernel log in it' 'journalctl -k -D journal | gpudiag logs -'
	gpudiag logs -f journal
	refused 'journal: a folder'
	gpudiag logs ''
	refused 'empty file name'
	as_nobody_or_skip
	log "$FAULT" > secret
	chmod 0 secret
	with "${AS_NOBODY[@]}" gpudiag logs secret
	refused 'secret: Permission denied' 'sudo cat secret | gpudiag logs -'
}

@test "devices never end, and the kernel's own log is read otherwise" {
	for option in '' -f; do
		with timeout 10 gpudiag logs $option /dev/zero
		is "$status" 64
		is "$(cat "$ERR")" 'gpudiag: /dev/zero: a device, not a log'
		with timeout 10 gpudiag logs $option /proc/kmsg
		is "$status" 64
		has "$ERR" 'gpudiag logs without a file reads it'
	done
	gpudiag logs /dev/null
	has "$ERR" 'empty'
}

@test "one of several that cannot be read" {
	log "$FAULT" > kern.log
	gpudiag logs kern.log missing.log
	refused 'missing.log'
}

@test "nothing at all is no log without faults" {
	: > empty.log
	gpudiag logs empty.log
	refused 'empty.log: empty'
	piped logs - < empty.log
	refused 'standard input: empty'
	piped logs empty.log - < /dev/null
	refused 'empty'
}

@test "a log in which nothing is" {
	log "$NOISE" > quiet.log
	gpudiag logs quiet.log
	is "$status" 0
	empty "$ERR"
	gpudiag logs --format json quiet.log
	is "$status" 0
	is "$(ids)" ''
}

@test "bytes that are no text do not stop it" {
	{ head -c 100000 /dev/urandom; printf '\n\0\0\0\n'; log "$FAULT"; head -c 100000 /dev/urandom; } > mixed.log
	gpudiag logs mixed.log
	[ "$status" -eq 2 ] || [ "$status" -eq 64 ] || fail "exit status $status" "$(show)"
	is "$(tr -d '[:print:][:space:]' < "$OUT" | grep -c '[[:cntrl:]]')" 0 "control characters"
}

@test "memory stays small, however much there is" {
	is_sanitized && skip "memory is large with sanitizers"
	cat > feed.py <<- PYTHON
		import sys
		noise = ("Nov 20 14:00:00 n1 kernel: $NOISE\n" * 5000 + "$FAULT\n").encode()
		long_line = b"x" * (1 << 20) + b"\n" + b"y" * (1 << 16)
		for i in range(200):
		    sys.stdout.buffer.write(noise)
		    sys.stdout.buffer.write(long_line)
	PYTHON
	cat > measure.py <<- 'PYTHON'
		import os, subprocess, sys
		feed = subprocess.Popen([sys.executable, "feed.py"], stdout=subprocess.PIPE)
		child = subprocess.Popen([sys.argv[1], "logs", "--format", "json", "-"], stdin=feed.stdout,
		                         stdout=open(sys.argv[2], "wb"))
		feed.stdout.close()
		pid, status, usage = os.wait4(child.pid, 0)
		feed.wait()
		print(os.WEXITSTATUS(status), usage.ru_maxrss)
	PYTHON
	read -r status kib < <(python3 measure.py "$GPUDIAG" "$OUT")
	is "$status" 2
	[ "$kib" -lt 32768 ] || fail "$kib KiB resident"
	has "$OUT" 'nvidia-xid-79'
}

# ---- options

@test "what makes no sense is refused" {
	log "$FAULT" > kern.log
	gpudiag logs --since 25:00 kern.log
	refused '--since' '"25:00"' 'yesterday'
	gpudiag logs --until never kern.log
	refused '--until' '"never"'
	gpudiag logs --since today --until yesterday kern.log
	refused '--since' '--until'
	gpudiag logs --boot last kern.log
	refused '--boot' '"last"'
	gpudiag logs --boot 0x1 kern.log
	refused '--boot'
	gpudiag logs --boot -1 kern.log
	refused '--boot -1' '1 boot'
	gpudiag logs - -
	refused 'standard input named twice'
	gpudiag logs --format xml kern.log
	refused '"xml"' 'text' 'json'
	gpudiag logs --fail-on sometimes kern.log
	refused '"sometimes"' 'warn'
	gpudiag logs --format text --format text kern.log
	refused 'twice'
	gpudiag logs --format text --format json kern.log
	refused 'same place'
	gpudiag logs --format text=x --format json=x kern.log
	refused 'same place'
	gpudiag logs --format json=x -o y kern.log
	refused '-o'
	[ ! -e x ] && [ ! -e y ]
}

@test "following refuses what ends" {
	log "$FAULT" > kern.log
	gpudiag logs -f kern.log kern.log
	refused '-f' 'tail'
	gpudiag logs -f --until now kern.log
	refused '-f' '--until'
	gpudiag logs -f --boot 0 kern.log
	refused '-f' '--boot'
	gpudiag logs -f -o x kern.log
	refused '-f'
	gpudiag logs -f missing.log
	refused 'missing.log'
}

@test "text and data go where they are told to" {
	log "$FAULT" > kern.log
	gpudiag logs -o report kern.log
	is "$status" 2
	empty "$OUT"
	has report 'Xid'
	gpudiag logs --format text --format json=events.json kern.log
	has "$OUT" 'Xid'
	is "$(jq -r .schema events.json)" gpudiag.events/1
	gpudiag logs -o /dev/full kern.log
	failed_to_write /dev/full
}

@test "exit status: 0 for notes, 1 for a warning, 2 for a fault, and --fail-on" {
	log "$NOTED" > kern.log
	gpudiag logs kern.log
	is "$status" 0
	log "$NOTED" "$OOM" > kern.log
	gpudiag logs kern.log
	is "$status" 1
	gpudiag logs --fail-on warn kern.log
	is "$status" 2
	gpudiag logs --fail-on none kern.log
	is "$status" 0
	log "$OOM" "$FAULT" > kern.log
	gpudiag logs kern.log
	is "$status" 2
	gpudiag logs --fail-on none kern.log
	is "$status" 0
}

@test "events without a date are kept, and that is said" {
	log "$FAULT" "$NOISE" > kern.log
	gpudiag logs --since 2026-11-20 kern.log
	is "$status" 2
	has "$OUT" 'Xid'
	is "$(wc -l < "$ERR")" 1
	has "$ERR" 'kern.log: 1 line' 'without a date'
	log "$NOISE" > kern.log
	gpudiag logs --since 2026-11-20 kern.log
	empty "$ERR"
}

@test "a time: of lines with a zone, of lines by this machine's clock" {
	log "2026-11-20T14:00:00+0000 n1 kernel: ${FAULT/5d/01}" "2026-11-20T16:00:00+0000 n1 kernel: ${FAULT/5d/02}" > iso.log
	with env TZ=UTC-2 gpudiag logs --format json --since '2026-11-20 17:00' iso.log
	is "$(gpus)" 0000:02:00.0
	with env TZ=UTC-2 gpudiag logs --format json --since 2026-11-20T13:00Z --until '2026-11-20 17:00' iso.log
	is "$(gpus)" 0000:01:00.0
	with env TZ=UTC-2 gpudiag logs --format json --until 2026-11-20T14:00Z iso.log
	is "$status" 0
	is "$(gpus)" ''
	empty "$ERR"
	log "[Fri Nov 20 14:00:00 2026] ${FAULT/5d/01}" "[Fri Nov 20 16:00:00 2026] ${FAULT/5d/02}" > ctime.log
	with env TZ=UTC-2 gpudiag logs --format json --since '2026-11-20 15:00' ctime.log
	is "$(gpus)" 0000:02:00.0
	with env TZ=UTC-2 gpudiag logs --format json --since 2026-11-20T15:00Z ctime.log
	is "$(gpus)" ''
}

@test "a boot of the log" {
	log "[    0.000000] Linux version 6.8.0" "[  100.000000] ${FAULT/5d/01}" "[    0.000000] Linux version 6.8.0" \
		"[  100.000000] ${OOM}" "[    0.000000] Linux version 6.8.0" "[  100.000000] ${NOTED/5d/03}" > kern.log
	gpudiag logs --format json kern.log
	is "$status" 0
	is "$(ids)" 'nvidia-xid-79 oom-kill nvidia-xid-13'
	gpudiag logs --format json --boot 0 kern.log
	is "$status" 0
	is "$(ids)" nvidia-xid-13
	gpudiag logs --format json --boot -1 kern.log
	is "$status" 1
	is "$(ids)" oom-kill
	gpudiag logs --format json --boot -2 kern.log
	is "$status" 2
	is "$(ids)" nvidia-xid-79
	gpudiag logs --format json --boot 1 kern.log
	is "$(ids)" nvidia-xid-79
	gpudiag logs --boot -3 kern.log
	refused '3 boots' '-2 to 0'
}

@test "compressed files, and reports that hold several logs of one boot" {
	log "$FAULT" | gzip > kern.log.1.gz
	gpudiag logs --format json kern.log.1.gz
	is "$status" 2
	is "$(ids)" nvidia-xid-79
	grep -v '^#:' "$TOP/tests/imports/bug-report-xid79.txt" > report.log
	gpudiag logs --format json report.log
	is "$status" 2
	is "$(ids)" nvidia-xid-79
	# Xid 79 has a line of its own, and one that says the GPU has fallen off the bus.
	is "$(json '.events[0].count')" 1
	gpudiag logs report.log
	has "$OUT" 'logs of report.log'
	grep -v '^#:' "$TOP/tests/imports/smi-q-healthy.txt" | gzip > smi.gz
	gpudiag logs smi.gz
	refused 'smi.gz: no kernel log in it' 'gpudiag run --import smi.gz'
}

@test "the log in a report is cited by the report's lines" {
	grep -v '^#:' "$TOP/tests/imports/bug-report-xid79.txt" > report.log
	gpudiag logs --format json report.log
	sed -n "$(json '.events[0].line')p" report.log | grep -qF 'Xid (PCI:0000:61:00): 79'
	gpudiag logs report.log
	has "$OUT" "line $(grep -nF '[ 3600.100000] NVRM: Xid (PCI:0000:61:00): 79' report.log | tail -1 | cut -d: -f1): "
	# Of an archive the file too.
	mkdir -p folder
	log "$FAULT" > folder/a.log
	cp report.log folder/b.log
	tar cf logs.tar folder
	gpudiag logs folder
	has "$OUT" '.log:'
}

@test "output of another tool holds no log" {
	grep -v '^#:' "$TOP/tests/imports/smi-q-remap.txt" > smi.txt
	gpudiag logs smi.txt
	refused 'smi.txt: no kernel log in it' 'gpudiag run --import smi.txt'
	# Lines of nothing that is known, and a log without stamps, are looked through.
	printf 'one line\nanother\n' > words.txt
	gpudiag logs words.txt
	is "$status" 0
	printf 'usb 1-1: new high-speed USB device number 2 using xhci_hcd\nnvidia: loading out-of-tree module taints kernel.\n' > bare.txt
	gpudiag logs bare.txt
	is "$status" 0
}

@test "compressed where it cannot be unpacked: what it is and the way out" {
	log "$FAULT" | gzip > kern.log.1.gz
	piped logs - < kern.log.1.gz
	refused 'standard input' 'zcat'
	head -c 100000 /dev/urandom | gzip > kern.log.1.gz
	with timeout 20 gpudiag logs -f kern.log.1.gz
	refused 'zcat'
}

# ---- following

# follow ARGUMENT…: in the background, its process in $follower.
follow() {
	# A script's background has Ctrl-C ignored, which gpudiag would respect.
	env --default-signal=INT "$GPUDIAG" logs -f "$@" > "$OUT" 2> "$ERR" < /dev/null 3>&- &
	follower=$!
}

# comes N TEXT: so many lines of output hold it, before long.
comes() {
	for _ in {1..100}; do
		if [ "$(grep -cF -- "$2" "$OUT")" -eq "$1" ]; then
			return 0
		fi
		sleep 0.05
	done
	fail "\"$2\" did not come $1 times" "$(show)"
}

# ends SIGNAL STATUS
ends() {
	kill -"$1" "$follower"
	status=0
	wait "$follower" || status=$?
	follower=
	is "$status" "$2" "exit status"
	empty "$ERR"
}

@test "following a file that grows, is cut, and is rotated" {
	log "$NOISE" "${FAULT/5d/01}" > kern.log
	follow kern.log
	comes 1 0000:01:00.0
	# In two pieces.
	printf '%s' "${FAULT:0:40}" >> kern.log
	sleep 0.4
	log "${FAULT:40}" >> kern.log
	comes 1 0000:5d:00.0
	cp kern.log kern.log.1
	: > kern.log
	sleep 0.4
	log "${FAULT/5d/02}" >> kern.log
	comes 1 0000:02:00.0
	mv kern.log kern.log.1
	log "${FAULT/5d/03}" >> kern.log.1
	comes 1 0000:03:00.0
	log "$NOISE" "${FAULT/5d/04}" > kern.log
	comes 1 0000:04:00.0
	is "$(wc -l < "$OUT")" 5 lines
	ends TERM 143
}

@test "an event is one line: how bad, which GPU, the line itself" {
	log "$OOM" "$NOTED" "$FAULT" > kern.log
	follow kern.log
	comes 1 'fallen off'
	ends INT 130
	is "$(awk '{ print $1 }' "$OUT" | paste -sd' ')" 'WARN note FAIL'
	has "$OUT" 'GPU 0000:5d:00.0' "$FAULT"
}

@test "following as data: each line an event" {
	log "$OOM" "$FAULT" > kern.log
	follow --format json kern.log
	comes 2 klog-errors
	ends INT 130
	is "$(jq -r .id "$OUT" | paste -sd' ')" 'klog-errors.oom-kill klog-errors.nvidia-xid-79'
}

@test "following a pipe ends with it" {
	log "$FAULT" > kern.log
	piped logs -f - < kern.log
	is "$status" 0
	has "$OUT" 'fallen off'
	{ log "$FAULT"; sleep 3; } | timeout 20 "$GPUDIAG" logs -f - > "$OUT" &
	comes 1 'fallen off'
	wait
}

@test "a signal ends the wait for a pipe's writer" {
	mkfifo pipe
	follow pipe
	sleep 0.4
	ends TERM 143
	empty "$ERR"
}

@test "following ends when nobody reads" {
	for _ in {1..20000}; do echo "$FAULT"; done > kern.log
	status=0
	timeout 20 "$GPUDIAG" logs -f kern.log 2> "$ERR" | head -n 1 > "$OUT" || status=$?
	is "$status" 0
	empty "$ERR"
}

@test "waiting costs nothing" {
	is_sanitized && skip "slow with sanitizers"
	log "$FAULT" > kern.log
	follow kern.log
	comes 1 'fallen off'
	sleep 2
	ticks=$(awk '{ print $14 + $15 }' "/proc/$follower/stat")
	[ "$ticks" -le $(($(getconf CLK_TCK) / 10)) ] || fail "$ticks ticks of CPU time"
	ends TERM 143
}
