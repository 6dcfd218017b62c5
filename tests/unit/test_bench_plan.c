// SPDX-License-Identifier: GPL-2.0-or-later
/* test_bench_plan.c - what is to be measured: from the request and the host, through a worker's environment. */
#include "base/compat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/bench_plan.h"

#define GIB ((uint64_t)1 << 30)

static struct snapshot snapshot;

static int begin(void **state)
{
	(void)state;
	snapshot = (struct snapshot){ 0 };
	snapshot.request.level = val_str("standard");
	return 0;
}

static int end(void **state)
{
	static const char *const variables[] = { "WHAT", "NUMBERS", "SIZES", "CPUS", "HOST", "NODES" };

	(void)state;
	arena_release(&snapshot.arena);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		char name[64];

		snprintf(name, sizeof(name), "GPUDIAG_BENCH_%s", variables[i]);
		unsetenv(name);
	}
	return 0;
}

/* ---- the snapshot */

static void add_node(const char *number, const char *cpus)
{
	struct numa_node *node = list_element(&snapshot.arena, &snapshot, numa_nodes, numa_node, number);

	node->cpus = val_str(cpus);
}

static struct gpu *add_gpu(const char *address, int node)
{
	struct gpu *gpu = list_element(&snapshot.arena, &snapshot, gpus, gpu, address);

	gpu->pci.numa_node = node < 0 ? no_u64(VAL_ABSENT, "-1") : val_u64((uint64_t)node);
	return gpu;
}

static struct ocl_device *add_device(const char *address)
{
	struct ocl_device *device =
		list_element(&snapshot.arena, &snapshot, ocl_devices, ocl_device, "opencl:a.icd:0");

	if (address)
		device->pci_address = val_str(address);
	return device;
}

static void two_sockets(void)
{
	add_node("0", "0-3");
	add_node("1", "4-7");
	add_node("2", "");		/* memory without CPUs */
}

static void plan_of(const char *address, struct bench_plan *ret)
{
	bench_plan_of(&snapshot, add_device(address), ret);
}

/* ---- CPUs and nodes */

static void a_gpu_is_measured_from_its_node(void **state)
{
	struct bench_plan plan;

	(void)state;
	two_sockets();
	add_gpu("0000:5d:00.0", 1);
	plan_of("0000:5d:00.0", &plan);
	assert_string_equal(plan.cpus, "4-7");
	assert_int_equal(plan.numa_node, 1);
	assert_int_equal(plan.nr_nodes, 2);
	assert_int_equal(plan.nodes[0].node, 0);
	assert_string_equal(plan.nodes[1].cpus, "4-7");
}

static void one_node_is_no_choice(void **state)
{
	struct bench_plan plan;

	(void)state;
	add_node("0", "0-7");
	add_node("1", "");
	add_gpu("0000:5d:00.0", 0);
	plan_of("0000:5d:00.0", &plan);
	assert_string_equal(plan.cpus, "");
	assert_int_equal(plan.numa_node, -1);
	assert_int_equal(plan.nr_nodes, 0);
}

static void a_device_that_is_nowhere_has_no_node(void **state)
{
	struct bench_plan plan;

	(void)state;
	two_sockets();
	plan_of(NULL, &plan);
	assert_string_equal(plan.cpus, "");
	assert_int_equal(plan.nr_nodes, 0);
	snapshot.request.per_numa_node = val_bool(true);
	plan_of(NULL, &plan);
	assert_string_equal(plan.cpus, "");
	assert_int_equal(plan.nr_nodes, 2);
	add_gpu("0000:5d:00.0", -1);
	plan_of("0000:5d:00.0", &plan);
	assert_string_equal(plan.cpus, "");
	assert_int_equal(plan.numa_node, -1);
}

static void quick_has_no_time_for_nodes(void **state)
{
	struct bench_plan plan;

	(void)state;
	snapshot.request.level = val_str("quick");
	two_sockets();
	add_gpu("0000:5d:00.0", 1);
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.numa_node, 1);
	assert_int_equal(plan.nr_nodes, 0);
	snapshot.request.per_numa_node = val_bool(true);
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.nr_nodes, 2);
}

static void only_cpus_that_may_be_used_count(void **state)
{
	struct bench_plan plan;

	(void)state;
	two_sockets();
	add_gpu("0000:5d:00.0", 1);
	snapshot.cgroup.cpus = val_str("2-3");
	plan_of("0000:5d:00.0", &plan);
	assert_string_equal(plan.cpus, "0-3");	/* far, and known to be */
	assert_int_equal(plan.numa_node, 0);
	assert_int_equal(plan.nr_nodes, 0);
	snapshot.cgroup.cpus = val_str("3-4");
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.numa_node, 1);
	assert_int_equal(plan.nr_nodes, 2);
	snapshot.cgroup.cpus = val_str("nonsense");
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.numa_node, -1);
	assert_int_equal(plan.nr_nodes, 0);
}

static void a_list_that_does_not_fit_is_not_cut(void **state)
{
	char cpus[2 * BENCH_CPUS_BYTES];
	struct bench_plan plan;
	size_t len = 0;

	(void)state;
	for (int cpu = 0; len < BENCH_CPUS_BYTES + 8; cpu += 2)
		len += (size_t)snprintf(cpus + len, sizeof(cpus) - len, "%s%d", cpu ? "," : "", cpu);
	add_node("0", "1");
	add_node("1", cpus);
	add_gpu("0000:5d:00.0", 1);
	plan_of("0000:5d:00.0", &plan);
	assert_string_equal(plan.cpus, "1");
	assert_int_equal(plan.numa_node, 0);
}

/* ---- memory */

static void what_is_free_is_the_smaller(void **state)
{
	struct gpu *gpu;
	struct bench_plan plan;

	(void)state;
	gpu = add_gpu("0000:5d:00.0", 0);
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.host_free_bytes, 0);
	assert_int_equal(plan.free_bytes, 0);
	snapshot.memory.available_bytes = val_u64(64 * GIB);
	gpu->nvml.vram_total_bytes = val_u64(80 * GIB);
	gpu->nvml.vram_used_bytes = val_u64(10 * GIB);
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.host_free_bytes, 64 * GIB);
	assert_int_equal(plan.free_bytes, 70 * GIB);
	snapshot.cgroup.memory_limit_bytes = val_u64(8 * GIB);
	snapshot.cgroup.memory_used_bytes = val_u64(6 * GIB);
	snapshot.cgroup.memory_cache_bytes = val_u64(1 * GIB);
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.host_free_bytes, 3 * GIB);
}

/* Not the same as not known. */
static void what_is_full_has_next_to_nothing(void **state)
{
	struct gpu *gpu;
	struct bench_plan plan;

	(void)state;
	gpu = add_gpu("0000:5d:00.0", 0);
	gpu->amdgpu.vram_total_bytes = gpu->amdgpu.vram_used_bytes = val_u64(80 * GIB);
	snapshot.memory.available_bytes = val_u64(64 * GIB);
	snapshot.cgroup.memory_limit_bytes = snapshot.cgroup.memory_used_bytes = val_u64(8 * GIB);
	plan_of("0000:5d:00.0", &plan);
	assert_int_equal(plan.host_free_bytes, 1);
	assert_int_equal(plan.free_bytes, 1);
}

static void sizes_are_sizes(void **state)
{
	static const double sizes[] = { 4096.0, 0.0, -1.0, 0.5, 1e300, (double)NAN, (double)INFINITY, 65536.0 };
	struct bench_plan plan;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		f64s_add(&snapshot.arena, &snapshot.request.sizes_bytes, sizes[i]);
	plan_of(NULL, &plan);
	assert_int_equal(plan.nr_sizes, 2);
	assert_int_equal(plan.sizes_bytes[0], 4096);
	assert_int_equal(plan.sizes_bytes[1], 65536);
	for (size_t i = 0; i < 2 * BENCH_MAX_SIZES; i++)
		f64s_add(&snapshot.arena, &snapshot.request.sizes_bytes, 1024.0);
	plan_of(NULL, &plan);
	assert_int_equal(plan.nr_sizes, BENCH_MAX_SIZES);
}

/* ---- the environment */

static void pass_on(const struct bench_plan *plan, struct bench_plan *ret)
{
	struct strs environment = { 0 };

	bench_plan_to_environment(plan, &snapshot.arena, &environment);
	for (size_t i = 0; i < environment.nr; i++) {
		char *text = arena_strdup(&snapshot.arena, environment.v[i]);
		char *value = strchr(text, '=');

		assert_non_null(value);
		*value = '\0';
		assert_int_equal(setenv(text, value + 1, 1), 0);
	}
	bench_plan_from_environment(ret);
}

static void a_plan_arrives_as_it_was_sent(void **state)
{
	struct bench_plan plan, after;

	(void)state;
	two_sockets();
	snapshot.request.level = val_str("deep");
	snapshot.request.per_numa_node = val_bool(true);
	snapshot.request.measure_ms = val_u64(2500);
	snapshot.memory.available_bytes = val_u64(64 * GIB);
	f64s_add(&snapshot.arena, &snapshot.request.sizes_bytes, 4096.0);
	f64s_add(&snapshot.arena, &snapshot.request.sizes_bytes, 1e12);
	add_gpu("0000:5d:00.0", 1)->nvml.vram_total_bytes = val_u64(80 * GIB);
	plan_of("0000:5d:00.0", &plan);
	pass_on(&plan, &after);
	assert_true(after.transfer && after.memory && after.compute && after.latency && after.answer && after.fine);
	assert_false(after.all_precisions || after.both_ways);
	assert_int_equal(after.measure_ms, 2500);
	assert_true(after.target > 0.0099 && after.target < 0.0101);
	assert_int_equal(after.memory_share_percent, plan.memory_share_percent);
	assert_int_equal(after.sustain_ms, plan.sustain_ms);
	assert_int_equal(after.answer_ms, plan.sustain_ms * 37 / 100);
	assert_int_equal(after.free_bytes, plan.free_bytes);
	assert_int_equal(after.host_free_bytes, 64 * GIB);
	assert_int_equal(after.nr_sizes, 2);
	assert_int_equal(after.sizes_bytes[1], 1000000000000);
	assert_string_equal(after.cpus, "4-7");
	assert_int_equal(after.numa_node, 1);
	assert_int_equal(after.nr_nodes, 2);
	assert_int_equal(after.nodes[1].node, 1);
	assert_string_equal(after.nodes[0].cpus, "0-3");
}

/* What is not told how long to measure has the time of its level, and its worker the time for the known answers. */
static void a_level_has_its_time(void **state)
{
	struct bench_plan plan, after;

	(void)state;
	plan_of(NULL, &plan);
	pass_on(&plan, &after);
	assert_true(after.whole_ms > after.measure_ms && after.whole_ms < 10000);
	assert_int_equal(after.whole_ms, plan.whole_ms);
	assert_int_equal(after.answer_ms, 0);
	snapshot.request.level = val_str("deep");
	snapshot.request.sustain_ms = val_u64(1000);
	plan_of(NULL, &after);
	snapshot.request.sustain_ms = val_u64(81000);
	plan_of(NULL, &plan);
	assert_int_equal(bench_plan_ms(&plan) - bench_plan_ms(&after), 80000 + 2 * 29600);
	snapshot.request.level = val_str("quick");
	plan_of(NULL, &plan);
	assert_int_equal(plan.whole_ms, 0);
}

static void a_plan_of_nothing_arrives_too(void **state)
{
	struct bench_plan plan, after;

	(void)state;
	strs_add(&snapshot.arena, &snapshot.request.tests, "transfer");
	plan_of(NULL, &plan);
	pass_on(&plan, &after);
	assert_true(after.transfer && after.both_ways);
	assert_false(after.memory || after.compute || after.latency || after.answer);
	assert_int_equal(after.numa_node, -1);
	assert_string_equal(after.cpus, "");
	assert_int_equal(after.nr_nodes, 0);
	assert_int_equal(after.nr_sizes, 0);
}

static void what_cannot_be_read_is_left_out(void **state)
{
	struct bench_plan plan;

	(void)state;
	bench_plan_from_environment(&plan);
	assert_true(plan.measure_ms > 0 && !plan.transfer && plan.numa_node == -1 && !plan.nr_sizes);
	setenv("GPUDIAG_BENCH_WHAT", "transfer,,nonsense,fine", 1);
	setenv("GPUDIAG_BENCH_NUMBERS", "99999999999999999999,99999999999999999999,x", 1);
	setenv("GPUDIAG_BENCH_SIZES", "4096,-1,65536", 1);
	setenv("GPUDIAG_BENCH_HOST", "x,99999999", 1);
	setenv("GPUDIAG_BENCH_NODES", "0:0-3 nonsense x:1 7: 1:4-7", 1);
	bench_plan_from_environment(&plan);
	assert_true(plan.transfer && plan.fine && !plan.memory);
	assert_true(plan.measure_ms > 0 && plan.measure_ms < 10000);
	assert_int_equal(plan.whole_ms, 0);
	assert_int_equal(plan.nr_sizes, 1);
	assert_int_equal(plan.host_free_bytes, 0);
	assert_int_equal(plan.numa_node, -1);
	assert_int_equal(plan.nr_nodes, 3);
	assert_int_equal(plan.nodes[1].node, 7);
	assert_string_equal(plan.nodes[2].cpus, "4-7");
}

static void more_than_there_is_room_for_is_left_out(void **state)
{
	STRBUF_AUTO sizes = STRBUF_INIT;
	STRBUF_AUTO nodes = STRBUF_INIT;
	struct bench_plan plan;

	(void)state;
	for (int i = 0; i < 2 * BENCH_MAX_NODES; i++) {
		strbuf_addf(&sizes, "%d,", i + 1);
		strbuf_addf(&nodes, "%d:%d ", i, i);
	}
	setenv("GPUDIAG_BENCH_SIZES", sizes.buf, 1);
	setenv("GPUDIAG_BENCH_NODES", nodes.buf, 1);
	bench_plan_from_environment(&plan);
	assert_int_equal(plan.nr_sizes, BENCH_MAX_SIZES);
	assert_int_equal(plan.nr_nodes, BENCH_MAX_NODES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_gpu_is_measured_from_its_node),
		TEST(one_node_is_no_choice),
		TEST(a_device_that_is_nowhere_has_no_node),
		TEST(quick_has_no_time_for_nodes),
		TEST(only_cpus_that_may_be_used_count),
		TEST(a_list_that_does_not_fit_is_not_cut),
		TEST(what_is_free_is_the_smaller),
		TEST(what_is_full_has_next_to_nothing),
		TEST(sizes_are_sizes),
		TEST(a_plan_arrives_as_it_was_sent),
		TEST(a_level_has_its_time),
		TEST(a_plan_of_nothing_arrives_too),
		TEST(what_cannot_be_read_is_left_out),
		TEST(more_than_there_is_room_for_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
