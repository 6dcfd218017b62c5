#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make dist: what is committed, the same bytes wherever and by whomever it is made, and it knows its commit.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has git || skip_all "git is not installed"
git=(git -c "safe.directory=*")
commit=$("${git[@]}" rev-parse --verify HEAD 2> /dev/null) || skip_all "this is no git repository"
"${git[@]}" -c protocol.file.allow=always clone -q "$TOP" "$WORK/clone" 2> "$WORK/out" || { not_ok "cloned" "$WORK/out"; done_testing; }
version=$(make -s print-VERSION)

# dist FOLDER: of that clone, without what this shell knows.
dist() {
	(cd "$1" && make -s dist > /dev/null) && cp "$1/build/package/gpudiag-$version.tar.gz" "$WORK/$2"
}
succeeds "is made" dist "$WORK/clone" first
mkdir -p "$WORK/another/folder"
cp -R "$WORK/clone" "$WORK/another/folder/"
rm -rf "$WORK/another/folder/clone/build"
git -C "$WORK/another/folder/clone" config tar.umask 0077
sleep 1
umask 077
TZ=Asia/Tokyo LC_ALL=C succeeds "again, elsewhere" dist "$WORK/another/folder/clone" second
umask 022
succeeds "with the same bytes" cmp "$WORK/first" "$WORK/second"
tar -xzf "$WORK/first" -C "$WORK"
tree=$WORK/gpudiag-$version
succeeds "holds what is committed" diff <(git -C "$WORK/clone" ls-files | sort) <(cd "$tree" && find . -type f -o -type l | sed 's|^\./||' | sort)
succeeds "names its commit" test "$("$tree/.ci/package/commit.sh")" = "$commit"
succeeds "and nothing else is put in" test "$(cd "$tree" && grep -rl "$commit" .)" = ./.ci/package/commit
succeeds "all may read it" test -z "$(find "$tree" ! -perm -444)"
(cd "$tree" && make -s dist) > "$WORK/said" 2>&1
succeeds "an archive makes no archive" grep -q 'no git repository here' "$WORK/said"

done_testing
