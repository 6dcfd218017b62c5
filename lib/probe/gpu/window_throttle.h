/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window_throttle.h - what holds a GPU's clocks back over the window, and
 * what it draws and how warm it gets meanwhile, by files of amdgpu, i915 and
 * xe.
 *
 * Looking (window_throttle_files.c) and what is made of it (window_throttle.c,
 * pure) are apart.
 */
#ifndef GPUDIAG_PROBE_WINDOW_THROTTLE_H
#define GPUDIAG_PROBE_WINDOW_THROTTLE_H

#include "format/amdgpu_metrics.h"
#include "format/throttle_reasons.h"
#include "snapshot/snapshot.h"
#include "sys/cached_fd.h"

/* ---- pure */

/* What one look told. */
struct throttle_look {
	double weight;			/* how much it counts: 1, or as much as the driver's counter counted since the last */
	double share[NR_THROTTLE_KINDS];	/* 0 to 1, of what it counts */
	bool brakes, is_too_hot;	/* by signals of the hardware, that stand on idle GPUs for faults only */
	char reasons[256];		/* in the driver's names, "pl1, thermal"; "" none */
};

/* A mean and a maximum under way. */
struct tally { size_t nr; double sum, max; };
void tally_add(struct tally *tally, double value);

struct throttle_tally {
	size_t samples, loaded, braked, too_hot;
	double weight, sum[NR_THROTTLE_KINDS];	/* of loaded ones */
	struct strbuf reasons;
	struct val_head missing;	/* why the last look told nothing; VAL_UNSET: each told */
};
#define THROTTLE_TALLY_INIT { .reasons = STRBUF_INIT }

/*
 * What a table tells, since the one before it where it counts residencies
 * (from version 1.6): before may be NULL. False, with the reason in
 * *ret_missing, where it tells nothing of the kind. hotspot_max_c: where the
 * card slows itself by its hotspot.
 */
bool throttle_of_amdgpu(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now,
			struct val_f64 hotspot_max_c, struct throttle_look *ret, struct val_head *ret_missing);
/* A list in names of i915 or xe. */
void throttle_of_intel(const char *reasons, struct throttle_look *ret);

/* works: the GPU was at 50 % use or more. */
void throttle_tally_add(struct throttle_tally *tally, const struct throttle_look *look, bool works);
/* loaded: how many samples the GPU worked in; where that is not known, neither are the shares. */
void throttle_fill(const struct throttle_tally *tally, struct val_u64 loaded, struct arena *arena,
		   struct throttle *ret);
/* Shares of the whole window, by the counters of two tables; left alone where they have none. */
void throttle_fill_counters(const struct amdgpu_metrics *start, const struct amdgpu_metrics *end, struct throttle *ret);
/* Nothing of it is known. */
void throttle_fill_none(enum val_state state, const char *why, struct throttle *ret);

/* Milliwatts from microjoules; what no card can take is an error. */
struct val_u64 power_of_energy(struct val_u64 start_uj, struct val_u64 end_uj, uint64_t elapsed_ns);

/* ---- looking */

struct throttle_watch;

/* NULL for a driver whose files tell nothing of it. address and driver must outlive it. */
struct throttle_watch *throttle_watch_open(struct arena *arena, const struct root *root, const char *address,
					   const char *driver);
/* Only of a GPU that is awake. */
void throttle_watch_look(struct throttle_watch *watch, bool works);

/* What the last look read. */
struct throttle_now {
	struct val_u64 clock_mhz, memory_clock_mhz, power_mw;
	struct val_f64 temperature_c;
	struct throttle_look look;
	struct val_head missing;	/* why there is no look; VAL_UNSET: there is */
};
const struct throttle_now *throttle_watch_now(const struct throttle_watch *watch);

/*
 * What it saw, of the GPU whose use is filled in already. unseen: why it was
 * not sampled, where it was not.
 */
void throttle_watch_end(struct throttle_watch *watch, struct val_head unseen, struct arena *arena, struct gpu *ret);
void throttle_watch_close(struct throttle_watch *watch);

#endif
