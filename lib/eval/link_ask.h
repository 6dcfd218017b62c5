/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link_ask.h - what the checks of links ask before they judge: which links there are to judge, and what to call them. */
#ifndef GPUDIAG_EVAL_LINK_ASK_H
#define GPUDIAG_EVAL_LINK_ASK_H

#include "eval/check.h"
#include "eval/link.h"

bool is_virtual_machine(const struct snapshot *snapshot);

/*
 * The links of the judged GPU's path. False where they cannot be judged: then
 * the check is told to be skipped or unknown, with the reason. In a virtual
 * machine only the GPU's own end is real: one link without an upper end.
 */
bool links_to_judge(struct judgement *j, struct link_path *ret);

/*
 * The smaller of what both ends of a link can do; leaves the question open
 * where an end does not say. Of a slot that a virtual machine does not show
 * NVIDIA's library tells how fast card and slot can be together.
 */
uint64_t link_width_able(struct judgement *j, const struct link *link);
uint64_t link_speed_able(struct judgement *j, const struct link *link);

/* " at 0000:5a:00.0 above it"; "" for the GPU's own link, which is where the GPU is. */
const char *link_where(struct judgement *j, const struct link *link);

/* What tells a finding about a link above from one about the GPU's own, for finding_add_of(). */
const char *link_above(const struct judgement *j, const struct link *link);

/* Was the GPU at work while the window watched it, by the policy's measure? */
bool gpu_was_busy(const struct judgement *j);

#endif
