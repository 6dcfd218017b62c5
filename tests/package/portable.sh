#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make portable: needs no newer glibc than 2.28, and runs on Debian 11 and 12.
# Takes long: fetches headers and two systems from Debian's mirror, and builds once more.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has mmdebstrap || skip_all "mmdebstrap is not installed"
newest=2.28
P=$TOP/build/package
succeeds "is made" make -s portable
name=gpudiag-$(make -s print-VERSION)-linux-$(uname -m)
[ -f "$P/$name.tar.gz" ] || done_testing
tar -xzf "$P/$name.tar.gz" -C "$WORK"
tree=$WORK/$name

# lint BINARY: what it needs of glibc, and which libraries.
lint() {
	objdump -T "$1" > "$WORK/symbols" || return 1
	grep -q 'GLIBC_' "$WORK/symbols" || { echo "$1: needs nothing of glibc?"; return 1; }
	! {
		sed -n 's/.*(GLIBC_\([0-9.]*\)) */\1 /p' "$WORK/symbols" |
			awk -v newest="$newest" '{ split($1, has, "."); split(newest, may, ".")
				if (has[1] > may[1] || has[1] == may[1] && has[2] > may[2]) print $2 " needs glibc " $1 }'
		objdump -p "$1" | awk '$1 == "NEEDED" && $2 !~ /^(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux.*)$/ {
			print "needs " $2 }'
	} | grep .
}
succeeds "needs no glibc above $newest, and no other library" lint "$tree/bin/gpudiag"
lint "$GPUDIAG" > "$WORK/found" 2>&1
succeeds "which would be found" grep -q 'needs glibc 2\.3' "$WORK/found"
succeeds "so would be a library" grep -q 'needs libcjson' "$WORK/found"
succeeds "its sums are right" bash -c "cd '$tree' && sha256sum --quiet -c SHA256SUMS"
succeeds "has the licence of cJSON" grep -q 'Dave Gamble' "$tree/share/doc/gpudiag/LICENSE.cJSON"
succeeds "knows no folder of where it was built" test "$(grep -caF "$TOP" "$tree/bin/gpudiag")" = 0
succeeds "all is root's, and read by everybody" test -z "$(tar --numeric-owner -tvzf "$P/$name.tar.gz" | grep -vE '^[-d]rw[-x]r-[-x]r-[-x] 0/0 ')"

as_root=(unshare --mount)
[ "$(id -u)" -eq 0 ] || as_root=(unshare --map-root-user --mount)
# on ROOT COMMAND…
on() {
	# shellcheck disable=SC2016 # for the shell inside
	"${as_root[@]}" sh -c 'for folder in proc sys dev; do mount --rbind "/$folder" "$0/$folder" || exit 99; done
		exec chroot "$0" env -i PATH=/opt/gpudiag/bin:/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"' "$@" < /dev/null
}
# says ROOT STATUS PATTERN COMMAND…
says() {
	local status=0
	on "$1" "${@:4}" > "$WORK/said" 2>&1 || status=$?
	cat "$WORK/said"
	echo "(exit status $status)"
	[ "$status" -eq "$2" ] && grep -Eq -- "$3" "$WORK/said"
}
for suite in bullseye:2.31 bookworm:2.36; do
	libc=${suite#*:} suite=${suite%:*} root=$P/root-${suite%:*}
	if [ ! -e "$root.complete" ]; then
		rm -rf "$root"
		mmdebstrap -q --variant=minbase "$suite" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > "$WORK/out" 2>&1 &&
			touch "$root.complete"
	fi
	if [ ! -e "$root.complete" ]; then
		not_ok "$suite is fetched" "$WORK/out"
		continue
	fi
	rm -rf "$root/opt/gpudiag" "$root/opt/node.json"
	cp -R "$tree" "$root/opt/gpudiag"
	install -m 644 tests/snapshots/mi300x-8-load.json "$root/opt/node.json"
	succeeds "$suite: starts" says "$root" 0 "^libc: glibc $libc \(built against 2\.31\)\$" gpudiag --version
	succeeds "$suite: demo" says "$root" 0 'pcie-width.below-twins' gpudiag demo narrow-link
	succeeds "$suite: run" on "$root" sh -c 'gpudiag run; test $? -le 3'
	succeeds "$suite: run --snapshot" says "$root" "$("$GPUDIAG" run --snapshot "$root/opt/node.json" > /dev/null; echo $?)" MI300X \
		gpudiag run --snapshot /opt/node.json
	"$GPUDIAG" run --snapshot "$root/opt/node.json" -f json > "$WORK/here"
	on "$root" gpudiag run --snapshot /opt/node.json -f json > "$WORK/there"
	succeeds "$suite: it is judged as it is here" cmp "$WORK/here" "$WORK/there"
	succeeds "$suite: gate" says "$root" "$("$GPUDIAG" gate --snapshot "$root/opt/node.json" > /dev/null; echo $?)" 'GO|CANNOT' \
		gpudiag gate --snapshot /opt/node.json
	succeeds "$suite: explain" says "$root" 0 twins gpudiag explain pcie-width.below-twins
done

done_testing
