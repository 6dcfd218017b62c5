// SPDX-License-Identifier: GPL-2.0-or-later
/* test_bench_place.c - where the measuring thread runs. */
#include "base/compat.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/bench.h"

static cpu_set_t allowed;
static struct bench_plan plan;
static struct ocl_run run;
static struct bench bench;

static int begin(void **state)
{
	(void)state;
	plan = (struct bench_plan){ .numa_node = -1 };
	run = (struct ocl_run){ 0 };
	bench = (struct bench){ .run = &run, .plan = &plan };
	return sched_getaffinity(0, sizeof(allowed), &allowed);
}

static int end(void **state)
{
	(void)state;
	bench_place_close(&bench);
	return sched_setaffinity(0, sizeof(allowed), &allowed);
}

static int last_cpu(void)
{
	int last = -1;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			last = cpu;
	return last;
}

static void assert_on(int cpu)
{
	cpu_set_t now;

	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET(cpu, &now));
}

static void assert_free(void)
{
	cpu_set_t now;

	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &allowed));
}

static void stays_where_nothing_is_asked(void **state)
{
	(void)state;
	bench_place_open(&bench);
	assert_free();
	assert_int_equal(bench_place_node(&bench), -1);
	assert_true(bench_place_go(&bench, NULL));
}

static void goes_near_the_device(void **state)
{
	(void)state;
	/* With one that no machine has. */
	snprintf(plan.cpus, sizeof(plan.cpus), "%d,1048576", last_cpu());
	plan.numa_node = 3;
	bench_place_open(&bench);
	assert_on(last_cpu());
	assert_int_equal(bench_place_node(&bench), 3);
}

static void goes_to_a_node_and_back(void **state)
{
	(void)state;
	plan.nr_nodes = 2;
	plan.nodes[0].node = 5;
	plan.nodes[1].node = 6;
	snprintf(plan.nodes[0].cpus, sizeof(plan.nodes[0].cpus), "%d", last_cpu());
	snprintf(plan.nodes[1].cpus, sizeof(plan.nodes[1].cpus), "1000000-1000003");
	bench_place_open(&bench);
	assert_free();
	assert_true(bench_place_go(&bench, &plan.nodes[0]));
	assert_on(last_cpu());
	assert_int_equal(bench_place_node(&bench), 5);
	assert_false(bench_place_go(&bench, &plan.nodes[1]));
	assert_string_equal(run.last, "none of the CPUs of node 6 may be used here");
	assert_int_equal(bench_place_node(&bench), 5);
	assert_true(bench_place_go(&bench, NULL));
	assert_free();
}

/* Then where it is is what the kernel says, not what was asked for. */
static void stays_where_no_cpu_near_the_device_may_be_used(void **state)
{
	(void)state;
	snprintf(plan.cpus, sizeof(plan.cpus), "1000000");
	plan.numa_node = 1000;
	bench_place_open(&bench);
	assert_free();
	assert_int_not_equal(bench_place_node(&bench), 1000);
}

static void a_list_that_cannot_be_read_is_nowhere(void **state)
{
	(void)state;
	snprintf(plan.cpus, sizeof(plan.cpus), "3-1,x");
	bench_place_open(&bench);
	assert_free();
}

static void memory_is_where_the_kernel_says(void **state)
{
	const struct bench_node beyond = { .node = 1u << 20 };
	char *memory = calloc(1, 1 << 16);

	(void)state;
	assert_non_null(memory);
	bench_place_prefer_memory(&beyond);	/* none such: as if nothing had been asked */
	memset(memory, 1, 1 << 16);
	bench_place_prefer_memory(NULL);
	assert_true(bench_place_of_memory(memory) >= -1);
	assert_int_equal(bench_place_of_memory(NULL), -1);
	free(memory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stays_where_nothing_is_asked),
		TEST(goes_near_the_device),
		TEST(goes_to_a_node_and_back),
		TEST(stays_where_no_cpu_near_the_device_may_be_used),
		TEST(a_list_that_cannot_be_read_is_nowhere),
		TEST(memory_is_where_the_kernel_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
