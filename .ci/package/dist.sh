#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dist.sh VERSION FOLDER - writes FOLDER/gpudiag-VERSION.tar.gz: what is committed, the same bytes for the same commit.
set -eu
version=$1 folder=$2
cd "$(dirname "$0")/../.."

if ! git -c safe.directory="$PWD" rev-parse --verify -q HEAD > /dev/null 2>&1 || [ ! -e .git ]; then
	echo "make dist: no git repository here: an archive of its sources is what this was made of" >&2
	exit 1
fi
case $(.ci/package/commit.sh) in
*-modified) echo "make dist: changes that are not committed are left out" >&2 ;;
esac
mkdir -p "$folder"
git -c safe.directory="$PWD" -c tar.umask=0022 archive --format=tar --prefix="gpudiag-$version/" HEAD > "$folder/dist.tar"
gzip -9n < "$folder/dist.tar" > "$folder/gpudiag-$version.tar.gz"
rm "$folder/dist.tar"
echo "$folder/gpudiag-$version.tar.gz"
