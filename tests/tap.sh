# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# tap.sh - TAP from a shell script, and the frame of a lint. To be sourced by
# scripts in a folder of tests/; they then stand in the project's top folder.
#
# A lint is a function that looks at the tree it stands in, prints what it
# finds, one offence a line, and fails when there is any. It is run on this
# tree, which must be clean, and on copies with a planted offence, which it
# must see:
#
#	lint() { ! grep -rn FORBIDDEN lib; }
#	finds_nothing lint
#	plant() { echo FORBIDDEN >> lib/base/text.c; }
#	finds "a forbidden word" 'text.c:.*FORBIDDEN' lint
#	done_testing
#
# With QUICK=1 nothing is planted: what a lint sees changes with the lint alone.

set -u
cd "$(dirname "$0")/../.." || exit 1
TOP=$PWD
GPUDIAG=${GPUDIAG:-$TOP/build/gpudiag}
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM

tap_nr=0
tap_failed=0

ok() {
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1"
}

# not_ok NAME [FILE]: with the file's text as explanation.
not_ok() {
	tap_nr=$((tap_nr + 1))
	tap_failed=1
	echo "not ok $tap_nr - $1"
	if [ $# -gt 1 ]; then
		sed 's/^/# /' "$2"
	fi
}

# skip NAME REASON
skip() {
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

# skip_all REASON
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing() {
	echo "1..$tap_nr"
	exit "$tap_failed"
}

has() {
	command -v "$1" > /dev/null 2>&1
}

# succeeds NAME COMMAND…: ok where the command succeeds; else shows what it printed.
succeeds() {
	local name=$1
	shift
	if "$@" > "$WORK/out" 2>&1; then
		ok "$name"
	else
		not_ok "$name" "$WORK/out"
	fi
}

# the_file NAME [FOLDER]: where the one file of this name lies below lib, or that folder, of the tree one stands in.
the_file() {
	local -a found
	mapfile -t found < <(find "${2:-lib}" -name "$1" | sort)
	if [ ${#found[@]} -ne 1 ]; then
		echo "${#found[@]} files below ${2:-lib} are called $1" >&2
		return 1
	fi
	echo "${found[0]}"
}

# A copy of the sources in $WORK/copy, for plant() to work on. It is made once; then what a plant has touched is put back,
# as the times of files and folders tell.
PLANT_FOLDERS=(lib cmd checks kernels man)
copy_tree() {
	local copy=$WORK/copy stamp=$WORK/copied touched
	local -a all

	if [ "$(cat "$stamp" 2> /dev/null)" != "${PLANT_FOLDERS[*]}" ] || [ "$(stat -c %Y "$copy" 2> /dev/null)" != 0 ]; then
		rm -rf "$copy"
		mkdir "$copy"
		echo "${PLANT_FOLDERS[*]}" > "$stamp"
		for touched in "${PLANT_FOLDERS[@]}"; do
			[ ! -e "$touched" ] || cp -Rp "$touched" "$copy/"
		done
		touch -d @0 "$copy"
		return
	fi
	# A folder in which something was made or taken away is copied whole.
	mapfile -t all < <(find "$copy" -mindepth 1 -newer "$stamp" \( -type d -prune -o -true \) -printf '%P\n')
	for touched in "${all[@]}"; do
		rm -rf "${copy:?}/$touched"
		cp -Rp "$touched" "$copy/$touched"
	done
	touch -d @0 "$copy"
}

# finds_nothing COMMAND…: the tree is clean.
finds_nothing() {
	succeeds "nothing found" "$@"
}

# finds WHAT PATTERN COMMAND…: plant() an offence in a copy; the lint fails and names it.
finds() {
	local what=$1 pattern=$2
	shift 2
	[ -z "${QUICK-}" ] || return 0
	copy_tree
	if ! (cd "$WORK/copy" && plant) > "$WORK/out" 2>&1; then
		not_ok "finds $what: could not be planted" "$WORK/out"
	elif (cd "$WORK/copy" && "$@") > "$WORK/out" 2>&1; then
		not_ok "finds $what: it did not" "$WORK/out"
	elif ! grep -Eq -- "$pattern" "$WORK/out"; then
		echo "(no line matches $pattern)" >> "$WORK/out"
		not_ok "finds $what: it failed, but did not name it" "$WORK/out"
	else
		ok "finds $what"
	fi
}

# spares WHAT PATTERN COMMAND…: plant() what is allowed in a copy; the lint does not name it.
spares() {
	local what=$1 pattern=$2
	shift 2
	[ -z "${QUICK-}" ] || return 0
	copy_tree
	if ! (cd "$WORK/copy" && plant) > "$WORK/out" 2>&1; then
		not_ok "spares $what: could not be planted" "$WORK/out"
		return
	fi
	(cd "$WORK/copy" && "$@") > "$WORK/out" 2>&1
	if grep -Eq -- "$pattern" "$WORK/out"; then
		not_ok "spares $what: it did not" "$WORK/out"
	else
		ok "spares $what"
	fi
}

# whose_turn FILE…: which of so many sources an analysis of a clean clone looks at: those that the last 30 commits or a
# change since them touched, and an eighth of the others, another one every day. All with FULL=1, or without a history.
whose_turn() {
	local touched
	if [ -n "${FULL-}" ] || ! touched=$(git diff --name-only HEAD~30 2> /dev/null); then
		printf '%s\n' "$@"
		return
	fi
	{
		printf '%s\n' "$touched" "$@" | sort | uniq -d
		printf '%s\n' "$@" | awk -v day="$(($(date +%s) / 86400))" '
			BEGIN { for (i = 32; i < 127; i++) code[sprintf("%c", i)] = i }
			{ for (sum = i = 1; i <= length($0); i++) sum = (sum * 31 + code[substr($0, i, 1)]) % 65521 }
			(sum + day) % 8 == 0'
	} | sort -u
}
