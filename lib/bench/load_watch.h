/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_watch.h - a GPU looked at while our own load is on it: what its driver
 * tells, one sample at a time. Private to load_watch*.c.
 */
#ifndef GPUDIAG_PROBE_LOAD_WATCH_H
#define GPUDIAG_PROBE_LOAD_WATCH_H

#include "probe/probe.h"

#define LOAD_WATCH_VARIABLE "GPUDIAG_LOAD_WATCH_"

/* What the environment tells a worker, or what stands for it where a person started it. */
struct load_watch_plan {
	const char *address;		/* of the GPU */
	const char *slot;		/* lower end of its slot's link; NULL: not known */
	bool has_card_switch;		/* its own link is not that of its slot */
};

/* Whom it asks. */
struct load_source {
	void *own;
	/* Fills all of a sample but when it was. False: there is nothing more to ask, ever; why is told. */
	bool (*sample)(void *own, struct load_sample *ret, const char **why);
	/* A look was not taken as the GPU sleeps: then it is not to be touched. NULL: never. */
	bool (*sleeps)(void *own);
	void (*close)(void *own);
};

/* PROBE_OK, or why there is nobody to ask. why has LOAD_WATCH_WHY_BYTES. */
enum { LOAD_WATCH_WHY_BYTES = 256 };
enum probe_outcome load_watch_nvml(struct probe_env *env, struct sink *sink, const struct load_watch_plan *plan,
				   struct load_source *ret, char why[LOAD_WATCH_WHY_BYTES]);
enum probe_outcome load_watch_files(struct probe_env *env, struct sink *sink, const struct load_watch_plan *plan,
				    const char *driver, struct load_source *ret, char why[LOAD_WATCH_WHY_BYTES]);

#endif
