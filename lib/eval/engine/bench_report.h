/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_report.h - what a bench comes to: the figures of each device that was
 * to be measured, or why it has none. Nothing is judged but the figure of
 * all_reduce_perf, which needs the node's topology to say anything. Pure.
 */
#pragma once

#include "eval/facts/conditions.h"
#include "eval/judge/report.h"

/* A device that was to be measured; or a GPU no OpenCL driver shows, which then has no device. */
struct bench_device {
	struct subject subject;
	const char *name;		/* its model */
	const char *driver;		/* "NVIDIA CUDA, 550.54.14"; NULL: no device */
	const struct report_timing *timings;	/* by test, then node, then size */
	size_t nr_timings;
	const char *skipped;		/* why nothing was measured; NULL: something was */
	struct strs failed;		/* "fp16: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES" */
	struct strs lacking;		/* what it cannot: "fp64: no cl_khr_fp64" */
	bool has_conditions;
	struct conditions conditions;	/* over all timings */
};

struct bench_report {
	struct report report;		/* of no check but that of all_reduce_perf, where that was run */
	size_t nr_devices;
	struct bench_device *devices;
	/* why all_reduce_perf has no figure, where it was asked for; NULL: it has one */
	const char *collective_reason;
	bool is_complete;		/* every device and path measured, and nothing failed */
};

/* Is storage all that is to be measured? Then devices are not looked for. */
bool bench_is_of_storage(const struct request *request);
/* Is an OpenCL device to be measured, beside storage and all_reduce_perf? */
bool bench_has_devices(const struct request *request);
bool bench_has_collective(const struct request *request);

/*
 * Of a sealed snapshot, which must outlive it. playbook: checks of what is measured; may be empty.
 * bench_report_release() frees what it made.
 */
void bench_report_of(struct bench_report *ret, struct snapshot *snapshot, const struct playbook *playbook,
		     const struct judge_inputs *basis);
void bench_report_release(struct bench_report *bench);
