#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes long: it compiles everything in its own way.
# clang-tidy over every source, by .clang-tidy. A file that was clean is not looked at again until
# it, something it includes, or .clang-tidy changes: build/lint/tidy holds a mark for each.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has clang-tidy || skip_all "clang-tidy is not installed"
has clang || skip_all "clang is not installed"

marks=$TOP/build/lint/tidy
mkdir -p "$marks"
# How many states of a function the analyzer looks at before it gives up. Few functions have more than these, and they
# take nearly all of the time: 11 s for ten files with 100000, 3 s with 20000. TIDY_NODES=225000 is its own default.
flags=(-std=gnu17 -D_GNU_SOURCE '-DGPUDIAG_VERSION="0"' -I. -Ilib "-I$TOP/build/gen"
	-Xclang -analyzer-config -Xclang "max-nodes=${TIDY_NODES:-20000}")
export marks

# tidy_file FILE FLAG…
tidy_file() {
	local file=$1 mark
	shift
	mark=$marks/$({
		clang "$@" -E "$file"
		cat .clang-tidy
		echo "$@"
	} 2>&1 | sha256sum | cut -c1-40)
	[ -e "$mark" ] && return
	if clang-tidy --quiet "$file" -- "$@" > "$mark.$$" 2>&1; then
		mv "$mark.$$" "$mark"
	else
		grep -vE '^([0-9]+ warnings? (treated|generated)|Suppressed |Use -header-filter)' "$mark.$$"
		rm -f "$mark.$$"
		return 1
	fi
}
export -f tidy_file

# lint FILE…: without any, all of them.
lint() {
	local -a files=("$@")
	if [ $# -eq 0 ]; then
		mapfile -t files < <(find lib cmd checks man -name '*.c' | sort)
	fi
	# shellcheck disable=SC2016 # the inner shell is to expand it
	printf '%s\0' "${files[@]}" |
		xargs -0 -P "$(nproc)" -I '{}' bash -c 'tidy_file "$@" > "$WORK/tidy.$$" 2>&1 && exit
			cat "$WORK/tidy.$$"; exit 1' tidy '{}' "${flags[@]}"
}
export WORK

# 1l reads as 11: what cert-dcl16-c is about. "%12lu" in a text is something else.
lint_suffixes() {
	local number='(\<0[xX][0-9a-fA-F]+|(\<[0-9]+\.?|\.[0-9])[0-9]*([eE][-+]?[0-9]+)?)ll?[uU]?\>'

	! grep -rnE --include='*.[ch]' --include='*.def' "$number" lib cmd checks kernels |
		sed -E 's/"([^"\]|\\.)*"/""/g' | grep -E ":[0-9]+:.*$number"
}

PLANT_FOLDERS=(lib cmd checks kernels man .clang-tidy)
finds_nothing lint
# Marks of more than a thousand old states are swept.
find "$marks" -type f -printf '%T@ %p\n' | sort -rn | tail -n +1000 | cut -d' ' -f2- | xargs -r rm -f

plant() { printf 'int planted(int n);\nint planted(int n)\n{\n\tint *p = NULL_;\n\n\tif (n)\n\t\tp = &n;\n\treturn *p;\n}\n' | sed 's/NULL_/(int *)0/' > lib/base/planted.c; }
finds "a null pointer that is followed" 'planted.c:8:.*clang-analyzer-core.NullDereference' lint lib/base/planted.c
plant() { printf 'int planted(long n);\nint planted(long n)\n{\n\tint sum = 0;\n\n\tfor (short i = 0; i < n; i++)\n\t\tsum += i;\n\treturn sum;\n}\n' > lib/base/planted.c; }
finds "a loop that may never end" 'planted.c:6:.*bugprone-too-small-loop-variable' lint lib/base/planted.c

succeeds "no number that ends in a small l" lint_suffixes
plant() { printf 'static const long a = 1l;\n' > lib/base/planted.c; }
finds "a number that ends in a small l" 'planted.c:1:.*1l' lint_suffixes
plant() { printf '#define A "%%12llu"\nstatic const unsigned long long b = 10llu;\n' > checks/planted.h; }
finds "other numbers that do" 'planted.h:2:.*10llu' lint_suffixes
plant() { printf 'static const long double c = 1.5e-3l;\n' > lib/base/planted.c; }
finds "one with a fraction" 'planted.c:1:.*1.5e-3l' lint_suffixes

done_testing
