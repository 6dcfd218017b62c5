/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link_evidence.h - what the checks of links ask before they judge: which links there are to judge, and what to call
 * them.
 */
#pragma once

#include "eval/facts/link.h"
#include "eval/judge/check.h"

bool is_virtual_machine(const struct snapshot *snapshot);

/*
 * The links of the judged GPU's path. False where they cannot be judged: then
 * the check is told to be skipped or unknown, with the reason. In a virtual
 * machine only the GPU's own end is real: one link without an upper end.
 */
bool link_evidence(struct judgement *j, struct link_path *ret);

/*
 * The smaller of what both ends of a link can do; leaves the question open
 * where an end does not say. Of a slot that a virtual machine does not show
 * NVIDIA's library reports the highest speed of card and slot together.
 */
uint64_t link_width_able(struct judgement *j, const struct link *link);
uint64_t link_speed_able(struct judgement *j, const struct link *link);

/* " at 0000:5a:00.0 above it"; "" for the GPU's own link, which is where the GPU is. */
const char *link_where(struct judgement *j, const struct link *link);

/* What tells a finding about a link above from one about the GPU's own, for finding_add_of(). */
const char *link_above(const struct judgement *j, const struct link *link);

/*
 * The best that the slot's link of a GPU was seen to run at while it worked:
 * under our own load, where that was watched long enough, or over the window.
 * 0: not seen. how: which of the two it was, in words; set where it is not 0.
 */
struct link_at_work { uint64_t speed_mtps, width; const char *speed_how, *width_how; bool by_load; };
void link_at_work(const struct judgement *j, const struct gpu *gpu, struct link_at_work *ret);
/* The best of its twins under their loads; what they reached over the window is eval/facts/twin_stats.h's. */
void twins_link_under_load(const struct judgement *j, struct link_at_work *ret);

/*
 * The slowest speed, and the fewest lanes, at which the slot's link could carry what stage 8 copied over it, where that
 * is more than the ones given: between two samples it may have been another than it was in them. 0: no more was copied.
 */
uint64_t link_speed_by_copies(struct judgement *j, uint64_t speed, uint64_t speed_able, uint64_t width);
uint64_t link_width_by_copies(struct judgement *j, uint64_t width, uint64_t width_able, uint64_t speed);

/* Was the GPU at work, under our own load or by the policy's measure while the window watched it? */
bool gpu_was_busy(const struct judgement *j);
/*
 * Was it at work when a dump was taken, by the dump's own words? One reading, so both its state and its use must say
 * so: in P0 to P2 a GPU holds its link at full speed. One part of the dump tells them and the link, at one moment.
 */
bool gpu_was_busy_in_dump(const struct judgement *j);
/* The samples of it, as evidence. */
void want_link_at_work(struct judgement *j);
