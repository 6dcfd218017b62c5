#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nfs.sh DIR - makes DIR/initramfs, which is laid over that of initramfs.sh: the tools that start the kernel's own NFS
# server in the guest, from Debian's packages. Those are unpacked and not installed: a machine that runs tests becomes no
# file server. Where they cannot be fetched, says why in one line and ends with exit status 77.
set -eu

dir=$1
packages='nfs-kernel-server libtirpc3 libwrap0 libnsl2'
tools='usr/sbin/rpc.nfsd usr/sbin/rpc.mountd usr/sbin/exportfs'

[ ! -e "$dir/initramfs" ] || exit 0
rm -rf "$dir" && mkdir -p "$dir/deb" "$dir/files" "$dir/root"
# shellcheck disable=SC2086 # a list
if ! (cd "$dir/deb" && timeout 120 apt-get -q download -o APT::Sandbox::User=root $packages > ../log 2>&1 < /dev/null); then
	echo "the NFS server cannot be fetched: $(grep '^E:' "$dir/log" | head -n 1)"
	exit 77
fi
for package in "$dir"/deb/*.deb; do
	dpkg-deb -x "$package" "$dir/files"
done
files=$(realpath "$dir/files")
LD_LIBRARY_PATH=$files/lib/x86_64-linux-gnu:$files/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH
for tool in $tools; do
	mkdir -p "$dir/root/bin"
	cp "$files/$tool" "$dir/root/bin/"
	ldd "$files/$tool" | grep -o '/[^ ]*' | while read -r library; do
		place=${library#"$files"}
		mkdir -p "$dir/root$(dirname "$place")"
		cp -L "$library" "$dir/root$place"
	done
done
(cd "$dir/root" && find . | cpio -o -H newc --quiet) > "$dir/initramfs.new"
mv "$dir/initramfs.new" "$dir/initramfs"
