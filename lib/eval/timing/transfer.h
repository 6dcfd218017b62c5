/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transfer.h - a copy's rate against what the link to the device gives: what
 * the checks of both directions share.
 *
 * What a transfer is held against, best first:
 *	- the link as trained: lanes and speed that were seen while it was
 *	  measured; where nobody looked, the lanes there are and the speed that
 *	  both ends can do, since an idle link is slow by design;
 *	- the GPU's twins: only where they do better is a slow one its own fault;
 *	- the baseline, where the figure is below it beyond its noise;
 *	- the link as it could be, which tells a transfer that is slow because
 *	  its link is.
 */
#pragma once

#include "eval/judge/check.h"

/* A direction: its timings, and what its figures are called as evidence. */
struct transfer_way {
	const char *pinned, *pageable;		/* tests: "h2d-pinned" */
	const char *figure;			/* "h2d": the median */
	const char *figure_best;		/* "h2d_p95" */
	const char *figure_pageable;		/* "h2d_pageable" */
	const char *figure_twins;		/* "twin_h2d" */
	const char *figure_recorded;		/* "recorded_h2d" */
	const char *figure_share;		/* "h2d_of_able_link" */
	const char *near, *far;			/* "h2d_near", "h2d_far": memory of a NUMA node near the GPU, or far */
};
extern const struct transfer_way transfer_to_device, transfer_to_host;

enum transfer_verdict {
	TRANSFER_NOT_JUDGED,		/* a value is missing, or the check is skipped: said already */
	TRANSFER_GOOD,
	/* good for the link as trained, below transfer.warn_ratio of what it could give */
	TRANSFER_NARROW_LINK,
	TRANSFER_BELOW_CAPABLE,		/* the link runs below what both its ends can, and its twins do better */
	/* below transfer.note_ratio of the link */
	TRANSFER_PAGEABLE,		/* from pageable memory, which tells nothing about the link */
	TRANSFER_LOW,			/* or further below, with the best copies above it */
	/* below transfer.warn_ratio */
	TRANSFER_EXCUSED,		/* slow with nothing broken: evidence "excuse" */
	TRANSFER_BELOW_TWINS,
	TRANSFER_BELOW_RECORDED,	/* below the baseline, beyond its noise */
	TRANSFER_NO_PINNED_PATH,	/* pinned memory is no faster than pageable */
	TRANSFER_WEAK_LINK,		/* the link runs below what both its ends can */
	TRANSFER_SLOW,			/* none of these */
	NR_TRANSFER_VERDICTS
};

struct transfer_question {
	const struct transfer_way *way;
	enum finding_id says[NR_TRANSFER_VERDICTS]; /* NO_FINDING where there is nothing to say */
	enum finding_id numa_spread;	/* memory of a far NUMA node is below transfer.numa_ratio of a near one's */
};

/* Judges the device's best timing of that direction; then, as a question of its own, the NUMA nodes'. */
void judge_transfer(struct judgement *j, const struct transfer_question *asked);
