#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make rpm: rpmlint finds nothing wrong with it, it needs no more than libc, and rpm installs and removes it.
# Takes long: builds once more, with headers that are fetched.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has rpmbuild || skip_all "rpmbuild is not installed (package rpm)"
has mmdebstrap || skip_all "mmdebstrap is not installed"
succeeds "is made" make -s rpm
package=$(echo build/package/rpm-"$(uname -m)"*/*.rpm)
[ -f "$package" ] || done_testing

if has rpmlint; then
	rpmlint -c tests/package/rpmlint.toml "$package" > "$WORK/said" 2>&1
	succeeds "rpmlint finds nothing" bash -c "cat '$WORK/said'; grep -q ' 0 errors, 0 warnings' '$WORK/said'"
else
	skip "rpmlint finds nothing" "rpmlint is not installed"
fi
rpm -qp --requires "$package" > "$WORK/requires" 2> /dev/null
succeeds "needs libc alone" diff /dev/null <(grep -vE '^(lib(c|m|dl|pthread)\.so\.[0-9]\(|rtld\(GNU_HASH\)|rpmlib\()' "$WORK/requires")
succeeds "of no later version than 2.28" diff /dev/null <(grep -E 'GLIBC_2\.(29|[3-9][0-9])' "$WORK/requires")
succeeds "says which cJSON is in it" grep -qE '^bundled\(cjson\) = [0-9.]+$' <(rpm -qp --provides "$package" 2> /dev/null)
succeeds "no script runs when it is installed" diff /dev/null <(rpm -qp --scripts "$package" 2> /dev/null)

if [ "$(id -u)" -ne 0 ]; then
	skip "rpm installs it" "needs root: rpm --root enters the folder"
	done_testing
fi
root=$WORK/root
in_root() {
	rpm --root "$root" --force-debian "$@"
}
tests/package/clean_root.sh "$root" bash coreutils libc-bin
in_root --initdb 2> /dev/null
# What a make install left there before.
echo 'an older one' > "$root/usr/bin/gpudiag"
# The database of that root knows no libc: what it needs was looked at above.
succeeds "rpm installs it, over a make install" in_root --nodeps -i "$package"
succeeds "as it was packed" in_root --nodeps -V gpudiag
succeeds "it runs" chroot "$root" gpudiag demo healthy
succeeds "it names its libraries" grep -q '^cJSON: .*part of gpudiag' <(chroot "$root" gpudiag --version)
succeeds "no unit is enabled" test -z "$(find "$root/etc" -name 'gpudiag*' 2> /dev/null)"
succeeds "rpm removes it" in_root -e gpudiag
succeeds "no file is left" test -z "$(find "$root/usr" -name '*gpudiag*')"

done_testing
