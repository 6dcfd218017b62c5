#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deb.sh VERSION MAINTAINER FOLDER - makes FOLDER/gpudiag_VERSION-1_ARCH.deb of what make install put into FOLDER/root.
# $OBJDUMP is that of the target. The same bytes for the same files and commit.
set -eu
version=$1-1 maintainer=$2
package=$(cd "$(dirname "$0")" && pwd)
cd "$3"
umask 022
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$("$package/commit.sh" --time)}
export SOURCE_DATE_EPOCH
doc=root/usr/share/doc/gpudiag

case $(${OBJDUMP:-objdump} -f root/usr/bin/gpudiag) in
*aarch64*) arch=arm64 ;;
*x86-64*) arch=amd64 ;;
*) echo "deb.sh: no name for this architecture" >&2; exit 1 ;;
esac

# Debian has licences in one place, and change logs compressed.
rm "$doc/LICENSE"
mv "$doc/CHANGELOG.md" "$doc/changelog"
cat > "$doc/changelog.Debian" <<- END
	gpudiag ($version) unstable; urgency=medium

	  * Made from commit $("$package/commit.sh").
	    What changed: changelog.gz.

	 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
cat > "$doc/copyright" <<- END
	Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
	Upstream-Name: gpudiag

	Files: *
	Copyright: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y) the gpudiag maintainers
	License: GPL-2.0-or-later
	 This program is free software; you can redistribute it and/or modify it under
	 the terms of the GNU General Public License as published by the Free Software
	 Foundation; either version 2 of the License, or (at your option) any later
	 version.
	 .
	 On Debian systems, the complete text of version 2 can be found in
	 /usr/share/common-licenses/GPL-2.
END
mkdir -p root/usr/share/lintian/overrides
cat > root/usr/share/lintian/overrides/gpudiag <<- END
	# Not a package of Debian's own: there is no bug of Debian's to close.
	gpudiag: initial-upload-closes-no-bugs
	# Of recorded trees, and of nodes in which nothing may be started.
	gpudiag: uses-dpkg-database-directly *
END
gzip -9n "$doc/changelog" "$doc/changelog.Debian" root/usr/share/man/man*/*

# dpkg-shlibdeps wants a source package around it.
mkdir -p debian
printf 'Source: gpudiag\n\nPackage: gpudiag\nArchitecture: any\n' > debian/control
depends=$(dpkg-shlibdeps -O root/usr/bin/gpudiag 2> shlibdeps.log | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat shlibdeps.log >&2; exit 1; }

# As dpkg counts, which is the same on every file system: files in whole KiB, and one for what is no file.
size_kib=$(find root/usr -printf '%y %s\n' | awk '{ n += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print n }')
mkdir -p root/DEBIAN
cat > root/DEBIAN/control <<- END
	Package: gpudiag
	Version: $version
	Architecture: $arch
	Maintainer: $maintainer
	Installed-Size: $size_kib
	Depends: $depends
	Recommends: libpci3, libudev1, pci.ids, ocl-icd-libopencl1 | libopencl1, libarchive13 | libarchive13t64
	Section: utils
	Priority: optional
	Description: find what is wrong with the GPUs of a node
	 gpudiag runs a fixed playbook on a node with GPUs of NVIDIA, AMD or Intel:
	 device, driver versions, PCIe links, throttling, memory, NUMA, timing and
	 more. It ends with one sentence that names the bottleneck, a verdict for
	 scripts, and the next step.
	 .
	 It is read-only, puts no load on a GPU in use, and never hangs on a hung
	 driver. Recorded nodes, and dumps of other tools, can be judged anywhere.
END
(cd root && find usr -type f -print0 | sort -z | xargs -0 md5sum) > root/DEBIAN/md5sums
chmod 644 root/DEBIAN/*
find root -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build root "gpudiag_${version}_$arch.deb" > dpkg-deb.log
echo "$PWD/gpudiag_${version}_$arch.deb"
