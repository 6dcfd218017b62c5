// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it times samples. */
/* test_sample_files.c - GPUs of AMD and Intel again and again, by files that change between two ticks. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/inotify.h>

#include <cmocka.h>

#include "probe/sample/sample_files.h"
#include "probe/sample/sample_sources.h"
#include "sys/clock.h"
#include "tests/unit/sampling.h"

#define A "0000:03:00.0"
#define B "0000:83:00.0"
#define S_NS UINT64_C(1000000000)
#define APART_NS UINT64_C(25000000)	/* what clients used in less time says nothing */

static void put(const char *address, const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", address, file);
	put_text(path, text);
}

static int begin(void **state)
{
	if (tree_make(state))
		return -1;
	put(A, "power/runtime_status", "active\n");
	put(B, "power/runtime_status", "active\n");
	put_text("proc/1/stat", "1 (init) S\n");
	return 0;
}

static int end(void **state)
{
	sampling_close();
	return tree_remove(state);
}

static void open_gpus(const char *gpus, const char *pids)
{
	setenv("GPUDIAG_SAMPLE_FILES_GPUS", gpus, 1);
	setenv("GPUDIAG_SAMPLE_FILES_PIDS", pids, 1);
	sampling_open(&sample_files, S_NS);
}

/* A slow machine goes through /proc in several ticks. */
static void see_all_clients(void)
{
	while (!((struct sample_files *)sampling_own)->drm.has_walked)
		sample_tick();
}

/* ---- amdgpu */

static void put_number(unsigned char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/* Version 1.7, of an MI300X. */
static void put_table(const char *address, uint32_t counted, uint32_t at_limit, uint64_t mbps, uint64_t xgmi_kib)
{
	unsigned char table[2208];
	char path[200];

	memset(table, 0xff, sizeof(table));
	put_number(table, sizeof(table), 2);
	table[2] = 1;
	table[3] = 7;
	put_number(table + 24, 1000000000, 8);	/* energy */
	put_number(table + 40, counted, 4);
	for (unsigned i = 0; i < 5; i++)
		put_number(table + 44 + 4 * i, i == 1 ? at_limit : 0, 4);
	put_number(table + 96, mbps, 8);
	for (unsigned i = 0; i < 7; i++) {
		put_number(table + 136 + 8 * i, xgmi_kib, 8);
		put_number(table + 200 + 8 * i, 2 * xgmi_kib, 8);
	}
	put_number(table + 296, 2100, 2);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/gpu_metrics", address);
	put_file(path, table, sizeof(table));
}

static void put_amdgpu(const char *address)
{
	put(address, "gpu_busy_percent", "97\n");
	put(address, "mem_busy_percent", "41\n");
	put(address, "mem_info_vram_used", "123456789\n");
	put(address, "current_link_speed", "32.0 GT/s PCIe\n");
	put(address, "current_link_width", "16\n");
	put(address, "pcie_bw", "1 2 3\n");
	put(address, "hwmon/hwmon4/name", "amdgpu\n");
	put(address, "hwmon/hwmon4/power1_average", "655000000\n");
	put(address, "hwmon/hwmon4/temp1_label", "edge\n");
	put(address, "hwmon/hwmon4/temp1_input", "64000\n");
	put(address, "hwmon/hwmon4/freq2_input", "1300000000\n");
	put_table(address, 1000, 0, 8000, 10);
}

static void test_amdgpu(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	put_amdgpu(A);
	open_gpus(A "/amdgpu/" A, "host");
	gpu = sample_gpu(A);
	assert_figure(gpu->busy_percent, 97);
	assert_figure(gpu->memory_busy_percent, 41);
	assert_count(gpu->power_mw, 655000);
	assert_count(gpu->vram_used_bytes, 123456789);
	assert_count(gpu->clock_mhz, 2100);
	assert_count(gpu->memory_clock_mhz, 1300);
	assert_figure(gpu->temperature_c, 64);
	assert_count(gpu->link_width, 16);
	assert_count(gpu->link_speed_mtps, 32000);
	assert_figure(gpu->link_bytes_per_s, 1e9);
	assert_count(gpu->peer_received_bytes, 7 * 10 * 1024);
	assert_count(gpu->peer_sent_bytes, 7 * 20 * 1024);
	assert_count(gpu->energy_mj, 15259000);
	assert_int_equal(gpu->sm_active_percent.state, VAL_UNSET);
	/* A counter of time tells by two tables. */
	assert_count(gpu->power_cap_ns, 0);
	assert_int_equal(gpu->throttle_reasons.state, VAL_ABSENT);
	clock_sleep_ns(APART_NS);
	put_table(A, 1100, 50, 8000, 10);
	gpu = sample_gpu(A);
	assert_string_equal(str_or(gpu->throttle_reasons, ""), "power-cap");
	assert_true(u64_or(gpu->power_cap_ns, 0) >= APART_NS / 2 && u64_or(gpu->power_cap_ns, 0) < S_NS);
	assert_count(gpu->thermal_ns, 0);
	assert_missing(gpu->busy_min_percent, VAL_UNSET, "");
}

static bool has_event(int watch)
{
	char events[4096];

	return read(watch, events, sizeof(events)) > 0;
}

static void test_pcie_bw_is_never_opened(void **state)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	(void)state;
	put_amdgpu(A);
	assert_true(inotify_add_watch(watch, scratch("sys/bus/pci/devices/" A "/pcie_bw"), IN_OPEN | IN_ACCESS) >= 0);
	open_gpus(A "/amdgpu/" A, "host");
	for (int i = 0; i < 5; i++)
		sample_tick();
	assert_false(has_event(watch));
	close(watch);
}

static void test_a_gpu_that_sleeps_is_not_read(void **state)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	(void)state;
	put_amdgpu(A);
	open_gpus(A "/amdgpu/" A, "host");
	sample_tick();
	assert_true(inotify_add_watch(watch, scratch("sys/bus/pci/devices/" A "/gpu_busy_percent"), IN_ACCESS) >= 0);
	assert_true(inotify_add_watch(watch, scratch("sys/bus/pci/devices/" A "/gpu_metrics"), IN_ACCESS) >= 0);
	put(A, "power/runtime_status", "suspended\n");
	assert_missing(sample_gpu(A)->busy_percent, VAL_ASLEEP, "runtime_status suspended");
	assert_missing(sample_gpu(A)->power_mw, VAL_ASLEEP, "runtime_status suspended");
	assert_false(has_event(watch));
	put(A, "power/runtime_status", "active\n");
	assert_figure(sample_gpu(A)->busy_percent, 97);
	assert_true(has_event(watch));
	close(watch);
}

static void test_a_gpu_that_is_gone(void **state)
{
	(void)state;
	put_amdgpu(A);
	open_gpus(A "/amdgpu/" A, "host");
	assert_true(is_known(sample_gpu(A)->busy_percent));
	assert_int_equal(rename(scratch("sys/bus/pci/devices/" A), scratch("gone")), 0);
	assert_missing(sample_gpu(A)->busy_percent, VAL_LOST, "it left the bus");
	assert_missing(sample_gpu(A)->processes, VAL_LOST, "it left the bus");
}

/* ---- KFD */

static void put_kfd_process(const char *pid, const char *vram, const char *evicted_ms, const char *page_in)
{
	const char *const files[][2] = {
		{ "vram_111", vram }, { "sdma_111", "5000\n" }, { "stats_111/evicted_ms", evicted_ms },
		{ "stats_111/cu_occupancy", "200\n" }, { "counters_111/faults", "9\n" },
		{ "counters_111/page_in", page_in },
		{ "counters_111/page_out", "4\n" },
	};
	char path[200];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "sys/class/kfd/kfd/proc/%s/%s", pid, files[i][0]);
		put_text(path, files[i][1]);
	}
}

static void put_kfd(void)
{
	/* 0x300: bus 3. */
	put_text("sys/class/kfd/kfd/topology/nodes/0/properties", "simd_count 0\nlocation_id 0\ndomain 0\n");
	put_text("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
	put_text("sys/class/kfd/kfd/topology/nodes/1/properties", "simd_count 304\nlocation_id 768\ndomain 0\n");
	put_text("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "111\n");
	put_text("sys/class/kfd/kfd/topology/nodes/2/properties", "simd_count 304\nlocation_id 33536\ndomain 0\n");
	put_text("sys/class/kfd/kfd/topology/nodes/2/gpu_id", "222\n");
	put_kfd_process("4001", "8000\n", "120\n", "77\n");
	put_kfd_process("4002", "0\n", "0\n", "0\n");
}

static void test_kfd(void **state)
{
	const struct tick_gpu *gpu;
	const struct tick_client *client;

	(void)state;
	put_amdgpu(A);
	put_amdgpu(B);
	put_kfd();
	open_gpus(A "/amdgpu/" A " " B "/amdgpu/", "host");
	see_all_clients();
	gpu = sample_gpu(A);
	/* The other has opened the driver, and nothing more. */
	assert_int_equal(gpu->nr_clients, 1);
	client = list_find(gpu, clients, tick_client, "4001");
	assert_non_null(client);
	assert_count(client->memory_bytes, 8000);
	assert_count(client->evicted_ms, 120);
	assert_count(client->page_ins, 77);
	assert_count(client->page_outs, 4);
	assert_count(client->faults, 9);
	assert_count(client->compute_units, 200);
	assert_count(client->copy_ns, 5000000);
	assert_count(gpu->processes, 1);
	gpu = list_find(&sampled, gpus, tick_gpu, B);
	assert_int_equal(gpu->nr_clients, 0);
	assert_count(gpu->processes, 0);
	put_kfd_process("4001", "8000\n", "nonsense\n", "78\n");
	client = list_find(sample_gpu(A), clients, tick_client, "4001");
	assert_missing(client->evicted_ms, VAL_ERROR, "reads no number");
	assert_count(client->page_ins, 78);
}

static void test_kfd_of_another_namespace(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	put_amdgpu(A);
	put_kfd();
	open_gpus(A "/amdgpu/" A, "");
	gpu = sample_gpu(A);
	assert_int_equal(gpu->nr_clients, 0);
	assert_missing(gpu->processes, VAL_UNSUPPORTED, "pid namespace");
}

/* ---- clients of DRM nodes */

static void put_node(const char *node, const char *address, const char *driver)
{
	char path[200], target[200];

	snprintf(path, sizeof(path), "sys/class/drm/%s/device", node);
	snprintf(target, sizeof(target), "../../../bus/pci/devices/%s", address);
	put_link(path, target);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/driver", address);
	snprintf(target, sizeof(target), "../../../../bus/pci/drivers/%s", driver);
	put_link(path, target);
}

static void put_fd(const char *pid, const char *fd, const char *node)
{
	char path[200];

	snprintf(path, sizeof(path), "proc/%s/fd/%s", pid, fd);
	put_link(path, node);
}

static void put_fdinfo(const char *pid, const char *fd, const char *address, const char *text)
{
	char path[200], all[1024];

	snprintf(path, sizeof(path), "proc/%s/fdinfo/%s", pid, fd);
	snprintf(all, sizeof(all), "pos:\t0\ndrm-driver:\tx\ndrm-pdev:\t%s\n%s", address, text);
	put_text(path, all);
}

/* Of client 5, at two moments. */
#define START_OF_5                                                                                                     \
	"drm-client-id:\t5\ndrm-cycles-ccs:\t1000\ndrm-total-cycles-ccs:\t10000\ndrm-resident-vram0:\t4 MiB\n"
#define END_OF_5 "drm-client-id:\t5\ndrm-cycles-ccs:\t1700\ndrm-total-cycles-ccs:\t11000\ndrm-resident-vram0:\t4 MiB\n"

static void put_xe(void)
{
	put_node("renderD128", A, "xe");
	put(A, "tile0/gt0/freq0/act_freq", "2400\n");
	put(A, "tile0/gt0/freq0/throttle/reasons", "pl1\n");
	put(A, "hwmon/hwmon2/name", "xe\n");
	put(A, "hwmon/hwmon2/energy1_input", "5000000\n");
	put(A, "current_link_speed", "16.0 GT/s PCIe\n");
	put(A, "current_link_width", "8\n");
	/* Two descriptors of one client, and one of another. */
	put_fd("77", "3", "/dev/null");
	put_fd("77", "9", "/dev/dri/renderD128");
	put_fd("77", "10", "/dev/dri/renderD128");
	put_fd("78", "4", "/dev/dri/renderD128");
	put_fdinfo("77", "9", A, START_OF_5);
	put_fdinfo("77", "10", A, START_OF_5);
	put_fdinfo("78", "4", A, "drm-client-id:\t6\ndrm-cycles-ccs:\t0\ndrm-total-cycles-ccs:\t10000\n");
}

static void test_clients_in_cycles(void **state)
{
	const struct tick_gpu *gpu;
	const struct tick_client *client;

	(void)state;
	put_xe();
	open_gpus(A "/xe/" A, "host");
	gpu = sample_gpu(A);
	assert_int_equal(gpu->busy_percent.state, under_valgrind() ? VAL_SKIPPED : VAL_ABSENT);
	see_all_clients();
	clock_sleep_ns(APART_NS);
	put_fdinfo("77", "9", A, END_OF_5);
	put_fdinfo("77", "10", A, END_OF_5);
	put_fdinfo("78", "4", A, "drm-client-id:\t6\ndrm-cycles-ccs:\t200\ndrm-total-cycles-ccs:\t11000\n");
	gpu = sample_gpu(A);
	assert_figure(gpu->busy_percent, 90);
	assert_count(gpu->processes, 2);
	client = list_find(gpu, clients, tick_client, "77");
	assert_non_null(client);
	assert_figure(client->busy_percent, 70);
	assert_count(client->memory_bytes, 4 << 20);
	assert_missing(client->busy_ns, VAL_UNSUPPORTED, "its driver counts cycles");
	assert_figure(list_find(gpu, clients, tick_client, "78")->busy_percent, 20);
	/* Of a GPU at work its link is told. */
	assert_count(gpu->link_width, 8);
	assert_count(gpu->energy_mj, 5000);
	assert_string_equal(str_or(gpu->throttle_reasons, ""), "power-cap");
	assert_missing(gpu->vram_used_bytes, VAL_ABSENT, "ENOENT");
	assert_missing(gpu->memory_busy_percent, VAL_UNSUPPORTED, "not reported by its driver");
}

static void test_clients_in_nanoseconds(void **state)
{
	const struct tick_gpu *gpu;
	char text[200];

	(void)state;
	put_node("renderD129", B, "i915");
	put_fd("90", "4", "/dev/dri/renderD129");
	put_fdinfo("90", "4", B, "drm-client-id:\t1\ndrm-engine-render:\t1000 ns\ndrm-engine-copy:\t0 ns\n");
	open_gpus(B "/i915/" B, "host");
	sample_tick();
	see_all_clients();
	clock_sleep_ns(APART_NS);
	/* More than there was time for: 100 %. */
	snprintf(text, sizeof(text), "drm-client-id:\t1\ndrm-engine-render:\t%llu ns\ndrm-engine-copy:\t7 ns\n",
		 10 * (unsigned long long)S_NS);
	put_fdinfo("90", "4", B, text);
	gpu = sample_gpu(B);
	assert_figure(gpu->busy_percent, 100);
	assert_count(gpu->clients[0].busy_ns, 10 * S_NS);
	/* Its number is another client's now: it is found as that when /proc is gone through again. */
	put_fdinfo("90", "4", B, "drm-client-id:\t2\ndrm-engine-render:\t5 ns\n");
	assert_int_equal(sample_gpu(B)->nr_clients, 0);
	assert_int_equal(((struct sample_files *)sampling_own)->drm.nr, 0);
}

static void test_clients_that_are_hidden(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	put_xe();
	open_gpus(A "/xe/" A, "");
	sample_tick();
	see_all_clients();
	clock_sleep_ns(APART_NS);
	gpu = sample_gpu(A);
	assert_missing(gpu->busy_percent, VAL_DENIED, "needs root: it adds up over all processes, and some are hidden");
	assert_missing(gpu->processes, VAL_DENIED, "needs root: some processes are hidden");
	assert_missing(gpu->link_width, VAL_ABSENT, "not at work: its link may be slower at rest");
	/* What was seen is told. */
	assert_int_equal(gpu->nr_clients, 2);
}

static void test_clients_of_a_gpu_that_sleeps(void **state)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	(void)state;
	put_xe();
	put(A, "power/runtime_status", "suspended\n");
	assert_true(inotify_add_watch(watch, scratch("proc/77/fdinfo/9"), IN_OPEN) >= 0);
	open_gpus(A "/xe/" A, "host");
	sample_tick();
	assert_missing(sample_gpu(A)->busy_percent, VAL_ASLEEP, "runtime_status suspended");
	assert_false(has_event(watch));
	close(watch);
}

/* ---- all of it */

static void test_environment(void **state)
{
	struct snapshot sealed = { .nr_gpus = 0 };
	struct strs ret = { 0 }, skip = { 0 };
	struct gpu *gpu;

	(void)state;
	gpu = list_element(&sealed.arena, &sealed, gpus, gpu, A);
	gpu->pci.driver = val_str("nvidia");
	assert_false(sample_files.reads_gpu(&sealed, gpu));
	gpu = list_element(&sealed.arena, &sealed, gpus, gpu, B);
	gpu->pci.driver = val_str("amdgpu");
	gpu->bridges = val_u64(0);
	assert_true(sample_files.reads_gpu(&sealed, gpu));
	sample_files.environment(&sealed, &skip, &sealed.arena, &ret);
	assert_true(strs_has(&ret, "GPUDIAG_SAMPLE_FILES_GPUS=" B "/amdgpu/" B));
	assert_true(strs_has(&ret, "GPUDIAG_SAMPLE_FILES_PIDS="));
	snapshot_release(&sealed);
}

/* Two GPUs, clients that come and go. */
static void test_cost(void **state)
{
	unsigned reads = under_valgrind() ? 30 : 6000;
	size_t files = 0;
	long before = 0;
	uint64_t cpu_ns;
	char text[200];

	(void)state;
	put_amdgpu(B);
	put_kfd();
	put_xe();
	open_gpus(A "/xe/" A " " B "/amdgpu/" B, "host");
	cpu_ns = clock_cpu_ns();
	for (unsigned i = 0; i < reads; i++) {
		snprintf(text, sizeof(text), "drm-client-id:\t%u\ndrm-cycles-ccs:\t0\ndrm-total-cycles-ccs:\t1\n",
			 100 + i / 8);
		if (i % 8 == 0)
			put_fdinfo("78", "4", A, text);
		/* As if five seconds had passed. */
		((struct sample_files *)sampling_own)->drm.walk_ns = 0;
		sample_tick();
		before = i == reads / 10 ? resident_kib() : before;
		files = i == reads / 10 ? count_open_files() : files;
	}
	cpu_ns = clock_cpu_ns() - cpu_ns;
	print_message(
		"2 GPUs, 4 processes, all of /proc in each: %.3f ms of CPU a tick; %ld KiB, %ld KiB more than after %u reads\n",
		(double)cpu_ns / 1e6 / reads, resident_kib(), resident_kib() - before, reads / 10);
	assert_int_equal(count_open_files(), files);
	if (memory_is_its_own())
		assert_true(resident_kib() - before < 256);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_amdgpu), TEST(test_pcie_bw_is_never_opened), TEST(test_a_gpu_that_sleeps_is_not_read),
		TEST(test_a_gpu_that_is_gone),
		TEST(test_kfd), TEST(test_kfd_of_another_namespace),
		TEST(test_clients_in_cycles), TEST(test_clients_in_nanoseconds), TEST(test_clients_that_are_hidden),
		TEST(test_clients_of_a_gpu_that_sleeps),
		TEST(test_environment), TEST(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
