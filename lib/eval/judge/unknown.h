/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unknown.h - the three kinds of unknown, told apart in one place.
 *
 * A value may be missing because it cannot be known here (no such sensor, no
 * rights, a GPU asleep), because something failed that says nothing of the
 * GPU's health, or because what a pass stands on failed to answer. The first
 * moves no exit status but that of a required check; the second is listed; the
 * third is never a pass. The rows are those of unknown.def and vital.def.
 */
#pragma once

#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

enum unknown_kind {
	UNKNOWN_NOT,		/* it is known, or nobody looked */
	UNKNOWN_BY_NATURE,	/* cannot be known here, or not now */
	UNKNOWN_LISTED,		/* failed, and says nothing of the GPU */
	UNKNOWN_BY_FAILURE,	/* failed to answer: never a pass */
};

/* Where the value was missed. */
struct unknown_place {
	const struct snapshot *snapshot;
	const struct policy *policy;	/* as it holds for the GPU, or for the machine */
	const struct gpu *gpu;		/* NULL: it is the node's */
};

enum unknown_kind unknown_kind(const struct unknown_place *place, const struct field *field, struct val_head head);

/* Is it a code by which a driver speaks of the GPU, whichever call it came from? */
bool unknown_speaks_of_gpu(const struct field *field, struct val_head head);

/*
 * The check that a failure of that value leaves open: of a vital one its own,
 * of any other that which tells GPUs that are gone or do not work.
 */
const char *unknown_check(const struct unknown_place *place, const struct field *field, struct val_head head);
