// SPDX-License-Identifier: GPL-2.0-or-later
/* test_collective_output.c - what versions of nccl-tests and rccl-tests print, whole, torn and wrong. */
#include "base/compat.h"
#include "format/collective_output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/* nccl-tests 2.17, NVIDIA H100; its "time" column is narrow. */
static const char nccl[] =
	"NCCL version 2.27.7+cuda12.9\n"
	"# nccl-tests version 2.17.1 nccl-headers=22707 nccl-library=22707\n"
	"# Collective test starting: all_reduce_perf\n"
	"# nThread 1 nGpus 2 minBytes 8388608 maxBytes 536870912 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 "
	"validation: 1 graph: 0\n"
	"#\n"
	"# Using devices\n"
	"#  Rank  0 Group  0 Pid 202829 on device5 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"
	"#  Rank  1 Group  0 Pid 202829 on device5 device  1 [0000:43:00] NVIDIA H100 80GB HBM3\n"
	"#\n"
	"#                                                              out-of-place                       in-place          \n"
	"#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
	"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
	"   268435456      67108864     float     sum      -1   1564.2  171.61  171.61      0   1561.0  171.96  171.96      0\n"
	"   536870912     134217728     float     sum      -1    30970  189.00  189.00      0   2800.4  191.71  191.71    N/A\n"
	"# Out of bounds values : 0 OK\n"
	"# Avg bus bandwidth    : 181.07 \n"
	"#\n"
	"# Collective test concluded: all_reduce_perf\n";

/* nccl-tests before 2.12: a column "error" and none for the root. */
static const char old[] =
	"# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 validation: 1 \n"
	"# Reducing maxBytes to 67108864 due to memory limitation\n"
	"#\n"
	"# Using devices\n"
	"#   Rank  0 Pid  12345 on     host1 device  0 [0x07] A100-SXM4-40GB\n"
	"#\n"
	"#                                                     out-of-place                       in-place          \n"
	"#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
	"#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
	"           8             2   float     sum    36.35    0.00    0.00  0e+00    35.46    0.00    0.00  1e-07\n"
	"    67108864      16777216   float     sum   1090.5   61.54  107.69  5e-07   1083.5   61.94  108.39  5e-07\n"
	"# Out of bounds values : 0 OK\n"
	"# Avg bus bandwidth    : 54.02\n";

static const char rccl[] =
	"# nThread: 1 nGpus: 8 minBytes: 8 maxBytes: 8589934592 step: 2(factor) warmupIters: 5 iters: 20 agg iters: 1 "
	"validation: 1 graph: 0\n"
	"#\n"
	"rccl-tests: Version develop:448c4c7\n"
	"# Using devices\n"
	"#   Rank  0 Pid 657053 on smci350 device  0 [0000:75:00] AMD Instinct MI350X\n"
	"RCCL version 2.22.3+hip6.3 HEAD:9a7b4dc+\n"
	"#\n"
	"#                                                              out-of-place                       in-place          \n"
	"#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
	"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)           (us)  (GB/s)  (GB/s)\n"
	"  8589934592    2147483648     float     sum      -1   41644  206.27  360.97       0   40903  210.01  367.51       3\n"
	"# Errors with asterisks indicate errors that have exceeded the maximum threshold.\n"
	"# Out of bounds values : 1 FAILED\n"
	"# Avg bus bandwidth    : 111.827\n";

static struct arena arena;

static struct collective_test read_text(const char *text, size_t len)
{
	struct collective_test test = { .nr_ranks = 0 };

	collective_output_parse(&arena, text, len, &test);
	return test;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	arena = (struct arena){ .blocks = NULL };
	return 0;
}

static void test_nccl(void **state)
{
	const struct collective_test test = read_text(nccl, strlen(nccl));
	const struct collective_size *size = &test.sizes[1];

	(void)state;
	assert_int_equal(test.nr_ranks, 2);
	/* The host is called as the word before a number is. */
	assert_int_equal(u64_or(test.ranks[1].device, 9), 1);
	assert_string_equal(str_or(test.ranks[1].address, ""), "0000:43:00");
	assert_string_equal(str_or(test.ranks[1].name, ""), "NVIDIA H100 80GB HBM3");
	assert_int_equal(test.nr_sizes, 2);
	assert_int_equal(u64_or(size->size_bytes, 0), 536870912);
	assert_int_equal(u64_or(size->elements, 0), 134217728);
	assert_string_equal(str_or(size->type, ""), "float");
	assert_string_equal(str_or(size->operation, ""), "sum");
	assert_string_equal(str_or(size->root, ""), "-1");
	assert_true(f64_or(size->out_of_place.time_ns, 0) > 30969999.0 &&
		    f64_or(size->out_of_place.time_ns, 0) < 30970001.0);
	assert_int_equal((int)(f64_or(size->in_place.bus_bytes_per_s, 0) / 1e7 + 0.5), 19171);
	assert_int_equal(u64_or(size->out_of_place.wrong, 9), 0);
	assert_int_equal(size->in_place.wrong.state, VAL_ABSENT);
	assert_int_equal(u64_or(test.wrong, 9), 0);
	assert_int_equal(u64_or(test.checked, 9), 1);
	assert_int_equal(u64_or(test.largest_bytes, 0), 536870912);
	assert_int_equal(u64_or(test.best_bytes, 0), 536870912);
	assert_string_equal(str_or(test.tool_version, ""), "nccl-tests 2.17.1");
	assert_string_equal(str_or(test.library_version, ""), "NCCL 2.27.7+cuda12.9");
	assert_false(is_known(test.complaint));
}

static void test_old(void **state)
{
	const struct collective_test test = read_text(old, strlen(old));

	(void)state;
	assert_int_equal(test.nr_sizes, 2);
	assert_string_equal(str_or(test.ranks[0].address, ""), "0x07");
	assert_false(is_known(test.sizes[0].root));
	assert_int_equal(test.sizes[0].out_of_place.wrong.state, VAL_UNSET);
	assert_true(f64_or(test.sizes[1].in_place.largest_error, 0) > 4e-7);
	assert_int_equal((int)(f64_or(test.best_bus_bytes_per_s, 0) / 1e7 + 0.5), 10839);
	assert_int_equal(u64_or(test.largest_bytes, 0), 67108864);
	assert_false(is_known(test.wrong));
	assert_int_equal(u64_or(test.out_of_bounds, 9), 0);
}

static void test_rccl(void **state)
{
	const struct collective_test test = read_text(rccl, strlen(rccl));

	(void)state;
	assert_int_equal(test.nr_sizes, 1);
	assert_int_equal(u64_or(test.wrong, 9), 3);
	assert_int_equal(u64_or(test.out_of_bounds, 9), 1);
	assert_int_equal(u64_or(test.checked, 9), 1);
	assert_string_equal(str_or(test.tool_version, ""), "rccl-tests develop:448c4c7");
	assert_string_equal(str_or(test.library_version, ""), "RCCL 2.22.3+hip6.3");
	assert_int_equal((int)(f64_or(test.average_bus_bytes_per_s, 0) / 1e6), 111827);
}

/* Columns that newer versions add stand where their names do. */
static void test_more_columns(void **state)
{
	static const char text[] =
		"# size count type redop root time algbw busbw #wrong min max time algbw busbw #wrong min max\n"
		"1024 256 float sum -1 10.0 0.10 0.18 0 9 11 20.0 0.05 0.09 1.04858e+06 19 21\n";
	const struct collective_test test = read_text(text, strlen(text));

	(void)state;
	assert_int_equal((int)f64_or(test.sizes[0].in_place.time_ns, 0), 20000);
	assert_int_equal(u64_or(test.wrong, 0), 1048580);
}

static void test_failures(void **state)
{
	static const char text[] =
		"node1:7:7 [0] init.cc:100 NCCL WARN Cuda failure 2 'out of memory'\n"
		"node1: Test NCCL failure common.cu:1005 'unhandled cuda error (run with NCCL_DEBUG=INFO for details)'\n"
		" .. node1 pid 7: Test failure common.cu:844\n";
	struct collective_test test = read_text(text, strlen(text));

	(void)state;
	assert_string_equal(str_or(test.complaint, ""),
			    "node1:7:7 [0] init.cc:100 NCCL WARN Cuda failure 2 'out of memory'; "
			    ".. node1 pid 7: Test failure common.cu:844");
	assert_int_equal(test.nr_sizes, 0);
	test = read_text("hello\nworld\n", 12);
	assert_string_equal(str_or(test.complaint, ""), "world");
}

static void test_rows_that_are_none(void **state)
{
	static const char text[] =
		"8388608 2097152 float sum -1 1 1 1 0 1 1 1 0\n"	/* no line named the columns */
		"# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
		"8388608 2097152 float sum -1 1 1\n"			/* torn */
		"99999999999999999999999 1 float sum -1 1 1 1 0 1 1 1 0\n"
		"0 0 float sum -1 1 1 1 0 1 1 1 0\n"
		"1024 256 float sum -1 -1 nan inf -5 1 1e300 99999999 x\n"
		"1024 256 float sum -1 1 1 7 1 1 1 1 1\n"		/* twice */
		"2048abc 256 float sum -1 1 1 1 0 1 1 1 0\n";
	const struct collective_test test = read_text(text, strlen(text));

	(void)state;
	assert_int_equal(test.nr_sizes, 1);
	assert_false(is_known(test.sizes[0].out_of_place.time_ns));
	assert_false(is_known(test.sizes[0].out_of_place.bus_bytes_per_s));
	assert_false(is_known(test.sizes[0].in_place.bus_bytes_per_s));
	assert_false(is_known(test.wrong));
	assert_false(is_known(test.best_bus_bytes_per_s));
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Cut anywhere, with any bytes changed: no crash, no value that is no number, no list that grows without end. */
static void test_any_bytes(void **state)
{
	static const char *const texts[] = { nccl, old, rccl };
	uint32_t seed = 7;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		const char *text = texts[round % ARRAY_SIZE(texts)];
		size_t len = strlen(text);
		char *copy = malloc(len);

		assert_non_null(copy);
		memcpy(copy, text, len);
		for (unsigned i = 0; i < round % 40; i++)
			copy[next_random(&seed) % len] = (char)next_random(&seed);
		len -= next_random(&seed) % len;
		const struct collective_test test = read_text(copy, len);

		assert_true(test.nr_sizes <= 64 && test.nr_ranks <= 256);
		assert_true(f64_or(test.best_bus_bytes_per_s, 0) >= 0 && f64_or(test.best_bus_bytes_per_s, 0) <= 1e14);
		free(copy);
		tear_down(NULL);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_nccl, tear_down),
		cmocka_unit_test_teardown(test_old, tear_down),
		cmocka_unit_test_teardown(test_rccl, tear_down),
		cmocka_unit_test_teardown(test_more_columns, tear_down),
		cmocka_unit_test_teardown(test_failures, tear_down),
		cmocka_unit_test_teardown(test_rows_that_are_none, tear_down),
		cmocka_unit_test_teardown(test_any_bytes, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
