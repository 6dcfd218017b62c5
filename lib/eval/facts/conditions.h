/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conditions.h - what a GPU was like while gpudiag's own load was on it, by
 * the samples of gpus[].load_samples. Pure.
 *
 * A figure that no sample in the time told is not known, with the reason of
 * the last that failed to tell it.
 */
#pragma once

#include "snapshot/throttle_kinds.h"
#include "snapshot/snapshot.h"

struct conditions {
	size_t nr;			/* samples in that time */
	uint64_t first_ms, last_ms;	/* of them */
	struct val_u64 link_speed_mtps;	/* highest */
	struct val_u64 link_width;	/* highest */
	struct val_u64 clock_mhz;	/* median */
	struct val_u64 memory_clock_mhz; /* median */
	struct val_u64 power_mean_mw, power_max_mw;
	struct val_f64 temperature_max_c;
	struct val_f64 busy_percent;	/* mean */
	size_t nr_throttle_told;	/* samples with known throttling: the shares are of these */
	double throttle_percent[NR_THROTTLE_KINDS];
	size_t longest_slowdown;	/* samples in a row with THROTTLE_SLOWDOWN */
};

/* Of the samples from begin_ms to end_ms, both included; CLOCK_MONOTONIC as timings have it. False: there is none. */
bool conditions_of(const struct snapshot *snapshot, const struct gpu *gpu, uint64_t begin_ms, uint64_t end_ms,
		   struct conditions *ret);

/*
 * Of the samples in which our load had the GPU at work: at 50 % use or more, as
 * the window counts them, or, where its use is not told, while a test of an
 * OpenCL device on it was measured. False: there is none.
 */
bool conditions_at_work(const struct snapshot *snapshot, const struct gpu *gpu, struct conditions *ret);

/* "power-cap (80 %), thermal (5 %)": what occurred; "none"; NULL: known in no sample. */
const char *conditions_throttle_words(struct arena *arena, const struct conditions *conditions);
