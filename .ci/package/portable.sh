#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# portable.sh VERSION INSTALLED CJSON FOLDER - makes FOLDER/gpudiag-VERSION-linux-ARCH.tar.gz of what make install put into
# INSTALLED, with the licence of the cJSON that is in the binary. The same bytes for the same files and commit.
set -eu
version=$1 installed=$2 cjson=$3 folder=$4
package=$(cd "$(dirname "$0")" && pwd)
umask 022
export LC_ALL=C
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$("$package/commit.sh" --time)}
name=gpudiag-$version-linux-$(${CC:-cc} -dumpmachine | cut -d - -f 1)

rm -rf "${folder:?}/$name"
mv "$installed" "$folder/$name"
cp "$cjson/LICENSE" "$folder/$name/share/doc/gpudiag/LICENSE.cJSON"
chmod 644 "$folder/$name/share/doc/gpudiag/LICENSE.cJSON"
sums=$(cd "$folder/$name" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
echo "$sums" > "$folder/$name/SHA256SUMS"
tar -C "$folder" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
	--format=gnu -c "$name" | gzip -9n > "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
