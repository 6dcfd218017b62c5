#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cookbook.bats - what the manual's recipes tell to type can be typed, and what it claims has a test.

load helpers.sh
setup() { begin; }

# recipes: the commands of gpudiag in all pages, a line each: what is before and behind it in a pipe left out.
recipes() {
	sed -n 's/^\.D[1l] *\(Li *\)\?[$#] //p' "$TOP"/man/*.[157] | sed -e 's/\\-/-/g' -e 's/\\(dq/"/g' -e 's/\\(aq/'\''/g' |
		grep -oE '(^|\| *)gpudiag( [^|>]*)?' | sed -e 's/^| *//' -e 's/ *||.*//' | sort -u
}

@test "each command of a recipe is there, with the options that it is given" {
	local line command bad=0
	recipes > all_of_them
	[ "$(wc -l < all_of_them)" -gt 80 ] || fail "only $(wc -l < all_of_them) recipes found"
	while read -r line; do
		command=$(sed -nE 's/^gpudiag ([a-z]+).*/\1/p' <<< "$line")
		takes_options "${command:-run}" "$line" || bad=1
	done < all_of_them
	return $bad
}

@test "each recipe without a machine's own files is run, and is no usage error" {
	local line
	cd "$TOP" || return 1
	while read -r line; do
		sh -c "${line/#gpudiag/\"$GPUDIAG\"}" > "$OUT" 2> "$ERR" < /dev/null || [ $? -ne 64 ] || fail "$line: $(cat "$ERR")"
	done < <(recipes | grep -E '^gpudiag (explain|schema|demo|list (checks|findings|xids|formats|probes)|integrate|completion|help|policy$)')
}

@test "each row of the comparison names a test that is there" {
	local proof nr=0
	# shellcheck disable=SC2013 # words
	for proof in $(sed -n 's/^\.\\" proof: //p' "$TOP/man/gpudiag-cookbook.7"); do
		[ -e "$TOP/$proof" ] || fail "no $proof"
		nr=$((nr + 1))
	done
	is "$(grep -c '^\.\\" proof: ' "$TOP/man/gpudiag-cookbook.7")" "$(grep -c '^\.It ".[^"]*" Ta yes\|^\.It "GPUs of"' "$TOP/man/gpudiag-cookbook.7")"
	[ "$nr" -ge 14 ]
}
