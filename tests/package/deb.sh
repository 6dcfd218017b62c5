#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make deb: a package that lintian finds nothing wrong with, of the same bytes however often it is made.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has dpkg-shlibdeps || skip_all "dpkg-dev is not installed"

# Of what is built, whatever flags it was built with.
deb() {
	mkdir -p "$WORK/$1"
	(umask "$2" && make -s -o all deb "P=$WORK/$1") && one=$(echo "$WORK/$1"/deb/*.deb) && [ -f "$one" ]
}
succeeds "is made" deb first 022
package=$one
TZ=Asia/Tokyo LC_ALL=C succeeds "again, with another umask and time zone" deb second 077
succeeds "with the same bytes" cmp "$package" "$one"

field() {
	dpkg-deb -f "$package" "$1"
}
succeeds "its name" test "${package##*/}" = "gpudiag_$(field Version)_$(dpkg --print-architecture).deb"
depends=$(field Depends)
echo "# Depends: $depends"
succeeds "needs libc and cJSON" grep -Eq '^libc6 \(>= [0-9.]+\), libcjson1 \(>= [0-9.]+\)$' <<< "$depends"
for library in libpci3 libudev1 libarchive13 ocl-icd-libopencl1; do
	succeeds "recommends $library, which it loads when it needs it" grep -q "$library" <<< "$(field Recommends)"
done
if has lintian; then
	lintian --no-cfg --allow-root "$package" > "$WORK/said" 2>&1
	succeeds "lintian finds nothing" diff /dev/null "$WORK/said"
else
	skip "lintian finds nothing" "lintian is not installed"
fi

dpkg-deb -c "$package" > "$WORK/list"
succeeds "all is root's" test -z "$(grep -v ' root/root ' "$WORK/list")"
succeeds "with these modes, whatever the umask" test "$(cut -c 1-10 "$WORK/list" | sort -u | xargs)" = "-rw-r--r-- -rwxr-xr-x drwxr-xr-x"
succeeds "no script runs when it is installed" test "$(dpkg-deb --ctrl-tarfile "$package" | tar -t | sort | xargs)" = "./ ./control ./md5sums"
dpkg-deb -x "$package" "$WORK/root"
cd "$WORK/root" || exit 1
for file in usr/bin/gpudiag usr/share/man/man1/gpudiag.1.gz usr/share/man/man7/gpudiag-checks.7.gz \
	usr/share/bash-completion/completions/gpudiag usr/share/zsh/vendor-completions/_gpudiag \
	usr/share/fish/vendor_completions.d/gpudiag.fish usr/lib/systemd/system/gpudiag.service usr/lib/systemd/system/gpudiag.timer \
	usr/share/gpudiag/report.schema.json usr/share/doc/gpudiag/copyright usr/share/doc/gpudiag/changelog.gz; do
	succeeds "has $file" test -f "$file"
done
succeeds "enables no unit" test -z "$(find . -name '*.wants' -o -type l)"
succeeds "its sums are right" md5sum --quiet -c <(dpkg-deb --ctrl-tarfile "$package" | tar -xO ./md5sums)
succeeds "its service starts its binary" grep -q '^ExecStart=/usr/bin/gpudiag ' usr/lib/systemd/system/gpudiag.service
succeeds "its binary runs" usr/bin/gpudiag --version
succeeds "its binary knows no folder of where it was built" test -z "$(grep -caF "$TOP" usr/bin/gpudiag | grep -vx 0)"

done_testing
