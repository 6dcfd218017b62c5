/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collective_group.h - the GPUs that an all-reduce runs on: those under test that --gpu selects, all of one vendor.
 *
 * Shared by those who run it and those who judge it.
 */
#pragma once

#include "snapshot/snapshot.h"

enum { COLLECTIVE_MAX_GPUS = 128 };

struct collective_group {
	size_t nr;
	const struct gpu *gpus[COLLECTIVE_MAX_GPUS];	/* by number */
	const char *driver;		/* "nvidia" or "amdgpu" */
	/*
	 * As NAME=value, so that a program sees these GPUs, in this order, and no other: UUIDs, as numbers depend on
	 * what else was hidden. NULL: these are all there are.
	 */
	const char *mask;
	const char *why_not;		/* why there is none to run on; NULL: there is */
};

/* Strings are the arena's or static. */
void collective_group_of(struct arena *arena, const struct snapshot *snapshot, struct collective_group *ret);

/*
 * The largest size whose buffers fit into the VRAM that the fullest of them has free, a power of two of at most 512
 * MiB; that where it is not known. 0: not even 8 MiB fit.
 */
uint64_t collective_largest_bytes(const struct collective_group *group);
