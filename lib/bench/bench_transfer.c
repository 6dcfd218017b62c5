// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_transfer.c - copies between the host's memory and a device's, one way at a time and both at once. */
#include "base/compat.h"
#include "bench/bench_transfer.h"

#include <inttypes.h>

/* Small sizes get so many operations a round that they move as much, and none so many that others wait for long. */
enum { ROUND_BYTES = 16 << 20, MOST_PER_ROUND = 64 };

/* ---- one copy; own is the piece at the host's end */

static bool write_once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	const struct transfer_piece *from = test->own;

	return ocl_ok(bench->run, cl.clEnqueueWriteBuffer(bench->run->queue, bench->transfer->device.buffer, CL_TRUE, 0,
							  test->size_bytes, from->host, 0, NULL, ret_event),
		      "clEnqueueWriteBuffer");
}

static bool read_once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	const struct transfer_piece *to = test->own;

	return ocl_ok(bench->run, cl.clEnqueueReadBuffer(bench->run->queue, bench->transfer->device.buffer, CL_TRUE, 0,
							 test->size_bytes, to->host, 0, NULL, ret_event),
		      "clEnqueueReadBuffer");
}

/* ---- opening */

static bool open_copy(struct bench *bench, struct bench_test *test, struct transfer_piece *host, transfer_make *make)
{
	struct bench_transfer *transfer = bench->transfer;
	const size_t size = test->size_bytes ? (size_t)test->size_bytes : transfer->usual_bytes;

	test->size_bytes = test->moved_bytes = size;
	test->own = host;
	test->numa_node = bench_place_node(bench);
	if (size && size < ROUND_BYTES)
		test->per_round = ROUND_BYTES / size < MOST_PER_ROUND ? (unsigned)(ROUND_BYTES / size) : MOST_PER_ROUND;
	if (!transfer_allows(bench, size) ||
	    !transfer_have(bench, host, make, size, test->node ? size : transfer->largest_bytes) ||
	    !transfer_have(bench, &transfer->device, transfer_make_device, size, transfer->largest_bytes))
		return false;
	/* On a slow device the buffer took seconds, and this does again: neither is a hang. */
	ocl_step(bench->run, "a first copy of %zu bytes", size);
	return test->kind->once(bench, test, NULL);
}

static bool open_pageable(struct bench *bench, struct bench_test *test)
{
	return open_copy(bench, test, &bench_transfer(bench)->ordinary, transfer_make_ordinary);
}

/* The NUMA node that the driver really used is recorded, if it can be found. */
static bool is_memory_of_node(struct bench *bench, const struct bench_test *test)
{
	const struct transfer_piece *piece = test->own;
	int node = bench_place_of_memory(piece->host);

	if (node < 0 || node == (int)test->node->node)
		return true;
	snprintf(bench->run->last, sizeof(bench->run->last), "the memory for it came from node %d", node);
	return false;
}

static bool open_pinned_of_node(struct bench *bench, struct bench_test *test)
{
	struct bench_transfer *transfer = bench_transfer(bench);
	struct transfer_piece *piece = &transfer->node_pinned[test->node - bench->plan->nodes];
	bool done = bench_place_go(bench, test->node);

	bench_place_prefer_memory(test->node);
	done = done && open_copy(bench, test, piece, transfer_make_pinned) && is_memory_of_node(bench, test);
	bench_place_prefer_memory(NULL);
	return bench_place_go(bench, NULL) && done;
}

static bool open_pinned(struct bench *bench, struct bench_test *test)
{
	if (test->node)
		return open_pinned_of_node(bench, test);
	return open_copy(bench, test, &bench_transfer(bench)->pinned, transfer_make_pinned);
}

static const struct bench_kind h2d_pageable = {
	.name = "h2d-pageable", .method = "blocking clEnqueueWriteBuffer from ordinary memory", .per_round = 1,
	.open = open_pageable, .once = write_once,
};

static const struct bench_kind d2h_pageable = {
	.name = "d2h-pageable", .method = "blocking clEnqueueReadBuffer into ordinary memory", .per_round = 1,
	.open = open_pageable, .once = read_once,
};

static const struct bench_kind h2d_pinned = {
	.name = "h2d-pinned", .method = "blocking clEnqueueWriteBuffer from a mapped buffer of CL_MEM_ALLOC_HOST_PTR",
	.per_round = 1, .open = open_pinned, .once = write_once,
};

static const struct bench_kind d2h_pinned = {
	.name = "d2h-pinned", .method = "blocking clEnqueueReadBuffer into a mapped buffer of CL_MEM_ALLOC_HOST_PTR",
	.per_round = 1, .open = open_pinned, .once = read_once,
};

/* ---- which */

static void add_size(struct bench *bench, const struct bench_kind *kind, uint64_t size)
{
	struct bench_test *test;
	char suffix[24];

	snprintf(suffix, sizeof(suffix), "%" PRIu64, size);
	test = bench_add(bench, kind, suffix);
	if (test)
		test->size_bytes = size;
}

static void add_node(struct bench *bench, const struct bench_kind *kind, const struct bench_node *node)
{
	struct bench_test *test;
	char suffix[24];

	snprintf(suffix, sizeof(suffix), "node%u", node->node);
	test = bench_add(bench, kind, suffix);
	if (test)
		test->node = node;
}

void bench_add_transfers(struct bench *bench)
{
	static const struct bench_kind *const kinds[] = { &h2d_pageable, &d2h_pageable, &h2d_pinned, &d2h_pinned };
	const struct bench_plan *plan = bench->plan;
	/* A CPU has no path for pinned memory: it is the same copy again, and in a second there is no time for it. */
	const bool pinned_too = plan->fine || plan->both_ways || !bench->device.is_cpu;

	if (!plan->transfer)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (pinned_too || kinds[i]->open == open_pageable)
			bench_add(bench, kinds[i], NULL);
	if (plan->both_ways || plan->fine)
		bench_add(bench, &bench_transfer_both, NULL);
	for (size_t i = 0; i < plan->nr_nodes; i++) {
		add_node(bench, &h2d_pinned, &plan->nodes[i]);
		add_node(bench, &d2h_pinned, &plan->nodes[i]);
	}
	for (size_t k = 0; k < plan->nr_sizes; k++)
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			add_size(bench, kinds[i], plan->sizes_bytes[k]);
}

/* ---- to and from a device at once: what a link carries both ways */

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
