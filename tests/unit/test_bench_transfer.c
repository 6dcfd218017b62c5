// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it times copies. */
/* test_bench_transfer.c - how much memory transfers take, and of which sizes they can be. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/bench_transfer.h"
#include "probe/probe.h"
#include "sys/clock.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static struct bench_plan plan;
static struct ocl_run run;
static struct bench bench;
static struct sink sink;
/* How long the device's copies take, one way and back. */
static uint64_t there_ns, back_ns;

static void wait_ns(uint64_t ns)
{
	for (uint64_t begin_ns = clock_now_ns(); ns && clock_now_ns() - begin_ns < ns;)
		continue;
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
					cl_int *ret_error)
{
	(void)context, (void)flags, (void)bytes, (void)host;
	*ret_error = CL_SUCCESS;
	return (cl_mem)&bench;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocks, size_t offset, size_t bytes,
				       const void *from, cl_uint nr, const cl_event *wait, cl_event *event)
{
	(void)queue, (void)mem, (void)blocks, (void)offset, (void)bytes, (void)from, (void)nr, (void)wait, (void)event;
	wait_ns(there_ns);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocks, size_t offset, size_t bytes,
				      void *to, cl_uint nr, const cl_event *wait, cl_event *event)
{
	(void)queue, (void)mem, (void)blocks, (void)offset, (void)bytes, (void)to, (void)nr, (void)wait, (void)event;
	wait_ns(back_ns);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_buffer(cl_mem mem)
{
	(void)mem;
	return CL_SUCCESS;
}

/* A GPU and a host with plenty of everything. */
static int begin(void **state)
{
	(void)state;
	plan = (struct bench_plan){ .numa_node = -1, .host_free_bytes = 400 * GIB, .free_bytes = 70 * GIB };
	run = (struct ocl_run){ .global_memory_bytes = 80 * GIB, .largest_buffer_bytes = 20 * GIB };
	sink = (struct sink){ .fd = -1, .lock_fd = -1 };
	run.sink = &sink;
	bench = (struct bench){ .run = &run, .plan = &plan };
	there_ns = back_ns = 0;
	cl.clCreateBuffer = create_buffer;
	cl.clEnqueueWriteBuffer = write_buffer;
	cl.clEnqueueReadBuffer = read_buffer;
	cl.clReleaseMemObject = release_buffer;
	return 0;
}

static int end(void **state)
{
	(void)state;
	bench_release_transfers(&bench);
	return 0;
}

static void assert_usual(uint64_t bytes)
{
	assert_int_equal(bench_transfer(&bench)->usual_bytes, bytes);
}

static void quick_is_smaller_than_fine(void **state)
{
	(void)state;
	assert_usual(64 * MIB);
	bench_release_transfers(&bench);
	plan.fine = true;
	assert_usual(256 * MIB);
}

static void what_is_little_sets_the_size(void **state)
{
	static const struct { uint64_t device, largest, free, host, usual; } nodes[] = {
		{ 80 * GIB, 20 * GIB, 0, 0, 64 * MIB },		/* nobody told what is free */
		{ 240 * MIB, 60 * MIB, 0, 0, 10 * MIB },
		{ 80 * GIB, 5 * MIB + 100, 0, 0, 5 * MIB },		/* whole pages */
		{ 80 * GIB, 20 * GIB, 64 * MIB, 0, 32 * MIB },		/* half of what is free */
		{ 80 * GIB, 20 * GIB, 1, 0, 0 },
		{ 80 * GIB, 20 * GIB, 0, 600 * MIB, 50 * MIB },	/* three pieces are a quarter */
		{ 80 * GIB, 20 * GIB, 0, 1, 0 },
		{ 0, 0, 0, 0, 64 * MIB },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		run.global_memory_bytes = nodes[i].device;
		run.largest_buffer_bytes = nodes[i].largest;
		plan.free_bytes = nodes[i].free;
		plan.host_free_bytes = nodes[i].host;
		assert_usual(nodes[i].usual);
		bench_release_transfers(&bench);
	}
}

/* Each has memory of its own, and both ways at once take two more at the host's end and one on the device. */
static void more_tests_share_the_same_quarter(void **state)
{
	(void)state;
	plan.host_free_bytes = 1000 * MIB;
	plan.both_ways = true;
	assert_usual(50 * MIB);
	bench_release_transfers(&bench);
	plan.nr_nodes = 5;
	assert_usual(25 * MIB);
	bench_release_transfers(&bench);
	plan.free_bytes = 64 * MIB;
	assert_usual(16 * MIB);
}

static void sizes_have_limits_of_their_own(void **state)
{
	(void)state;
	plan.nr_sizes = 4;
	plan.sizes_bytes[0] = 4096;
	plan.sizes_bytes[1] = 3 * GIB + 1;
	plan.sizes_bytes[2] = 15 * GIB;		/* more than an eighth of the device */
	plan.sizes_bytes[3] = 1 * GIB;
	assert_usual(64 * MIB);
	assert_int_equal(bench.transfer->largest_bytes, 3 * GIB + 1);
	assert_true(transfer_allows(&bench, 1) && transfer_allows(&bench, 3 * GIB + 1));
	assert_false(transfer_allows(&bench, 15 * GIB));
	assert_string_equal(run.last,
			    "16106127360 bytes are more than gpudiag uses of the device's memory: 10737418240");
	assert_false(transfer_allows(&bench, 21 * GIB));
	assert_string_equal(run.last, "22548578304 bytes are more than one buffer of the device can be: 21474836480");
	assert_string_equal(run.why, "");	/* a limit is no failure */
}

static void hosts_have_limits_too(void **state)
{
	(void)state;
	plan.host_free_bytes = 600 * MIB;
	plan.nr_sizes = 1;
	plan.sizes_bytes[0] = 51 * MIB;
	assert_usual(50 * MIB);
	assert_int_equal(bench.transfer->largest_bytes, 50 * MIB);
	assert_false(transfer_allows(&bench, 51 * MIB));
	assert_non_null(strstr(run.last, "more than gpudiag uses of the host's free memory: 52428800"));
}

static void nothing_is_told_as_a_page(void **state)
{
	(void)state;
	plan.host_free_bytes = 1;
	assert_usual(0);
	assert_false(transfer_allows(&bench, 0));
	assert_non_null(strstr(run.last, "4096 bytes are more than gpudiag uses of the host's free memory: 0"));
}

/* A MiB in 20 ms, one way or the other: a second is enough for 50, eight for 400. */
static void a_slow_way_sets_the_size(void **state)
{
	(void)state;
	plan.fine = true;
	plan.nr_sizes = 1;
	plan.sizes_bytes[0] = 1 * GIB;
	for (int back = 0; back < 2; back++) {
		there_ns = back ? 0 : 20000000;
		back_ns = back ? 20000000 : 0;
		assert_in_range(bench_transfer(&bench)->usual_bytes, 10 * MIB, 51 * MIB);
		assert_int_equal(bench.transfer->largest_bytes, bench.transfer->usual_bytes);
		assert_false(transfer_allows(&bench, 1 * GIB));
		assert_non_null(strstr(run.last, "more than this device copies in eight seconds: "));
		bench_release_transfers(&bench);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(quick_is_smaller_than_fine),
		TEST(what_is_little_sets_the_size),
		TEST(more_tests_share_the_same_quarter),
		TEST(sizes_have_limits_of_their_own),
		TEST(hosts_have_limits_too),
		TEST(nothing_is_told_as_a_page),
		TEST(a_slow_way_sets_the_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
