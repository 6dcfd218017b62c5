#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# prometheus.sh DIR - puts Debian's promtool, prometheus and prometheus-node-exporter into DIR. Fetched once, by apt, and
# unpacked only: installed, they would be services of this machine. Where that cannot be, says why in one line and ends
# with exit status 77.
set -eu

dir=$1
packages='prometheus prometheus-node-exporter'

give_up() {
	echo "$1"
	exit 77
}

[ ! -e "$dir/complete" ] || exit 0
# One fetches them; who comes meanwhile waits, and finds them.
mkdir -p "$(dirname "$dir")"
exec 9> "$dir.lock"
flock 9
[ ! -e "$dir/complete" ] || exit 0
for command in apt-get dpkg-deb; do
	command -v "$command" > /dev/null || give_up "$command is not installed: Prometheus is a Debian package"
done
rm -rf "$dir" && mkdir -p "$dir/deb"
cd "$dir/deb"
# shellcheck disable=SC2086 # a list of names
if ! timeout 120 apt-get -q download -o APT::Sandbox::User=root $packages > ../log 2>&1 < /dev/null; then
	give_up "$packages cannot be fetched: $(grep '^E:' ../log | head -n 1)"
fi
for package in *.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x -C .. --strip-components 3 --wildcards './usr/bin/*'
done
cd ..
rm -r deb
touch complete
