/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch_trace.h - how each GPU was over a watch, in constant memory however long it is: as many stretches of time as a
 * drawing has room for, each twice as long when they are used up. Private to lib/render.
 */
#pragma once

#include "render/watch.h"

enum { TRACE_STRETCHES = 240 };

struct trace_stretch {
	double busy_sum;		/* of ticks with a known utilization, in per cent */
	size_t nr_busy, nr_ticks;	/* nr_ticks 0: the GPU was not watched then */
	enum bottleneck word;		/* at its last tick */
};

struct trace_gpu {
	size_t index;
	const struct gpu *gpu;		/* of the sealed snapshot */
	struct trace_stretch stretches[TRACE_STRETCHES];
};

struct watch_trace {
	size_t nr_stretches;		/* begun; the same for all GPUs */
	size_t ticks_each, ticks_open;	/* of a whole one; of the last one so far */
	size_t nr_gpus;
	struct trace_gpu *gpus;		/* in the order first seen */
};

/* Utilization of a stretch in per cent; below 0: not known. */
double trace_busy(const struct trace_stretch *stretch);
/* Over all stretches. */
double trace_busy_mean(const struct trace_gpu *gpu);
