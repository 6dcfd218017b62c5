#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install puts each file in its place, and make uninstall takes them all away.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

into=(DESTDIR="$WORK/root" PREFIX=/opt/x)
# With what is built, whatever flags it was built with.
quietly() {
	make -s -o all "${into[@]}" "$1"
}
share=$WORK/root/opt/x/share

succeeds "installs" quietly install
succeeds "a binary that runs" "$WORK/root/opt/x/bin/gpudiag" --version
for page in man/*.[1-8]; do
	succeeds "$page" cmp "$page" "$share/man/man${page##*.}/${page##*/}"
done
for schema in man/*.schema.json; do
	succeeds "$schema" cmp "$schema" "$share/gpudiag/${schema##*/}"
done
succeeds "all can be read by everybody" test -z "$(find "$WORK/root" -type f ! -perm -444)"
succeeds "uninstalls" quietly uninstall
find "$WORK/root" -type f > "$WORK/left"
succeeds "no file is left" test ! -s "$WORK/left"

done_testing
