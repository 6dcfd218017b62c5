#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# setup.sh - installs what building and testing gpudiag needs, by name, with
# apt. Asks nothing, and does nothing where all is there. GPUDIAG_SETUP=print
# prints the packages that are missing and installs none; GPUDIAG_SETUP_ROOT is
# where a driver is looked for instead of /.
set -eu

build='gcc make ccache pkg-config libcjson-dev libpci-dev libudev-dev ocl-icd-libopencl1 ocl-icd-opencl-dev opencl-headers
	pci.ids libarchive13'
tests='bats libcmocka-dev mandoc clang cppcheck clang-tidy shellcheck valgrind python3 python3-jsonschema clinfo
	fuse3 libfuse3-dev jq sqlite3 strace libxml2-utils cmark-gfm tidy zsh fish umockdev qemu-system-x86 busybox-static cpio oclgrind clpeak
	git dpkg-dev lintian man-db python3-yaml slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins clustershell pdsh ansible-core'

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# PoCL makes the CPU an OpenCL device, for tests. Where a GPU's driver is loaded it has no business.
has_gpu_driver() {
	for sign in sys/module/nvidia sys/module/amdgpu sys/module/i915 sys/module/xe dev/nvidiactl dev/kfd dev/dxg; do
		[ ! -e "${GPUDIAG_SETUP_ROOT-}/$sign" ] || return 0
	done
	return 1
}

missing=
want() {
	for package; do
		is_installed "$package" || missing="$missing $package"
	done
}

# shellcheck disable=SC2086 # lists of names
want $build $tests
if has_gpu_driver; then
	echo "setup: a GPU driver is loaded: no PoCL" >&2
else
	want pocl-opencl-icd
fi
# It starts in a tenth of the time of jq, which does in its place where the release has none.
want gojq
# clang's runtime, for fuzzing: one package for all versions where the release has it.
if ! is_installed libclang-rt-dev && ! is_installed libclang-rt-14-dev; then
	missing="$missing libclang-rt-dev"
fi

if [ "${GPUDIAG_SETUP-}" = print ]; then
	echo "$missing" | xargs -r -n 1
	exit 0
fi
if [ -z "$missing" ]; then
	echo "setup: all is installed"
	exit 0
fi
if ! command -v apt-get > /dev/null; then
	echo "setup: no apt-get here. Needed are, in Debian's names:$missing" >&2
	exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
	as_root=sudo
	if ! command -v sudo > /dev/null; then
		echo "setup: neither root nor sudo. Needed are, in Debian's names:$missing" >&2
		exit 1
	fi
fi
apt() {
	# A machine of CI is thrown away when it fails: what is unpacked need not be on its disk at once.
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
		${CI:+-o Dpkg::Options::=--force-unsafe-io} "$@" < /dev/null
}

# Lists that are missing, or older than a day (apt works in partial/ whenever it fetches them).
if [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' 2> /dev/null | head -n 1)" ] ||
	[ -z "$(find /var/lib/apt/lists/partial -maxdepth 0 -mtime -1 2> /dev/null)" ]; then
	apt update
fi
has_package() {
	apt-cache show "$1" > /dev/null 2>&1
}
has_package libclang-rt-dev || missing=$(echo "$missing" | sed 's/libclang-rt-dev/libclang-rt-14-dev/')
has_package gojq || missing=$(echo "$missing" | sed 's/ gojq$//; s/ gojq / /')
echo "setup: installing$missing"
# shellcheck disable=SC2086
apt install --no-install-recommends $missing
