/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.h - what a node was like when it was well: a snapshot of it, and
 * what it measured over several runs, with how much that varied.
 *
 * The spread of a figure is between runs, as a standard deviation is: of five
 * runs and more 1.4826 × the median absolute distance of their medians (what
 * that is of a normal distribution), of fewer their range over Shewhart's d2,
 * of one its noise, as nothing else is known. The noise is within a run: 1.4826
 * × the median absolute distance of its samples, the median over the runs.
 *
 * A baseline is of one machine, and its figures of one GPU each. Nothing is
 * compared with another's unless somebody asks for that.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "eval/judge/check.h"
#include "eval/judge/machines.h"

#define BASELINE_SCHEMA "gpudiag.baseline/1"

/* What a figure belongs to. A member is NULL where unknown. */
struct gpu_identity {
	const char *serial, *uuid, *address, *model;
};

struct baseline_figure {
	struct gpu_identity gpu;	/* all NULL: the device is not on the bus */
	const char *device;		/* key of its OpenCL device, "opencl:nvidia.icd:3" */
	const char *test;		/* key of the timing, "h2d-pinned", "h2d-pinned/65536" */
	const char *method;
	struct val_u64 size_bytes, numa_node;	/* absent where the test has none */
	enum unit unit;			/* UNIT_GBPS, UNIT_GFLOPS: more is better; UNIT_NS: less is */
	double median;			/* of the runs' medians */
	double spread, noise;		/* see above; in the same unit */
	uint64_t n;			/* runs that measured it */
};

struct baseline {
	struct arena arena;
	const char *path;		/* the file it was read from; NULL: it is being made */
	const char *tool, *saved_at;	/* "gpudiag 0.1.0", RFC 3339 in UTC */
	uint64_t runs;
	bool with_findings;		/* saved although the node had findings */
	size_t nr_figures;
	struct baseline_figure *figures;	/* in the order of the devices and tests of the snapshots */
	struct snapshot snapshot;	/* the last run's */
	bool another_is_meant;		/* --baseline-of-another: GPUs are compared by their place */
};

/*
 * Reads the text of a baseline file. An unknown key is an error, as is another
 * schema number; keys of its snapshot that are not known are left out and
 * counted. 0, or -EINVAL with *error filled. *ret ends with baseline_release()
 * in either case.
 */
int baseline_parse(struct baseline *ret, const char *path, const char *text, size_t len, struct merge_unknown *unknown,
		   struct json_error *error) MUST_CHECK;
void baseline_write(struct strbuf *out, const struct baseline *baseline);
void baseline_release(struct baseline *baseline);

/* Is the text that of a baseline, of whatever schema number? */
bool is_baseline(const char *text, size_t len);

/*
 * The figures of several runs of one machine, oldest first; the newest becomes
 * its snapshot, and moves into it. Figures are of the newest's tests, over the
 * runs that have them. tool and saved_at are the caller's.
 */
void baseline_of_runs(struct baseline *ret, struct snapshot *runs, size_t nr);

/*
 * Is this finding one that keeps a node from being recorded as well? A warning
 * or failure is, but for those that a baseline settles: how the machine is
 * wired.
 */
struct finding;
bool baseline_is_refused_for(const struct finding *finding);

/* Does it say what differs from the baseline? Others of the same checks do not need one. */
bool finding_is_of_baseline(const struct finding *finding);

/* Was anything judged by it? */
struct report;
bool report_compares(const struct report *report);

/* ---- whose it is */

/*
 * Is it this machine's? *ret_why is a sentence without its full stop that says why it is not, or why nobody can tell;
 * NULL where it is.
 */
enum machines baseline_match(struct arena *arena, const struct baseline *baseline, const struct snapshot *snapshot,
			     const char **ret_why);

/* The baseline, where there is one that may be compared; else NULL, with the reason as skip_check() takes it. */
const struct baseline *baseline_to_compare(const struct judgement *j, const char **ret_why);

struct gpu_identity gpu_identity_of(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu);
/* One GPU: by serial number, else UUID, else address and model. */
bool is_same_gpu(const struct gpu_identity *a, const struct gpu_identity *b);

/*
 * The baseline's GPU that this one is; by its place where another machine's is meant. NULL: it was not there.
 */
const struct gpu *baseline_gpu(struct arena *arena, const struct baseline *baseline, const struct snapshot *snapshot,
			       const struct gpu *gpu);

/* GPUs under test in its snapshot. */
size_t baseline_gpus(const struct baseline *baseline);
