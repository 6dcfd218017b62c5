// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_transfer_memory.c - memory to copy from and to: how much may be taken, and how it is had. */
#include "base/compat.h"
#include "bench/bench_transfer.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "sys/clock.h"

enum {
	MIB = 1 << 20,
	/* Of the device's memory: somebody may be using the rest. Sizes that were asked for may have more of it. */
	USUAL_DEVICE_SHARE = 24,
	ASKED_DEVICE_SHARE = 8,
	FREE_DEVICE_SHARE = 2,		/* of what is known to be free, all pieces together */
	HOST_SHARE = 4,			/* of the host's free memory, all pieces together */
	PAGE_BYTES = 4096,
	TOUCH_BYTES = MIB,
	TRIES = 5,
};
/* A copy of the usual size is to take no longer; and one of a size that was asked for, which a parent waits for. */
#define USUAL_NS 1e9
#define LONGEST_NS 8e9
#define QUICK_BYTES ((size_t)64 * MIB)
/*
 * glibc copies without caches from a size that it makes of the last-level cache's: with large caches what a quick run
 * has time for is below it, and what other tools measure above. nvbandwidth's buffers are of 512 MiB, clpeak's of 256
 * MiB at most.
 */
#define FINE_BYTES ((size_t)256 * MIB)

/* ---- how much */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool both_at_once(const struct bench_plan *plan)
{
	return plan->both_ways || plan->fine;
}

static uint64_t device_limit(const struct bench *bench, unsigned share)
{
	const struct ocl_run *run = bench->run;
	const unsigned pieces = both_at_once(bench->plan) ? 2 : 1;
	uint64_t limit = UINT64_MAX;

	if (run->global_memory_bytes)
		limit = run->global_memory_bytes / share;
	if (run->largest_buffer_bytes)
		limit = smaller(limit, run->largest_buffer_bytes);
	if (bench->plan->free_bytes)
		limit = smaller(limit, bench->plan->free_bytes / FREE_DEVICE_SHARE / pieces);
	return limit;
}

/* A CPU's device memory is the host's too, so its pieces count. */
static uint64_t host_limit(const struct bench_plan *plan)
{
	const uint64_t pieces = (both_at_once(plan) ? 5 : 3) + plan->nr_nodes;

	return plan->host_free_bytes ? plan->host_free_bytes / HOST_SHARE / pieces : FINE_BYTES;
}

/* How long a few copies of TOUCH_BYTES one way take, the best; the first may find memory that is not there yet. */
static double copies_ns(struct bench *bench, cl_mem buffer, void *host, bool back, double fast_ns)
{
	double best_ns = 0.0;

	for (int i = 0; i < TRIES && (!i || best_ns > fast_ns); i++) {
		uint64_t begin_ns = clock_now_ns();
		cl_int error = back ? cl.clEnqueueReadBuffer(bench->run->queue, buffer, CL_TRUE, 0, TOUCH_BYTES, host,
							     0, NULL, NULL)
				    : cl.clEnqueueWriteBuffer(bench->run->queue, buffer, CL_TRUE, 0, TOUCH_BYTES, host,
							      0, NULL, NULL);
		double ns = (double)(clock_now_ns() - begin_ns);

		if (error)
			return 0.0;
		best_ns = !i || ns < best_ns ? ns : best_ns;
	}
	return best_ns;
}

/*
 * A device a thousand times slower than others is copied to in smaller pieces: with the usual ones it would be taken
 * for one that hangs. How long TOUCH_BYTES take the slower way; 0.0: not known, and what fails now will fail again,
 * where it is told. Time is not spent on what is fast enough for the largest size.
 */
static double slowest_copy_ns(struct bench *bench, uint64_t largest)
{
	const double fast_ns = USUAL_NS * TOUCH_BYTES / (double)largest;
	double there_ns, back_ns = 0.0;
	char *host;
	cl_int error;
	cl_mem buffer;

	if (largest < TOUCH_BYTES)
		return 0.0;
	ocl_step(bench->run, "copies of %d bytes", TOUCH_BYTES);
	buffer = cl.clCreateBuffer(bench->run->context, CL_MEM_READ_WRITE, TOUCH_BYTES, NULL, &error);
	if (error)
		return 0.0;
	host = xcalloc(1, TOUCH_BYTES);
	bench_fill_random(host, TOUCH_BYTES, 4);
	there_ns = copies_ns(bench, buffer, host, false, fast_ns);
	if (there_ns > 0.0)
		back_ns = copies_ns(bench, buffer, host, true, fast_ns);
	free(host);
	cl.clReleaseMemObject(buffer);
	return back_ns > there_ns ? back_ns : there_ns;
}

struct bench_transfer *bench_transfer(struct bench *bench)
{
	struct bench_transfer *transfer = bench->transfer;
	const struct bench_plan *plan = bench->plan;
	uint64_t usual;
	double ns;

	if (transfer)
		return transfer;
	transfer = bench->transfer = xcalloc(1, sizeof(*transfer));
	transfer->host_limit_bytes = host_limit(plan);
	transfer->device_limit_bytes = device_limit(bench, ASKED_DEVICE_SHARE);
	usual = smaller(plan->fine ? FINE_BYTES : QUICK_BYTES, device_limit(bench, USUAL_DEVICE_SHARE));
	usual = smaller(usual, transfer->host_limit_bytes);
	ns = slowest_copy_ns(bench, usual);
	transfer->timely_bytes = UINT64_MAX;
	if (ns > 0.0) {
		usual = smaller(usual, (uint64_t)(USUAL_NS / ns * TOUCH_BYTES) + PAGE_BYTES);
		transfer->timely_bytes = (uint64_t)(LONGEST_NS / ns * TOUCH_BYTES) + PAGE_BYTES;
	}
	transfer->usual_bytes = (size_t)usual & ~(size_t)(PAGE_BYTES - 1);
	transfer->largest_bytes = transfer->usual_bytes;
	for (size_t i = 0; i < plan->nr_sizes; i++) {
		uint64_t size = plan->sizes_bytes[i];

		if (size > transfer->largest_bytes && size <= transfer->host_limit_bytes &&
		    size <= transfer->device_limit_bytes && size <= transfer->timely_bytes)
			transfer->largest_bytes = (size_t)size;
	}
	return transfer;
}

static bool refuse(struct bench *bench, uint64_t size, const char *than, uint64_t limit)
{
	snprintf(bench->run->last, sizeof(bench->run->last), "%" PRIu64 " bytes are more than %s: %" PRIu64, size, than,
		 limit);
	return false;
}

bool transfer_allows(struct bench *bench, uint64_t size)
{
	const struct bench_transfer *transfer = bench->transfer;
	const uint64_t largest = bench->run->largest_buffer_bytes;

	/* No usual size: less than a page may be taken of one of them. */
	if (size && size <= transfer->largest_bytes)
		return true;
	size = size ? size : PAGE_BYTES;
	if (largest && size > largest)
		return refuse(bench, size, "one buffer of the device can be", largest);
	if (size > transfer->timely_bytes)
		return refuse(bench, size, "this device copies in eight seconds", transfer->timely_bytes);
	if (size > transfer->host_limit_bytes)
		return refuse(bench, size, "gpudiag uses of the host's free memory", transfer->host_limit_bytes);
	return refuse(bench, size, "gpudiag uses of the device's memory", transfer->device_limit_bytes);
}

/* ---- how */

bool transfer_make_ordinary(struct bench *bench, struct transfer_piece *piece, size_t bytes)
{
	size_t whole = (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);

	ocl_step(bench->run, "%zu bytes of ordinary memory", bytes);
	piece->host = aligned_alloc(PAGE_BYTES, whole);
	if (!piece->host)
		return ocl_ok(bench->run, CL_OUT_OF_HOST_MEMORY, "aligned_alloc");
	bench_fill_random(piece->host, whole, 1);
	return true;
}

/*
 * Pinned memory as OpenCL has it: a buffer that the driver allocates where the device reaches it, mapped for as long
 * as it is used as the host's end of copies (NVIDIA OpenCL Best Practices Guide 3.1.1; clpeak does the same).
 */
bool transfer_make_pinned(struct bench *bench, struct transfer_piece *piece, size_t bytes)
{
	struct ocl_run *run = bench->run;
	cl_int error;

	ocl_step(run, "clCreateBuffer of %zu pinned bytes", bytes);
	piece->buffer = cl.clCreateBuffer(run->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
	if (!ocl_ok(run, error, "clCreateBuffer CL_MEM_ALLOC_HOST_PTR")) {
		piece->buffer = NULL;
		return false;
	}
	ocl_step(run, "clEnqueueMapBuffer");
	piece->host = cl.clEnqueueMapBuffer(run->queue, piece->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes,
					    0, NULL, NULL, &error);
	if (!ocl_ok(run, error, "clEnqueueMapBuffer")) {
		piece->host = NULL;
		return false;
	}
	if (!piece->host)
		return ocl_ok(run, CL_MAP_FAILURE, "clEnqueueMapBuffer");
	bench_fill_random(piece->host, bytes, 2);
	return true;
}

/* A driver may give memory only when it is written to: so it is, a little at a time, from what a cache holds. */
bool transfer_make_device(struct bench *bench, struct transfer_piece *piece, size_t bytes)
{
	struct ocl_run *run = bench->run;
	char *random = xcalloc(1, TOUCH_BYTES);
	bool done = true;

	bench_fill_random(random, TOUCH_BYTES, 3);
	piece->buffer = ocl_buffer(run, bytes);
	for (size_t at = 0; piece->buffer && done && at < bytes; at += TOUCH_BYTES) {
		size_t part = bytes - at < TOUCH_BYTES ? bytes - at : TOUCH_BYTES;

		done = ocl_ok(run, cl.clEnqueueWriteBuffer(run->queue, piece->buffer, CL_TRUE, at, part, random, 0,
							   NULL, NULL),
			      "clEnqueueWriteBuffer");
	}
	free(random);
	return piece->buffer && done;
}

static void drop(struct bench *bench, struct transfer_piece *piece)
{
	if (piece->buffer && piece->host) {
		cl.clEnqueueUnmapMemObject(bench->run->queue, piece->buffer, piece->host, 0, NULL, NULL);
		cl.clFinish(bench->run->queue);
	} else {
		free(piece->host);
	}
	if (piece->buffer)
		cl.clReleaseMemObject(piece->buffer);
	piece->host = NULL;
	piece->buffer = NULL;
}

static bool make_of(struct bench *bench, struct transfer_piece *piece, transfer_make *make, size_t bytes)
{
	if (make(bench, piece, bytes)) {
		piece->bytes = bytes;
		return true;
	}
	snprintf(piece->why, sizeof(piece->why), "%s", bench->run->last);
	drop(bench, piece);
	return false;
}

bool transfer_have(struct bench *bench, struct transfer_piece *piece, transfer_make *make, size_t bytes,
		   size_t larger_bytes)
{
	const size_t usual = bench->transfer->usual_bytes;

	if (!piece->tried) {
		piece->tried = true;
		/* What is too much for one test is no reason for the others to have none. */
		if (!make_of(bench, piece, make, larger_bytes) && usual < larger_bytes)
			make_of(bench, piece, make, usual);
	}
	if (piece->bytes >= bytes)
		return true;
	snprintf(bench->run->last, sizeof(bench->run->last), "%s", piece->why);
	return false;
}

void bench_release_transfers(struct bench *bench)
{
	struct bench_transfer *transfer = bench->transfer;

	if (!transfer)
		return;
	drop(bench, &transfer->ordinary);
	drop(bench, &transfer->pinned);
	drop(bench, &transfer->device);
	drop(bench, &transfer->back_pinned);
	drop(bench, &transfer->back_device);
	for (size_t i = 0; i < ARRAY_SIZE(transfer->node_pinned); i++)
		drop(bench, &transfer->node_pinned[i]);
	if (transfer->back_queue)
		cl.clReleaseCommandQueue(transfer->back_queue);
	free(transfer);
	bench->transfer = NULL;
}
