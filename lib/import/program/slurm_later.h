/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_later.h - states of Slurm's nodes beside a reason: scontrol keeps the reason of a node that was put back, and a
 * text that tells how a node was mended shows its state once more.
 */
#pragma once

#include "import/dump/dump.h"

struct slurm_later;

/*
 * Of "Reason=…" of scontrol show node: which node it is of, as a line above or the same tells; NULL: none does.
 * *ret_is_in_use: it gets jobs, as its state beside the reason has it.
 */
const char *slurm_node_of_reason(const struct reading *reading, const struct dump_line *line, bool *ret_is_in_use);

/*
 * Do all of these nodes get jobs as scontrol or sinfo tells below a line of the reading's part, or does sinfo -R have
 * no reason for them any more? *later is NULL at first, and read once for all lines of the part. NULL as the nodes: one
 * that nobody names.
 */
bool slurm_are_in_use_later(const struct reading *reading, struct slurm_later **later, const char *nodes,
			    const struct dump_line *line);
