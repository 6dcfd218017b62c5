#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rpm.sh VERSION MAINTAINER CJSON FOLDER - makes an rpm in FOLDER of what make install put into FOLDER/root, by rpmbuild, as
# Debian has it too. The same bytes for the same files and commit.
set -eu
version=$1 maintainer=$2 cjson=$3
package=$(cd "$(dirname "$0")" && pwd)
cd "$4"
umask 022
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$("$package/commit.sh" --time)}
export SOURCE_DATE_EPOCH
if ! command -v rpmbuild > /dev/null; then
	echo "rpm.sh: rpmbuild is not installed (Debian: package rpm)" >&2
	exit 1
fi

mkdir -p root/usr/share/licenses/gpudiag
mv root/usr/share/doc/gpudiag/LICENSE root/usr/share/licenses/gpudiag/
install -m 644 "$cjson/LICENSE" root/usr/share/licenses/gpudiag/LICENSE.cJSON
gzip -9n root/usr/share/man/man*/*
find root -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
cjson_version=$(sed -n 's/^#define CJSON_VERSION_[A-Z]* //p' "$cjson/cJSON.h" | paste -s -d .)
case $(file -b root/usr/bin/gpudiag) in
*aarch64*) target=aarch64 ;;
*) target=x86_64 ;;
esac

rm -rf built
rpmbuild -bb --target "$target-linux" \
	--define "_topdir $PWD/work" --define "_rpmdir $PWD/built" --define "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm" \
	--define "version $version" --define "maintainer $maintainer" --define "staged $PWD/root" --define "url ${URL:-https://gpudiag.invalid}" \
	--define "cjson_version $cjson_version" --define "commit $("$package/commit.sh")" \
	--define "changelog_date $(date -u -d "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')" \
	--define 'debug_package %{nil}' --define '__os_install_post %{nil}' --define '_build_id_links none' \
	--define '_buildhost reproducible' --define 'use_source_date_epoch_as_buildtime 1' \
	--define 'clamp_mtime_to_source_date_epoch 1' --define '_binary_payload w6.gzdio' \
	"$package/gpudiag.spec" > rpmbuild.log 2>&1 || { tail -n 20 rpmbuild.log >&2; exit 1; }
mv built/*.rpm .
echo "$PWD"/*.rpm
