// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocl_run_timing.c - transfers, memory bandwidth, single-precision rate and
 * launch latency of one device, by the host's clock.
 *
 * Every test is warmed up, then all of them take turns: what disturbs the
 * machine for a while disturbs a sample of each, not all samples of one. No
 * frame is sent between the samples, since it would wake the parent just
 * beside them. Figures, spread and what they mean are made of the samples
 * later, by whoever judges them.
 */
#include "base/compat.h"
#include "probe/ocl_run.h"
#include "sys/clock.h"

enum {
	MIN_ROUNDS = 3,
	MAX_ROUNDS = 15,
	LAUNCHES_PER_ROUND = 50,
	MAX_SAMPLES = MAX_ROUNDS * LAUNCHES_PER_ROUND,

	/*
	 * Groups of a compute unit in the fp32 test: so many that the last
	 * ones, which do not fill the unit, weigh little.
	 */
	FP32_GROUPS_PER_UNIT = 64,
	FP32_MAX_ITERATIONS = 1 << 24,
};

#define MEASURE_NS 500000000u
#define GIVE_UP_NS 8000000000u		/* a device so slow that three rounds would meet the deadline */
#define FP32_NS 10000000u		/* one sample of the fp32 test: far above a launch, far below any watchdog */

#define BUFFER_BYTES ((size_t)64 << 20)
/* Three buffers of this share of the device's memory are an eighth of it: somebody may be using the rest. */
#define BUFFER_SHARE 24
/* What every kernel's items divide: 64 bytes an item at most, in whole groups. */
#define BUFFER_STEP ((size_t)64 * ABI_LOCAL_ITEMS)

struct bench {
	struct ocl_run *run;
	size_t bytes;			/* of each buffer */
	void *to_send, *received;	/* ordinary memory of the host */
	cl_mem a, b, c;

	struct ocl_kernel triad, fp32, launch;
	size_t triad_items;
	size_t fp32_items;
	unsigned fp32_width;
	abi_u32 fp32_iterations;
};

struct test {
	const char *key;
	const char *method;
	bool (*warm_up)(struct bench *bench);
	bool (*once)(struct bench *bench);
	unsigned per_round;
	unsigned buffers_moved;		/* by one operation; 0: it is not about memory */
	uint64_t (*operations)(const struct bench *bench);
	/* how it went */
	char why[OPENCL_WHY_BYTES];	/* what failed; "" */
	size_t nr;
	double samples_ns[MAX_SAMPLES];
};

/* ---- the tests */

static bool write_buffer(struct bench *bench, cl_mem buffer)
{
	return ocl_ok(bench->run, cl.clEnqueueWriteBuffer(bench->run->queue, buffer, CL_TRUE, 0, bench->bytes,
							  bench->to_send, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

static bool h2d_once(struct bench *bench)
{
	return write_buffer(bench, bench->b);
}

/* Fills both inputs of the triad. */
static bool h2d_warm_up(struct bench *bench)
{
	return write_buffer(bench, bench->b) && write_buffer(bench, bench->c);
}

static bool d2h_once(struct bench *bench)
{
	return ocl_ok(bench->run, cl.clEnqueueReadBuffer(bench->run->queue, bench->b, CL_TRUE, 0, bench->bytes,
							 bench->received, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static bool triad_once(struct bench *bench)
{
	return ocl_kernel_run(bench->run, &bench->triad, bench->triad_items);
}

static bool triad_warm_up(struct bench *bench)
{
	const bool wide = bench->run->vector_width >= 4;
	const abi_f32 s = 3.0f;

	bench->triad_items = bench->bytes / (wide ? 64 : 16);
	return ocl_kernel_open(bench->run, &bench->triad, wide ? "triad_w16" : "triad_w4") &&
	       ocl_arg(bench->run, &bench->triad, 0, bench->a) && ocl_arg(bench->run, &bench->triad, 1, bench->b) &&
	       ocl_arg(bench->run, &bench->triad, 2, bench->c) && ocl_arg(bench->run, &bench->triad, 3, s) &&
	       triad_once(bench);
}

static bool fp32_once(struct bench *bench)
{
	return ocl_kernel_run(bench->run, &bench->fp32, bench->fp32_items);
}

/* Lengthens the kernel until it runs for about FP32_NS: devices differ by a factor of a million. */
static bool fp32_calibrate(struct bench *bench)
{
	uint64_t ns = 0;

	for (bench->fp32_iterations = 1;;) {
		uint64_t begin_ns;
		uint64_t factor;

		if (!ocl_arg(bench->run, &bench->fp32, 3, bench->fp32_iterations))
			return false;
		/* The first run of a kernel may include compiling it. */
		if (bench->fp32_iterations == 1 && !fp32_once(bench))
			return false;
		begin_ns = clock_now_ns();
		if (!fp32_once(bench))
			return false;
		ns = clock_now_ns() - begin_ns;
		factor = ns ? FP32_NS / ns : 16;
		if (factor < 2 || bench->fp32_iterations >= FP32_MAX_ITERATIONS)
			return true;
		bench->fp32_iterations *= (abi_u32)(factor < 16 ? factor : 16);
	}
}

static bool fp32_warm_up(struct bench *bench)
{
	const uint64_t width = bench->run->vector_width;
	const abi_f32 scale = 0.999f, offset = 0.001f;
	const char *name;

	bench->fp32_width = width >= 16 ? 16 : width >= 8 ? 8 : 4;
	name = width >= 16 ? "fp32_w16" : width >= 8 ? "fp32_w8" : "fp32_w4";
	bench->fp32_items = (size_t)(bench->run->compute_units ? bench->run->compute_units : 1) *
			    FP32_GROUPS_PER_UNIT * ABI_LOCAL_ITEMS;
	/* Each stores one float, into the buffer that is there. */
	if (bench->fp32_items > bench->bytes / sizeof(float))
		bench->fp32_items = bench->bytes / sizeof(float);
	return ocl_kernel_open(bench->run, &bench->fp32, name) && ocl_arg(bench->run, &bench->fp32, 0, bench->a) &&
	       ocl_arg(bench->run, &bench->fp32, 1, scale) && ocl_arg(bench->run, &bench->fp32, 2, offset) &&
	       fp32_calibrate(bench);
}

static uint64_t fp32_operations(const struct bench *bench)
{
	return (uint64_t)bench->fp32_items * bench->fp32_iterations * bench->fp32_width * ABI_FP32_CHAINS *
	       ABI_FP32_OPERATIONS;
}

static bool launch_once(struct bench *bench)
{
	return ocl_kernel_run(bench->run, &bench->launch, 1);
}

static bool launch_warm_up(struct bench *bench)
{
	return ocl_kernel_open(bench->run, &bench->launch, "launch_empty") && launch_once(bench) && launch_once(bench);
}

/* ---- buffers */

static size_t buffer_bytes(const struct ocl_run *run)
{
	uint64_t bytes = BUFFER_BYTES;

	if (run->global_memory_bytes && run->global_memory_bytes / BUFFER_SHARE < bytes)
		bytes = run->global_memory_bytes / BUFFER_SHARE;
	if (run->largest_buffer_bytes && run->largest_buffer_bytes < bytes)
		bytes = run->largest_buffer_bytes;
	return (size_t)bytes / BUFFER_STEP * BUFFER_STEP;
}

/* Floats from 1 to 2: no zeros, which some links and memories compress, and none that a kernel is slow with. */
static void fill_random(void *memory, size_t bytes)
{
	uint64_t x = 0x9e3779b97f4a7c15u;
	uint64_t *words = memory;

	for (size_t i = 0; i < bytes / sizeof(*words); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[i] = (x & 0x007fffff007fffffu) | 0x3f8000003f800000u;
	}
}

static bool open_bench(struct bench *bench)
{
	struct ocl_run *run = bench->run;

	bench->bytes = buffer_bytes(run);
	if (!bench->bytes)
		return ocl_ok(run, CL_INVALID_BUFFER_SIZE, "device memory too small");
	bench->to_send = malloc(bench->bytes);
	bench->received = malloc(bench->bytes);
	if (!bench->to_send || !bench->received)
		return ocl_ok(run, CL_OUT_OF_HOST_MEMORY, "malloc");
	fill_random(bench->to_send, bench->bytes);
	memset(bench->received, 0, bench->bytes);
	bench->a = ocl_buffer(run, bench->bytes);
	bench->b = ocl_buffer(run, bench->bytes);
	bench->c = ocl_buffer(run, bench->bytes);
	return bench->a && bench->b && bench->c;
}

static void close_bench(struct bench *bench)
{
	const cl_mem buffers[] = { bench->a, bench->b, bench->c };

	ocl_step(bench->run, "clReleaseMemObject");
	ocl_kernel_close(&bench->triad);
	ocl_kernel_close(&bench->fp32);
	ocl_kernel_close(&bench->launch);
	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++) {
		if (buffers[i])
			cl.clReleaseMemObject(buffers[i]);
	}
	free(bench->to_send);
	free(bench->received);
}

/* ---- measuring */

static void note_failure(const struct bench *bench, struct test *test)
{
	snprintf(test->why, sizeof(test->why), "%s", bench->run->last);
}

static void warm_up(struct bench *bench, struct test *tests, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		ocl_step(bench->run, "warm-up of %s", tests[i].key);
		if (!tests[i].warm_up(bench))
			note_failure(bench, &tests[i]);
	}
}

static void measure_once(struct bench *bench, struct test *test)
{
	for (unsigned i = 0; i < test->per_round && !test->why[0]; i++) {
		uint64_t begin_ns = clock_now_ns();
		bool did = test->once(bench);
		uint64_t end_ns = clock_now_ns();

		if (did)
			test->samples_ns[test->nr++] = (double)(end_ns - begin_ns);
		else
			note_failure(bench, test);
	}
}

static void measure(struct bench *bench, struct test *tests, size_t nr)
{
	uint64_t begin_ns = clock_now_ns();

	ocl_step(bench->run, "timing, all tests in turn");
	for (int round = 0; round < MAX_ROUNDS; round++) {
		uint64_t taken_ns = clock_now_ns() - begin_ns;

		if (taken_ns > GIVE_UP_NS || (round >= MIN_ROUNDS && taken_ns > MEASURE_NS))
			break;
		for (size_t i = 0; i < nr; i++)
			measure_once(bench, &tests[i]);
	}
}

/* A test without a sample has its reason in place of its method. */
static void tell(struct bench *bench, const struct test *test)
{
	struct arena *arena = &bench->run->sink->facts.arena;
	struct ocl_device *facts = ocl_facts(bench->run);
	struct timing *timing = list_element(arena, facts, timings, timing, test->key);

	if (!test->nr) {
		timing->method = no_str(VAL_ERROR, arena_strdup(arena, test->why));
		return;
	}
	timing->method = val_str(test->method);
	if (test->buffers_moved) {
		timing->size_bytes = val_u64(bench->bytes);
		timing->moved_bytes = val_u64((uint64_t)bench->bytes * test->buffers_moved);
	}
	if (test->operations)
		timing->operations = val_u64(test->operations(bench));
	for (size_t i = 0; i < test->nr; i++)
		f64s_add(arena, &timing->samples_ns, test->samples_ns[i]);
}

void ocl_run_timing(struct ocl_run *run)
{
	struct test tests[] = {
		{
			.key = "h2d-pageable", .buffers_moved = 1, .per_round = 1,
			.warm_up = h2d_warm_up, .once = h2d_once,
			.method = "blocking clEnqueueWriteBuffer from ordinary memory, host clock",
		},
		{
			.key = "d2h-pageable", .buffers_moved = 1, .per_round = 1,
			.warm_up = d2h_once, .once = d2h_once,
			.method = "blocking clEnqueueReadBuffer into ordinary memory, host clock",
		},
		{
			.key = "memory-triad", .buffers_moved = 3, .per_round = 1,
			.warm_up = triad_warm_up, .once = triad_once,
			.method = "kernel a = b + s * c, enqueue to end of clFinish, host clock",
		},
		{
			.key = "fp32", .operations = fp32_operations, .per_round = 1,
			.warm_up = fp32_warm_up, .once = fp32_once,
			.method = "kernel of independent fma chains, enqueue to end of clFinish, host clock",
		},
		{
			.key = "launch-latency", .per_round = LAUNCHES_PER_ROUND,
			.warm_up = launch_warm_up, .once = launch_once,
			.method = "empty kernel, enqueue to end of clFinish, host clock",
		},
	};
	struct bench bench = { .run = run };

	if (open_bench(&bench)) {
		warm_up(&bench, tests, ARRAY_SIZE(tests));
		measure(&bench, tests, ARRAY_SIZE(tests));
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
			note_failure(&bench, &tests[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		tell(&bench, &tests[i]);
	close_bench(&bench);
}
