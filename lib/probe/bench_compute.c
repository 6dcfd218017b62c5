// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_compute.c - floating-point rate of a device, by independent chains of multiply and add. */
#include "base/compat.h"
#include "probe/bench.h"

#include "base/alloc.h"
#include "sys/clock.h"

enum {
	/*
	 * Groups of a compute unit: so many that the last ones, which do not
	 * fill the unit, weigh little.
	 */
	GROUPS_PER_UNIT = 64,
	MAX_ITERATIONS = 1 << 24,
};
#define SAMPLE_NS 10000000u		/* far above a launch, far below any watchdog */

struct compute {
	struct ocl_kernel kernel;
	cl_mem out;
	size_t items;
	abi_u32 iterations;
};

static bool once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	struct compute *own = test->own;

	return ocl_kernel_run(bench->run, &own->kernel, own->items, ret_event);
}

/* Lengthens the kernel until it runs for about SAMPLE_NS: devices differ by a factor of a million. */
static bool calibrate(struct bench *bench, struct bench_test *test)
{
	struct compute *own = test->own;

	for (own->iterations = 1;;) {
		uint64_t begin_ns, ns, factor;

		if (!ocl_arg(bench->run, &own->kernel, 3, own->iterations))
			return false;
		/* The first run of a kernel may include compiling it. */
		if (own->iterations == 1 && !once(bench, test, NULL))
			return false;
		begin_ns = clock_now_ns();
		if (!once(bench, test, NULL))
			return false;
		ns = clock_now_ns() - begin_ns;
		factor = ns ? SAMPLE_NS / ns : 16;
		if (factor < 2 || own->iterations >= MAX_ITERATIONS)
			return true;
		own->iterations *= (abi_u32)(factor < 16 ? factor : 16);
	}
}

static bool open_fp32(struct bench *bench, struct bench_test *test)
{
	const uint64_t native = bench->run->vector_width, units = bench->run->compute_units;
	const unsigned width = native >= 16 ? 16 : native >= 8 ? 8 : 4;
	const abi_f32 scale = 0.999f, offset = 0.001f;
	struct compute *own = xcalloc(1, sizeof(*own));
	char name[32];

	test->own = own;
	snprintf(name, sizeof(name), "fp32_w%u", width);
	own->items = (size_t)(units ? units : 1) * GROUPS_PER_UNIT * ABI_LOCAL_ITEMS;
	own->out = ocl_buffer(bench->run, own->items * sizeof(float));
	if (!own->out || !ocl_kernel_open(bench->run, &own->kernel, name) ||
	    !ocl_arg(bench->run, &own->kernel, 0, own->out) || !ocl_arg(bench->run, &own->kernel, 1, scale) ||
	    !ocl_arg(bench->run, &own->kernel, 2, offset) || !calibrate(bench, test))
		return false;
	test->vector_width = width;
	test->local_items = own->kernel.local_items;
	test->operations = (uint64_t)own->items * own->iterations * width * ABI_FP32_CHAINS * ABI_FP32_OPERATIONS;
	return true;
}

static void close_compute(struct bench *bench, struct bench_test *test)
{
	struct compute *own = test->own;

	(void)bench;
	if (!own)
		return;
	ocl_kernel_close(&own->kernel);
	if (own->out)
		cl.clReleaseMemObject(own->out);
	free(own);
}

static const struct bench_kind fp32 = {
	.name = "fp32", .method = "kernel of independent fma chains", .per_round = 1,
	.open = open_fp32, .once = once, .close = close_compute,
};

void bench_add_compute(struct bench *bench)
{
	if (bench->plan->compute)
		bench_add(bench, &fp32, NULL);
}
