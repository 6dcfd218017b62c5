#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Manual pages: mandoc has nothing to warn of, and pages of ours that are referred to exist.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has mandoc || skip_all "mandoc is not installed"

lint() {
	local -a pages
	local page section name bad=0
	mapfile -t pages < <(find man -name '*.[1-8]' | sort)
	[ ${#pages[@]} -gt 0 ] || { echo "no pages"; return 1; }
	mandoc -Tlint -Wwarning "${pages[@]}" || bad=1
	while IFS=: read -r page name section; do
		if [ ! -e "man/$name.$section" ]; then
			echo "$page: refers to $name($section), which is not there"
			bad=1
		fi
	done < <(grep -HoE '^\.(Xr|It Xr) gpudiag[a-z-]* [1-8]' "${pages[@]}" | sed -E 's/:\.(It )?Xr ([a-z-]+) /:\2:/')
	return "$bad"
}

finds_nothing lint
page() { printf '.Dd November 20, 2026\n.Dt PLANTED 1\n.Os\n.Sh NAME\n.Nm planted\n.Nd a page\n%s\n' "$1" > man/planted.1; }
plant() { page '.Xy unknown macro'; }
finds "an unknown macro" 'planted.1:7:.*Xy' lint
plant() { page '.Sh SEE ALSO
.Xr gpudiag-nosuch 5'; }
finds "a page that is not there" 'planted.1: refers to gpudiag-nosuch\(5\)' lint

done_testing
