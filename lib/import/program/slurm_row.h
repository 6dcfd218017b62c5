/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_row.h - tables of sinfo, "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST", of -N -l and of --Format, and sinfo
 * -R, "REASON USER TIMESTAMP NODELIST" with "gres/gpu count repor slurm  2025-04-02T15:47:44 gpu002" below it: of
 * several nodes, and cut.
 */
#pragma once

#include "import/dump/dump.h"

/* Of which column, from the left; those behind the reason, which is of several words, from the right. */
struct slurm_head {
	int nr, node, state, reason, time;
};

struct slurm_row {
	const char *nodes, *state;
	size_t nodes_len, state_len;
	const char *reason;		/* NULL: the table has none */
	size_t reason_len;
	bool is_out;
};

bool slurm_head_of(const char *text, struct slurm_head *ret);
/* Is it the head of one? */
bool slurm_table_begins(const char *text);

/* false: the line is none. *ret->nodes is NULL in a row of a partition without nodes. */
bool slurm_row_of(const struct slurm_head *head, const char *text, struct slurm_row *ret);

/*
 * Tells the nodes of each row of the table whose head the first line is, and their state; NULL: sinfo -R has none. How
 * many lines it has.
 */
size_t slurm_table_rows(struct arena *arena, const struct dump_line *lines, size_t nr,
			void (*row_told)(void *to, const char *nodes, const char *state, size_t state_len), void *to);
