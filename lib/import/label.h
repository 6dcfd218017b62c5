/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * label.h - lines of several nodes or tasks in one text, each with its own before it: "node7: " of pdsh, "0: " of srun
 * -l, "[pod/trainer-0/main] " of kubectl logs --prefix, "trainer-1  | " of Compose, "[1,0]<stdout>:" of mpirun.
 */
#pragma once

#include "import/dump/dump.h"

struct label {
	struct machine_name name;
	size_t nr_lines;
};

struct labels {
	struct label *v;	/* in the arena, */
	size_t nr;		/* 0: lines have none, or all have one */
};

/*
 * The lines without their labels, those of each label together, in the arena; line->label is the number of its label,
 * from 1. The lines as they are where they have none, or where behind fewer than two labels something begins that is
 * known. Of a few lines, which may stand in prose, a label counts where it is called
 * as a node is and something known stands behind it; of one node alone they stay where they are.
 */
struct dump_line *dump_sort_by_label(struct arena *arena, struct dump_line *lines, size_t nr, struct labels *ret);
