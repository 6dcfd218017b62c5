#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes long: it compiles everything in its own way.
# What reads texts, judges and prints is pure: all of checks, eval, render, import, format, klog, snapshot and base, linked
# together, asks the outside for memory, text and arithmetic, and for nothing else. The whole is
# looked at, as a helper could hide a call; by two compilers, one of them bare and one fortified, as both rename calls.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

# What may stay undefined. Nothing here opens, prints, waits, asks a clock, a locale or the environment.
ALLOWED=" $(tr '\n' ' ' <<- 'END'
	malloc calloc realloc reallocarray free
	memchr memrchr memcmp memcpy mempcpy memmove memset memmem bcmp
	strlen strnlen strcmp strncmp strcasecmp strncasecmp strchr strchrnul strrchr strstr strcasestr
	strspn strcspn strpbrk strdup strndup stpcpy strsep
	strtol strtoll strtoul strtoull strtod
	snprintf vsnprintf qsort bsearch
	sqrt fabs floor ceil trunc round rint lround llround fmod fmin fmax
	pow exp exp2 expm1 log log2 log10 log1p lgamma_r hypot ldexp frexp modf
	__errno_location abort __stack_chk_fail _GLOBAL_OFFSET_TABLE_
END
) "

# lint OBJECT: names the undefined symbols that are not allowed.
lint() {
	local symbol plain bad=0
	while read -r symbol; do
		plain=${symbol#__isoc23_}
		case $plain in
		cJSON_*) continue ;;
		__*_chk)
			plain=${plain#__}
			plain=${plain%_chk}
			;;
		esac
		case $ALLOWED in
		*" $plain "*) ;;
		*)
			echo "$symbol is not allowed"
			bad=1
			;;
		esac
	done < <(nm -u -P "$1" | cut -d' ' -f1)
	return "$bad"
}

# finds_call NAME EXPRESSION: planted beside the closure of this way.
finds_call() {
	local call=$1
	printf '#include <%s>\n' fcntl.h locale.h stdio.h stdlib.h string.h time.h > "$WORK/planted.c"
	printf 'long planted(int n);\nlong planted(int n) { return (long)(%s); }\n' "$2" >> "$WORK/planted.c"
	if ! "$compiler" -w -fPIE "${flags[@]}" -c -o "$WORK/planted.o" "$WORK/planted.c" ||
		! ld -r -o "$WORK/together.o" "$object" "$WORK/planted.o"; then
		not_ok "$way: finds $call: could not be planted"
	elif lint "$WORK/together.o" > "$WORK/found"; then
		not_ok "$way: finds $call: it did not"
	else
		succeeds "$way: finds $call" grep -E "^_*$call(_|64| )" "$WORK/found"
	fi
}

# is_built WAY: is what make check has built before this just that? Then it need not be built once more. Not where a
# source was changed since: who runs this lint alone need not have built anything.
is_built() {
	[ "$1" = gcc-O2 ] && grep -q ' -D_FORTIFY_SOURCE=2 .* -O2 ' build/flags &&
		grep -q 'GCC: ' build/obj/lib/base/arena.o && [ -e build/libgpudiag.a ] &&
		[ -z "$(find lib checks kernels -type f -newer build/libgpudiag.a -print -quit)" ]
} 2> /dev/null

# build WAY: leaves the closure in $object.
build() {
	local way=$1
	local -a made

	if is_built "$way"; then
		object=$WORK/pure.o
		# shellcheck disable=SC2046 # a list of names
		ld -r -o "$object" $(make -s print-PURE_OBJ)
	else
		object=build/lint/$way/pure.o
		made=(CC="$compiler" CFLAGS="${flags[0]}" FORTIFY="$fortify" B="build/lint/$way")
		# shellcheck disable=SC2046 # a list of names
		[ "$compiler" != clang ] || tests/compile_many.sh "${made[@]}" -- $(make -s "B=build/lint/$way" print-PURE_OBJ)
		make -s -j"$(nproc)" "${made[@]}" "$object"
	fi
}

for way in gcc-O2 clang-O0; do
	compiler=${way%-*}
	case $way in
	*-O0) flags=(-O0) fortify= ;;
	*) flags=(-O2 -D_FORTIFY_SOURCE=2) fortify=-D_FORTIFY_SOURCE=2 ;;
	esac
	if ! has "$compiler"; then
		skip "$way: pure" "$compiler is not installed"
		continue
	fi
	if ! build "$way" > "$WORK/out" 2>&1; then
		not_ok "$way: builds" "$WORK/out"
		continue
	fi
	succeeds "$way: pure" lint "$object"
	finds_call fopen 'fopen("x", "r")'
	finds_call printf 'printf("%d", n)'
	finds_call getenv 'getenv("HOME")'
	finds_call time 'time(0)'
	finds_call open 'open("x", n)'
	finds_call setlocale 'setlocale(LC_ALL, "")'
done

# What is left out of the closure would never be looked at.
lint_closure() {
	comm -3 <(find "$@" -name '*.c' | sed 's|\.c$||' | sort) \
		<(make -s print-PURE_OBJ | tr ' ' '\n' | sed 's|^build/obj/||; s|\.o$||' | sort) |
		sed 's/$/: in the closure or among the sources, not in both/' | grep . && return 1
	return 0
}

pure=(checks lib/base lib/eval lib/format lib/import lib/klog lib/render lib/snapshot)
succeeds "the closure has every pure folder" test "$(make -s print-PURE_DIRS | xargs -n 1 | sort | xargs)" = "${pure[*]}"
succeeds "and each of their files" lint_closure "${pure[@]}"
PLANT_FOLDERS=(lib checks cmd kernels tests Makefile .ci)
plant() { mkdir -p lib/eval/planted/below && touch lib/eval/planted/below/planted.c; }
spares "one in a folder below is in it too" 'planted' lint_closure "${pure[@]}"
plant() { sed -i "s|^LIB_SRC := .*|LIB_SRC := \$(filter-out lib/eval/gate/gate.c,\$(shell find lib -name '*.c'))|" Makefile; }
finds "a file that is not built" 'lib/eval/gate' lint_closure "${pure[@]}"

done_testing
