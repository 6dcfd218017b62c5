#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# collective.bats - --collective and bench collective: a program that prints what nccl-tests print, or behaves badly, on
# the GPUs of a recorded node. What its figures are worth: tests/cases/collective.case.
# Runs beside one: it times a deadline.

load helpers.sh
setup_file() { is_timed; }

setup() {
	begin
	export GPUDIAG_FAKE_LOG=$PWD/log
	cp "$TOP/build/fakes/all_reduce_perf" .
	program=$PWD/all_reduce_perf
}

# Said by supervise.py.
elapsed_ms=0

node() { printf '%s\n' --root "$NODES/$1" --driver-root "$NODES/$1/driver"; }

# collective [ARGUMENT…]: on eight H100: the report in $OUT, the snapshot in ./seen.
collective() {
	local -a machine
	mapfile -t machine < <(node h100-8)
	gpudiag run "${machine[@]}" --check collective,probe-health --window 0 --even-if-busy --format json --format snapshot=seen \
		--collective "$program" "$@"
}

record() { jq -r ".collective_tests[0] | $1" seen; }
# reasons TEXT…: why there is no figure.
reasons() {
	json '.checks[] | select(.check == "collective").reason' > why
	has why "$@"
}
not_there() { [ ! -e "$1" ] || fail "$1 is there"; }

@test "eight GPUs: arguments, GPUs by UUID, columns, the figure, and the same from the snapshot" {
	GPUDIAG_FAKE_RANKS=0000:19:00,0000:3b:00,0000:4c:00,0000:5d:00,0000:9b:00,0000:bb:00,0000:cb:00,0000:db:00 collective
	is "$status" 0
	valid_report
	is "$(result collective)" note
	is "$(sed -n 1p log)" "-b 8388608 -e 536870912 -f 2 -g 8 -n 20 -w 5 -c 1"
	is "$(sed -n 2p log)" "CUDA_VISIBLE_DEVICES=$(jq -r '[.gpus[] | select(.nvml.uuid).nvml.uuid] | join(",")' seen)"
	is "$(record '.sizes | length')" 7
	is "$(record '.sizes[6].in_place.bus_bytes_per_s')" 300000000000
	is "$(record .ranks[7].address)" 0000:db:00
	is "$(record .library_version)" "NCCL 2.27.7+cuda12.9"
	cp "$OUT" live
	gpudiag run --snapshot seen --check collective,probe-health --format json
	same <(jq '.findings' live) <(jq '.findings' "$OUT")
}

@test "no descriptor of ours, and no variable that writes files or waits for other ranks, reaches it" {
	export NCCL_DEBUG=TRACE NCCL_DEBUG_FILE=$PWD/debug NCCL_COMM_ID=1.2.3.4:5 HIP_VISIBLE_DEVICES=5
	collective
	hasnt log open:
	has log NCCL_DEBUG=WARN
	is "$(grep -c '^NCCL_DEBUG_FILE=$\|^NCCL_COMM_ID=$\|^HIP_VISIBLE_DEVICES=$' log)" 3
}

@test "--gpu selects its GPUs; one alone, and those in use, are not loaded" {
	collective --gpu 1,2
	is "$(sed -n 1p log)" "-b 8388608 -e 536870912 -f 2 -g 2 -n 20 -w 5 -c 1"
	is "$(sed -n 2p log)" "CUDA_VISIBLE_DEVICES=$(jq -r '[.gpus[] | select(.key == "0000:3b:00.0" or .key == "0000:4c:00.0").nvml.uuid] | join(",")' seen)"
	rm log
	collective --gpu 1
	is "$status" 3
	reasons "takes two or more GPUs" "1 selected"
	mapfile -t machine < <(node h100-8-busy)
	gpudiag run "${machine[@]}" --check collective --window 0 --format json --collective "$program"
	is "$status" 3
	reasons "in use by" "--even-if-busy overrides"
	mapfile -t machine < <(node a100-4-mig)
	gpudiag run "${machine[@]}" --check collective --window 0 --even-if-busy --format json --collective "$program"
	reasons "is in MIG mode"
	not_there log
}

@test "wrong results: exit status 2, whatever the program's own status" {
	GPUDIAG_FAKE_REDUCE=wrong collective
	is "$status" 2
	is "$(json '.findings[] | select(.id == "collective.wrong-results").title')" \
		"All-reduce over GPUs 0-7 returned 3 wrong values: data is corrupted on the path (NVLink)"
}

@test "a rate far below NVLink's is a warning, but not with a setting that limits it" {
	GPUDIAG_FAKE_GBPS=20 collective
	is "$status" 1
	is "$(result collective)" warn
	NCCL_P2P_DISABLE=1 NCCL_TOPO_FILE=/home/somebody/topo.xml NCCL_SOCKET_IFNAME=eth0 GPUDIAG_FAKE_GBPS=20 collective
	is "$status" 0
	is "$(result collective)" note
	is "$(record '.settings | sort | join(" ")')" "NCCL_P2P_DISABLE=1 NCCL_TOPO_FILE"
	printf '# a comment\nNCCL_ALGO=Tree\n' > "$HOME/.nccl.conf"
	GPUDIAG_FAKE_GBPS=20 collective
	is "$(record '.settings | join(" ")')" NCCL_ALGO=Tree
}

@test "outputs of other versions" {
	for version in old rccl; do
		GPUDIAG_FAKE_REDUCE=$version collective
		is "$status" 0 "$version"
		is "$(result collective)" note "$version"
	done
}

# bad MODE TEXT…: it is unknown, and says so.
bad() {
	local mode=$1
	shift
	GPUDIAG_FAKE_REDUCE=$mode collective
	is "$status" 3 "$mode"
	valid_report
	is "$(result collective)" unknown "$mode"
	is "$(result probe-health)" pass "$mode"
	reasons "$@"
}

@test "it fails, crashes, prints nothing, garbage, or without end: each in a sentence, and no driver is blamed" {
	bad fail "exited with status 3: node1:7:7" "out of memory" "Test NCCL failure"
	bad crash "killed by SIGSEGV; it had printed 1 row, the last of 8 MiB"
	bad silent "no row of figures"
	bad garbage "no row of figures" "bytes that are no text"
	bad flood "printed more than 1 MiB and was killed"
	bad torn 'ends without "# Out of bounds values"'
	export GPUDIAG_FAKE_RANKS=0000:19:00,0000:3b:00
	bad "" "ran on 2 GPUs, and was given 8"
	GPUDIAG_FAKE_RANKS=a,b,c,d,e,f,g,h bad others "ran on a GPU that it was not given: 0000:ff:1f"
}

# Processes of our copy of it.
running() { pgrep -f "^$program" || :; }

@test "it hangs: it is killed at its time, whatever it ignores, and what it printed is told" {
	mapfile -t machine < <(node h100-8)
	export GPUDIAG_FAKE_REDUCE=hang
	supervised gpudiag run "${machine[@]}" --check collective --window 0 --even-if-busy --format json --timeout 5s \
		--collective "$program"
	is "$status" 3
	reasons "had not ended after" "was killed; it had printed 1 row, the last of 8 MiB"
	at_most "$elapsed_ms" $((5000 + SLACK_MS)) "the run"
	is "$(running)" "" "left running"
}

@test "what it leaves behind, in its group or in a session of its own, is ended, and does not hold up the run" {
	for mode in children daemon; do
		GPUDIAG_FAKE_REDUCE=$mode collective
		is "$status" 0 "$mode"
		is "$(record '.processes_ended > 0')" true "$mode"
		is "$(running)" "" "$mode: left running"
	done
}

@test "interrupted: it ends with the run" {
	mapfile -t machine < <(node h100-8)
	GPUDIAG_FAKE_REDUCE=hang "$GPUDIAG" run "${machine[@]}" --check collective --window 0 --even-if-busy --format json \
		--collective "$program" > "$OUT" 2> "$ERR" &
	pid=$!
	for _ in $(seq 200); do
		[ -z "$(running)" ] || break
		sleep 0.05
	done
	isnt "$(running)" ""
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	is "$status" 143
	is "$(running)" "" "left running"
}

# not_run PATH TEXT…: it is not started, and the sentence says why.
not_run() {
	program=$1
	shift
	rm -f log
	collective
	is "$status" 3
	reasons "$@"
	not_there log
}

@test "a path that is no such program: each says what it is" {
	real=$program
	mkdir folder empty
	cp "$real" folder/
	not_run "$PWD/nothing/all_reduce_perf" "no such file"
	not_run "$PWD/folder" "a folder: name the program in it"
	printf '#!/bin/sh\ntouch "%s"\n' "$PWD/log" > script_all_reduce_perf
	chmod +x script_all_reduce_perf
	not_run "$PWD/script_all_reduce_perf" "a script: name the program that it starts"
	: > empty/all_reduce_perf
	chmod +x empty/all_reduce_perf
	not_run "$PWD/empty/all_reduce_perf" "an empty file"
	mkfifo fifo_all_reduce_perf
	not_run "$PWD/fifo_all_reduce_perf" "no regular file"
	cp "$real" plain_all_reduce_perf
	chmod -x plain_all_reduce_perf
	not_run "$PWD/plain_all_reduce_perf" "not executable"
	cp "$real" other
	not_run "$PWD/other" "not all_reduce_perf by its name"
	head -c 4000 /dev/urandom > noise_all_reduce_perf
	chmod +x noise_all_reduce_perf
	not_run "$PWD/noise_all_reduce_perf" "no ELF file"
	cp "$real" foreign_all_reduce_perf
	printf '\267\000' | dd of=foreign_all_reduce_perf bs=1 seek=18 conv=notrunc 2> /dev/null
	[ "$(uname -m)" = aarch64 ] || not_run "$PWD/foreign_all_reduce_perf" "built for another architecture: aarch64"
	cp "$real" suid_all_reduce_perf
	chmod u+s suid_all_reduce_perf
	not_run "$PWD/suid_all_reduce_perf" "set-user-ID"
	cp "$real" torn_all_reduce_perf
	truncate -s 200 torn_all_reduce_perf
	program=$PWD/torn_all_reduce_perf collective
	is "$status" 3
}

@test "root runs no file of somebody else, by no path, and no library that somebody may put there" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	real=$program
	mkdir theirs open link
	cp "$real" theirs/
	cp "$real" open/
	chown "$NOBODY" theirs
	not_run "$PWD/theirs/all_reduce_perf" "belongs to user $NOBODY" "sudo -u '#$NOBODY'"
	chmod o+w open
	not_run "$PWD/open/all_reduce_perf" "other users may write to"
	ln -s "$PWD/theirs/all_reduce_perf" link/all_reduce_perf
	not_run "$PWD/link/all_reduce_perf" "belongs to user $NOBODY"
	LD_LIBRARY_PATH=$PWD/theirs not_run "$real" "LD_LIBRARY_PATH names $PWD/theirs"
	LD_LIBRARY_PATH=lib not_run "$real" "LD_LIBRARY_PATH names lib"
	NCCL_NET_PLUGIN=$PWD/open/libx.so not_run "$real" "NCCL_NET_PLUGIN names"
	program=$real
	LD_LIBRARY_PATH=/usr/lib collective
	is "$status" 0
}

@test "two at once: the second is refused" {
	mapfile -t machine < <(node h100-8)
	GPUDIAG_FAKE_REDUCE=hang "$GPUDIAG" run "${machine[@]}" --check collective --window 0 --even-if-busy -q \
		--collective "$program" > /dev/null 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		[ -z "$(running)" ] || break
		sleep 0.05
	done
	collective
	kill -TERM "$pid"
	wait "$pid" || :
	is "$status" 3
	reasons "is measuring"
}

@test "a redacted snapshot does not tell the path, nor what it printed of a host" {
	mkdir -p somebody/secret
	cp "$program" somebody/secret/
	program=$PWD/somebody/secret/all_reduce_perf
	GPUDIAG_FAKE_REDUCE=fail collective
	mapfile -t machine < <(node h100-8)
	GPUDIAG_FAKE_REDUCE=fail gpudiag collect "${machine[@]}" --even-if-busy --window 0 --collective "$program" --redact -o red.json
	is "$status" 0
	hasnt red.json secret somebody
	gpudiag run --snapshot red.json --check collective --format json
	is "$(result collective)" unknown
}

@test "bench collective: without --with how to get it, and what is found, which is not run" {
	gpudiag bench collective
	is "$status" 64
	has "$ERR" "no program; use gpudiag bench collective --with" "https://github.com/"
	empty "$OUT"
	with env "PATH=$PWD:$PATH" gpudiag bench collective
	is "$status" 64
	has "$ERR" "found: $program"
	not_there log
	gpudiag bench storage . --with x
	refused "--with is of test collective"
	gpudiag bench latency --baseline x
	refused "--baseline is of test collective"
	gpudiag bench collective --with a --with b
	refused '--with is given twice, with "a" and "b"'
	gpudiag bench collective --with ""
	refused "an empty path"
}

@test "bench collective: JSON by its schema, and a sentence where nothing was measured" {
	[ ! -e /dev/nvidia0 ] && [ ! -e /dev/kfd ] || skip "there is a GPU"
	gpudiag bench collective --with "$program" --format json -o bench.json
	is "$status" 1
	has "$ERR" "all-reduce not measured: an all-reduce takes two or more GPUs"
	valid_by bench bench.json
	not_there log
}
