#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2154
# kernels.bats - every kernel run by oclgrind, which sees each access: none is out of bounds, no two race.
#
# Its check for values that were never set is not used: that of release 21.10 crashes on vectors made of one number.

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
	with env OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_GLOBAL_MEM_SIZE=4194304 OCLGRIND_MAX_ERRORS=20 \
		OCLGRIND_LOG="$PWD/reports" GPUDIAG_SHIM_LOG="$PWD/kernels" \
		gpudiag "$@" --root tree --driver-root tree/driver --window 0 --even-if-busy --format json --format snapshot=seen
}

worked() {
	is "$(jq -r '.probes[] | select(.probe == "ocl-run") | "\(.outcome) \(.why)"' seen)" "ok null"
	is "$(cat reports 2> /dev/null || true)" "" "oclgrind says"
}

# Those of the program that no launch was of.
left_out() {
	sed -n 's/^built //p' kernels | tr ';' '\n' | sort -u | grep -vxF -f <(sed -n 's/^ran //p' kernels | sort -u) || true
}

@test "every kernel, at every width" {
	local width
	for width in 1 8 16; do
		simulated "$width" run --check known-answer
		worked
	done
	is "$(left_out)" "" "kernels that never ran"
}

@test "a race that is planted is found" {
	PLAN='{before: "#define known_answer known_answer_as_it_was\n",
		after: "#undef known_answer\n__kernel void known_answer(__global uint *out, uint seed) { out[0] = seed + get_global_id(0); }\n"}'
	simulated 1 run --check known-answer
	has reports "data race"
}

@test "an access out of bounds that is planted is found" {
	PLAN='{before: "#define get_global_id(d) ((size_t)1 << 28)\n"}'
	simulated 1 run --check known-answer
	has reports "Invalid write"
}
