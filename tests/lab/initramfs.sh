#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# initramfs.sh KERNEL-DIR GPUDIAG OUT - packs what the guest has: busybox, the
# modules of kernel.sh, gpudiag with its libraries, and init.sh. Where a tool is
# missing, says so in one line and ends with exit status 77.
set -eu

kernel=$1 gpudiag=$2 out=$3
for command in busybox cpio ldd ldconfig; do
	command -v "$command" > /dev/null || { echo "$command is not installed"; exit 77; }
done
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

# put FILE PLACE: with the libraries it names, where they are found here.
put() {
	mkdir -p "$root/$(dirname "$2")"
	cp -L "$1" "$root/$2"
	ldd "$1" 2> /dev/null | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done
}

(cd "$root" && mkdir -p bin dev proc sys tmp run etc modules usr/share/misc)
put "$(command -v busybox)" bin/busybox
busybox --list | while read -r applet; do
	[ "$applet" = busybox ] || ln -s busybox "$root/bin/${applet##*/}"
done
put "$gpudiag" bin/gpudiag
# The library that knows models by name is opened by gpudiag, so ldd does not name it.
libpci=$(ldconfig -p | sed -n 's/.*libpci\.so\.3 (libc6,x86-64) => //p' | head -n 1)
[ -z "$libpci" ] || put "$libpci" "$libpci"
cp "$kernel"/*.ko "$root/modules/"
cp "$(dirname "$0")/init.sh" "$root/init"
printf '10de  NVIDIA Corporation\n\t2330  GH100 [H100 SXM5 80GB]\n' > "$root/usr/share/misc/pci.ids"
printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' > "$root/etc/group"
(cd "$root" && find . | cpio -o -H newc --quiet) > "$out.$$"
mv "$out.$$" "$out"
