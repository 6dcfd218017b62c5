// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_compute.c - floating-point rates of a device, by independent chains of multiply and add. */
#include "base/compat.h"
#include "bench/bench.h"

#include "base/alloc.h"
#include "sys/clock.h"

enum {
	/*
	 * Groups of a compute unit: so many that the last ones, which do not
	 * fill the unit, weigh little. Fewer where even one step of so many
	 * takes long (a simulator).
	 */
	GROUPS_PER_UNIT = 64,
	MAX_ITERATIONS = 1 << 24,
	SAMPLE_NS = 10000000,		/* far above a launch, far below any watchdog */
	MOST_NS = 100000000,		/* of a launch */
	/*
	 * A kernel's time over that of one that does nothing: what is wanted, and below which it is no figure of work.
	 */
	WANTED_LAUNCHES = 8, LEAST_LAUNCHES = 2,
	MOST_GROWTH = 16,		/* of a step: what was timed may have been the launch alone */
};

static const char launch_bound[] = "launch-bound: a launch takes about as long as the most work that fits into one";

struct compute {
	struct bench_kernel run;	/* first */
	abi_u32 iterations;
	uint64_t launch_ns;		/* of a launch with little or no work: no more than it takes */
};

/* By the host's clock: whether the device's stamps are right is not known yet. */
static bool time_once(struct bench *bench, struct bench_test *test, uint64_t *ret_ns)
{
	uint64_t begin_ns = clock_now_ns();

	if (!bench_kernel_once(bench, test, NULL))
		return false;
	*ret_ns = clock_now_ns() - begin_ns;
	return true;
}

/* As many groups as a sample has time for, beginning with one for each unit. */
static bool size_groups(struct bench *bench, struct bench_test *test)
{
	struct compute *own = test->own;
	uint64_t ns, factor;

	/* The first run of a kernel may include compiling it. */
	if (!ocl_arg(bench->run, &own->run.kernel, 3, own->iterations) || !bench_kernel_once(bench, test, NULL) ||
	    !time_once(bench, test, &ns))
		return false;
	own->launch_ns = ns < bench->launch_ns ? ns : bench->launch_ns;
	factor = ns ? SAMPLE_NS / ns : GROUPS_PER_UNIT;
	own->run.items *= factor > GROUPS_PER_UNIT ? GROUPS_PER_UNIT : factor ? (size_t)factor : 1;
	return true;
}

/* How long a kernel that does nothing takes there and back: the shorter of two, after one that may compile it. */
static bool time_launch(struct bench *bench)
{
	struct ocl_kernel kernel;
	bool did = ocl_kernel_open(bench->run, &kernel, "launch_empty");
	uint64_t ns = 0;

	for (int i = 0; i < 3 && did && ns < MOST_NS; i++) {
		uint64_t begin_ns = clock_now_ns();

		did = ocl_kernel_run(bench->run, &kernel, 1, NULL);
		ns = clock_now_ns() - begin_ns;
		if (i < 2 || ns < bench->launch_ns)
			bench->launch_ns = ns;
	}
	ocl_kernel_close(&kernel);
	return did;
}

/* By how much longer the kernel may be made; below 2 it is long enough, or as long as a launch may be. */
static uint64_t growth(const struct compute *own, uint64_t ns)
{
	uint64_t wanted = own->launch_ns * WANTED_LAUNCHES, most = ns ? MOST_NS / ns : MOST_GROWTH;
	uint64_t factor = ns ? SAMPLE_NS / ns : MOST_GROWTH;

	/* As if all of it were work: so no launch is longer than it may be. */
	if (factor < 2 && ns < wanted)
		factor = most;
	return factor < MOST_GROWTH ? factor : MOST_GROWTH;
}

/*
 * Lengthens the kernel until it runs for about SAMPLE_NS, and for several times as long as a launch takes: devices
 * differ by a factor of a million, and some drivers need milliseconds for a launch.
 */
static bool calibrate(struct bench *bench, struct bench_test *test)
{
	struct compute *own = test->own;
	uint64_t ns, again_ns, factor;

	own->iterations = 1;
	if ((!bench->launch_ns && !time_launch(bench)) || !size_groups(bench, test))
		return false;
	for (;;) {
		if (!ocl_arg(bench->run, &own->run.kernel, 3, own->iterations) || !time_once(bench, test, &ns))
			return false;
		/* Some drivers compile a kernel again for another number of items, in the launch. */
		if (own->iterations == 1 && growth(own, ns) < 2) {
			if (!time_once(bench, test, &again_ns))
				return false;
			ns = again_ns < ns ? again_ns : ns;
		}
		factor = growth(own, ns);
		if (factor < 2 || own->iterations >= MAX_ITERATIONS)
			break;
		own->iterations *= (abi_u32)factor;
	}
	if (ns < LEAST_LAUNCHES * own->launch_ns)
		test->missing_feature = launch_bound;
	return !test->missing_feature;
}

static bool open_form(struct bench *bench, struct bench_test *test, struct bench_form form)
{
	const size_t units = bench->run->compute_units ? (size_t)bench->run->compute_units : 1;
	const abi_f32 scale = 0.999f, offset = 0.001f;
	struct compute *own = xcalloc(1, sizeof(*own));
	char name[32];

	test->own = own;
	snprintf(name, sizeof(name), "%s_w%u", test->kind->name, form.width);
	if (!ocl_kernel_open(bench->run, &own->run.kernel, name))
		return false;
	if (form.local_items)
		own->run.kernel.local_items = form.local_items;
	own->run.items = units * own->run.kernel.local_items;
	own->run.out = ocl_buffer(bench->run, own->run.items * GROUPS_PER_UNIT * sizeof(float));
	if (!own->run.out || !ocl_arg(bench->run, &own->run.kernel, 0, own->run.out) ||
	    !ocl_arg(bench->run, &own->run.kernel, 1, scale) || !ocl_arg(bench->run, &own->run.kernel, 2, offset) ||
	    !calibrate(bench, test))
		return false;
	test->vector_width = form.width;
	test->local_items = own->run.kernel.local_items;
	test->operations = (uint64_t)own->run.items * own->iterations * form.width * ABI_CHAINS * ABI_CHAIN_OPERATIONS;
	return true;
}

/*
 * On a CPU: its registers' width first, then twice as much or half; on a GPU
 * one number, then pairs, which some issue or pack together. least and most:
 * the kernels there are.
 */
static bool search(struct bench *bench, struct bench_test *test, uint64_t native, unsigned least, unsigned most)
{
	struct bench_form forms[4];
	unsigned nr = 0, first;

	if (bench->device.is_cpu) {
		first = native > most ? most : native > least ? (unsigned)native : least;
		forms[nr++] = (struct bench_form){ .width = first };
		if (first < most)
			forms[nr++] = (struct bench_form){ .width = 2 * first };
		if (first > least && (bench->plan->fine || first == most))
			forms[nr++] = (struct bench_form){ .width = first / 2 };
	} else {
		for (unsigned width = least; width <= most && nr < (bench->plan->fine ? 4u : 3u); width *= 2)
			forms[nr++] = (struct bench_form){ .width = width };
	}
	return bench_search(bench, test, forms, nr, open_form);
}

static bool open_fp32(struct bench *bench, struct bench_test *test)
{
	return search(bench, test, bench->run->vector_width, 1, 16);
}

static bool open_fp64(struct bench *bench, struct bench_test *test)
{
	if (!bench->device.has_fp64)
		test->missing_feature = "no cl_khr_fp64";
	return !test->missing_feature && search(bench, test, bench->device.fp64_width, 1, 8);
}

static bool open_fp16(struct bench *bench, struct bench_test *test)
{
	if (!bench->device.has_fp16)
		test->missing_feature = "no cl_khr_fp16";
	return !test->missing_feature && search(bench, test, bench->device.fp16_width, 2, 16);
}

/* The names are those of the kernels in kernels/chains.cl. */
static const struct bench_kind fp32 = {
	.name = "fp32", .method = "kernel of independent fma chains", .per_round = 1, .all_units = true,
	.open = open_fp32, .once = bench_kernel_once, .close = bench_kernel_close,
};
static const struct bench_kind fp64 = {
	.name = "fp64", .method = "kernel of independent fma chains", .per_round = 1, .all_units = true,
	.open = open_fp64, .once = bench_kernel_once, .close = bench_kernel_close,
};
static const struct bench_kind fp16 = {
	.name = "fp16", .method = "kernel of independent fma chains", .per_round = 1, .all_units = true,
	.open = open_fp16, .once = bench_kernel_once, .close = bench_kernel_close,
};

void bench_add_compute(struct bench *bench)
{
	if (!bench->plan->compute)
		return;
	bench_add(bench, &fp32, NULL);
	if (bench->plan->all_precisions) {
		bench_add(bench, &fp64, NULL);
		bench_add(bench, &fp16, NULL);
	}
}
