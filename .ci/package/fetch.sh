#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fetch.sh FOLDER TRIPLET - what the portable archive is built with, from Debian's mirror: FOLDER/sysroot-TRIPLET, headers
# and libraries of Debian 11, the oldest libc that is built against; FOLDER/cjson, Debian 12's cJSON with its security
# fixes. Needs mmdebstrap and dpkg-dev, no root.
set -eu
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
folder=$1 triplet=$2 sysroot=sysroot-$2
case $triplet in
x86_64-*) arch=amd64 ;;
aarch64-*) arch=arm64 ;;
*) echo "fetch.sh: $triplet: no name of this architecture in Debian is known here" >&2; exit 1 ;;
esac
if ! command -v mmdebstrap > /dev/null; then
	echo "fetch.sh: mmdebstrap is not installed" >&2
	exit 1
fi
mkdir -p "$folder"
cd "$folder"

if [ ! -e "$sysroot.complete" ]; then
	rm -rf "$sysroot"
	mmdebstrap -q --variant=extract --architectures="$arch" \
		--include=libc6-dev,libpci-dev,libudev-dev,opencl-c-headers,libcmocka-dev bullseye "$sysroot" "$mirror" \
		> "$sysroot.log" 2>&1 || { cat "$sysroot.log" >&2; exit 1; }
	# Links that would lead out of it.
	find "$sysroot"/lib* "$sysroot/usr" -lname '/*' | while read -r link; do
		ln -sfr "$sysroot$(readlink "$link")" "$link"
	done
	touch "$sysroot.complete"
fi
if [ ! -e cjson.complete ]; then
	rm -rf apt cjson cjson_*
	mkdir -p apt/lists/partial apt/cache/archives/partial
	echo "deb-src [signed-by=$keyring] $mirror bookworm main" > apt/sources.list
	own_apt() {
		apt-get -q -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
			-o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" -o APT::Sandbox::User= "$@"
	}
	{ own_apt update && own_apt source --download-only cjson && dpkg-source --no-check -x cjson_*.dsc cjson; } > cjson.log 2>&1 ||
		{ cat cjson.log >&2; exit 1; }
	rm -r apt
	touch cjson.complete
fi
