#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What make setup would install, on machines that have nothing, all, or a GPU driver.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

# Stand-ins, by which nothing is installed here: they note what apt-get was asked.
mkdir "$WORK/bin" "$WORK/root"
export NOTES=$WORK/notes GPUDIAG_SETUP_ROOT=$WORK/root
stand_in() {
	{
		echo '#!/bin/sh'
		cat
	} > "$WORK/bin/$1"
	chmod +x "$WORK/bin/$1"
}
# shellcheck disable=SC2016 # the stand-ins expand it
{
	echo '[ -n "${ALL_THERE-}" ] || exit 1; echo installed' | stand_in dpkg-query
	printf '%s\n' '! read -r line || echo "had input: $line" >> "$NOTES"' 'echo "apt-get $*" >> "$NOTES"' \
		'echo "frontend $DEBIAN_FRONTEND" >> "$NOTES"' | stand_in apt-get
	echo '[ -z "${OLD_RELEASE-}" ]' | stand_in apt-cache
	echo '"$@"' | stand_in sudo
	echo 'echo "${USER_ID-0}"' | stand_in id
}

setup() {
	rm -f "$NOTES"
	env PATH="$WORK/bin:$PATH" "$@" sh tests/setup.sh > "$WORK/said" 2>&1 <<< "an answer nobody asked for"
}
asked() {
	cat "$NOTES" "$WORK/said"
	grep -Eq -- "$1" "$NOTES"
}
not_asked() {
	cat "$NOTES" "$WORK/said" 2> /dev/null
	! grep -Eq -- "$1" "$NOTES" 2> /dev/null
}

# All of the rest, and not this.
all_but() {
	asked 'install .* gcc .*jq' && not_asked "$1"
}

setup
succeeds "on a fresh machine: installs by name, without recommended packages" asked '^apt-get .*install --no-install-recommends .*gcc '
for package in libcjson-dev ocl-icd-libopencl1 libcmocka-dev libfuse3-dev python3-jsonschema qemu-system-x86 libclang-rt-dev; do
	succeeds "$package among them" asked "^apt-get .*install .* $package( |\$)"
done
succeeds "and PoCL, as there is no GPU driver" asked 'install .* pocl-opencl-icd( |$)'
succeeds "asks nothing" asked '^frontend noninteractive$'
succeeds "gives no input" not_asked 'had input'

for sign in sys/module/nvidia sys/module/amdgpu sys/module/i915 sys/module/xe dev/nvidiactl dev/kfd; do
	mkdir -p "$WORK/root/$sign"
	setup
	succeeds "no PoCL with /$sign" all_but pocl
	rm -rf "$WORK/root/sys" "$WORK/root/dev"
done

setup OLD_RELEASE=1
succeeds "clang's runtime of an older release" asked 'install .* libclang-rt-14-dev( |$)'
succeeds "and nothing that it has not" not_asked ' gojq( |$)'
setup USER_ID=1000
succeeds "by sudo where not root" asked 'install .* gcc '

setup ALL_THERE=1
succeeds "does nothing where all is there" not_asked apt-get

done_testing
