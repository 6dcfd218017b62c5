/* SPDX-License-Identifier: GPL-2.0-or-later */
/* miner_row.h - a miner's rows of its GPUs, of which one answers no more. */
#pragma once

#include "import/dump/dump.h"

/* Is the first of these lines such a row, in which a GPU is well that the next row has lost? */
bool miner_row_begins(const struct dump_line *lines, size_t nr);

/* Puts what was lost. Lines between the two rows are others'. */
void miner_row_read(struct reading *reading, size_t at);
