/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overlay.h - what one part tells, put below what better ones told. */
#pragma once

#include "snapshot/snapshot.h"

/*
 * Adds to *base what it does not know and `part` does; a value that is known stands. Both are of one arena. Elements of
 * lists are the same where their keys are. A version or setting that both know, and not alike, is a contradiction of
 * *base; figures change from one moment to the next.
 */
void snapshot_overlay(struct snapshot *base, const struct snapshot *part);
/* The same of one GPU of one part, without contradictions. */
void gpu_overlay(struct arena *arena, struct gpu *base, const struct gpu *part);
