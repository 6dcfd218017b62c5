/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_table.h - what tables of sinfo (slurm_row.h) tell of nodes that get no jobs. */
#pragma once

#include "import/dump/dump.h"

struct slurm_later;

/*
 * Takes the table whose head the first line is, and puts the nodes that get no jobs, and do not later (slurm_later.h).
 * How many lines it has.
 */
size_t slurm_table_read(struct reading *reading, struct dump_line *lines, size_t nr, struct slurm_later **later);
