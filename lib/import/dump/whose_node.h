/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whose_node.h - is what a cluster's tool tells of a node of this machine? Such tools are run anywhere; what beside
 * them tells of GPUs is of the machine that its prompt names.
 */
#pragma once

#include "import/dump/dump.h"

/* Of "gpu[001-003],gpu007": names a prompt above what tells of GPUs a machine, and none of these? */
bool nodes_are_of_others(const struct reading *reading, const char *nodes);
/* The same of a piece of a line. */
bool node_is_of_others(const struct reading *reading, const char *name, size_t len);

/* The node that a line is about: whose name stands above it, in what describes one, or in the command. */
struct line_node {
	const char *name;	/* NULL: not told */
	size_t len;
	const void *told_by;	/* the line or the part that does: two descriptions of one node have two */
};
struct line_node node_of_line(const struct reading *reading, const struct dump_part *part,
			      const struct dump_line *line);
/* The same as above of that node. */
bool line_is_of_others(const struct reading *reading, const struct dump_part *part, const struct dump_line *line);
