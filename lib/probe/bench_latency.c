// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_latency.c - how long a kernel that does nothing takes there and back. */
#include "base/compat.h"
#include "probe/bench.h"

#include "base/alloc.h"

enum { LAUNCHES_PER_ROUND = 50, WARM_UPS = 20 };

static bool once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	(void)ret_event;
	return ocl_kernel_run(bench->run, test->own, 1, NULL);
}

static bool open_launch(struct bench *bench, struct bench_test *test)
{
	struct ocl_kernel *kernel = xcalloc(1, sizeof(*kernel));

	test->own = kernel;
	if (!ocl_kernel_open(bench->run, kernel, "launch_empty"))
		return false;
	for (int i = 0; i < WARM_UPS; i++)
		if (!once(bench, test, NULL))
			return false;
	return true;
}

static void close_launch(struct bench *bench, struct bench_test *test)
{
	(void)bench;
	if (test->own)
		ocl_kernel_close(test->own);
	free(test->own);
}

static const struct bench_kind launch = {
	.name = "launch-latency",
	.method = "empty kernel, enqueue to end of clFinish",
	.per_round = LAUNCHES_PER_ROUND,
	.by_host = true,
	.open = open_launch,
	.once = once,
	.close = close_launch,
};

void bench_add_latency(struct bench *bench)
{
	if (bench->plan->latency)
		bench_add(bench, &launch, NULL);
}
