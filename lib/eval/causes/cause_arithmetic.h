/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cause_arithmetic.h - the arithmetic of causes: do the numbers of an effect fit what its cause would make of it? Pure.
 */
#pragma once

#include "eval/judge/report.h"

/* A figure this far below what the cause leaves is still explained by it; one below that has a second cause. */
#define CAUSE_EXPLAINED_SHARE 0.85
/* What copies reach of a link as a rule, where no twin shows it: 80 to 88 % of the bytes after encoding. */
#define CAUSE_USUAL_SHARE 0.8
/* Clocks this near to the twins' are the same clocks: chips of one model differ by as much. */
#define CAUSE_SAME_CLOCKS 0.97
/* Memory use from which vram-headroom speaks of no headroom at all. */
#define CAUSE_NO_ROOM 0.9

/* All that was judged; findings do not move meanwhile. */
struct judged {
	const struct snapshot *snapshot;
	struct finding **findings;
	size_t nr;
};

enum cause_fit {
	FIT_NO,			/* not its cause */
	FIT_SHORT,		/* a cause, and the figure is worse still: there is a second one */
	FIT_UNTOLD,		/* may well be: no number speaks for it or against it */
	FIT_NUMBERS,		/* its arithmetic gives what was measured, within 15 % */
};

/* What the cause leaves of the effect's figure; unit UNIT_NONE: there is no such number. */
struct cause_leaves {
	double figure;
	enum unit unit;
};

typedef enum cause_fit cause_fits_fn(const struct judged *judged, const struct finding *effect,
				     const struct finding *cause, struct cause_leaves *ret);

cause_fits_fn fits_always;	/* being of one GPU is all there is to ask */
cause_fits_fn fits_kill;	/* the same, where the effect is a kill: one for want of memory of the node */
cause_fits_fn fits_link;	/* a copy, by the lanes and the speed that are left */
cause_fits_fn fits_drifted_link;	/* copies alone drifted, by the lanes or the speed that were recorded too */
cause_fits_fn fits_drifted_copy;	/* copies alone drifted; of a transfer, by the figure that it tells of */
cause_fits_fn fits_drifted_pace;	/* no copy drifted; by the clocks beside those of the twins, where they tell */
cause_fits_fn fits_own_cpus;	/* our own copies, by what memory of the other socket gives */
cause_fits_fn fits_stall;	/* a copy, by the share of the time in which nobody waits for memory */
cause_fits_fn fits_clocks;	/* a rate, by the clocks of its test beside those of the twins */
cause_fits_fn fits_power_limit;	/* the same, or else by the power it may take */
cause_fits_fn fits_clock_limit;	/* the same, or else by the clock that is set */
cause_fits_fn fits_driver;	/* the same driver */
cause_fits_fn fits_nvidia;	/* NVIDIA's driver */
cause_fits_fn fits_maintenance;	/* a GPU of that driver's, or what tells of that driver; a build hangs nothing */
cause_fits_fn fits_mig_change;	/* of twins, a setting of MIG */
cause_fits_fn fits_held_gpu;	/* dead memory of this GPU */
cause_fits_fn fits_dead_memory;	/* the same, without which there would be room */

/* What it asks, as a clause after "if", for manuals and gpudiag explain; NULL: it asks nothing, or is none of these. */
const char *cause_fit_words(cause_fits_fn *fits);
