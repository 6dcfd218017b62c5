#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# working-gpu.bats - GPUs put to work that compute wrongly, crash, hang, or are in use (shim.sh).
# Runs beside one: half of its time goes into what hangs or dawdles.

load helpers.sh
load shim.sh
setup_file() { is_timed; }
setup() { begin_shim; }

@test "eight GPUs of a recorded node are put to work, each found at its address" {
	world h100-8 '"19","3b","4c","5d","9b","bb","cb","db"'
	run_it
	# How fast they are, and how alike, is a matter of what else this machine does.
	is "$(json '[.findings[] | select(.outcome == "fail") | .check] | map(select(test("^(transfer|memory-bandwidth|compute)") | not)) |
		join(" ")')" "" "fails"
	is "$(jq '[.timings[].gpu] | unique | length' "$OUT")" 8 "GPUs with timings"
	is "$(jq '[.ocl_devices[].timings | length] | unique | length' seen)" 1 "numbers of timings a GPU has"
	is "$(result known-answer)" pass
	is "$(jq -r '.icds[0].library' seen)" "$PWD/tree/driver/usr/lib64/libnvidia-opencl.so.1"
	# Load is for one at a time, and its lock for this machine.
	[ -e "$GPUDIAG_RUNTIME_DIR/load" ] || fail "no lock of the load"
}

@test "a recorded tree's own drivers are not loaded" {
	one
	rm -r tree/driver/etc
	run_it
	is "$(jq '[.probes[] | select(.probe == "opencl" or .probe == "ocl-run")] | length' seen)" 0
	is "$(jq -r '.icds[0].path' seen)" /etc/OpenCL/vendors/nvidia.icd
}

@test "one wrong word is found, with its place and both values" {
	two '.faults = [
		{call: "clEnqueueNDRangeKernel", kernel: "known_answer", device: 0, nth: 3, do: "flip", word: 77, mask: 16},
		{call: "clEnqueueNDRangeKernel", kernel: "known_answer", device: 1, do: "flip", one_in: 400000, mask: 1}]'
	run_it --check known-answer
	is "$status" 2 "exit status"
	is "$(device 0 '.known_answer | "\(.words_wrong) \(.first_wrong)"')" "1 77"
	is "$(($(device 0 .known_answer.expected) ^ $(device 0 .known_answer.got)))" 16 "bits that differ"
	is "$(device 1 .known_answer.words_wrong)" 1
	is "$(json '[.findings[] | select(.id == "known-answer.wrong")] | length')" 2
	has "$OUT" "first at 77: $(device 0 .known_answer.got) instead of $(device 0 .known_answer.expected)"
}

@test "what is read wrongly is as wrong" {
	one '.faults = [{call: "clEnqueueReadBuffer", nth: 2, do: "flip", word: 5, mask: 2147483648}]'
	run_it --check known-answer
	is "$(device 0 '.known_answer | "\(.words_wrong) \(.first_wrong)"')" "1 5"
}

# Comparing on the device is what takes the time of level deep's known answer.
SHORT_ANSWER='{call: "clEnqueueNDRangeKernel", kernel: "answer_compare", do: "error"}'

@test "a stuck bit of memory is found, with place and both values; a crash after that hides neither" {
	two ".faults = [$SHORT_ANSWER,"'
		{device: 0, do: "stuck", offset: 4096, mask: 16, value: 1, min_bytes: 4194304},
		{device: 1, do: "stuck", offset: 8192, mask: 2147483648, value: 0, min_bytes: 4194304},
		{call: "clEnqueueNDRangeKernel", kernel: "memory_verify_random", device: 1, nth: 3, do: "crash"}]'
	run_it --level deep --seconds 100ms --sustain 0 --memory-share 30 --check memory-test --check known-answer
	is "$status" 2 "exit status"
	is "$(device 0 '.memory_test | "\(.ended) \(.passes) \(.bits_wrong)"')" "done 69 0x00000010"
	is "$(device 0 '[.memory_test.errors[].flipped] | unique | join(" ")')" 0x00000010
	is "$(device 0 '.memory_test.errors | first | .offset')" 0x000000001000
	# Each pattern has words with that bit and without, and inversions are verified three times.
	is "$(device 0 '[.memory_test.errors[].pattern] | unique | contains(["own-address", "moving-inversions", "walking-ones"])')" true
	[ "$(device 0 .memory_test.words_wrong)" -ge 64 ] || fail "$(device 0 .memory_test.words_wrong) words"
	has "$OUT" "first at 0x000000001000: $(device 0 '.memory_test.errors[0] | "\(.got) instead of \(.expected)"')"
	is "$(device 1 '.memory_test.errors | first | "\(.offset) \(.flipped)"')" "0x000000002000 0x80000000"
	is "$(device 1 '.memory_test.unknown.words_wrong | split(" in ") | first')" "error: crashed"
	is "$(json '[.findings[] | select(.id == "memory-test.errors")] | length')" 2 "GPUs with bad memory"
	# Right as far as it went is not right.
	is "$(result known-answer)" unknown
	has "$OUT" "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES"
}

@test "memory that keeps what is written passes; a test that crashed before it found anything does not" {
	two ".faults = [$SHORT_ANSWER,"'
		{call: "clEnqueueNDRangeKernel", kernel: "memory_verify_address", device: 1, nth: 1, do: "crash"}]'
	run_it --level deep --seconds 100ms --sustain 0 --memory-share 30 --check memory-test
	is "$(device 0 '.memory_test | "\(.ended) \(.passes) \(.words_wrong)"')" "done 69 0"
	is "$(result memory-test "GPU 0")" pass
	is "$(result memory-test "GPU 1")" unknown
	# Nobody asked for probe-health: the crash is in the way of what was asked.
	is "$status" 2 "exit status"
	is "$(json '[.findings[] | "\(.id) \(.subject)"] | join(", ")')" "probe-health.device-crashes ocl-run opencl:nvidia.icd:1"
}

@test "without double and half precision, without images, with 64 KiB of constant memory" {
	one '.device += {fp64: false, fp16: false, images: false, constant_bytes: 65536}'
	run_it --check known-answer --check opencl-compiler
	is "$status" 0 "exit status"
	is "$(result known-answer)" pass
	is "$(device 0 .builds_kernels)" true
	is "$(device 0 '[.timings[] | select(.method == null)] | length')" 0 "timings that failed"
}

@test "a compiler that fails is quoted" {
	one '.device.build_log = "error: no member named in_this_chip\n1 error generated."'
	run_it --check opencl-compiler
	is "$(device 0 .builds_kernels)" false
	isnt "$(finding opencl-compiler.fails)" ""
	has "$OUT" "no member named in_this_chip"
}

@test "a compiler that takes its time is waited for" {
	one '.faults = [{call: "clBuildProgram", do: "sleep", ms: 3000}]'
	run_it --check opencl-compiler
	is "$(result opencl-compiler)" pass
	[ "$(device 0 .build_ns)" -ge 3000000000 ] || fail "built in $(device 0 .build_ns) ns"
}

@test "a kernel that never ends is named, and the run ends when it was told to" {
	two '.faults = [{call: "clEnqueueNDRangeKernel", kernel: "launch_empty", device: 1, nth: 5, do: "never"}]'
	local begin=${EPOCHREALTIME/./}
	run_it --check known-answer --timeout 10s
	at_most $(((${EPOCHREALTIME/./} - begin) / 1000)) $((10000 + 2 * SLACK_MS)) "the run"
	is "$(jq -r '.probes[] | select(.key == "ocl-run opencl:nvidia.icd:0") | .outcome' seen)" ok
	is "$(jq -r '.probes[] | select(.key == "ocl-run opencl:nvidia.icd:1") | .outcome' seen)" interrupted
	# What it said before it hung is kept.
	is "$(device 1 .known_answer.words_wrong)" 0
	is "$(result known-answer)" pass
	# That it did not come to its end is said, and is no pass.
	is "$(result probe-health "ocl-run opencl:nvidia.icd:1")" unknown
	is "$(jq -r '.probes[] | select(.key == "ocl-run opencl:nvidia.icd:1") | .call' seen)" "clEnqueueNDRangeKernel launch_empty"
	is "$status" 3 "exit status"
}

@test "a device a thousand times slower than others is measured, with less, and not said to hang" {
	one '.device += {global_bytes: 2147483648, largest_bytes: 268435456} | .faults = [
		{call: "clEnqueueWriteBuffer", do: "gbps", rate: 0.004}, {call: "clEnqueueReadBuffer", do: "gbps", rate: 0.004},
		{call: "clEnqueueNDRangeKernel", kernel: "launch_empty", do: "sleep", ms: 400}]'
	run_it --check known-answer
	is "$status" 0 "exit status"
	is "$(jq -r '.probes[] | select(.probe == "ocl-run") | .outcome' seen)" ok
	is "$(device 0 '[.timings[] | .samples_ns | length > 0] | all')" true "tests have samples"
	is "$(device 0 '[.timings[] | select(.key | startswith("h2d")) | .size_bytes < 8388608] | all')" true "copies are small"
}

@test "what was measured is kept where the run is interrupted" {
	one
	"$GPUDIAG" run --root tree --driver-root tree/driver --window 0 --check known-answer --seconds 1h --format json \
		--format snapshot=seen < /dev/null > "$OUT" 2> "$ERR" 3>&- &
	local run=$!
	for _ in {1..400}; do
		! grep -qs '^call timing, ' "$GPUDIAG_RUNTIME_DIR"/* || break
		sleep 0.05
	done
	sleep 0.5
	kill "$run"
	status=0
	wait "$run" || status=$?
	is "$status" 143 "exit status"
	is "$(jq -r '.probes[] | select(.probe == "ocl-run") | .outcome' seen)" interrupted
	is "$(device 0 '[.timings[] | .samples_ns | length > 0] | all')" true "tests have samples"
}

@test "a crash at work costs the rest of that device alone" {
	two '.faults = [{call: "clEnqueueNDRangeKernel", device: 0, nth: 30, do: "crash"}]'
	run_it --check known-answer
	is "$(jq -r '.probes[] | select(.key == "ocl-run opencl:nvidia.icd:0") | "\(.outcome) \(.why)"' seen)" "crashed killed by SIGSEGV"
	is "$(jq -r '.probes[] | select(.key == "ocl-run opencl:nvidia.icd:1") | .outcome' seen)" ok
	isnt "$(device 1 '.timings | length')" 0
}

@test "a GPU of two that hangs at work is named, and leaves the other measured" {
	two '.faults = [{call: "clEnqueueNDRangeKernel", kernel: "launch_empty", device: 0, do: "never"}]'
	run_it --check known-answer --together --timeout 12s
	is "$(jq -r '.probes[] | select(.key == "ocl-run opencl:nvidia.icd:0") | "\(.outcome) \(.call)"' seen)" \
		"interrupted clEnqueueNDRangeKernel launch_empty"
	is "$(jq -r '.probes[] | select(.key == "ocl-run opencl:nvidia.icd:1") | .outcome' seen)" ok
	[ "$(device 1 '.timings[] | select(.key == "launch-latency") | .samples_ns | length')" -ge 50 ] || fail "GPU 1 is not measured"
	is "$(json '[.findings[] | select(.severity == "fail")] | length')" 0 "fails"
	is "$status" 3 "exit status"
}

@test "memory that runs out costs what needed it, and is no verdict on the GPU" {
	two '.devices[0].memory_bytes = 4194304 | .devices[1] += {memory_bytes: 4194304, lazy: true}'
	run_it
	is "$(device 0 '[.timings[] | select(.method == null) | .unknown.method] | map(select(test("CL_MEM_OBJECT_ALLOCATION_FAILURE"))) |
		length > 0')" true
	is "$(device 0 '[.timings[] | select(.key == "launch-latency") | .samples_ns | length > 0] | all')" true
	is "$(json '[.findings[] | select(.severity == "fail")] | length')" 0 "fails"
}

@test "a call that fails in the middle is the reason of what it left unmeasured" {
	one '.faults = [{call: "clEnqueueNDRangeKernel", kernel: "launch_empty", from: 60, do: "error", code: -5}]'
	run_it --check known-answer
	is "$(result known-answer)" pass
	is "$(jq -r '.probes[] | select(.probe == "ocl-run") | .outcome' seen)" partial
	has seen "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES"
}

@test "another gpudiag that measures is named, and not disturbed" {
	one
	hold_lock load 1 'opencl:nvidia.icd:0: timing'
	run_it --check known-answer
	is "$(jq -r '.probes[] | select(.probe == "ocl-run") | "\(.outcome): \(.why)"' seen)" \
		"refused: another gpudiag (pid $holder) is measuring"
	is "$(result known-answer)" skip
	kill "$holder"
}

@test "of two gpudiag at once the second says who measures" {
	one '.faults = [{call: "clBuildProgram", do: "sleep", ms: 2500}]'
	local first
	"$GPUDIAG" run --root tree --driver-root tree/driver --window 0 --check known-answer --format json=first.json \
		< /dev/null > first.out 2>&1 3>&- &
	first=$!
	while [ ! -s "$GPUDIAG_RUNTIME_DIR/load" ]; do
		kill -0 "$first" || fail "$(cat first.out)"
		sleep 0.05
	done
	run_it --check known-answer
	like=$(jq -r '.probes[] | select(.probe == "ocl-run") | "\(.outcome): \(.why)"' seen)
	[[ $like == "refused: another gpudiag (pid "+([0-9])") is measuring" ]] || fail "$like"
	is "$(result known-answer)" skip
	wait "$first"
	is "$(jq -r '[.checks[] | select(.check == "known-answer") | .result] | unique | join(" ")' first.json)" pass
}

@test "a GPU somebody works on is not loaded, and who does is said; --even-if-busy overrides" {
	world h100-8-busy '"19"'
	run_it --check known-answer
	is "$(result known-answer)" skip
	has seen "in use by "
	is "$(device 0 '.timings | length')" 0
	run_it --check known-answer --even-if-busy
	is "$(result known-answer)" pass
}
