#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes long: it compiles everything in its own way.
# clang has no warning of any source either, by the flags with which make builds.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has clang || skip_all "clang is not installed"
read -ra FLAGS < <(make -s CC=clang DEVELOPER=1 print-CFLAGS_ALL)
[ ${#FLAGS[@]} -gt 10 ] || { echo "# make does not tell its flags" && exit 1; }

# lint FILE…
lint() {
	printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -n 60 clang "${FLAGS[@]}" -D_GNU_SOURCE '-DGPUDIAG_VERSION="0"' \
		-I. -Ilib "-I$TOP/build/gen" -fsyntax-only -fno-caret-diagnostics
}

mapfile -t sources < <(find lib cmd checks kernels man -name '*.c' | sort)
finds_nothing lint "${sources[@]}"
PLANT_FOLDERS=(lib)
plant() { printf 'int planted(int n);\nint planted(int n)\n{\n\tswitch (n) {\n\tcase 1:\n\t\tn = 2;\n\t\t/* fall through */\n\tdefault:\n\t\treturn n;\n\t}\n}\n' > lib/base/planted.c; }
finds "a fall-through that gcc alone reads" 'planted.c:8:.*implicit-fallthrough' lint lib/base/planted.c

done_testing
