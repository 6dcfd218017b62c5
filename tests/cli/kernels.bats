#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# kernels.bats - every kernel run by oclgrind, which sees each access: none is out of bounds, no two race.
#
# By the worker with little memory those that a quick run has time for, with the buffers and items that it gives them;
# and each by itself, with buffers that end where its last item does.
#
# Its check for values that were never set is not used: that of release 21.10 crashes on vectors made of one number.
# Runs alone: it measures.

load helpers.sh
setup() { begin; }

SHIM=$TOP/build/fakes/shim/libshim.so
OCLGRIND=/usr/lib/oclgrind/liboclgrind-rt-icd.so

# simulated NATIVE-WIDTH OPTION…: one GPU of a recorded node, simulated, does what is asked. What oclgrind says is in
# ./reports, what was built and run in ./kernels; shim.json may be given in $PLAN.
simulated() {
	[ -f "$OCLGRIND" ] || skip "oclgrind is not installed"
	[ -f "$SHIM" ] || fail "no $SHIM: make fakes"
	[ -d tree ] || copy_of h100-1
	mkdir -p tree/driver/etc/OpenCL/vendors tree/driver/usr/lib64
	cp "$SHIM" tree/driver/usr/lib64/libnvidia-opencl.so.1
	echo libnvidia-opencl.so.1 > tree/driver/etc/OpenCL/vendors/nvidia.icd
	jq -n --arg library "$OCLGRIND" --argjson width "$1" '{library: $library, devices: [{type: "gpu",
		pci: "0000:19:00.0", native_width: $width}]} + '"${PLAN:-{\}}" > tree/driver/usr/lib64/shim.json
	shift
	with env OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_GLOBAL_MEM_SIZE=8388608 OCLGRIND_MAX_ERRORS=20 \
		OCLGRIND_LOG="$PWD/reports" GPUDIAG_SHIM_LOG="$PWD/kernels" \
		gpudiag "$@" --root tree --driver-root tree/driver --window 0 --even-if-busy --format json --format snapshot=seen
}

worked() {
	is "$(jq -r '.probes[] | select(.probe == "ocl-run") | "\(.outcome) \(.why)"' seen)" "ok null"
	is "$(cat reports 2> /dev/null || true)" "" "oclgrind says"
}

# Nothing but the known answer, for the time that the rest takes.
ANSWER_ALONE='{faults: [{call: "clEnqueueMapBuffer", do: "error"}, {call: "clEnqueueWriteBuffer", from: 9, do: "error"},
	({call: "clEnqueueNDRangeKernel", kernel: ("launch_empty", "memory_fill", "fp32_w1", "fp32_w2", "fp32_w4"), do: "error"})]}'

# alone NAME ITEMS ARGUMENT…: a kernel of ./all.cl by itself, in groups of 256. An argument is TYPE=VALUE, or a buffer,
# TYPE:BYTES (of ones) or TYPE:BYTES:HOW-IT-IS-FILLED.
alone() {
	local name=$1 items=$2 argument type rest
	command -v oclgrind-kernel > /dev/null || skip "oclgrind is not installed"
	shift 2
	printf '%s\n' all.cl "$name" "$items 1 1" "256 1 1" > alone.sim
	for argument; do
		case $argument in
		*:*:*)	IFS=: read -r type rest argument <<< "$argument"
			echo "<size=$rest $type $argument>" ;;
		*:*)	echo "<size=${argument#*:} ${argument%%:*} fill=1>" ;;
		*)	echo "<size=4 ${argument%%=*}> ${argument#*=}" ;;
		esac
	done >> alone.sim
	oclgrind-kernel --data-races --max-errors 5 alone.sim > said 2>&1 || fail "$name: $(cat said)"
	is "$(cat said)" "" "$name"
}

# Each kernel, with buffers as the host makes them.
alone_by_name() {
	local name=$1 n=512 width=${1##*_w}
	local words=$((n * 4)) vectors=$((n * width * 4)) memory=$((n * WIDTH * 4)) found=uint:$(((3 + 64 * 3) * 4)):fill=0

	case $name in
	launch_empty)
		alone "$name" $n ;;
	known_answer)
		alone "$name" $n uint:$words uint=5 ;;
	known_answer_float)
		alone "$name" $n uint:$words uint=5 uint=0
		alone "$name" $n uint:$words uint=5 uint=1 ;;
	answer_compare)
		# All is right; and all but one wrong, and another before.
		alone "$name" $n uint:$words uint:$words uint:$words uint:24:fill=0
		alone "$name" $n uint:$words:range=0:1:511 uint:$words uint:$words uint:24:fill=0 ;;
	memory_fill)
		alone "$name" $n uint:$((2 * n * 64)) uint=1 uint=$n ;;
	memory_read_w[0-9]*)
		# As a GPU's items read, and as a CPU's.
		alone "$name" $n float:$words float:$((vectors * 8)) uint=8 uint=1 uint=256
		alone "$name" $n float:$words float:$((vectors * 8)) uint=8 uint=8 uint=1 ;;
	memory_write_w[0-9]*)
		alone "$name" $n float:$vectors float=1 ;;
	memory_copy_w[0-9]*)
		alone "$name" $n float:$vectors float:$vectors ;;
	triad_rows_w[0-9]*)
		# ABI_ROWS vectors an item.
		alone "$name" $n float:$((vectors * 4)) float:$((vectors * 4)) float:$((vectors * 4)) float=3 ;;
	triad_w[0-9]*)
		alone "$name" $n float:$vectors float:$vectors float:$vectors float=3 ;;
	fp32_w[0-9]* | fp64_w[0-9]* | fp16_w[0-9]*)
		alone "$name" $n float:$words float=0.999 float=0.001 uint=3 ;;
	memory_write_*)
		alone "$name" $n uint:$((2 * memory)) uint=$n uint=1 uint=7 uint=0 ;;
	memory_verify_*)
		# Ones are what no pattern writes: more is wrong than there is room to tell of.
		alone "$name" $n uint:$memory uint=0 uint=1 uint=7 uint=0 $found uint=0
		alone "$name" $n uint:$((2 * memory)) uint=$n uint=1 uint=7 uint=4294967295 $found uint=1 ;;
	*)
		fail "it is not known here what kernel $name is given" ;;
	esac
}

@test "the kernels of a quick run, as the worker gives them work" {
	simulated 8 run --check known-answer
	worked
	is "$(jq '[.ocl_devices[0].timings[] | select(.method == null) | .key] | join(" ")' seen)" '""' "not measured"
}

# Half of them, the other half another day; all with FULL=1.
@test "every kernel by itself, at every width" {
	local name nr=0 day=$(($(date +%s) / 86400))
	WIDTH=0
	PLAN=$ANSWER_ALONE simulated 1 run --check opencl-compiler
	# oclgrind 21.10 has no half numbers.
	(cd "$TOP/kernels" && cat abi.h known_answer.cl launch.cl memory.cl triad.cl chains.cl) |
		sed '/^CHAINS(fp16/s/half/float/g; s/#ifdef cl_khr_fp16/#if 1/; /EXTENSION cl_khr_fp16/d' > all.cl
	for name in $(sed -n 's/^built //p' kernels | tr ';' '\n' | sort -u); do
		nr=$((nr + 1))
		[ -z "${FULL-}" ] && [ $(((nr + day) % 2)) -eq 1 ] || alone_by_name "$name"
	done
	[ $nr -ge 25 ] || fail "$nr kernels were built"
}

@test "every kernel of the memory test, at both widths" {
	local name
	local -a names
	for WIDTH in 4 16; do
		(cd "$TOP/kernels" && echo "#define MEMORY_WIDTH $WIDTH" && cat abi.h memory_test.cl) > all.cl
		mapfile -t names < <(sed -n 's/^MEMORY_TEST(\(.*\))$/memory_write_\1\nmemory_verify_\1/p' all.cl)
		[ ${#names[@]} -ge 6 ] || fail "kernels: ${names[*]}"
		for name in "${names[@]}"; do
			alone_by_name "$name"
		done
	done
}

@test "a race that is planted is found" {
	PLAN=$ANSWER_ALONE' + {before: "#define known_answer known_answer_as_it_was\n",
		after: "#undef known_answer\n__kernel void known_answer(__global uint *out, uint seed) { out[0] = seed + get_global_id(0); }\n"}'
	simulated 1 run --check known-answer
	has reports "data race"
}

@test "an access out of bounds that is planted is found" {
	PLAN=$ANSWER_ALONE' + {before: "#define get_global_id(d) ((size_t)1 << 28)\n"}'
	simulated 1 run --check known-answer
	has reports "Invalid write"
}

@test "what is planted in a kernel by itself is found as well" {
	printf '%s\n' '__kernel void beyond(__global uint *out) { out[get_global_id(0) + 1] = 1; }' \
		'__kernel void race(__global uint *out) { out[0] = get_global_id(0); }' > all.cl
	run -1 alone beyond 512 uint:2048
	[[ $output == *"Invalid write"* ]] || fail "$output"
	run -1 alone race 512 uint:2048
	[[ $output == *"data race"* ]] || fail "$output"
}
