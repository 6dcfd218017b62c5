#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Built twice, in two folders, at two times, by two settings: each package has the same bytes. TARGETS="dist deb" are
# these alone.
# Takes long: builds four times, without ccache.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has git || skip_all "git is not installed"
version=$(make -s print-VERSION)
first=$WORK/one second=$WORK/elsewhere/of/another/length
for clone in "$first" "$second"; do
	mkdir -p "$clone"
	git -c safe.directory='*' -c protocol.file.allow=always clone -q "$TOP" "$clone/gpudiag" 2> "$WORK/out" || {
		not_ok "cloned" "$WORK/out"
		done_testing
	}
	# What was fetched is not part of what is tried.
	mkdir -p "$clone/gpudiag/build/package"
	for fetched in build/package/sysroot-* build/package/cjson*; do
		[ ! -e "$fetched" ] || cp -a "$fetched" "$clone/gpudiag/build/package/"
	done
done
# made CLONE TARGET: what it prints last is the file.
made() {
	(cd "$1/gpudiag" && make -s CCACHE= "$2" 2> "$WORK/err" | tail -n 1) || cat "$WORK/err"
}
targets=dist
! has dpkg-shlibdeps || targets+=" deb"
! has mmdebstrap || targets+=" portable"
! has mmdebstrap || ! has rpmbuild || targets+=" rpm"
for target in ${TARGETS:-$targets}; do
	one=$(made "$first" "$target")
	other=$(umask 077; TZ=Asia/Tokyo LC_ALL=C.UTF-8 made "$second" "$target")
	succeeds "$target: made twice" test -f "$one" -a -f "$other" -a "$one" != "$other"
	succeeds "$target: the same bytes" cmp "$one" "$other"
done
[[ " ${TARGETS:-$targets} " != *" dist "* ]] ||
	succeeds "of version $version" test -f "$first/gpudiag/build/package/gpudiag-$version.tar.gz"

done_testing
