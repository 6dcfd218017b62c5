/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_words.h - words and lists that the renderers of a bench share. Private to bench_*.c. */
#pragma once

#include "base/json_writer.h"
#include "render/bench.h"
#include "render/term_writer.h"

/* "GPU 3: NVIDIA H100 80GB (0000:5d:00.0)", "opencl:pocl.icd:0: cpu-…" */
const char *bench_device_words(struct arena *arena, const struct bench_device *device);
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

/* A line of a table's remarks, "label: text", and what of it does not fit indented further. */
enum { BENCH_INDENT = 2, BENCH_HANG = 4 };
void bench_put_line(struct term_writer *term, enum style style, const char *label, const char *text);

/*
 * bench_collective.c: what it ran on, a row for each size, and what its figure is worth. Nothing where it was not asked
 * for.
 */
void bench_collective_put(struct term_writer *term, struct arena *arena, const struct bench_report *bench);
/* "collective": the records as a snapshot has them; "collective_reason"; "findings". */
void bench_collective_json(struct json_writer *w, const struct bench_report *bench);
/* The test that was asked for, or NULL; "All-reduce over GPUs 0-7"; a row of its table, cells on the arena. */
enum { BENCH_COLLECTIVE_COLUMNS = 9 };
const struct collective_test *bench_collective_test(const struct bench_report *bench);
const char *bench_collective_words(struct arena *arena, const struct bench_report *bench);
const char *bench_collective_head(size_t column);
void bench_collective_cells(struct arena *arena, const struct collective_size *size,
			    const char *cells[BENCH_COLLECTIVE_COLUMNS]);

/* bench_storage.c: a table for each path. */
void bench_storage_put(struct term_writer *term, struct arena *arena, const struct snapshot *snapshot);
/* "storage": the records as a snapshot has them. */
void bench_storage_json(struct json_writer *w, const struct snapshot *snapshot);
/* The rows of a path's table, cells on the arena; and what a test lacks: "small files: no file found below it". */
enum { BENCH_STORAGE_COLUMNS = 6, BENCH_STORAGE_ROWS = 4 };
struct bench_storage_rows {
	struct arena *arena;
	size_t nr;
	const char *cells[BENCH_STORAGE_ROWS][BENCH_STORAGE_COLUMNS];
};
const char *bench_storage_head(size_t column);
void bench_storage_rows_of(struct arena *arena, const struct storage_path *path, struct bench_storage_rows *ret);
void bench_storage_gaps(struct arena *arena, const struct storage_path *path, struct strs *ret);
