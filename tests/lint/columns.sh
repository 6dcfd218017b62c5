#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# C has lines of up to 120 columns, as .clang-format says. A text in quotes is not broken for that, nor what a comment
# shows of a form, behind a tab.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

lint() {
	find lib cmd checks kernels man tests -name '*.[ch]' -print0 | xargs -0 python3 -c '
import sys

found = False
for path in sys.argv[1:]:
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        columns = len(line.rstrip("\n").expandtabs(8))
        if columns > 120 and "\"" not in line and not line.startswith((" *\t", " *  ")):
            print(f"{path}:{number}: {columns} columns")
            found = True
sys.exit(found)'
}

finds_nothing lint
plant() { printf '\tint %0120d;\n' 0 > checks/planted.c; }
finds "a line of 129 columns" 'checks/planted.c:1: 13[0-9] columns' lint
plant() { printf 'char *a = "%0120d";\n/*\n *\t%0120d\n */\n' 0 0 > checks/planted.c; }
finds_nothing lint

done_testing
