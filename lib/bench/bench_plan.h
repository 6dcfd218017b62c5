/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_plan.h - what a device is to be measured for, and for how long: made
 * of the request by the parent, handed to the worker in its environment.
 */
#pragma once

#include "probe/probe.h"

/* A list of CPUs that are numbered in turns over the sockets, 0,2,4,…, is long. */
enum { BENCH_MAX_SIZES = 32, BENCH_MAX_NODES = 64, BENCH_CPUS_BYTES = 1024 };
/* The longest that --seconds may ask for. */
enum { BENCH_MAX_MEASURE_MS = 3600 * 1000 };

struct bench_plan {
	bool transfer, memory, compute, latency;	/* what to measure */
	bool answer;				/* run what has a known answer */
	bool deep;				/* for seconds, and billions of words */
	bool all_precisions;			/* fp64 and fp16 too */
	bool both_ways;				/* transfers in both directions at once */
	/* buffers and repetitions for figures within 3 %; else within 5 % in a second */
	bool fine;
	unsigned measure_ms;			/* for all samples together, warm-up not counted */
	unsigned whole_ms;			/* or what is left of this since the worker's begin, if that is more */
	double target;				/* half the median's 95 % confidence interval, as a share of it */
	size_t nr_sizes;
	uint64_t sizes_bytes[BENCH_MAX_SIZES];	/* of transfers beside the usual size */
	unsigned memory_share_percent;		/* of free memory to test; 0: none */
	unsigned sustain_ms;			/* of sustained load; 0: none */
	unsigned answer_ms;			/* the longest that a kernel with a known answer runs; 0: a moment */
	uint64_t free_bytes;			/* of the device's memory, where somebody told; 0: not known */
	uint64_t host_free_bytes;		/* of the host's memory, what this run could have; 0: not known */
	char cpus[BENCH_CPUS_BYTES];		/* CPUs near the device, as a list: to run on; "": any */
	int numa_node;				/* theirs; -1: none was chosen */
	size_t nr_nodes;			/* NUMA nodes to measure transfers from, each with its CPUs; 0: none */
	struct bench_node { unsigned node; char cpus[BENCH_CPUS_BYTES]; } nodes[BENCH_MAX_NODES];
};

/* What the request asks for this device. */
void bench_plan_of(const struct snapshot *snapshot, const struct ocl_device *device, struct bench_plan *ret);

/*
 * bench_plan_host.c: of it, what the host gives: its free memory and the device's, the CPUs near the device where the
 * machine has more than one NUMA node with CPUs, and these nodes where each is to be measured from.
 */
void bench_plan_host(const struct snapshot *snapshot, const struct ocl_device *device, struct bench_plan *plan);

/* As variables of a worker's environment, and back. A plan that cannot be read is the quick one. */
void bench_plan_to_environment(const struct bench_plan *plan, struct arena *arena, struct strs *ret);
void bench_plan_from_environment(struct bench_plan *ret);

/* What it may take beside the warm-up, for the worker's deadline. */
unsigned bench_plan_ms(const struct bench_plan *plan);
