/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dcgm_row.h - rows of dcgmi diag's table as people retell them, without its frame:
 *
 *	targeted_power      Fail    cudaStreamCreate failed, Xid 79 detected
 */
#pragma once

#include "import/dump/dump.h"

/* Is it such a row, by itself or by those below it? Names of some tests are anybody's words. */
bool dcgm_row_begins(const struct dump_line *lines, size_t nr);

/* Reads it if it is one. */
void dcgm_row_read(struct reading *reading, struct dump_line *line);
