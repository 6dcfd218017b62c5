// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_test.c - what tests of several topics share: their place among the others, random bytes, one kernel each. */
#include "base/compat.h"
#include "bench/bench.h"

#include "base/alloc.h"

/* What looks for repetition looks at pages. A block stays in a cache while it is copied to all others. */
enum { RANDOM_BLOCK_BYTES = 1 << 20 };

struct bench_test *bench_add(struct bench *bench, const struct bench_kind *kind, const char *suffix)
{
	struct bench_test *test;

	if (bench->nr_tests == BENCH_MAX_TESTS)
		return NULL;
	test = xcalloc(1, sizeof(*test));
	test->kind = kind;
	test->numa_node = -1;
	test->per_round = kind->per_round;
	snprintf(test->key, sizeof(test->key), "%s%s%s", kind->name, suffix ? "/" : "", suffix ? suffix : "");
	bench->tests[bench->nr_tests++] = test;
	return test;
}

void bench_fill_random(void *memory, size_t bytes, uint64_t seed)
{
	size_t block = bytes < RANDOM_BLOCK_BYTES ? bytes : RANDOM_BLOCK_BYTES;
	uint64_t x = 0x9e3779b97f4a7c15u ^ seed;
	uint64_t *words = memory;

	for (size_t i = 0; i < block / sizeof(*words); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[i] = (x & 0x007fffff007fffffu) | 0x3f8000003f800000u;
	}
	for (size_t at = block; at < bytes; at += block)
		memcpy((char *)memory + at, memory, bytes - at < block ? bytes - at : block);
}

bool bench_kernel_once(struct bench *bench, struct bench_test *test, cl_event *ret_event)
{
	const struct bench_kernel *run = test->own;

	return ocl_kernel_run(bench->run, &run->kernel, run->items, ret_event);
}

void bench_kernel_close(struct bench *bench, struct bench_test *test)
{
	struct bench_kernel *run = test->own;

	(void)bench;
	if (!run)
		return;
	ocl_kernel_close(&run->kernel);
	if (run->out)
		cl.clReleaseMemObject(run->out);
	free(run);
}
