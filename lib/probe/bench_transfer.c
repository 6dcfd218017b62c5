// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_transfer.c - copies between the host's memory and a device's. */
#include "base/compat.h"
#include "probe/bench.h"

#include "base/alloc.h"

/* One buffer of this share of the device's memory at most: somebody may be using the rest. */
enum { BUFFER_SHARE = 24, MIB = 1 << 20 };
#define QUICK_BYTES ((uint64_t)128 * MIB)

struct bench_transfer {
	size_t bytes;
	void *to_send, *received;	/* ordinary memory of the host */
	cl_mem buffer;
};

static size_t buffer_bytes(const struct ocl_run *run)
{
	uint64_t bytes = QUICK_BYTES;

	if (run->global_memory_bytes && run->global_memory_bytes / BUFFER_SHARE < bytes)
		bytes = run->global_memory_bytes / BUFFER_SHARE;
	if (run->largest_buffer_bytes && run->largest_buffer_bytes < bytes)
		bytes = run->largest_buffer_bytes;
	return (size_t)bytes & ~(size_t)4095;
}

static bool open_memory(struct bench *bench)
{
	struct ocl_run *run = bench->run;
	struct bench_transfer *transfer = bench->transfer;

	if (transfer)
		return transfer->buffer != NULL;
	transfer = bench->transfer = xcalloc(1, sizeof(*transfer));
	transfer->bytes = buffer_bytes(run);
	if (!transfer->bytes)
		return ocl_ok(run, CL_INVALID_BUFFER_SIZE, "device memory too small");
	transfer->to_send = malloc(transfer->bytes);
	transfer->received = malloc(transfer->bytes);
	if (!transfer->to_send || !transfer->received)
		return ocl_ok(run, CL_OUT_OF_HOST_MEMORY, "malloc");
	bench_fill_random(transfer->to_send, transfer->bytes, 1);
	memset(transfer->received, 0, transfer->bytes);
	transfer->buffer = ocl_buffer(run, transfer->bytes);
	return transfer->buffer != NULL;
}

static bool h2d_once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	return ocl_ok(bench->run, cl.clEnqueueWriteBuffer(bench->run->queue, bench->transfer->buffer, CL_TRUE, 0,
							  test->size_bytes, bench->transfer->to_send, 0, NULL, ret_event),
		      "clEnqueueWriteBuffer");
}

static bool d2h_once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	return ocl_ok(bench->run, cl.clEnqueueReadBuffer(bench->run->queue, bench->transfer->buffer, CL_TRUE, 0,
							 test->size_bytes, bench->transfer->received, 0, NULL, ret_event),
		      "clEnqueueReadBuffer");
}

static bool open_copy(struct bench *bench, struct bench_test *test)
{
	if (!open_memory(bench))
		return false;
	test->size_bytes = test->moved_bytes = bench->transfer->bytes;
	return test->kind->once(bench, test, NULL);
}

static const struct bench_kind h2d_pageable = {
	.name = "h2d-pageable", .method = "blocking clEnqueueWriteBuffer from ordinary memory", .per_round = 1,
	.open = open_copy, .once = h2d_once,
};

static const struct bench_kind d2h_pageable = {
	.name = "d2h-pageable", .method = "blocking clEnqueueReadBuffer into ordinary memory", .per_round = 1,
	.open = open_copy, .once = d2h_once,
};

void bench_add_transfers(struct bench *bench)
{
	if (!bench->plan->transfer)
		return;
	bench_add(bench, &h2d_pageable, NULL);
	bench_add(bench, &d2h_pageable, NULL);
}

void bench_release_transfers(struct bench *bench)
{
	struct bench_transfer *transfer = bench->transfer;

	if (!transfer)
		return;
	if (transfer->buffer)
		cl.clReleaseMemObject(transfer->buffer);
	free(transfer->to_send);
	free(transfer->received);
	free(transfer);
	bench->transfer = NULL;
}
