/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_back.h - nodes in slurmctld's log: which an error is about, and which came back later. */
#pragma once

#include "import/dump/dump.h"

enum { MOST_NODES_BACK = 512 };

struct slurm_back {
	struct {
		const char *name;
		const struct dump_line *line;	/* the last that tells it */
		bool is_returned;		/* to service, and does not only answer */
	} v[MOST_NODES_BACK];
	size_t nr;
};

/* "gpu[07-08]" of "error: Nodes gpu[07-08] not responding", of which that stands at the error; NULL: none is named. */
const char *slurm_nodes_of(struct arena *arena, const char *text, const char *error, const char *words);

/* What a part tells of nodes that came back. */
void slurm_back_read(struct arena *arena, const struct dump_part *part, struct slurm_back *ret);

/*
 * Is an error with that key of all of these nodes over, by what stands below a line? NULL as the nodes: any one that
 * came back may be it. NULL as the line: by all of it.
 */
bool slurm_are_back(const struct slurm_back *back, const char *key, const char *nodes, const struct dump_line *line);
