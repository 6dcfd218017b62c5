# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2016,SC2154
# shim.sh - recorded GPUs put to work: OpenCL by a driver that is PoCL and does wrong as it is told (shim_icd.c). Loaded
# after helpers.sh.

# begin_shim: in setup. One cache for all tests of a file: kernels are built once.
begin_shim() {
	begin
	# Under ASan: what PoCL's compiler never frees is not ours.
	export POCL_CACHE_DIR=$BATS_FILE_TMPDIR/pocl ASAN_OPTIONS=detect_leaks=0
	mkdir -p "$POCL_CACHE_DIR"
}

SHIM=$TOP/build/fakes/shim/libshim.so
# Small, for the time it takes to fill them with data.
SMALL='{type: "gpu", name: "NVIDIA H100 80GB HBM3", vendor: "NVIDIA Corporation", global_bytes: 67108864,
	largest_bytes: 16777216}'

# world TREE BUSES [JQ]: ./tree with an OpenCL driver below ./tree/driver that has a GPU at each bus, changed by jq.
world() {
	pocl_or_skip
	[ -f "$SHIM" ] || fail "no $SHIM: make fakes"
	copy_of "$1"
	mkdir -p tree/driver/etc/OpenCL/vendors tree/driver/usr/lib64
	cp "$SHIM" tree/driver/usr/lib64/libnvidia-opencl.so.1
	echo libnvidia-opencl.so.1 > tree/driver/etc/OpenCL/vendors/nvidia.icd
	jq -n "{device: $SMALL, devices: [($2) | {pci: \"0000:\\(.):00.0\"}], faults: []} | ${3:-.}" \
		> tree/driver/usr/lib64/shim.json
}

# one [JQ]: a node of one GPU; two [JQ]: eight of which OpenCL shows two.
one() { world h100-1 '"19"' "$@"; }
two() { world h100-8 '"19", "3b"' "$@"; }

# The report in $OUT, the snapshot in ./seen.
run_it() {
	gpudiag run --root tree --driver-root tree/driver --window 0 --format json --format snapshot=seen "$@"
}

# Of the device at a place: jq on its snapshot.
device() {
	jq -r ".ocl_devices[] | select(.place == $1) | $2" seen
}
