#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Takes long: it compiles everything in its own way.
# cppcheck over every source. build/lint/cppcheck keeps what it found out, for the next time; where there is nothing yet,
# those are looked at whose turn it is (tap.sh), and the rest the next time.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

has cppcheck || skip_all "cppcheck is not installed"
mkdir -p build/lint/cppcheck

# nullPointer in checks, and in what asks in their place: it takes the unevaluated operand of need()'s _Generic for an access; clang-tidy does not.
# arrayIndexThenCheck: a text ends in NUL, so looking before counting is no mistake.
# lint FOLDER OPTION…
lint() {
	cppcheck --quiet --std=c11 --language=c --platform=unix64 --enable=warning,portability,performance \
		--inline-suppr --error-exitcode=1 --max-configs=2 --suppress=missingIncludeSystem --suppress=unknownMacro \
		--suppress=arrayIndexThenCheck "--suppress=nullPointer:checks/*" "--suppress=nullPointer:lib/eval/*link_evidence.c" \
		"--suppress=nullPointer:lib/eval/*numa.c" "--suppress=nullPointer:lib/eval/*throttle.c" \
		"--suppress=nullPointer:lib/eval/*transfer.c" "--suppress=nullPointer:lib/eval/*cuda_offer.c" \
		"--suppress=nullPointer:lib/eval/*rate.c" "--suppress=nullPointer:lib/eval/*timing_precondition.c" \
		--template='{file}:{line}: {severity}: {message} [{id}]' \
		-D_GNU_SOURCE '-DGPUDIAG_VERSION="0"' -I. -Ilib "-I$TOP/build/gen" "$@"
}

PLANT_FOLDERS=(lib)
mapfile -t sources < <(find lib cmd checks man -name '*.c' | sort)
[ -n "$(ls build/lint/cppcheck)" ] || mapfile -t sources < <(whose_turn "${sources[@]}")
finds_nothing lint --cppcheck-build-dir=build/lint/cppcheck -j "$(nproc)" "${sources[@]}"
plant() { printf '#include <stdlib.h>\nint planted(void);\nint planted(void)\n{\n\tint *p = malloc(4);\n\n\treturn p ? 1 : 0;\n}\n' > lib/base/planted.c; }
finds "a leak" 'planted.c:7: error: .*memleak' lint lib/base/planted.c
plant() { printf 'int planted(void);\nint planted(void)\n{\n\tint a[4] = { 0 };\n\n\treturn a[4];\n}\n' > lib/base/planted.c; }
finds "an index out of bounds" 'planted.c:6: error: .*arrayIndexOutOfBounds' lint lib/base/planted.c

done_testing
