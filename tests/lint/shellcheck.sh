#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Shell scripts, by shellcheck: in this tree those whose turn it is (tap.sh).
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has shellcheck || skip_all "shellcheck is not installed"

# SC2317: functions of a lint are called by name, which shellcheck does not see.
# SC2030, SC2031: every bats test is a subshell.
lint() {
	local -a scripts bats
	local bad=0
	mapfile -t scripts < <(find . -path ./build -prune -o -path ./.git -prune -o \
		\( -name '*.sh' -o -path './.ci/run' \) -type f -print | sort)
	mapfile -t bats < <(find tests -name '*.bats' | sort)
	[ ${#scripts[@]} -gt 0 ] || { echo "no scripts"; return 1; }
	if [ "$PWD" = "$TOP" ]; then
		mapfile -t scripts < <(whose_turn "${scripts[@]#./}")
		mapfile -t bats < <(whose_turn "${bats[@]}")
	fi
	printf '%s\0' "${scripts[@]}" | xargs -0 -r -P "$(nproc)" -n 8 shellcheck -x -f gcc -e SC2317 || bad=1
	if [ ${#bats[@]} -gt 0 ]; then
		shellcheck -x -f gcc -s bats -e SC2317,SC2030,SC2031 "${bats[@]}" || bad=1
	fi
	return "$bad"
}

PLANT_FOLDERS=(tests .ci)
finds_nothing lint
# Few beside the planted one: all of them were looked at just now.
few() { find . \( -name '*.sh' -o -name '*.bats' \) ! -name tap.sh -delete; }
# shellcheck disable=SC2016 # to be planted as it is
plant() { few && printf '#!/bin/sh\nrm -rf $1/*\n' > tests/planted.sh; }
finds "an unquoted variable" 'planted.sh:2:.*SC2086' lint
# shellcheck disable=SC2016
plant() { few && printf '@test "x" {\n\tcd nowhere\n\trm $HOME\n}\n' > tests/cli/planted.bats; }
finds "one in a bats file" 'planted.bats:.*SC2086' lint

done_testing
