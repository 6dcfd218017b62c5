// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_latency.c - how long a kernel that does nothing takes there and back.
 *
 * On a queue of its own, without event stamps: taking them is work that other
 * programs do not ask for.
 */
#include "base/compat.h"
#include "bench/bench.h"

#include "base/alloc.h"
#include "sys/clock.h"

enum {
	QUICK_LAUNCHES = 50,		/* of a round */
	FINE_LAUNCHES = 200,		/* in the six rounds of the shortest measurement enough for a 99th percentile */
	WARM_UPS = 20,
	UNTIMED = 5,			/* of a turn: on PoCL the first few take four times as long as the rest */
};
/* For all warm-ups: a device that needs longer is as warm as it will be. */
#define WARM_UP_NS UINT64_C(1000000000)

struct launch {
	struct ocl_kernel kernel;
	cl_command_queue queue;		/* NULL: the device's */
};

static bool once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	const struct launch *own = test->own;
	cl_command_queue queue = own->queue ? own->queue : bench->run->queue;
	const size_t items = 1;
	cl_int error;

	(void)ret_event;
	error = cl.clEnqueueNDRangeKernel(queue, own->kernel.kernel, 1, NULL, &items, &items, 0, NULL, NULL);
	return ocl_ok(bench->run, error, "clEnqueueNDRangeKernel") &&
	       ocl_ok(bench->run, cl.clFinish(queue), "clFinish");
}

static bool open_launch(struct bench *bench, struct bench_test *test)
{
	struct launch *own = xcalloc(1, sizeof(*own));
	uint64_t begin_ns;
	cl_int error;

	test->own = own;
	test->per_round = bench->plan->fine ? FINE_LAUNCHES : QUICK_LAUNCHES;
	if (!ocl_kernel_open(bench->run, &own->kernel, "launch_empty"))
		return false;
	own->queue = cl.clCreateCommandQueue(bench->run->context, bench->run->device, 0, &error);
	if (error)
		own->queue = NULL;
	begin_ns = clock_now_ns();
	for (int i = 0; i < WARM_UPS && (!i || clock_now_ns() - begin_ns < WARM_UP_NS); i++)
		if (!once(bench, test, NULL))
			return false;
	return true;
}

static void close_launch(struct bench *bench, struct bench_test *test)
{
	struct launch *own = test->own;

	(void)bench;
	if (!own)
		return;
	ocl_kernel_close(&own->kernel);
	if (own->queue)
		cl.clReleaseCommandQueue(own->queue);
	free(own);
}

static const struct bench_kind launch = {
	.name = "launch-latency",
	.method = "empty kernel, enqueue to end of clFinish",
	.per_round = QUICK_LAUNCHES,
	.untimed = UNTIMED,
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
