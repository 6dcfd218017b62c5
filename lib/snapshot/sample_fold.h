/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_fold.h - samples of a GPU, whoever took them, and the figures they give: over the window and under our own
 * load alike. Pure: no file, no clock.
 *
 * A figure that was not asked for in a sample is VAL_UNSET in it and is not counted. One that was asked for and
 * failed keeps its reason, which is reported if no sample had the figure.
 */
#pragma once

#include "snapshot/snapshot.h"
#include "snapshot/throttle_kinds.h"

/* Use from which a GPU counts as at work in a sample: gpudiag's choice (record throttle says it). */
#define AT_WORK_PERCENT 50.0
#define NOT_AT_WORK "not busy in the window"

/* ---- one sample */

/* What held the clocks back. */
struct throttle_sample {
	/* how much it counts: 1, or as much as the driver's counter counted since the last */
	double weight;
	double share[NR_THROTTLE_KINDS];	/* 0 to 1, of what it counts */
	bool brakes, is_too_hot;	/* by signals of the hardware, that stand on idle GPUs for faults only */
	char reasons[256];		/* in the driver's names, "pl1, thermal"; "" none */
};

struct gpu_sample {
	struct val_f64 busy_percent, memory_busy_percent, temperature_c;
	struct val_u64 clock_mhz, memory_clock_mhz, power_mw, link_speed_mtps, link_width;
	struct val_u64 sent_bytes_per_s, received_bytes_per_s;	/* over the GPU's link */
	struct val_head no_throttle;	/* why throttling is unknown; VAL_UNSET: it is known, or was not asked for */
	struct throttle_sample throttle;	/* weight 0: unknown */
};

/* Its use is known, and is enough. */
bool sample_is_at_work(const struct gpu_sample *sample);

/* As the record of our own load keeps it, but for its time and key; and back. Shares below a half are not kept. */
void sample_write(const struct gpu_sample *sample, struct arena *arena, struct load_sample *ret);
/* As a tick has it, but for the use. Any share is kept. */
void sample_write_tick(const struct gpu_sample *sample, struct arena *arena, struct tick_gpu *ret);
void sample_read(const struct load_sample *record, struct gpu_sample *ret);

/* ---- many */

/* The known ones of a figure, and why the last that was not known was not. */
struct column { size_t nr; double sum, max; struct val_head missing; };

struct throttle_fold {
	size_t told, at_work;		/* samples with known throttling; those of them at work */
	size_t braked, too_hot;		/* of all told */
	double weight, sum[NR_THROTTLE_KINDS];	/* at work */
	size_t slowdown_run, longest_slowdown;	/* samples in a row, at work */
	struct strbuf reasons;
	struct val_head missing;
};

struct gpu_fold {
	size_t nr, at_work;
	struct column busy, memory_busy, temperature, memory_clock, power, sent, received;
	struct column clock, speed, width;	/* of samples at work */
	uint32_t use[101];			/* samples of each whole per cent of utilization */
	struct throttle_fold throttle;
};
#define GPU_FOLD_INIT { .throttle = { .reasons = STRBUF_INIT } }

/* at_work: the GPU was busy in that sample, by its utilization or because a test was running on it. */
void fold_add(struct gpu_fold *fold, const struct gpu_sample *sample, bool at_work);
void fold_release(struct gpu_fold *fold);

/* The mean, or the highest; without any value the reason, or `otherwise` if no sample asked for it. */
struct val_f64 column_mean(const struct column *column, struct val_head otherwise);
struct val_f64 column_highest(const struct column *column, struct val_head otherwise);
/* The utilization that this share of its samples does not exceed; unknown as its mean is. */
struct val_f64 fold_use_percentile(const struct gpu_fold *fold, double percent);
/* To the nearest whole number. */
struct val_u64 val_whole(struct val_f64 value);

/*
 * What the window saw of a GPU: its use, clock, power, heat and link. Where it was not seen at work, what counts at
 * work alone has the reason of its use, or that it was not busy.
 */
void fold_fill_use(const struct gpu_fold *fold, struct gpu_use *ret);

/* Per cent of the samples at work; there must be one. */
double throttle_share_of(const struct throttle_fold *fold, enum throttle_kind kind);
/*
 * What held its clocks back, in shares. at_work: in how many samples it worked; where that is not known, neither are
 * the shares. kinds: those that its driver reports, 1 << kind each; the others are unsupported, for the reason untold.
 */
void throttle_fill(const struct throttle_fold *fold, struct val_u64 at_work, unsigned kinds, const char *untold,
		   struct arena *arena, struct throttle *ret);
