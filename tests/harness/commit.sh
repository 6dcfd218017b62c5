#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commit that gpudiag --version names is that of the sources, or unknown; never another one.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has git || skip_all "git is not installed"
export HOME=$WORK GIT_CONFIG_NOSYSTEM=1
git config --global user.name Somebody
git config --global user.email somebody@example.org
git config --global init.defaultBranch main

# A tree with sources enough.
tree=$WORK/outer/tree
mkdir -p "$tree/.ci" "$tree/lib"
cp -R .ci/package "$tree/.ci/"
# shellcheck disable=SC2016 # git's words
echo '$Format:%H %ct$' > "$tree/.ci/package/commit"
touch "$tree/Makefile" "$tree/lib/one.c"
names() {
	local said
	said=$("$1/.ci/package/commit.sh") || said="exit status $?"
	echo "$said"
	[ "$said" = "$2" ]
}

succeeds "unknown without git" names "$tree" unknown
git -C "$WORK/outer" init -q
git -C "$WORK/outer" add -A
git -C "$WORK/outer" commit -qm outer
succeeds "unknown in a repository that is not its own" names "$tree" unknown
rm -rf "$WORK/outer/.git"
git -C "$tree" init -q
succeeds "unknown before the first commit" names "$tree" unknown
git -C "$tree" add -A
GIT_COMMITTER_DATE=@1700000000 git -C "$tree" commit -qm one
commit=$(git -C "$tree" rev-parse HEAD)
succeeds "the commit" names "$tree" "$commit"
succeeds "and its time" test "$("$tree/.ci/package/commit.sh" --time)" = 1700000000
GIT_DIR=$TOP/.git succeeds "that of this tree, whatever GIT_DIR says" names "$tree" "$commit"
if [ "$(id -u)" -eq 0 ]; then
	chown -R 65534 "$tree"
	succeeds "for root in a tree of another user too" names "$tree" "$commit"
else
	skip "for root in a tree of another user too" "needs root"
fi
git -C "$tree" -c safe.directory='*' archive --prefix=archive/ HEAD | tar -x -C "$WORK"
succeeds "an archive knows its commit" names "$WORK/archive" "$commit"
succeeds "and its time" test "$("$WORK/archive/.ci/package/commit.sh" --time)" = 1700000000
mkdir "$WORK/other"
mv "$WORK/archive" "$WORK/other"
git -C "$WORK/other" init -q
git -C "$WORK/other" add -A
git -C "$WORK/other" commit -qm other
succeeds "in another repository too" names "$WORK/other/archive" "$commit"
mkdir "$tree/build"
succeeds "what no source is changes nothing" names "$tree" "$commit"
touch "$tree/lib/two.c"
succeeds "a source that git does not know" names "$tree" "$commit-modified"
rm "$tree/lib/two.c"
echo 'int one;' > "$tree/lib/one.c"
succeeds "a source that was changed" names "$tree" "$commit-modified"

done_testing
