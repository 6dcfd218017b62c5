/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drift.h - a device's figures beside those of the baseline, each judged by
 * how much it varied when that was saved.
 *
 * A figure has drifted where it is further from the recorded one than
 * baseline.sigmas times the spread between the recorded runs, and than the
 * noise within a run, then or now, and than baseline.least_ratio of it.
 * Compared is the same test by the same method, of the same size, with host
 * memory on the same NUMA node.
 */
#pragma once

#include "eval/baseline/baseline.h"

enum drift_kind {
	DRIFT_NOT_JUDGED,		/* says why */
	DRIFT_WITHIN,			/* as it was */
	DRIFT_BETTER,
	DRIFT_WORSE,			/* beyond the noise */
	/* and below baseline.warn_ratio; of rates only: latencies have no absolute verdict */
	DRIFT_MUCH_WORSE,
};

struct drift {
	enum drift_kind kind;
	const char *why;		/* not judged: "the method is another" */
	const struct baseline_figure *then;
	const struct timing *timing;	/* NULL: not measured now */
	double now;			/* where it was measured */
	double share;			/* of what was recorded: 0.5 is half as fast */
	double tolerance;		/* how far from the recorded median is still noise */
};

struct drift_list {
	size_t nr;
	struct drift *items;		/* in the baseline's order */
};

/* All figures that the baseline has of this device. It may be compared (baseline_to_compare()). */
void drifts_of(struct drift_list *ret, struct arena *arena, const struct policy *policy,
	       const struct baseline *baseline, const struct snapshot *snapshot, const struct ocl_device *device);

/* The policy as it holds on that host for the GPU whose figure it is: what the functions below take. */
const struct policy *policy_of_figure(struct arena *arena, const struct policy *policy, const char *host,
				      const struct baseline_figure *figure);

/* How far from its median a figure is noise by the baseline alone, and whether that is too far to judge anything by. */
double baseline_tolerance(const struct policy *policy, const struct baseline_figure *figure);
bool is_too_noisy(const struct policy *policy, const struct baseline_figure *figure);

/* "3.2 %": a figure's spread or noise as a share of it. */
const char *drift_share_words(struct arena *arena, double share);
