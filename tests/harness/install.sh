#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install puts each file in its place, readable by all, and make uninstall removes these and no others.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

root=$WORK/root prefix=/opt/x
# With what is built, whatever flags it was built with.
quietly() {
	make -s -o all "PREFIX=$prefix" "$@"
}
share=$root$prefix/share
files() {
	(cd "$1" && find . -type f | sort)
}

mkdir -p "$root$prefix/bin" "$share/doc/gpudiag"
touch "$root$prefix/bin/another" "$share/doc/gpudiag/of-the-site"
files "$root" > "$WORK/before"
succeeds "installs, whatever the umask" bash -c "umask 077; exec make -s -o all DESTDIR='$root' PREFIX=$prefix install"
succeeds "a binary that runs" "$root$prefix/bin/gpudiag" --version
for page in man/*.[1-8]; do
	succeeds "$page" cmp "$page" "$share/man/man${page##*.}/${page##*/}"
done
for schema in man/*.schema.json; do
	succeeds "$schema" cmp "$schema" "$share/gpudiag/${schema##*/}"
done
for document in LICENSE README.md CHANGELOG.md; do
	succeeds "$document" cmp "$document" "$share/doc/gpudiag/$document"
done
for completion in bash-completion/completions/gpudiag:bash zsh/site-functions/_gpudiag:zsh fish/vendor_completions.d/gpudiag.fish:fish; do
	succeeds "completion for ${completion#*:}" cmp "$share/${completion%:*}" <("$GPUDIAG" completion "${completion#*:}")
done
succeeds "bash loads its completion" bash -c ". $share/bash-completion/completions/gpudiag && complete -p gpudiag"
units=$root$prefix/lib/systemd/system
succeeds "the service starts what was installed" grep -q "^ExecStart=$prefix/bin/gpudiag run " "$units/gpudiag.service"
succeeds "and is that of gpudiag integrate" cmp "$units/gpudiag.service" \
	<("$GPUDIAG" integrate systemd | sed "s|/usr/bin/|$prefix/bin/|")
succeeds "the timer too" cmp "$units/gpudiag.timer" <("$GPUDIAG" integrate systemd-timer)
same_as_printed() {
	local name
	for name in $("$GPUDIAG" integrate list | cut -d ' ' -f 1); do
		"$GPUDIAG" integrate "$name" | sed "s|/usr/bin/gpudiag|$prefix/bin/gpudiag|; s|/usr/share/gpudiag/|$prefix/share/gpudiag/|" > "$WORK/text"
		find "$share/gpudiag/integrate" "$units" -type f -exec cmp -s "$WORK/text" {} \; -print | grep -q . || { echo "$name"; return 1; }
	done
}
succeeds "each text of gpudiag integrate is there, with these paths" same_as_printed
succeeds "no unit is enabled" test -z "$(find "$root" -type l)"
if has systemd-analyze; then
	mkdir "$WORK/units"
	for unit in gpudiag.service gpudiag.timer; do
		sed "s|^ExecStart=$prefix|ExecStart=$root$prefix|" "$units/$unit" > "$WORK/units/$unit"
	done
	succeeds "systemd finds nothing wrong with them" systemd-analyze verify --man=no "$WORK"/units/*
else
	skip "systemd finds nothing wrong with them" "systemd-analyze is not installed"
fi
succeeds "files can be read by everybody" test -z "$(find "$root" -type f ! -path '*/another' ! -perm -444)"
succeeds "folders can be entered by everybody" test -z "$(find "$root" -mindepth 1 -type d ! -perm -555)"
succeeds "the binary and the scripts can be run, and nothing else" diff \
	<(find "$root" -type f -perm /111 | sort) \
	<({ echo "$root$prefix/bin/gpudiag"; grep -l '^#!' "$share"/gpudiag/integrate/*; } | sort)
succeeds "installs over what is there" quietly "DESTDIR=$root" install
succeeds "uninstalls" quietly "DESTDIR=$root" uninstall
succeeds "no file is left, and no other one removed" diff "$WORK/before" <(files "$root")
succeeds "folders of its own are gone, but for what others put there" test ! -e "$share/gpudiag" -a -d "$share/doc/gpudiag"

# A package manager that knows the file.
mkdir -p "$WORK/bin" "$WORK/real/bin"
# shellcheck disable=SC2016 # the stand-in expands it
printf '#!/bin/sh\n[ "$1" = -S ] && echo "gpudiag: $2"\n' > "$WORK/bin/dpkg-query"
chmod +x "$WORK/bin/dpkg-query"
touch "$WORK/real/bin/gpudiag"
for what in install uninstall; do
	PATH="$WORK/bin:$PATH" prefix=$WORK/real quietly "$what" > "$WORK/said" 2>&1
	succeeds "$what refuses to change a package's files" grep -q 'gpudiag belongs to package gpudiag: remove the package' "$WORK/said"
	succeeds "$what: and does not" test -f "$WORK/real/bin/gpudiag" -a ! -s "$WORK/real/bin/gpudiag"
done
PATH="$WORK/bin:$PATH" succeeds "which a folder for a package does not stop" quietly "DESTDIR=$WORK/staged" install

done_testing
