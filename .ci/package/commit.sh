#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# commit.sh [--time] - prints the commit that this tree is of, with "-modified" where it was changed since, or "unknown";
# with --time its time, in seconds. An archive of git has it in the file beside this one. A git repository that the tree
# merely lies in is not asked: its commit would be a wrong one.
set -eu
cd "$(dirname "$0")/../.."

say() {
	if [ "$wanted" = --time ]; then
		echo "$2"
	else
		echo "$1"
	fi
	exit 0
}

# As root in the tree of another user, too: make runs what is in it anyway.
in_git() {
	git -c safe.directory="$PWD" "$@" 2> /dev/null
}

wanted=${1-}
commit=unknown seconds=
read -r commit seconds < .ci/package/commit || :
case $commit in
[0-9a-f]*) say "$commit" "$seconds" ;;
esac
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export GIT_OPTIONAL_LOCKS=0
# 1980, the first year that all archives can tell.
if ! [ -e .git ] || ! commit=$(in_git rev-parse --verify HEAD) || ! seconds=$(in_git log -1 --format=%ct); then
	say unknown 315532800
fi
changes=$(in_git status --porcelain -- Makefile .ci cmd lib kernels checks man) || say unknown "$seconds"
say "$commit${changes:+-modified}" "$seconds"
