// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_memory.c - bandwidth of a device's own memory. */
#include "base/compat.h"
#include "probe/bench.h"

#include "base/alloc.h"

/* Three buffers of this share of the device's memory are an eighth of it: somebody may be using the rest. */
enum { BUFFER_SHARE = 24, MIB = 1 << 20 };
#define QUICK_BYTES ((uint64_t)128 * MIB)
/* What every kernel's items divide: 64 bytes an item at most, in whole groups. */
#define BUFFER_STEP ((size_t)64 * ABI_LOCAL_ITEMS)

struct bench_memory {
	size_t bytes;			/* of each buffer */
	cl_mem a, b, c;
};

static size_t buffer_bytes(const struct ocl_run *run)
{
	uint64_t bytes = QUICK_BYTES;

	if (run->global_memory_bytes && run->global_memory_bytes / BUFFER_SHARE < bytes)
		bytes = run->global_memory_bytes / BUFFER_SHARE;
	if (run->largest_buffer_bytes && run->largest_buffer_bytes < bytes)
		bytes = run->largest_buffer_bytes;
	return (size_t)bytes / BUFFER_STEP * BUFFER_STEP;
}

static bool fill(struct bench *bench, cl_mem buffer, size_t bytes)
{
	struct ocl_run *run = bench->run;
	void *random = malloc(bytes);
	bool done;

	if (!random)
		return ocl_ok(run, CL_OUT_OF_HOST_MEMORY, "malloc");
	bench_fill_random(random, bytes, 0);
	done = ocl_ok(run, cl.clEnqueueWriteBuffer(run->queue, buffer, CL_TRUE, 0, bytes, random, 0, NULL, NULL),
		      "clEnqueueWriteBuffer");
	free(random);
	return done;
}

static bool open_buffers(struct bench *bench)
{
	struct ocl_run *run = bench->run;
	struct bench_memory *memory = bench->memory;

	if (memory)
		return memory->c != NULL;
	memory = bench->memory = xcalloc(1, sizeof(*memory));
	memory->bytes = buffer_bytes(run);
	if (!memory->bytes)
		return ocl_ok(run, CL_INVALID_BUFFER_SIZE, "device memory too small");
	memory->a = ocl_buffer(run, memory->bytes);
	memory->b = memory->a ? ocl_buffer(run, memory->bytes) : NULL;
	memory->c = memory->b ? ocl_buffer(run, memory->bytes) : NULL;
	return memory->c && fill(bench, memory->b, memory->bytes) && fill(bench, memory->c, memory->bytes);
}

static bool triad_once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	return ocl_kernel_run(bench->run, test->own, test->size_bytes / test->vector_width / sizeof(float), ret_event);
}

static bool open_triad(struct bench *bench, struct bench_test *test)
{
	const bool wide = bench->run->vector_width >= 4;
	struct ocl_kernel *kernel;
	const abi_f32 s = 3.0f;

	if (!open_buffers(bench))
		return false;
	test->own = kernel = xcalloc(1, sizeof(*kernel));
	test->size_bytes = bench->memory->bytes;
	test->moved_bytes = 3 * test->size_bytes;
	test->vector_width = wide ? 16 : 4;
	if (!ocl_kernel_open(bench->run, kernel, wide ? "triad_w16" : "triad_w4") ||
	    !ocl_arg(bench->run, kernel, 0, bench->memory->a) || !ocl_arg(bench->run, kernel, 1, bench->memory->b) ||
	    !ocl_arg(bench->run, kernel, 2, bench->memory->c) || !ocl_arg(bench->run, kernel, 3, s))
		return false;
	test->local_items = kernel->local_items;
	return triad_once(bench, test, NULL);
}

static void close_kernel(struct bench *bench, struct bench_test *test)
{
	(void)bench;
	if (test->own)
		ocl_kernel_close(test->own);
	free(test->own);
}

static const struct bench_kind triad = {
	.name = "memory-triad", .method = "kernel a = b + s * c", .per_round = 1,
	.open = open_triad, .once = triad_once, .close = close_kernel,
};

void bench_add_memory(struct bench *bench)
{
	if (bench->plan->memory)
		bench_add(bench, &triad, NULL);
}

void bench_release_memory(struct bench *bench)
{
	struct bench_memory *memory = bench->memory;
	const cl_mem buffers[] = { memory ? memory->a : NULL, memory ? memory->b : NULL, memory ? memory->c : NULL };

	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		if (buffers[i])
			cl.clReleaseMemObject(buffers[i]);
	free(memory);
	bench->memory = NULL;
}
