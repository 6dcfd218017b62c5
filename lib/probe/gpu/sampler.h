/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.h - one GPU, sampled again and again while our own load is on it: by NVIDIA's library or by the files of its
 * driver.
 */
#pragma once

#include "probe/probe.h"
#include "snapshot/sample_fold.h"

/* What is to be known of the GPU before. */
struct sampler_plan {
	const char *address;
	const char *driver;
	const char *slot;		/* lower end of its slot's link; NULL: not known */
	bool has_card_switch;		/* its own link is not that of its slot */
};

struct sampler {
	void *own;
	/* False: the GPU is gone and is not read again; why has the reason. Texts live as long as the sink's facts. */
	bool (*read)(void *own, struct gpu_sample *ret, const char **why);
	/* It is not to be touched, as it sleeps. NULL: never. */
	bool (*is_asleep)(void *own);
	void (*close)(void *own);	/* also of one that did not open */
};

/* PROBE_OK, or why there is no source. What is pointed at must outlive it. */
enum { SAMPLER_WHY_BYTES = 256 };
enum probe_outcome sampler_open(struct sampler *ret, struct probe_env *env, struct sink *sink,
				const struct sampler_plan *plan, char why[SAMPLER_WHY_BYTES]);
