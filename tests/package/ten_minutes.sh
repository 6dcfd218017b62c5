#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stranger's first ten minutes with the package alone: in a root of its own, which has libc, cJSON, a shell and man.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has dpkg-shlibdeps || skip_all "dpkg-dev is not installed"
root=$WORK/root

# As root of this machine, or of a user namespace, with the kernel's own files.
as_root=(unshare --mount)
[ "$(id -u)" -eq 0 ] || as_root=(unshare --map-root-user --mount)
"${as_root[@]}" true 2> /dev/null || skip_all "neither root nor user namespaces here: no root of its own can be entered"
inside() {
	# shellcheck disable=SC2016 # for the shell inside
	"${as_root[@]}" sh -c 'for folder in proc sys dev; do mount --rbind "/$folder" "$0/$folder" || exit 99; done
		exec chroot "$0" env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb "$@"' "$root" "$@" < /dev/null
}
# says STATUS PATTERN COMMAND…: one of the digits in STATUS, and a line that matches.
says() {
	local status=0
	inside "${@:3}" > "$WORK/said" 2>&1 || status=$?
	cat "$WORK/said"
	echo "(exit status $status)"
	[[ $status == ["$1"] ]] && grep -Eq -- "$2" "$WORK/said"
}

make -s -o all deb "P=$WORK" > "$WORK/out" 2>&1 || { not_ok "the package is made" "$WORK/out"; done_testing; }
succeeds "a root is made" tests/package/clean_root.sh "$root" bash coreutils sed grep libcjson1 libc-bin man-db
install_it() {
	"${as_root[@]}" dpkg --root="$root" --force-script-chrootless --log=/dev/null -i "$WORK"/deb/*.deb
}
# What a make install left there before.
echo 'an older one' > "$root/usr/bin/gpudiag"
succeeds "the package is installed, over a make install" install_it
succeeds "its dependencies are met" test "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${db:Status-Status}' gpudiag)" = installed
succeeds "no unit is enabled" test -z "$(find "$root/etc" -name 'gpudiag*' 2> /dev/null)"

cp tests/snapshots/mi300x-8-load.json "$root/tmp/node.json"
chmod 644 "$root/tmp/node.json"
version=$(make -s print-VERSION)
succeeds "--version" says 0 "^gpudiag $version\$" gpudiag --version
succeeds "and which commit" says 0 "^$("$GPUDIAG" --version | grep '^commit: ')\$" gpudiag --version
succeeds "--help" says 0 '^usage: gpudiag' gpudiag --help
succeeds "demo" says 0 narrow-link gpudiag demo
succeeds "demo narrow-link" says 0 'pcie-width.below-twins' gpudiag demo narrow-link
if ls /dev/nvidia[0-9]* /dev/kfd /dev/dri/render* > "$WORK/gpus" 2> /dev/null; then
	skip "run, without a GPU" "there is one here: $(head -n 1 "$WORK/gpus")"
else
	succeeds "run, without a GPU" says 3 '^UNKNOWN' gpudiag run
	# Whatever this machine's kernel said since it was started.
	succeeds "run, where none is expected" says 012 '^decision: ' gpudiag run --expect-gpus 0
	succeeds "collect" inside gpudiag collect -o /tmp/own.json
	succeeds "and it is judged" says 3 '^UNKNOWN' gpudiag run --snapshot /tmp/own.json
fi
succeeds "a page for a browser" says 0 '^<!DOCTYPE html>' gpudiag demo xid-79 -f html
succeeds "explain" says 0 'link|slot' gpudiag explain pcie-width.below-twins
succeeds "run --snapshot" says "$("$GPUDIAG" run --snapshot "$root/tmp/node.json" > /dev/null; echo $?)" 'MI300X' \
	gpudiag run --snapshot /tmp/node.json
succeeds "gate" says "$("$GPUDIAG" gate --snapshot "$root/tmp/node.json" > /dev/null; echo $?)" '(NO-GO|GO|CANNOT)' \
	gpudiag gate --snapshot /tmp/node.json
# shellcheck disable=SC2016 # for the shell inside
succeeds "bash completes" says 0 '^explain$' bash -c '. /usr/share/bash-completion/completions/gpudiag
	COMP_WORDS=(gpudiag expl) COMP_CWORD=1; _gpudiag; echo "${COMPREPLY[@]}"'
if [ -x "$root/usr/bin/man" ]; then
	for page in gpudiag gpudiag-run gpudiag-checks gpudiag-report; do
		succeeds "man $page" says 0 "/$page\.[1-8]\.gz\$" man -w "$page"
	done
else
	skip "man -w" "man-db is not installed"
fi
succeeds "and is removed without a trace" "${as_root[@]}" dpkg --root="$root" --force-script-chrootless --log=/dev/null -P gpudiag
succeeds "no file is left" test -z "$(find "$root/usr" -name '*gpudiag*')"

done_testing
