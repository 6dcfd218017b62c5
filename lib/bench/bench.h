/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - measures one OpenCL device. Private to bench*.c.
 *
 * Each topic (transfers, memory, compute, launches) adds its tests; opening a
 * test allocates what it needs, tries what has to be tried (widths, group
 * sizes) and warms up. Then all take turns, round by round (bench_method.c):
 * what disturbs the machine for a while disturbs a sample of each, not all
 * samples of one. It ends when the median of every test is known well enough,
 * or when the time is up.
 *
 * An operation is timed twice, by the host's clock around it and by the
 * driver's event stamps. Stamps are better for what is short, and they lie on
 * some drivers: they are used where they agree with the host's clock.
 *
 * No frame is sent between samples, since it would wake the parent beside them.
 */
#pragma once

#include "bench/bench_plan.h"
#include "bench/ocl_run.h"

enum { BENCH_MAX_TESTS = 256 };

struct bench;
struct bench_test;

/* What a topic makes a test of. */
struct bench_kind {
	const char *name;		/* "memory-triad": the timing's test */
	const char *method;		/* "kernel a = b + s * c": without the clock, which bench_method.c adds */
	unsigned per_round;		/* operations of a round; a test may have others */
	unsigned untimed;		/* operations before these: the tests before it leave a device busy or asleep */
	bool by_host;			/* the host's clock always: what is measured is the way there and back */
	const char *by_host_why;	/* or this; NULL: that */
	bool all_units;			/* a kernel that keeps all compute units busy */
	/*
	 * Allocates, searches and warms up; sets the test's sizes and work. False: a call failed, and run->last says
	 * which (ocl_ok()); or the device has no such thing, and test->missing_feature says what.
	 */
	bool (*open)(struct bench *bench, struct bench_test *test);
	/*
	 * One operation, to its end. ret_event: where the event of the command goes, for its stamps; the caller
	 * releases it. Left NULL where there is none.
	 */
	bool (*once)(struct bench *bench, struct bench_test *test, cl_event *ret_event);
	void (*close)(struct bench *bench, struct bench_test *test);	/* frees test->own; may be NULL */
};

struct bench_test {
	const struct bench_kind *kind;
	char key[64];			/* of the timing */
	void *own;			/* the kind's */
	/* set by open() or by who adds it; 0: it is not about that */
	uint64_t size_bytes, moved_bytes, operations;
	uint64_t vector_width, local_items, rows;
	const struct bench_node *node;	/* on whose CPUs it runs; NULL: on those near the device */
	int numa_node;			/* of CPU and host memory; -1: not known */
	unsigned per_round;
	/* how it went */
	const char *missing_feature;		/* what the device would need for it: "no cl_khr_fp16"; NULL */
	char why[OPENCL_WHY_BYTES];	/* what failed; "" */
	size_t nr, room;
	double *host_ns, *event_ns;	/* of each operation; event_ns as in bench_clock.h */
	uint64_t begin_ns, end_ns;	/* of the first and the last */
	uint64_t cpu_ns, wall_ns;	/* of all, for the process */
};

/* What of a device decides how it is measured. 0 where it does not say. */
struct bench_traits {
	bool is_cpu;
	bool has_fp64, has_fp16;
	uint64_t fp64_width, fp16_width;	/* numbers in one of its registers */
	uint64_t cache_bytes;			/* the last one before its memory, as the driver tells it */
};

struct bench {
	struct ocl_run *run;
	const struct bench_plan *plan;
	struct bench_traits device;
	size_t nr_tests;
	struct bench_test *tests[BENCH_MAX_TESTS];
	struct bench_transfer *transfer;	/* bench_transfer.c's, NULL before its first test is opened */
	struct bench_memory *memory;		/* bench_memory.c's */
	struct bench_place *place;		/* bench_place.c's */
	uint64_t launch_ns;			/* bench_compute.c: of an empty kernel, there and back; 0: not timed */
	uint64_t give_up_ns;			/* when a test that has a sample takes no more */
	uint64_t told_ns;			/* when the parent was last told that samples are taken */
};

/* Adds a test; suffix is what tells its key from others of the kind ("65536", "node1"), NULL: none. */
struct bench_test *bench_add(struct bench *bench, const struct bench_kind *kind, const char *suffix);

/* bench_method.c: opens all tests, takes the samples, tells the timings. */
void bench_measure(struct bench *bench);

/*
 * bench_place.c: where the thread runs. It begins near the device, and goes to a node's CPUs for a test's turn; NULL:
 * back. False: none of them may be used; run->last says so.
 */
void bench_place_open(struct bench *bench);
bool bench_place_go(struct bench *bench, const struct bench_node *node) MUST_CHECK;
void bench_place_close(struct bench *bench);
/* The node whose CPUs it is on; -1: not known. */
int bench_place_node(const struct bench *bench);
/* Memory touched from here on is to be that node's, whoever allocates it; NULL: as usual again. */
void bench_place_prefer_memory(const struct bench_node *node);
/* The node that memory is of; -1: not known. */
int bench_place_of_memory(const void *memory);

/* How fast an operation is: the best of a few by the better clock, for searches. 0.0: it failed. */
double bench_try_ns(struct bench *bench, struct bench_test *test, unsigned times);

/* A way to run a kernel. */
struct bench_form {
	unsigned width;			/* numbers in an item's vector */
	size_t local_items;		/* 0: as ocl_kernel_open() has it */
	/* places that a group goes through at once, a group's length apart; 0: the kernel's one way */
	unsigned rows;
};
/*
 * Opens the test in each form until the time of a search is up, and keeps the fastest by work over time. open sets
 * test->own and the test's sizes. False: none could be run.
 */
bool bench_search(struct bench *bench, struct bench_test *test, const struct bench_form *forms, size_t nr,
		  bool (*open)(struct bench *bench, struct bench_test *test, struct bench_form form));

void bench_ask_device(struct bench *bench);

/* Floats from 1 to 2: no zeros, which some links and memories compress, and none that a kernel is slow with. */
void bench_fill_random(void *memory, size_t bytes, uint64_t seed);

/*
 * What a test's own begins with where an operation is one run of a kernel, so that bench_kernel_once() and
 * bench_kernel_close() are its kind's once() and close().
 */
struct bench_kernel {
	struct ocl_kernel kernel;
	cl_mem out;			/* where the items put their results; NULL: there is no such buffer */
	size_t items;
};
bool bench_kernel_once(struct bench *bench, struct bench_test *test, cl_event *ret_event);
void bench_kernel_close(struct bench *bench, struct bench_test *test);

/* The topics: what of the plan is theirs becomes tests. */
void bench_add_transfers(struct bench *bench);
void bench_release_transfers(struct bench *bench);
void bench_add_memory(struct bench *bench);
void bench_release_memory(struct bench *bench);
void bench_add_compute(struct bench *bench);
void bench_add_latency(struct bench *bench);
