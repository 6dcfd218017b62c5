// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_compute.c - floating-point rates of a device, by independent chains of multiply and add. */
#include "base/compat.h"
#include "probe/bench.h"

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
};

struct compute {
	struct bench_kernel run;	/* first */
	abi_u32 iterations;
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
	factor = ns ? SAMPLE_NS / ns : GROUPS_PER_UNIT;
	own->run.items *= factor > GROUPS_PER_UNIT ? GROUPS_PER_UNIT : factor ? (size_t)factor : 1;
	return true;
}

/* Lengthens the kernel until it runs for about SAMPLE_NS: devices differ by a factor of a million. */
static bool calibrate(struct bench *bench, struct bench_test *test)
{
	struct compute *own = test->own;
	uint64_t ns, factor;

	own->iterations = 1;
	if (!size_groups(bench, test))
		return false;
	for (;;) {
		if (!ocl_arg(bench->run, &own->run.kernel, 3, own->iterations) || !time_once(bench, test, &ns))
			return false;
		factor = ns ? SAMPLE_NS / ns : 16;
		if (factor < 2 || own->iterations >= MAX_ITERATIONS)
			return true;
		own->iterations *= (abi_u32)(factor < 16 ? factor : 16);
	}
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
	unsigned widths[4], nr = 0, first;

	if (bench->device.is_cpu) {
		first = native > most ? most : native > least ? (unsigned)native : least;
		widths[nr++] = first;
		if (first < most)
			widths[nr++] = 2 * first;
		if (first > least && (bench->plan->fine || first == most))
			widths[nr++] = first / 2;
	} else {
		for (unsigned width = least; width <= most && nr < (bench->plan->fine ? 4u : 3u); width *= 2)
			widths[nr++] = width;
	}
	return bench_search(bench, test, widths, nr, open_form);
}

static bool open_fp32(struct bench *bench, struct bench_test *test)
{
	return search(bench, test, bench->run->vector_width, 1, 16);
}

static bool open_fp64(struct bench *bench, struct bench_test *test)
{
	if (!bench->device.has_fp64)
		test->lacks = "no cl_khr_fp64";
	return !test->lacks && search(bench, test, bench->device.fp64_width, 1, 8);
}

static bool open_fp16(struct bench *bench, struct bench_test *test)
{
	if (!bench->device.has_fp16)
		test->lacks = "no cl_khr_fp16";
	return !test->lacks && search(bench, test, bench->device.fp16_width, 2, 16);
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
