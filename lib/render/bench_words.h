/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_words.h - words and lists that the renderers of a bench share. Private to bench_*.c. */
#pragma once

#include "render/bench.h"

/* "GPU 3: NVIDIA H100 80GB (0000:5d:00.0)", "opencl:pocl.icd:0: cpu-…" */
const char *bench_device_words(struct arena *arena, const struct bench_device *device);
/* "GPU 3" as briefly as can be told from the others. */
const char *bench_device_name(const struct bench_device *device);
/* "link 32 GT/s x16, 1980 MHz, …"; NULL: nothing is known. */
const char *bench_condition_words(struct arena *arena, const struct conditions *conditions);
/* "events", "host clock" */
const char *bench_clock_words(const struct report_timing *timing);
/* A figure with its unit: "26.1 GB/s". Lives in arena. */
const char *bench_figure(struct arena *arena, enum unit unit, double value);
/* A figure as a cell of a table: "" where it is not known. */
const char *bench_cell_u64(struct arena *arena, enum unit unit, struct val_u64 value);
const char *bench_cell_f64(struct arena *arena, enum unit unit, struct val_f64 value);
/* What was not measured, and why: one line each. */
void bench_gaps(struct arena *arena, const struct bench_device *device, struct strs *ret);

/* The same test at several sizes, which a curve can show: those of one node, or of none. */
struct bench_series {
	const struct bench_device *device;
	const char *name;			/* "h2d-pinned", "h2d-pinned/node1" */
	const struct report_timing *points;	/* by size */
	size_t nr;
};
struct bench_series_list {
	size_t nr;
	struct bench_series *items;
};
/* All timings of all devices as series, many of one point: device after device, in the order of the timings. */
void bench_series_of(struct arena *arena, const struct bench_report *bench, struct bench_series_list *ret);
