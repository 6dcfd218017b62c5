/* SPDX-License-Identifier: GPL-2.0-or-later */
/* miner_row.h - a miner's rows of its GPUs, of which one answers no more. */
#pragma once

#include "import/dump/dump.h"

/* Is the first of these lines such a row, in which a GPU is well that a row just below it has lost? */
bool miner_row_begins(const struct dump_line *lines, size_t nr);

/* Puts what was lost. How many lines it took. */
size_t miner_row_read(struct reading *reading, size_t at);
