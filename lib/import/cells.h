/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cells.h - rows of tables as trackers, viewers of logs and spreadsheets make them of a log: "| 2026-01-02 03:04:05 |
 * node7 | text |", "2026-01-02T03:04:05Z","node7","text". What a program says there is a line as it was before; tables
 * of a manual have no time in their rows.
 */
#pragma once

#include "import/dump/dump.h"

/*
 * Puts the words of programs in place of such rows, behind the time. Lines of the kernel stay: their reader knows
 * columns.
 */
void dump_open_cells(struct arena *arena, struct dump_line *lines, size_t nr);
