/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overlay.h - what one part tells, put below what better ones told. */
#pragma once

#include "snapshot/snapshot.h"

/*
 * Adds to *base copies of what it does not know and `part` does; a value that is known stands. Elements of lists are
 * the same where their keys are. A version, setting or number of a device that both know, and not alike, is a
 * contradiction of *base, and so is a value of which a line of the other says that there is none; figures change from
 * one moment to the next.
 */
void snapshot_overlay(struct snapshot *base, const struct snapshot *part);
/* The same without contradictions, into an arena: of all that one part tells, and of one of its GPUs. */
void snapshot_add(struct arena *arena, struct snapshot *base, const struct snapshot *part);
void gpu_overlay(struct arena *arena, struct gpu *base, const struct gpu *part);

/*
 * Counters and states of its GPUs are not told any more: those of another boot are none of this one's. What outlives a
 * boot stays: counts of its lifetime, retired pages and remapped rows, memory that cannot be repaired.
 */
void snapshot_forget_moment(struct snapshot *snapshot);
