#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.sh DIR - puts Debian's kernel for virtual machines into DIR: vmlinuz,
# release, and the modules that the suites load. Fetched once, by apt; where
# that cannot be, says why in one line and ends with exit status 77.
set -eu

dir=$1
modules='aer_inject brd pci-pf-stub'
modules="$modules sunrpc auth_rpcgss grace lockd nfs_acl nfsd netfs fscache dns_resolver nfs nfsv4"

give_up() {
	echo "$1"
	exit 77
}

is_complete() {
	for module in $modules; do
		[ -e "$dir/$module.ko" ] || return 1
	done
	[ -e "$dir/release" ]
}

! is_complete || exit 0
# One fetches it; who comes meanwhile waits, and finds it.
mkdir -p "$(dirname "$dir")"
exec 9> "$dir.lock"
flock 9
! is_complete || exit 0
# Each suite asks: where there is no network, one of them waits for it.
if [ -n "$(find "$dir/failed" -mmin -10 2> /dev/null)" ]; then
	give_up "$(cat "$dir/failed")"
fi
[ "$(uname -m)" = x86_64 ] || give_up "the kernel is Debian's for x86_64, and this machine is none"
for command in apt-cache apt-get dpkg-deb; do
	command -v "$command" > /dev/null || give_up "$command is not installed: the kernel is a Debian package"
done
package=$(apt-cache depends --important linux-image-cloud-amd64 2> /dev/null |
	sed -n 's/.*Depends: \(linux-image-[0-9].*-cloud-amd64\)$/\1/p' | head -n 1)
[ -n "$package" ] || give_up "apt knows no linux-image-cloud-amd64"

rm -rf "$dir" && mkdir -p "$dir/deb"
top=$PWD
cd "$dir/deb"
if ! timeout 120 apt-get -q download -o APT::Sandbox::User=root "$package" > ../log 2>&1 < /dev/null; then
	echo "$package cannot be fetched: $(grep '^E:' ../log | head -n 1)" > ../failed
	give_up "$(cat ../failed)"
fi
cd "$top"
for module in $modules; do
	set -- "$@" "*/$module.ko*"
done
shift
dpkg-deb --fsys-tarfile "$dir"/deb/*.deb | tar -x -C "$dir/deb" --wildcards './boot/vmlinuz-*' "$@"
find "$dir/deb" -name '*.ko.xz' -exec xz -d {} +
find "$dir/deb" -name '*.ko' -exec mv {} "$dir/" ';'
mv "$dir"/deb/boot/vmlinuz-* "$dir/vmlinuz"
rm -r "$dir/deb"
# Last: what is not complete is fetched again.
echo "$package" > "$dir/release"
