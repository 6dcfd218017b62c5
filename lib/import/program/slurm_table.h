/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_table.h - tables of sinfo, "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST", of -N -l and of --Format, and sinfo -R,
 * "REASON USER TIMESTAMP NODELIST" with "gres/gpu count repor slurm  2025-04-02T15:47:44 gpu002" below it: of several nodes, and cut.
 */
#pragma once

#include "import/dump/dump.h"

/* Is it the head of one? */
bool slurm_table_begins(const char *text);

/* Tells the nodes of each row of the table whose head the first line is, and their state; NULL: sinfo -R has none. How many lines it has. */
size_t slurm_table_rows(struct arena *arena, const struct dump_line *lines, size_t nr,
			void (*row_told)(void *to, const char *nodes, const char *state, size_t state_len), void *to);

struct slurm_later;

/* Takes the table, and puts the nodes that get no jobs, and do not later (slurm_later.h). How many lines it has. */
size_t slurm_table_read(struct reading *reading, struct dump_line *lines, size_t nr, struct slurm_later **later);
