#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The pages made from man/*.in and the tables are up to date; every command has a page of its own.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

PLANT_FOLDERS=(man)
MANUAL=$TOP/build/manual
for program in "$GPUDIAG" "$MANUAL"; do
	[ -x "$program" ] || { not_ok "$program is there"; done_testing; }
done

commands() {
	"$GPUDIAG" --help | sed -n '/^usage/,/^gpudiag COMMAND/s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

lint() {
	local page part line command bad=0
	for page in man/*.in; do
		while IFS= read -r line; do
			part=${line//@/}
			if [[ $line == @*@ ]]; then
				"$MANUAL" "$part" || bad=1
			else
				printf '%s\n' "$line"
			fi
		done < "$page" > "$WORK/page"
		if ! cmp -s "$WORK/page" "${page%.in}"; then
			echo "${page%.in}: not what $page and the tables make of it (again: make manual)"
			bad=1
		fi
	done
	if ! "$GPUDIAG" demo narrow-link -f svg | cmp -s - man/demo.svg; then
		echo "man/demo.svg: not what gpudiag demo narrow-link -f svg prints (again: make manual)"
		bad=1
	fi
	for command in $(commands); do
		if [ ! -e "man/gpudiag-$command.1" ]; then
			echo "man/gpudiag-$command.1: is not there"
			bad=1
		fi
	done
	return "$bad"
}

finds_nothing lint
for line in '.Ss snapshot' '.Ss pci_function' '.It Va link_width'; do
	succeeds "gpudiag-snapshot(5) has $line" grep -qxF "$line" man/gpudiag-snapshot.5
done
plant() { sed -i 's/^\.Ss pcie-width.*/.Ss planted/' man/gpudiag-checks.7; }
finds "a page that was changed by hand" 'man/gpudiag-checks.7: not what' lint
plant() { echo planted >> man/gpudiag-snapshot.5.in; }
finds "a page that was not made anew" 'man/gpudiag-snapshot.5: not what' lint
plant() { sed -i 's/FAIL/fail/' man/demo.svg; }
finds "a picture that was not made anew" 'man/demo.svg: not what' lint
plant() { rm man/gpudiag-list.1; }
finds "a command without a page" 'man/gpudiag-list.1: is not there' lint

done_testing
