// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_transfer_both.c - copies to and from a device at once: what a link carries both ways. */
#include "base/compat.h"
#include "bench/bench_transfer.h"

enum { THERE, BACK, NR_WAYS };

/*
 * Waits for what was started, also where not all could be: nothing may be copied into memory that is freed. By events,
 * as clFinish() of Mesa's rusticl (22.3) returns at once where clFlush() left it nothing to hand on.
 */
static bool finish(struct ocl_run *run, cl_event *copies, bool done)
{
	for (int i = 0; i < NR_WAYS; i++) {
		if (!copies[i])
			continue;
		done = ocl_ok(run, cl.clWaitForEvents(1, &copies[i]), "clWaitForEvents") && done;
		cl.clReleaseEvent(copies[i]);
	}
	return done;
}

static bool both_once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	const struct bench_transfer *transfer = bench->transfer;
	struct ocl_run *run = bench->run;
	cl_event copies[NR_WAYS] = { NULL, NULL };
	cl_int error;
	bool done;

	(void)ret_event;
	error = cl.clEnqueueWriteBuffer(run->queue, transfer->device.buffer, CL_FALSE, 0, test->size_bytes,
					transfer->pinned.host, 0, NULL, &copies[THERE]);
	done = ocl_ok(run, error, "clEnqueueWriteBuffer");
	error = cl.clEnqueueReadBuffer(transfer->back_queue, transfer->back_device.buffer, CL_FALSE, 0,
				       test->size_bytes, transfer->back_pinned.host, 0, NULL, &copies[BACK]);
	done = ocl_ok(run, error, "clEnqueueReadBuffer") && done;
	done = ocl_ok(run, cl.clFlush(run->queue), "clFlush") && done;
	done = ocl_ok(run, cl.clFlush(transfer->back_queue), "clFlush") && done;
	return finish(run, copies, done);
}

static bool open_queue(struct bench *bench)
{
	struct bench_transfer *transfer = bench->transfer;
	struct ocl_run *run = bench->run;
	cl_int error;

	ocl_step(run, "clCreateCommandQueue for the way back");
	transfer->back_queue = cl.clCreateCommandQueue(run->context, run->device, 0, &error);
	if (ocl_ok(run, error, "clCreateCommandQueue"))
		return true;
	transfer->back_queue = NULL;
	return false;
}

static bool open_both(struct bench *bench, struct bench_test *test)
{
	struct bench_transfer *transfer = bench_transfer(bench);
	const size_t bytes = transfer->usual_bytes, larger = transfer->largest_bytes;

	test->size_bytes = bytes;
	test->moved_bytes = 2 * (uint64_t)bytes;
	test->numa_node = bench_place_node(bench);
	return transfer_allows(bench, bytes) &&
	       transfer_have(bench, &transfer->pinned, transfer_make_pinned, bytes, larger) &&
	       transfer_have(bench, &transfer->device, transfer_make_device, bytes, larger) &&
	       transfer_have(bench, &transfer->back_pinned, transfer_make_pinned, bytes, bytes) &&
	       transfer_have(bench, &transfer->back_device, transfer_make_device, bytes, bytes) &&
	       open_queue(bench) && both_once(bench, test, NULL);
}

const struct bench_kind bench_transfer_both = {
	.name = "both-pinned",
	.method = "clEnqueueWriteBuffer and clEnqueueReadBuffer on two queues, from and into mapped buffers of "
		  "CL_MEM_ALLOC_HOST_PTR, to the end of both",
	.per_round = 1, .by_host = true, .by_host_why = "two copies at once have no event in common",
	.open = open_both, .once = both_once,
};
