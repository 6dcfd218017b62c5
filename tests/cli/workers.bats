#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# workers.bats - drivers that crash or hang, files that never answer, locks that are held: all is told, in time, and
# costs nothing else.
# Runs beside one: it times deadlines.

load helpers.sh
setup() { begin; }

teardown() {
	unmount_hangfs
	if [ -n "$holder" ]; then
		kill "$holder" 2> /dev/null || :
	fi
}

# Said by supervise.py and by hold_lock.
elapsed_ms=0 left='' unreaped=0 holder='' held_s=0

TIMEOUT_S=2
LOOK_PATIENTLY=(run --opencl-type cpu --level read --check "probe-health,opencl-runtime" --format json --format snapshot=seen)
LOOK=("${LOOK_PATIENTLY[@]}" --timeout "$TIMEOUT_S")

# PoCL beside it works as ever.
pocl_is_reported() {
	if has_pocl; then
		is "$(outcome 'opencl pocl.icd')" ok "PoCL's worker"
		is "$(jq -r '[.ocl_devices[] | select(.icd == "pocl.icd") | .kind] | unique[]' seen)" cpu "PoCL's device"
	fi
}

# icd FAULT OUTCOME FINDING STATUS [CALL [WHY]]
icd() {
	local fault=$1
	vendors "$fault"
	ulimit -c unlimited
	supervised gpudiag "${LOOK[@]}"
	is "$status" "$4" "exit status"
	is "$(json .exit_status)" "$4" "exit status in the report"
	empty "$ERR"
	is "$(outcome "opencl $fault.icd")" "$2" "outcome"
	[[ $3 = - || $(finding "$3") == *"$fault.icd"* ]] || fail "$3 does not name $fault.icd: $(finding "$3")"
	[[ $(json '[.findings[].id] | join(" ")') == "${3#-}" ]] || fail "findings: $(json '.findings[].id')"
	[[ $(finding "$3") == *"${5:-}"* ]] || fail "$3 does not name ${5:-}: $(finding "$3")"
	# A sanitizer says in its own way how it ended.
	is_sanitized || [[ $(finding "$3") == *"${6:-}" ]] || fail "$3 does not say ${6:-}: $(finding "$3")"
	pocl_is_reported
	no_child_left
	is "$(find . -name 'core*')" '' "core dumps"
}

# cut_short FAULT CALL: --timeout ends the wait for it, which says nothing against a driver that had time left.
cut_short() {
	local usual_ms
	vendors control
	supervised gpudiag "${LOOK[@]}"
	usual_ms=$elapsed_ms
	rm -r vendors
	icd "$1" interrupted - 3
	[[ $(json '.probes[] | select(.outcome == "interrupted") | .why') == *"$2"*--timeout* ]] || fail "$(json '.probes[].why')"
	at_most "$elapsed_ms" $((TIMEOUT_S * 1000 + 50 + usual_ms + SLACK_MS)) "it"
	[ "$elapsed_ms" -ge $((TIMEOUT_S * 1000 - 100)) ] || fail "it was given $elapsed_ms ms only"
}

# Those that do nothing for ever, all at once and with no limit but their own, which is long: beside the other tests.
HANGING=(sleep_constructor sleep_platforms sleep_devices stop ignore_sigterm)
setup_file() {
	is_timed
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/hanging
	mkdir "$BATS_TEST_TMPDIR"
	(
		begin
		vendors "${HANGING[@]}"
		supervised gpudiag run --opencl-type cpu --level read --check "probe-health,opencl-runtime" --format json \
			--format snapshot=seen || :
		: > ended
	) > /dev/null 2>&1 3>&- 4>&- &
}

# ---- OpenCL drivers, each beside one that works

@test "a driver without devices" { icd control ok opencl-runtime.no-device 0; }
@test "one that returns an error" { icd error ok opencl-runtime.no-device 0; }
@test "one that closes stdout" { icd close_stdout ok opencl-runtime.no-device 0; }
@test "one that leaves a child that holds our pipes" { icd child_holds_pipe ok opencl-runtime.no-device 0; }
@test "one that leaves a child in a session of its own: it is ended" { icd child_of_its_own ok opencl-runtime.no-device 0; }
@test "one that leaves a daemon without descriptors and environment: it is ended" {
	icd daemonizes ok opencl-runtime.no-device 0
}
@test "the same where this run was started with children: these are not ended, and what nobody can tell is named" {
	vendors daemonizes
	printf '%s\n' '#!/bin/sh' 'sleep 33 > /dev/null 2>&1 &' 'echo $! > other' "exec '$GPUDIAG' \"\$@\"" > started
	chmod +x started
	GPUDIAG=$PWD/started supervised gpudiag "${LOOK[@]}"
	is "$status" 0 "exit status"
	[[ " $left" == *" $(cat other)("* ]] || fail "pid $(cat other) was ended; left: $left"
	[[ $(finding probe-health.left-behind) == *"pid "*" (sleep)"* ]] || fail "$(json '.findings[] | [.id, .title]')"
	[[ $(finding probe-health.left-behind) != *"pid $(cat other) "* ]] || fail "it names who was there before"
}
@test "one that crashes and one that hangs when its process ends: all was answered, so each is a note" {
	vendors segv_exit sleep_exit
	supervised gpudiag run --opencl-type cpu --level read --check "probe-health,opencl-runtime" --format json \
		--format snapshot=seen
	is "$status" 0
	valid_report
	is "$(outcome 'opencl segv_exit.icd') $(outcome 'opencl sleep_exit.icd')" "ok ok"
	is "$(json '[.findings[] | select(.id == "probe-health.exit-fails") | .outcome] | join(" ")')" "note note"
	is "$(jq -r '.probes[] | select(.target == "sleep_exit.icd") | .exit_why' seen)" "still there after 5 s"
	is_sanitized || is "$(jq -r '.probes[] | select(.target == "segv_exit.icd") | .exit_why' seen)" "killed by SIGSEGV"
	at_most "$elapsed_ms" $((5000 + 1000 + SLACK_MS)) "they"
	no_child_left
}
@test "one that crashes when it lists platforms" {
	icd segv_platforms crashed probe-health.library-crashes 2 'crashes in clGetPlatformIDs' 'killed by SIGSEGV'
}
@test "one that crashes when it lists devices" {
	icd segv_devices crashed probe-health.library-crashes 2 'crashes in clGetDeviceIDs' 'killed by SIGSEGV'
}
@test "one that aborts while it is loaded" {
	icd abort_constructor crashed probe-health.library-crashes 2 'crashes in clGetPlatformIDs' 'killed by SIGABRT'
}
@test "one that ends the process while it is loaded" {
	icd exit_constructor crashed probe-health.library-crashes 2 'crashes in clGetPlatformIDs' \
		'exited with status 42 before it was done'
}
@test "one that closes the pipe we listen to" {
	icd close_all crashed probe-health.library-crashes 2 'crashes in clGetPlatformIDs' 'before it was done'
}
@test "one that counts two thousand million platforms" {
	! is_sanitized || skip "the loader's 16 GiB keep a sanitizer busy for longer than the deadline"
	icd garbage_count crashed probe-health.library-crashes 2 'crashes in clGetPlatformIDs' 'killed by SIGSEGV'
}
@test "one that gives platforms that point nowhere" {
	icd garbage_platforms crashed probe-health.library-crashes 2 'crashes in clGetDeviceIDs' 'killed by SIGSEGV'
}
@test "one that counts two thousand million devices: not judged" { icd garbage_devices garbled - 3; }
@test "one that hangs, until the run is out of time" { cut_short sleep_devices clGetDeviceIDs; }
@test "one that spins, until then" { cut_short spin clGetPlatformIDs; }

@test "all of them at once take no longer than one, and each is named" {
	local so fault
	local -a faults=()
	for so in "$ICDS"/*.so; do
		fault=${so##*/}
		faults+=("${fault%.so}")
	done
	[ "${#faults[@]}" -ge 16 ] || fail "${#faults[@]} faults: make fakes"
	# Their answers depend on how fast memory is to be had; they have tests of their own.
	mapfile -t faults < <(printf '%s\n' "${faults[@]}" | grep -vx -e garbage_count -e eat_memory)
	vendors "${faults[@]}"
	supervised gpudiag "${LOOK[@]}"
	is "$status" 2
	valid_report
	pocl_is_reported
	no_child_left
	at_most "$elapsed_ms" $((TIMEOUT_S * 1000 + 50 + 3 * SLACK_MS)) "they"
	for fault in "${faults[@]}"; do
		isnt "$(outcome "opencl $fault.icd")" '' "outcome of $fault"
		has "$OUT" "$fault.icd"
	done
	is "$(json '[.probes[] | select(.outcome == "interrupted")] | length')" 6 "hangs"
	is "$(json '[.findings[] | select(.id == "probe-health.library-crashes")] | length')" 6 "crashes"
}

@test "drivers that are registered and not there" {
	mkdir vendors
	echo /nonexistent/libnone.so > vendors/missing.icd
	echo "$PWD/vendors/garbage.so" > vendors/garbage.icd
	head -c 3000 /dev/zero > vendors/garbage.so
	: > vendors/empty.icd
	vendors
	supervised gpudiag "${LOOK[@]}"
	is "$status" 0
	valid_report
	pocl_is_reported
	local name
	for name in missing garbage empty; do
		is "$(json '.findings[] | select(.id == "opencl-runtime.no-device") | .title' | grep -cF "$name.icd ")" 1 "findings of $name.icd"
	done
}

@test "an OpenCL loader that is none, and one that lacks its calls" {
	mkdir lib
	echo nonsense > lib/libOpenCL.so.1
	vendors control
	with env "LD_LIBRARY_PATH=$PWD/lib" gpudiag "${LOOK[@]}"
	is "$status" 0
	valid_report
	isnt "$(finding opencl-runtime.no-loader)" '' "opencl-runtime.no-loader"
	[ -f "$ICDS/control.so" ] || fail "no $ICDS/control.so"
	cp "$ICDS/control.so" lib/libOpenCL.so.1
	with env "LD_LIBRARY_PATH=$PWD/lib" gpudiag "${LOOK[@]}"
	is "$status" 0
	[[ $(finding opencl-runtime.no-loader) == *clGetPlatformIDs* ]] || fail "$(finding opencl-runtime.no-loader)"
}

@test "what a library prints is kept in the report and printed nowhere" {
	mkdir lib
	pocl_or_skip
	with env POCL_DEBUG=all gpudiag "${LOOK[@]}" --format text=seen.text
	is "$status" 0
	empty "$ERR"
	json . > /dev/null
	isnt "$(json '.probes[] | select(.target == "pocl.icd") | .output // ""')" '' "output"
}

@test "a run that is out of time names what used it up, and blames nobody else" {
	copy_of l40s-4
	mount_hangfs
	# The first phase hangs; what comes after it has no time left.
	hang /proc/meminfo
	supervised gpudiag run --root mnt --timeout 1 --format json
	: > tree/.faults
	valid_report
	is "$status" 2
	is "$(json '[.findings[] | select(.id | startswith("probe-health.")) | .title | select(contains("(probe host)") | not)] |
		length')" 0 "others that were blamed"
	is "$(json '[.checks[] | select(.check == "pcie-width") | .result] | unique | join(" ")')" unknown "pcie-width"
}

# ---- workers that somebody else ends

# limited MIB COMMAND…: in a control group of its own with that limit, as a container or job has it. Skips where none can be made.
limited() {
	local limit=$(($1 << 20)) group
	shift
	if mkdir "/sys/fs/cgroup/memory/gpudiag-test-$$" 2> /dev/null; then
		group=/sys/fs/cgroup/memory/gpudiag-test-$$
		echo "$limit" > "$group/memory.limit_in_bytes" || skip "no memory limits here"
	elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2> /dev/null &&
		mkdir "/sys/fs/cgroup/gpudiag-test-$$" 2> /dev/null; then
		group=/sys/fs/cgroup/gpudiag-test-$$
		echo "$limit" > "$group/memory.max" || skip "no memory limits here"
	else
		skip "no control group can be made here"
	fi
	status=0
	# shellcheck disable=SC2016
	sh -c 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@" > "$OUT" 2> "$ERR" < /dev/null || status=$?
	rmdir "$group" || :
}

@test "one that the OOM killer ends below a memory limit: the limit is named, and no driver blamed" {
	vendors eat_memory
	limited 64 "$GPUDIAG" "${LOOK_PATIENTLY[@]}" --timeout 20
	is "$status" 3
	valid_report
	is "$(outcome 'opencl eat_memory.icd')" interrupted
	is "$(jq -r '.probes[] | select(.target == "eat_memory.icd") | .why' seen)" \
		"killed by the OOM killer: memory limit of 64 MiB (container, job or service)"
	is "$(json '[.findings[] | select(.id | startswith("probe-health."))] | length')" 0 "findings"
	# PoCL's worker is below the same limit, and may be taken first: no other end is one of it.
	is "$(jq -r '[.probes[] | select(.target == "pocl.icd" and .outcome != "ok") | .why |
		select(startswith("killed by the OOM killer: ") | not)] | length' seen)" 0 "PoCL's worker"
	gpudiag "${LOOK_PATIENTLY[@]}" --timeout 20
	is "$status" 0
}

@test "below a small memory limit buffers are small, and all is measured" {
	pocl_or_skip
	! is_sanitized || skip "a sanitizer takes more than the limit"
	local -a quick=(run --opencl-type cpu --level quick --check "probe-health,known-answer,memory-bandwidth" --window 0
		--format json --format snapshot=seen)
	limited 256 "$GPUDIAG" "${quick[@]}"
	is "$status" 0
	is "$(outcome 'ocl-run opencl:pocl.icd:0')" ok
	jq -e '[.ocl_devices[].timings[] | select(.key == "memory-read") | .size_bytes] | first | . > 0 and . < 33554432' seen
	# Where its compiler alone would be killed nothing is measured, and it is said why; the level was asked for by name.
	limited 64 "$GPUDIAG" "${quick[@]}"
	is "$status" 3
	is "$(outcome 'ocl-run opencl:pocl.icd:0')" refused
	[[ $(json '.checks[] | select(.check == "known-answer") | .reason') == *"MiB of host memory are free here"* ]] ||
		fail "$(json .checks)"
}

@test "one that somebody kills by hand: no driver is blamed" {
	vendors sleep_platforms
	"$GPUDIAG" "${LOOK_PATIENTLY[@]}" --timeout 20 > "$OUT" 2> "$ERR" &
	local run=$! worker='' _
	for _ in {1..100}; do
		worker=$(pgrep -P "$run" -f sleep_platforms.icd) && break
		sleep 0.05
	done
	sleep 0.2
	kill -9 "$worker"
	status=0
	wait "$run" || status=$?
	is "$status" 3
	is "$(outcome 'opencl sleep_platforms.icd')" interrupted
	[[ $(jq -r '.probes[] | select(.target == "sleep_platforms.icd") | .why' seen) == *"by SIGKILL from outside"* ]] ||
		fail "$(jq -c '.probes[].why' seen)"
	is "$(json '[.findings[] | select(.id | startswith("probe-health."))] | length')" 0 "findings"
}

# ---- files that never answer

# says_since_when PID SECONDS: of the one stuck worker, which began so long ago, or some seconds more.
says_since_when() {
	local why
	why=$(json '.probes[] | select(.outcome == "stuck") | .why')
	if ! [[ $why =~ "pid $1)".*' '([0-9]+)' s' ]] || [ "${BASH_REMATCH[1]}" -lt "$2" ] || [ "${BASH_REMATCH[1]}" -gt $(($2 + 9)) ]; then
		fail "not since $2 s: $why"
	fi
}

# The file of a GPU's link in the tree.
link_file() {
	local folder
	folder=$(realpath "tree/sys/bus/pci/devices/$1")
	echo "${folder#"$PWD/tree"}/$2"
}

@test "a file of a GPU that never answers, and a reader that cannot be killed" {
	copy_of l40s-4
	mount_hangfs
	supervised gpudiag run --root mnt --format json
	is "$status" 0
	local usual_ms=$elapsed_ms worker
	hang "$(link_file 0000:51:00.0 current_link_width)"
	supervised gpudiag run --root mnt --timeout 1 --format json
	is "$status" 2
	at_most "$elapsed_ms" $((1000 + 50 + usual_ms + SLACK_MS)) "it"
	valid_report
	is "$(outcome 'pci-link 0000:51:00.0')" stuck
	[[ $(finding probe-health.stuck) == *0000:51:00.0*current_link_width* ]] || fail "$(finding probe-health.stuck)"
	# It is still there, in the kernel, and said to be; the supervisor saw it too.
	worker=$(json '.probes[] | select(.outcome == "stuck") | .pid')
	[[ $left == "$worker(gpudiag:pci-lin,D)" ]] || fail "left: \"$left\", said: $worker"
	is "$unreaped" 0
	isnt "$(json '.probes[] | select(.outcome == "stuck") | .wchan // ""')" '' "wchan"
	# The rest is judged.
	is "$(json '[.checks[] | select(.check == "pcie-width" and .result == "pass")] | length')" 3 "links judged"
	is "$(json '[.checks[] | select(.check == "pcie-width" and .gpu == "0000:51:00.0") | .result] | join(" ")')" unknown
	is "$(json '[.checks[] | select(.check == "gpu-bound" and .result == "pass")] | length')" 4 "drivers judged"
	# A GPU of which nothing could be read is not said to be usable.
	isnt "$(json '.gpus[] | select(.pci == "0000:51:00.0") | .state')" usable "state"
}

@test "a file of the node that never answers: the rest is judged" {
	copy_of l40s-4
	mount_hangfs
	hang /proc/swaps
	supervised gpudiag run --root mnt --timeout 1 --format json
	is "$status" 2
	at_most "$elapsed_ms" $((1000 + 50 + 2 * SLACK_MS)) "it"
	[[ $(finding probe-health.stuck)$(finding probe-health.files-hang) == *"hangs in read "*swaps* ]] || fail "$(json .findings)"
	is "$(result swap-used)" unknown
	is "$(json '[.checks[] | select(.check == "gpu-bound" and .result == "pass")] | length')" 4 "drivers judged"
}

@test "a driver's library that never answers: the next run does not wait for it again" {
	mkdir tree
	pocl_or_skip
	[ -f "$ICDS/control.so" ] || fail "no $ICDS/control.so"
	cp "$ICDS/control.so" tree/
	mount_hangfs
	vendors
	echo "$PWD/mnt/control.so" > vendors/faulty.icd
	hang /control.so
	# Not supervised: the worker outlives this run, as it would.
	gpudiag "${LOOK[@]}"
	is "$status" 2
	is "$(outcome 'opencl faulty.icd')" stuck
	pocl_is_reported
	local worker lock=$GPUDIAG_RUNTIME_DIR/opencl-faulty.icd
	worker=$(json '.probes[] | select(.outcome == "stuck") | .pid')
	kill -0 "$worker"
	grep -qx "pid $worker" "$lock"
	# As if it were some minutes later, but not before this machine was started.
	local since ago=600
	since=$(sed -n 's/^since //p' "$lock")
	[ "$since" -gt $ago ] || ago=$((since - 1))
	sed "s/^since .*/since $((since - ago))/" "$lock" > note
	cat note > "$lock"
	supervised gpudiag "${LOOK[@]}"
	is "$status" 2
	at_most "$elapsed_ms" $((1000 + SLACK_MS)) "it"
	is "$(outcome 'opencl faulty.icd')" stuck
	is "$(json '.probes[] | select(.outcome == "stuck") | .pid')" "$worker"
	says_since_when "$worker" $ago
	pocl_is_reported
	no_child_left
	# When the file answers the worker goes, and with it the lock.
	: > tree/.faults
	for _ in {1..50}; do
		kill -0 "$worker" 2> /dev/null || break
		sleep 0.1
	done
	gpudiag "${LOOK[@]}"
	is "$status" 0
	is "$(outcome 'opencl faulty.icd')" ok
}

# ---- locks

@test "a lock that a stuck worker holds: told at once, and nothing is started beside it" {
	vendors sleep_devices
	hold_lock opencl-sleep_devices.icd 600 'clGetDeviceIDs, platform 0'
	supervised gpudiag "${LOOK[@]}"
	is "$status" 2
	at_most "$elapsed_ms" $((1000 + SLACK_MS)) "it"
	valid_report
	is "$(outcome 'opencl sleep_devices.icd')" stuck
	[[ $(finding probe-health.stuck) == *'OpenCL driver sleep_devices.icd '*' hangs in clGetDeviceIDs, platform 0'* ]] ||
		fail "$(finding probe-health.stuck)"
	is "$(json '.probes[] | select(.outcome == "stuck") | .pid')" "$holder"
	says_since_when "$holder" "$held_s"
	is "$(json '.probes[] | select(.outcome == "stuck") | .elapsed_ms')" null "time of a worker that was not started"
	pocl_is_reported
	no_child_left
}

@test "one that watches hangs when its own deadline is over, not after the longest there is" {
	hold_lock window-node 600 'read counters' 5200
	gpudiag collect --level read --window 100ms -o seen
	is "$(jq -r '.probes[] | select(.probe == "window") | .outcome' seen)" stuck
	kill "$holder"
	wait "$holder" || :
	# One that was asked to watch for long, or is of a version that did not say.
	for deadline in 905000 ''; do
		rm "$GPUDIAG_RUNTIME_DIR/window-node"
		hold_lock window-node 600 'read counters' "$deadline"
		gpudiag collect --level read --window 100ms -o seen
		is "$(jq -r '.probes[] | select(.probe == "window") | .outcome' seen)" ok
		kill "$holder"
		wait "$holder" || :
	done
}

@test "another run that reads at this moment is no reason not to read" {
	vendors control
	hold_lock opencl-control.icd 1 'clGetPlatformIDs'
	gpudiag "${LOOK[@]}"
	is "$status" 0
	is "$(outcome 'opencl control.icd')" ok
}

@test "a lock that is held since a time to come, by another namespace's clock, is no hang" {
	vendors control
	hold_lock opencl-control.icd -600 'clGetPlatformIDs'
	gpudiag "${LOOK[@]}"
	is "$status" 0
	is "$(outcome 'opencl control.icd')" ok
}

@test "the lock of a dead process, or of an earlier boot, is none" {
	vendors control
	hold_lock opencl-control.icd 600 'clGetPlatformIDs'
	local lock=$GPUDIAG_RUNTIME_DIR/opencl-control.icd
	sed 's/^boot .*/boot 00000000-0000-0000-0000-000000000000/' "$lock" > note
	cat note > "$lock"
	gpudiag "${LOOK[@]}"
	is "$(outcome 'opencl control.icd')" ok
	kill "$holder"
	wait "$holder" || :
	gpudiag "${LOOK[@]}"
	is "$(outcome 'opencl control.icd')" ok
}

@test "somebody else measures: stage 8 says who, and is skipped" {
	pocl_or_skip
	hold_lock load 1 'clFinish'
	gpudiag run --opencl-type cpu --format json --format text=text --check swap-used,known-answer,transfer-h2d
	[ "$status" -le 1 ] || fail "exit status $status" "$(show)"
	valid_report
	is "$(result known-answer)" skip
	is "$(result transfer-h2d)" skip
	is "$(json '.timings | length')" 0 "timings"
	[[ $(json '.checks[] | select(.check == "known-answer") | .reason') == *"another gpudiag (pid $holder) is measuring"* ]] ||
		fail "$(json '.checks[].reason')"
	has text "another gpudiag (pid $holder) is measuring"
}

@test "of devices measured side by side each has a lock of its own, which the next run looks for" {
	pocl_or_skip
	# The run has the node's, and its worker takes no notice of that.
	hold_lock load 1 'opencl:pocl.icd:0'
	"$GPUDIAG" probe--worker ocl-run opencl:pocl.icd:0 3> frames
	is "$(tail -n 1 frames | jq -r .outcome)" refused
	OCL_ICD_VENDORS=pocl.icd GPUDIAG_SIDE_BY_SIDE=1 "$GPUDIAG" probe--worker ocl-run opencl:pocl.icd:0 3> frames
	is "$(tail -n 1 frames | jq -r .outcome)" ok
	kill "$holder"
	wait "$holder" || :
	# One that hangs has outlived its run.
	local lock
	lock=$(basename "$(echo "$GPUDIAG_RUNTIME_DIR"/ocl-run*)")
	rm "$GPUDIAG_RUNTIME_DIR/$lock"
	hold_lock "$lock" 3600 clFinish 20000
	gpudiag collect --opencl-type cpu --level quick --window 0 -o seen
	is "$(jq -r '.probes[] | select(.probe == "ocl-run") | "\(.outcome) \(.pid)"' seen)" "stuck $holder"
}

@test "somebody else begins to measure at the same moment: one of them does not" {
	pocl_or_skip
	mkdir -m 700 "$GPUDIAG_RUNTIME_DIR"
	# Held so that a look finds it free, and who wants it does not get it: as in the moment between the two.
	(
		exec 9> "$GPUDIAG_RUNTIME_DIR/load" 3>&-
		flock -s 9
		exec sleep 30
	) > /dev/null 2>&1 &
	holder=$!
	sleep 0.2
	gpudiag run --opencl-type cpu --format json --check swap-used,known-answer,transfer-h2d
	[ "$status" -le 1 ] || fail "exit status $status" "$(show)"
	is "$(json '.timings | length')" 0 "timings"
	is "$(result known-answer)" skip
}

@test "a runtime folder that cannot be had, or is somebody else's: it works without locks" {
	vendors control
	with env GPUDIAG_RUNTIME_DIR=/proc/nonexistent gpudiag "${LOOK[@]}"
	is "$status" 0
	: > file
	with env "GPUDIAG_RUNTIME_DIR=$PWD/file" gpudiag "${LOOK[@]}"
	is "$status" 0
	if [ "$(id -u)" -eq 0 ]; then
		mkdir theirs
		chown "$NOBODY" theirs
		with env "GPUDIAG_RUNTIME_DIR=$PWD/theirs" gpudiag "${LOOK[@]}"
		is "$status" 0
		is "$(ls -A theirs)" '' "files in somebody else's folder"
	fi
}

@test "a runtime folder that others may write is refused" {
	local mode
	vendors control
	mkdir open
	for mode in 777 1777 770; do
		chmod "$mode" open
		with env "GPUDIAG_RUNTIME_DIR=$PWD/open" gpudiag "${LOOK[@]}"
		refused 'GPUDIAG_RUNTIME_DIR' "$PWD/open" 'others may write there' 'chmod 700'
		is "$(ls -A open)" ''
	done
}

@test "a runtime folder that nobody named and that others may write is not used, which is told" {
	as_nobody_or_skip
	vendors control
	mkdir -p runtime/gpudiag
	chown -R "$NOBODY" . runtime
	chmod -R 777 runtime
	with "${AS_NOBODY[@]}" env -u GPUDIAG_RUNTIME_DIR "XDG_RUNTIME_DIR=$PWD/runtime" "HOME=$PWD/runtime" \
		gpudiag "${LOOK[@]}"
	is "$(ls -A runtime/gpudiag)" ''
	[[ $(json '.messages[]') == *"no folder for locks (EPERM: others may write there"* ]] || fail "$(json .messages)"
}

@test "a lock file that is a link leads nowhere" {
	vendors control
	mkdir -m 700 "$GPUDIAG_RUNTIME_DIR"
	echo 'as it was' > precious
	ln -s "$PWD/precious" "$GPUDIAG_RUNTIME_DIR/opencl-control.icd"
	gpudiag "${LOOK[@]}"
	is "$status" 0
	is "$(cat precious)" 'as it was'
}

# ---- not root

@test "as nobody, on this machine: no crash, and what is denied is unknown" {
	as_nobody_or_skip
	mkdir -m 777 nobodys
	with "${AS_NOBODY[@]}" env "HOME=$PWD/nobodys" "GPUDIAG_RUNTIME_DIR=$PWD/nobodys/run" gpudiag run --level read --format json
	[ "$status" -le 3 ] || fail "exit status $status" "$(show)"
	is "$status" "$(json .exit_status)"
	empty "$ERR"
	valid_report
	is "$(json '[.probes[] | select(.outcome | IN("crashed", "garbled", "stuck", "timeout"))] | length')" 0 "probes that failed"
	# Others' open files are hidden: then nobody can say that nobody uses a GPU.
	is "$(json '[.unknown[]?] | length >= 0')" true
}

@test "as nobody, on a recorded machine whose files are closed: unknown, never a pass" {
	as_nobody_or_skip
	copy_of l40s-4
	local folder
	folder=tree$(link_file 0000:11:00.0 .)
	chmod 600 "$folder/config"
	chmod 600 "$(realpath tree/sys/bus/pci/devices/0000:31:00.0)/current_link_width"
	with "${AS_NOBODY[@]}" gpudiag run --root tree --format json --format text=/dev/stderr
	valid_report
	is "$(json '.checks[] | select(.check == "gpu-lost" and .gpu == "0000:11:00.0") | .result')" unknown "gpu-lost"
	is "$(json '.checks[] | select(.check == "gpu-lost" and .gpu == "0000:31:00.0") | .result')" pass "gpu-lost of another"
	is "$(json '.checks[] | select(.check == "pcie-width" and .gpu == "0000:31:00.0") | .result')" unknown "pcie-width"
	[[ $(json '.checks[] | select(.check == "pcie-width" and .gpu == "0000:31:00.0") | .reason') == *denied* ]] ||
		fail "the reason is not that it was denied"
	# gpu-lost is required.
	is "$status" 3 "exit status"
	is "$(json .verdict)" unknown
	has "$ERR" UNKNOWN 'permission denied'
}

@test "as nobody, where nothing may be listed" {
	as_nobody_or_skip
	copy_of l40s-4
	chmod 700 tree/sys/bus/pci/devices tree/proc
	with "${AS_NOBODY[@]}" gpudiag run --root tree --format json
	is "$status" 3
	valid_report
	is "$(json '[.checks[] | select(.result == "pass" and .check != "probe-health") | .check] | unique | join(" ")')" \
		'cpu-clock driver-match driver-restarts edac klog-errors nvme-health' "passes of what stands in other folders"
	[[ $(json .headline) == *'permission denied'* ]] || fail "$(json .headline)"
	chmod 700 tree
	with "${AS_NOBODY[@]}" gpudiag run --root tree --format json
	refused 'tree' 'Permission denied'
}

@test "a GPU that left the bus: nothing of it is said to have never been there" {
	local why='lost: the function is gone from the bus' field
	need_tree h100-8
	status=0
	"$GPUDIAG" probe--worker --root "$NODES/h100-8" pci-link 0000:fe:1f.7 3> frames || status=$?
	is "$status" 0
	jq -s 'map(.fact.gpus[0]? // empty) | add' frames > seen
	for field in link_width config_all_ones aer_correctable aer_nonfatal aer_fatal aer_unsupported aer_kinds aer_root_fatal; do
		is "$(jq -r ".pci.unknown.$field" seen)" "$why" "$field"
	done
	for field in bar_bytes bar_able_bytes iommu_group iommu_type virtual_functions; do
		is "$(jq -r ".unknown.$field" seen)" "$why" "$field"
	done
}

# ---- the hangs that setup_file began

@test "drivers that hang cost no more than their deadline and 50 ms, all of them together" {
	local hanging=$BATS_FILE_TMPDIR/hanging usual_ms deadline_ms fault
	local -A call=([sleep_devices]=clGetDeviceIDs)
	vendors control
	supervised gpudiag "${LOOK[@]}"
	usual_ms=$elapsed_ms
	for _ in {1..400}; do
		[ ! -e "$hanging/ended" ] || break
		sleep 0.1
	done
	# shellcheck source=/dev/null
	. "$hanging/.report"
	OUT=$hanging/.out
	ERR=$hanging/.err
	is "$status" 2 "exit status"
	empty "$ERR"
	valid_report
	deadline_ms=$(json '[.probes[] | select(.outcome == "timeout") | .deadline_ms] | unique[]')
	at_most "$elapsed_ms" $((deadline_ms + 50 + usual_ms + SLACK_MS)) "they"
	[ "$elapsed_ms" -ge "$deadline_ms" ] || fail "they were given $elapsed_ms of $deadline_ms ms"
	for fault in "${HANGING[@]}"; do
		is "$(outcome "opencl $fault.icd")" timeout "outcome of $fault"
		json '.findings[] | select(.id == "probe-health.library-hangs") | .title' |
			grep -F "$fault.icd" | grep -qF "hangs in ${call[$fault]:-clGetPlatformIDs}" ||
				fail "$fault is not named"
	done
	if has_pocl; then
		is "$(outcome 'opencl pocl.icd')" ok "PoCL's worker"
		is "$(jq -r '[.ocl_devices[] | select(.icd == "pocl.icd") | .kind] | unique[]' "$hanging/seen")" cpu "PoCL's device"
	fi
	no_child_left
}

# ----

@test "the JSON of these tests is valid by the schema" { reports_are_valid; }

# ---- what is handed on

# A program that writes down who started it how, in place of the machine's own; the ring of the kernel is empty.
own_journalctl() {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to have a journalctl of its own"
	[ -e /usr/bin/journalctl ] || skip "this machine has no journalctl"
	unshare -m true 2> /dev/null || skip "no mount namespace can be had here"
	printf '#!/bin/sh\nenv > %q\nls /proc/$$/fd > %q\n' "$PWD/environment" "$PWD/descriptors" > "$1/journalctl"
	chmod 755 "$1/journalctl"
}

@test "journalctl is run from its place, whatever PATH says" {
	mkdir elsewhere
	own_journalctl elsewhere
	PATH=$PWD/elsewhere:$PATH with unshare -m sh -c 'mount --bind /dev/null /dev/kmsg || exit 99; exec "$@"' sh \
		gpudiag collect --level read
	[ "$status" -ne 99 ] || skip "nothing can be mounted here"
	is "$status" 0
	[ ! -e environment ]
}

@test "journalctl gets nothing of its caller's: no variable, no descriptor" {
	local command
	mkdir own
	own_journalctl own
	exec 9> held
	for command in 'collect --level read' logs; do
		rm -f environment descriptors
		# shellcheck disable=SC2086,SC2016
		LD_BIND_NOW=1 SYSTEMD_LOG_LEVEL=debug HOME=/home/alice with unshare -m sh -c '
			mount --bind /dev/null /dev/kmsg && mount --bind own/journalctl /usr/bin/journalctl || exit 99
			exec "$@"' sh gpudiag $command
		[ "$status" -ne 99 ] || skip "nothing can be mounted here"
		is "$(grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= environment | sort)" \
			$'LC_ALL=C\nPATH=/usr/sbin:/usr/bin:/sbin:/bin'
		hasnt descriptors 9
	done
	exec 9>&-
}
