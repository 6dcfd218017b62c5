/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_number.h - lines of a tool's output behind their numbers in a file: "  12\t" of cat -n, "12:" of grep -n,
 * "out.log:12:" of grep -rn, "  12 │ " of bat.
 */
#pragma once

#include "import/dump/dump.h"

/* Takes them off where the output of a tool begins behind them. A log's reader knows them by itself. */
void dump_strip_numbers(struct arena *arena, struct dump_line *lines, size_t nr);
