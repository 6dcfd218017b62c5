#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clean_root.sh FOLDER PACKAGE… - makes FOLDER a root with these packages and what they depend on, as they are installed on this
# machine, and with dpkg's list of them. Nothing is fetched, and no script of a package runs.
set -eu
root=$1
shift
mkdir -p "$root/usr" "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/log" "$root/proc" "$root/sys" \
	"$root/dev" "$root/root"
mkdir -m 1777 "$root/tmp"
for folder in bin sbin lib lib64; do
	mkdir -p "$root/usr/$folder"
	ln -s "usr/$folder" "$root/$folder"
done

# Of alternatives, the one that is installed here.
all=
todo=$*
while [ -n "$todo" ]; do
	next=
	for package in $todo; do
		case " $all " in *" $package "*) continue ;; esac
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || :) in installed*) ;; *) continue ;; esac
		all="$all $package"
		next="$next $(dpkg-query -W -f '${Pre-Depends}, ${Depends}\n' "$package" | sed 's/[,|]/\n/g' | sed 's/[(:].*//' | xargs)"
	done
	todo=$next
done
for package in $all; do
	dpkg-query -L "$package" | while read -r file; do
		if [ -L "$file" ] || [ -f "$file" ]; then
			echo "$file"
		fi
	done
	for list in "/var/lib/dpkg/info/$package.list" /var/lib/dpkg/info/"$package":*.list; do
		[ ! -e "$list" ] || cp "$list" "$root/var/lib/dpkg/info/"
	done
	dpkg-query -s "$package" >> "$root/var/lib/dpkg/status"
	echo >> "$root/var/lib/dpkg/status"
done > "$root/files"
sed 's|^/||' "$root/files" | sort -u | tar -C / -c --files-from - | tar -x -C "$root" --keep-directory-symlink
rm "$root/files"
# What alternatives are here.
for name in awk pager; do
	[ ! -L "/usr/bin/$name" ] || ln -s "$(basename "$(readlink -f "/usr/bin/$name")")" "$root/usr/bin/$name" 2> /dev/null || :
done
ldconfig -r "$root" 2> /dev/null || :
