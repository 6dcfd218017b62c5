// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it measures CPU time. */
/*
 * test_sample_nvml.c - NVIDIA's GPUs again and again, by libraries of several branches that answer as a script tells
 * (tests/fakes/nvml.c). Time is the script's, but for the counters of GPM, whose samples must be 100 ms apart.
 */
#include "base/compat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "probe/sample/sample_sources.h"
#include "probe/sample/sample_nvml.h"
#include "sys/clock.h"
#include "tests/unit/sampling.h"

#define A "0000:3b:00.0"
#define B "0000:5d:00.0"
#define S_NS UINT64_C(1000000000)

/* ---- a library of its own for each test: what it was told is in its memory */

static const char *fakes_folder(void)
{
	static char path[PATH_MAX + 16];
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX);
	char *at;

	path[len > 0 ? len : 0] = '\0';
	/* build/tests/test_… or build/asan/tests/test_…: the fakes are in build/fakes alone. */
	at = strstr(path, "/build/");
	assert_non_null(at);
	snprintf(at, sizeof("/build/fakes/nvml"), "/build/fakes/nvml");
	return path;
}

/* Each at a path of its own: what was loaded from one is not loaded again. */
static void put_library(const char *branch)
{
	static char bytes[4 << 20];
	static unsigned nr;
	char path[PATH_MAX + 64], name[64];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/libnvidia-ml.so.1", fakes_folder(), branch);
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s: make fakes", path);
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	snprintf(name, sizeof(name), "driver%u/usr/lib64/libnvidia-ml.so.1", ++nr);
	put_file(name, bytes, len);
	snprintf(name, sizeof(name), "driver%u", nr);
	setenv("GPUDIAG_DRIVER_ROOT", scratch(name), 1);
}

/* In a place of its own: what setenv() was given once stays in memory. */
static void at_ms(unsigned ms)
{
	static char text[48];

	snprintf(text, sizeof(text), "GPUDIAG_FAKE_NVML_MS=%u", ms);
	putenv(text);
}

/* json: with ' for ". */
static void put_machine(const char *branch, const char *json)
{
	char text[16384];

	snprintf(text, sizeof(text), "%s", json);
	for (char *at = text; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	put_text("nvml.json", text);
	put_library(branch);
	at_ms(0);
	setenv("GPUDIAG_FAKE_NVML", scratch("nvml.json"), 1);
	setenv("GPUDIAG_FAKE_NVML_LOG", scratch("log"), 1);
	setenv("GPUDIAG_SAMPLE_NVML_GPUS", A "/ " B "/", 1);
	setenv("GPUDIAG_SAMPLE_NVML_PIDS", "host", 1);
}

static void begin_with(const char *branch, const char *json)
{
	put_machine(branch, json);
	sampling_open(&sample_nvml, S_NS);
}

static const struct tick_gpu *gpu_at(unsigned ms, const char *address)
{
	at_ms(ms);
	return sample_gpu(address);
}

static size_t calls_of(const char *call)
{
	char line[256];
	FILE *file = fopen(scratch("log"), "re");
	size_t nr = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		nr += !strncmp(line, call, strlen(call));
	fclose(file);
	return nr;
}

static void assert_no_misuse(void)
{
	char line[256];
	FILE *file = fopen(scratch("log"), "re");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "misuse"))
			fail_msg("%s", line);
	fclose(file);
}

static int end(void **state)
{
	sampling_close();
	unsetenv("GPUDIAG_FAKE_NVML_MS");
	return tree_remove(state);
}

/* ---- samples of the driver */

static void test_samples_since_the_last_tick(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_with(
		"current",
		"{'gpus': [{'pci': '" A "', 'busy_percent': 77, 'memory_busy_percent': 12, 'power_mw': 500000,"
		"'samples': {'1': [[100, 10], [400, 90], [450, 255], [900, 20], [1300, 40]], '2': [[100, 4], [1300, 8]],"
		"'0': [[100, 100000], [1300, 200000], [1400, 300000]]}}, {'pci': '" B "'}]}");
	gpu = gpu_at(1000, A);
	/* 255 is junk. */
	assert_figure(gpu->busy_percent, 40);
	assert_figure(gpu->busy_min_percent, 10);
	assert_figure(gpu->busy_max_percent, 90);
	assert_figure(gpu->memory_busy_percent, 4);
	assert_count(gpu->power_mw, 100000);
	gpu = gpu_at(2000, A);
	assert_figure(gpu->busy_percent, 40);
	assert_figure(gpu->busy_min_percent, 40);
	assert_figure(gpu->memory_busy_percent, 8);
	assert_count(gpu->power_mw, 250000);
	/* None is new: its newest figures. */
	gpu = gpu_at(3000, A);
	assert_figure(gpu->busy_percent, 77);
	assert_figure(gpu->memory_busy_percent, 12);
	assert_missing(gpu->busy_min_percent, VAL_ABSENT, "no new sample of the driver");
	assert_count(gpu->power_mw, 500000);
	assert_no_misuse();
}

/* At its first look the driver has 20 s of samples. */
static void test_the_first_look_is_of_one_interval(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_with("current", "{'gpus': [{'pci': '" A "', 'samples': {'1': [[100, 100], [18500, 100], [19200, 30],"
		   "[19900, 50]]}}, {'pci': '" B "'}]}");
	gpu = gpu_at(20000, A);
	assert_figure(gpu->busy_percent, 40);
	assert_figure(gpu->busy_max_percent, 50);
}

static void test_stamps_that_step_back(void **state)
{
	const struct tick_gpu *gpu;
	unsigned ms = 2000;

	(void)state;
	begin_with("current", "{'gpus': [{'pci': '" A "', 'busy_percent': 30}, {'pci': '" B "'}],"
			      "'script': [{'t_ms': 2000, 'gpu': '" A
			      "', 'samples': {'shift_ms': -3600000}, 'busy_percent': 60}]}");
	gpu = gpu_at(1000, A);
	assert_figure(gpu->busy_max_percent, 30);
	/* The driver has nothing newer than the stamp it is asked for; then all is asked for. */
	gpu = gpu_at(ms, A);
	assert_false(is_known(gpu->busy_max_percent));
	for (int i = 0; i < 4 && !is_known(gpu->busy_max_percent); i++)
		gpu = gpu_at(ms += 1000, A);
	assert_figure(gpu->busy_max_percent, 60);
	gpu = gpu_at(ms + 1000, A);
	assert_figure(gpu->busy_min_percent, 60);
}

static void test_without_samples(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_with("r470", "{'faults': [{'call': 'nvmlDeviceGetSamples', 'do': 'error', 'code': 'NOT_SUPPORTED'}],"
		   "'gpus': [{'pci': '" A "', 'busy_percent': 55}, {'pci': '" B "'}]}");
	for (unsigned ms = 0; ms < 5000; ms += 1000)
		gpu = gpu_at(ms, A);
	assert_figure(gpu->busy_percent, 55);
	assert_missing(gpu->busy_max_percent, VAL_UNSUPPORTED, "NVML_ERROR_NOT_SUPPORTED");
	assert_int_equal(calls_of("nvmlDeviceGetSamples " A), NR_RINGS);
}

static void test_stamps(void **state)
{
	struct nvml_stamps stamps = { 0 };

	(void)state;
	assert_int_equal(nvml_stamps_take(&stamps, 5000000, 1000000), 4000000);
	assert_int_equal(nvml_stamps_take(&stamps, 9000000, 1000000), 5000000);
	assert_int_equal(nvml_stamps_after(&stamps), 9000000);
	/* A stamp from the future, of junk or of a clock that is set back later. */
	assert_int_equal(nvml_stamps_take(&stamps, UINT64_MAX - 1, 1000000), 9000000);
	for (int i = 0; i < 3; i++)
		assert_int_equal(nvml_stamps_take(&stamps, 0, 1000000), UINT64_MAX);
	assert_int_equal(nvml_stamps_after(&stamps), 0);
	assert_int_equal(nvml_stamps_take(&stamps, 10000000, 1000000), 9000000);
	assert_int_equal(nvml_stamps_after(&stamps), 10000000);
}

/* ---- processes */

#define PROCESSES "'processes': [{'pid': 4001, 'memory_bytes': 1000}, {'pid': 4001, 'kind': 'graphics', 'memory_bytes': 1000}," \
		  "{'pid': 4002, 'memory_bytes': null}, {'pid': 4003, 'kind': 'mps', 'memory_bytes': 5}]"

static const struct tick_client *client(const struct tick_gpu *gpu, const char *pid)
{
	const struct tick_client *client = list_find(gpu, clients, tick_client, pid);

	assert_non_null(client);
	return client;
}

static void test_processes(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_with("r550",
		   "{'gpus': [{'pci': '" A "', " PROCESSES ", 'process_use': [{'pid': 4001, 'sm': 60, 't_ms': 900},"
		   "{'pid': 4002, 'sm': 130, 't_ms': 900}, {'pid': 9999, 'sm': 50, 't_ms': 950}]}, {'pci': '" B "'}],"
		   "'script': [{'t_ms': 2000, 'gpu': '" A "', 'process_use': []},"
		   "{'t_ms': 3000, 'gpu': '" A "', 'process_use': 'NO_PERMISSION'}]}");
	gpu = gpu_at(1000, A);
	assert_count(gpu->processes, 3);
	assert_int_equal(gpu->nr_clients, 3);
	assert_figure(client(gpu, "4001")->busy_percent, 60);
	assert_count(client(gpu, "4001")->memory_bytes, 1000);
	/* 130 % is junk, and one that is on no list is nobody's. */
	assert_figure(client(gpu, "4002")->busy_percent, 0);
	assert_missing(client(gpu, "4002")->memory_bytes, VAL_UNSUPPORTED, "not reported by the driver");
	assert_figure(client(gpu, "4003")->busy_percent, 0);
	/* An old row is old, no row of a GPU that is idle is 0 %. */
	assert_figure(client(gpu_at(1900, A), "4001")->busy_percent, 0);
	assert_figure(client(gpu_at(2000, A), "4001")->busy_percent, 0);
	assert_missing(client(gpu_at(3000, A), "4001")->busy_percent, VAL_DENIED, "NVML_ERROR_NO_PERMISSION");
	assert_no_misuse();
}

/* The driver makes rows a few times a second, and ticks are ten. */
static void test_processes_between_two_rows(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	put_machine("r550", "{'gpus': [{'pci': '" A "', 'busy_percent': 100, " PROCESSES ", 'process_use': ["
			    "{'pid': 4001, 'sm': 100, 't_ms': 990}]}, {'pci': '" B "'}], 'script': ["
			    "{'t_ms': 3000, 'gpu': '" A
			    "', 'busy_percent': 0, 'process_use': [{'pid': 4001, 'sm': 100, 't_ms': 3000}]}]}");
	sampling_open(&sample_nvml, S_NS / 10);
	assert_figure(client(gpu_at(1000, A), "4001")->busy_percent, 100);
	for (unsigned ms = 1100; ms < 2100; ms += 100) {
		gpu = gpu_at(ms, A);
		assert_missing(client(gpu, "4001")->busy_percent, VAL_ABSENT, "no new sample of the driver");
		assert_missing(client(gpu, "4002")->busy_percent, VAL_ABSENT, "no new sample of the driver");
	}
	assert_figure(client(gpu_at(2100, A), "4001")->busy_percent, 0);
	gpu = gpu_at(3010, A);
	assert_figure(client(gpu, "4001")->busy_percent, 100);
	assert_figure(client(gpu, "4002")->busy_percent, 0);
	/* The GPU's own samples tell that it was idle since. */
	gpu = gpu_at(3400, A);
	assert_figure(gpu->busy_max_percent, 0);
	assert_figure(client(gpu, "4001")->busy_percent, 0);
}

static void test_processes_by_the_newer_call(void **state)
{
	(void)state;
	begin_with("r550",
		   "{'faults': [{'call': 'nvmlDeviceGetProcessUtilization', 'do': 'error', 'code': 'DEPRECATED'}],"
		   "'gpus': [{'pci': '" A "', " PROCESSES
		   ", 'process_use': [{'pid': 4001, 'sm': 60}, {'pid': 4003, 'sm': 7}]},"
		   "{'pci': '" B "'}]}");
	assert_figure(client(gpu_at(1000, A), "4001")->busy_percent, 60);
	assert_figure(client(gpu_at(2000, A), "4003")->busy_percent, 7);
	assert_no_misuse();
}

static void test_processes_of_another_namespace(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	put_machine("r550", "{'gpus': [{'pci': '" A "', " PROCESSES "}, {'pci': '" B "'}]}");
	setenv("GPUDIAG_SAMPLE_NVML_PIDS", "", 1);
	sampling_open(&sample_nvml, S_NS);
	gpu = gpu_at(1000, A);
	assert_missing(gpu->processes, VAL_UNSUPPORTED, "pid namespace");
	assert_int_equal(gpu->nr_clients, 0);
}

/* ---- counters */

#define LINK "{'state': 1, 'sent_kib': {'base': 10, 'per_s': 1000}, 'received_kib': 7}"
#define COUNTERS                                                                                                       \
	"'pcie_sent_bytes': {'base': 1000, 'per_s': 5e9}, 'pcie_received_bytes': {'base': 4294967000, 'per_s': 1e9, "  \
	"'wraps': 4294967296}, 'violations_ns': {'0': 11, '1': 22}, 'throttled_ns': 33, 'hw_throttled_ns': 44, 'braked_ns': 55"

static void test_counters_of_branches(void **state)
{
	static const struct { const char *fake, *version; bool has_bytes, has_hw; } cases[] = {
		{ "r470", "470.57.02", false, false },	/* no such fields */
		{ "r535", "535.104.05", false, false },
		{ "r560", "560.35.03", true, false },
		{ "r580", "580.82.07", true, true },	/* 251 to 253 */
		{ "current", "610.11", true, true },	/* 269 to 271 */
	};
	char json[2048];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tick_gpu *gpu;

		snprintf(json, sizeof(json),
			 "{'driver_version': '%s', 'gpus': [{'pci': '" A "', " COUNTERS ", 'nvlinks': [" LINK ", " LINK
			 "]}, {'pci': '" B "'}]}",
			 cases[i].version);
		begin_with(cases[i].fake, json);
		gpu_at(0, A);
		gpu = gpu_at(1000, A);
		assert_count(gpu->power_cap_ns, 11);
		assert_count(gpu->thermal_ns, 22);
		assert_count(gpu->peer_sent_bytes, 2 * 1010 * 1024);
		assert_count(gpu->peer_received_bytes, 2 * 7 * 1024);
		assert_int_equal(is_known(gpu->hw_thermal_ns), cases[i].has_hw);
		assert_int_equal(u64_or(gpu->hw_thermal_ns, 44), 44);
		assert_int_equal(u64_or(gpu->brake_ns, 55), 55);
		assert_int_equal(is_known(gpu->brake_ns), cases[i].has_hw);
		if (cases[i].has_bytes) {
			assert_count(gpu->link_sent_bytes, UINT64_C(5000001000));
			/* It wrapped: the raw number goes on. */
			assert_count(gpu->link_received_bytes, 999999704);
			assert_missing(gpu->link_sent_bytes_per_s, VAL_ABSENT, "it has a counter");
		} else {
			assert_int_equal(gpu->link_sent_bytes.state, VAL_UNSUPPORTED);
		}
		assert_no_misuse();
		sampling_close();
		unlink(scratch("log"));
	}
}

/* At 4.3 GB/s they wrap in every tick: the glimpse, or GPM, tells. */
static void test_counters_of_32_bits(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_with("current",
		   "{'driver_version': '610.11', 'gpus': [{'pci': '" A "', " COUNTERS ", 'pcie_counts_32_bits': true,"
		   "'pcie_sent_kbps': 5000000, 'pcie_received_kbps': 2}, {'pci': '" B "'}]}");
	gpu = gpu_at(1000, A);
	assert_missing(gpu->link_sent_bytes, VAL_UNSUPPORTED, "counts 32 bits only");
	assert_missing(gpu->link_received_bytes, VAL_UNSUPPORTED, "counts 32 bits only");
	assert_figure(gpu->link_sent_bytes_per_s, 5e9);
	assert_count(gpu->thermal_ns, 22);
}

static void test_links_of_blackwell(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_with("r580",
		   "{'driver_version': '580.82.07', 'gpus': [{'pci': '" A "', 'links_sent_bytes': {'per_s': 9e11},"
		   "'links_received_bytes': 5, 'nvlinks': [{'state': 1}, {'state': 1}]}, {'pci': '" B "'}]}");
	gpu_at(0, A);
	gpu = gpu_at(1000, A);
	assert_count(gpu->peer_sent_bytes, UINT64_C(900000000000));
	assert_count(gpu->peer_received_bytes, 5);
	gpu = gpu_at(2000, B);
	assert_missing(gpu->peer_sent_bytes, VAL_UNSUPPORTED, "NVML_ERROR_NOT_SUPPORTED");
}

/* A call of 20 ms each: one of a GPU and direction in each tick. */
static void test_throughput_in_turn(void **state)
{
	size_t known = 0;

	(void)state;
	put_machine("r535", "{'driver_version': '535.104.05', 'gpus': [{'pci': '" A
			    "', 'pcie_sent_kbps': 1, 'pcie_received_kbps': 2},"
			    "{'pci': '" B "', 'pcie_sent_kbps': 3, 'pcie_received_kbps': 4}]}");
	sampling_open(&sample_nvml, S_NS);
	for (unsigned tick = 0; tick < 4; tick++) {
		const struct tick_gpu *gpu = gpu_at(1000 * tick, tick < 2 ? A : B);
		struct val_f64 asked = tick % 2 ? gpu->link_received_bytes_per_s : gpu->link_sent_bytes_per_s;
		struct val_f64 other = tick % 2 ? gpu->link_sent_bytes_per_s : gpu->link_received_bytes_per_s;

		assert_figure(asked, 1000.0 * (tick + 1));
		assert_missing(other, VAL_SKIPPED, "its turn comes in a later tick");
		assert_int_equal(calls_of("nvmlDeviceGetPcieThroughput"), tick + 1);
		known += is_known(asked);
	}
	assert_int_equal(known, 4);
	sampling_close();
	setenv("GPUDIAG_SAMPLE_NVML_GPUS", A "/v", 1);
	sampling_open(&sample_nvml, S_NS);
	assert_missing(gpu_at(5000, A)->link_sent_bytes_per_s, VAL_UNSUPPORTED, "not of a virtual GPU");
	assert_int_equal(calls_of("nvmlDeviceGetPcieThroughput"), 4);
}

/* One that has none does not take the other's turn. */
static void test_throughput_of_one_alone(void **state)
{
	(void)state;
	begin_with("r535", "{'driver_version': '535.104.05', 'gpus': [{'pci': '" A
			   "', 'pcie_sent_kbps': 1, 'pcie_received_kbps': 2},"
			   "{'pci': '" B "'}], 'faults': [{'call': 'nvmlDeviceGetPcieThroughput', 'gpu': '" B
			   "', 'do': 'error',"
			   "'code': 'NOT_SUPPORTED'}]}");
	for (unsigned tick = 0; tick < 3; tick++)
		gpu_at(1000 * tick, A);
	assert_missing(list_find(&sampled, gpus, tick_gpu, B)->link_sent_bytes_per_s, VAL_UNSUPPORTED,
		       "NVML_ERROR_NOT_SUPPORTED");
	assert_int_equal(calls_of("nvmlDeviceGetPcieThroughput " B), 1);
	assert_figure(gpu_at(3000, A)->link_sent_bytes_per_s, 1000);
	assert_figure(gpu_at(4000, A)->link_received_bytes_per_s, 2000);
	assert_figure(gpu_at(5000, A)->link_sent_bytes_per_s, 1000);
}

/* ---- counters of the hardware */

#define GPM "'gpm': {'1': 90, '2': 45.5, '3': 30, '5': 12.25, '10': 61, '20': 1024, '21': 1, '174': 0.5}"

/* Its samples are 100 ms apart in real time: the fake's clock is the real one. */
static void begin_in_real_time(const char *branch, const char *json)
{
	put_machine(branch, json);
	unsetenv("GPUDIAG_FAKE_NVML_MS");
	sampling_open(&sample_nvml, S_NS / 10);
}

static const struct tick_gpu *second_gpu_tick(const char *address)
{
	sample_tick();
	clock_sleep_ns(S_NS / 10 + 5000000);
	return sample_gpu(address);
}

static void test_gpm(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_in_real_time("r535",
			   "{'driver_version': '535.104.05', 'gpus': [{'pci': '" A "', 'busy_percent': 95, " GPM "},"
			   "{'pci': '" B "'}]}");
	gpu = sample_gpu(A);
	assert_missing(gpu->sm_active_percent, VAL_ABSENT, "no sample that is 100 ms old");
	gpu = second_gpu_tick(A);
	assert_figure(gpu->sm_active_percent, 45.5);
	assert_figure(gpu->sm_occupancy_percent, 30);
	assert_figure(gpu->tensor_active_percent, 12.25);
	assert_figure(gpu->memory_active_percent, 61);
	assert_figure(gpu->context_switch_percent, 0.5);
	/* By what it counts over the whole tick, not by a glimpse. */
	assert_figure(gpu->link_sent_bytes_per_s, 1024 * 1048576.0);
	assert_missing(sample_gpu(B)->sm_active_percent, VAL_UNSUPPORTED, "NVML_ERROR_NOT_SUPPORTED");
	assert_int_equal(calls_of("nvmlGpmQueryDeviceSupport"), 2);
	assert_int_equal(calls_of("nvmlGpmSampleGet " B), 0);
	assert_no_misuse();
}

static void test_gpm_that_fails(void **state)
{
	const struct tick_gpu *gpu;

	(void)state;
	begin_in_real_time("current",
			   "{'gpus': [{'pci': '" A
			   "', 'busy_percent': 95, 'gpm': {'1': 0, '2': 0, '3': 'NOT_SUPPORTED'}},"
			   "{'pci': '" B "', 'busy_percent': 20, 'gpm': {'1': 0, '2': 700, '3': 'NO_DATA', '5': 1}}],"
			   "'faults': [{'call': 'nvmlGpmMetricsGet', 'gpu': '" B
			   "', 'nth': 2, 'do': 'error', 'code': 'NO_PERMISSION'}]}");
	gpu = second_gpu_tick(A);
	/* Nothing runs on a GPU that is busy: no. */
	assert_missing(gpu->sm_active_percent, VAL_ERROR, "reads 0 of a GPU that is busy");
	gpu = list_find(&sampled, gpus, tick_gpu, B);
	assert_missing(gpu->sm_active_percent, VAL_ERROR, "reads no share");
	assert_missing(gpu->sm_occupancy_percent, VAL_ABSENT, "NVML_ERROR_NO_DATA");
	assert_figure(gpu->tensor_active_percent, 1);
	clock_sleep_ns(S_NS / 10 + 5000000);
	assert_missing(sample_gpu(B)->tensor_active_percent, VAL_DENIED, "NVML_ERROR_NO_PERMISSION");
}

static void test_gpm_of_old_libraries(void **state)
{
	(void)state;
	begin_in_real_time("r470", "{'gpus': [{'pci': '" A "', " GPM "}, {'pci': '" B "'}]}");
	assert_missing(second_gpu_tick(A)->sm_active_percent, VAL_UNSUPPORTED, "not in this driver's library");
}

/* One that writes its whole array, as large as that of the newest header: what is behind it must not be ours. */
static void test_gpm_that_writes_all(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = sizeof(struct nvml_gpm_metrics);
	size_t all = (len + page - 1) / page * page;
	char *memory = mmap(NULL, all + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct nvml_gpm_metrics *room = (void *)(memory + all - len);
	struct sample_nvml *own;
	struct nvml_gpm_figures figures;
	struct nvml_gpm *gpm;

	(void)state;
	assert_true(memory != MAP_FAILED);
	assert_int_equal(mprotect(memory + all, page, PROT_NONE), 0);
	begin_in_real_time("current",
			   "{'gpus': [{'pci': '" A "', " GPM ", 'gpm_writes_all': true}, {'pci': '" B "'}]}");
	assert_figure(second_gpu_tick(A)->sm_active_percent, 45.5);
	own = sampling_own;
	gpm = &own->gpus[0].gpm;
	nvml_gpm_compare(&own->gpus[0].session, gpm->samples[0], gpm->samples[1], room, &figures);
	assert_figure(figures.sm, 45.5);
	assert_figure(figures.context_switches, 0.5);
	assert_int_equal(((unsigned char *)room)[len - 1], 0xa5);
	munmap(memory, all + page);
}

/* ---- divided GPUs */

#define INSTANCES "'mig_enabled': 1, 'busy_percent': 50, 'mig': {'max': 7, 'instances': [" \
		  "{'gi': 7, 'ci': 0, 'vram_used_bytes': 10 %s}, {'gi': 9, 'ci': 0, 'vram_used_bytes': 20 %s}]}"

static void test_instances(void **state)
{
	const struct tick_gpu *gpu;
	char json[2048];

	(void)state;
	snprintf(json, sizeof(json),
		 "{'gpus': [{'pci': '" A "', " INSTANCES ", " GPM ", 'processes': [{'pid': 1, 'gi': 7, 'ci': 0,"
		 "'memory_bytes': 5}, {'pid': 1, 'gi': 9, 'ci': 0, 'memory_bytes': 6}]}, {'pci': '" B "'}]}",
		 ", 'gpm': {'2': 80, '10': 33}", ", 'gpm': {'2': 5}");
	begin_in_real_time("current", json);
	gpu = second_gpu_tick(A);
	assert_missing(gpu->busy_percent, VAL_UNSUPPORTED, "not of a GPU that is divided (MIG): its instances tell");
	assert_int_equal(gpu->nr_instances, 2);
	assert_string_equal(str_or(gpu->instances[0].key, ""), "7/0");
	assert_figure(gpu->instances[0].sm_active_percent, 80);
	assert_figure(gpu->instances[0].memory_active_percent, 33);
	assert_figure(gpu->instances[1].sm_active_percent, 5);
	assert_missing(gpu->instances[1].tensor_active_percent, VAL_UNSUPPORTED, "NVML_ERROR_NOT_SUPPORTED");
	/* The whole GPU's memory is read with what its driver keeps for itself. */
	assert_count(gpu->instances[1].vram_used_bytes, 20 + 665845760);
	assert_count(client(gpu, "1")->memory_bytes, 11);
	assert_missing(client(gpu, "1")->busy_percent, VAL_UNSUPPORTED, "NVML_ERROR_NOT_SUPPORTED");
	assert_no_misuse();
}

static void test_instances_without_gpm(void **state)
{
	const struct tick_gpu *gpu;
	char json[2048];

	(void)state;
	snprintf(json, sizeof(json),
		 "{'gpus': [{'pci': '" A "', " INSTANCES "}, {'pci': '" B "'}], 'script': [{'t_ms': 20000,"
		 "'gpu': '" A "', 'mig_enabled': 0}]}",
		 "", "");
	begin_with("r470", json);
	gpu = gpu_at(1000, A);
	assert_missing(gpu->busy_percent, VAL_UNSUPPORTED,
		       "utilization is not measurable per MIG instance on this GPU without DCGM");
	assert_int_equal(gpu->busy_max_percent.state, VAL_UNSUPPORTED);
	assert_int_equal(gpu->nr_instances, 2);
	assert_true(is_known(gpu->power_mw));
	assert_true(is_known(gpu->clock_mhz));
	/* It is one again: what was refused is asked for. */
	gpu_at(20000, A);
	((struct sample_nvml *)sampling_own)->gpus[0].instances_ns = 0;
	gpu = gpu_at(21000, A);
	assert_figure(gpu->busy_max_percent, 50);
	assert_int_equal(gpu->nr_instances, 0);
	assert_no_misuse();
}

/* ---- GPUs that fail */

static void test_a_gpu_that_falls_off(void **state)
{
	const struct tick_gpu *gpu;
	size_t calls;

	(void)state;
	begin_with("current", "{'gpus': [{'pci': '" A "'}, {'pci': '" B "', 'busy_percent': 5}],"
		   "'script': [{'t_ms': 2000, 'gpu': '" A "', 'error': 'GPU_IS_LOST'}]}");
	assert_true(is_known(gpu_at(1000, A)->power_mw));
	gpu = gpu_at(2000, A);
	assert_missing(gpu->busy_percent, VAL_LOST, "NVML_ERROR_GPU_IS_LOST");
	assert_missing(gpu->power_cap_ns, VAL_LOST, "NVML_ERROR_GPU_IS_LOST");
	assert_missing(gpu->throttle_reasons, VAL_LOST, "NVML_ERROR_GPU_IS_LOST");
	calls = calls_of("nvml");
	for (unsigned ms = 3000; ms < 9000; ms += 1000) {
		gpu = gpu_at(ms, A);
		assert_missing(gpu->power_mw, VAL_LOST, "NVML_ERROR_GPU_IS_LOST");
		assert_missing(gpu->processes, VAL_LOST, "NVML_ERROR_GPU_IS_LOST");
		assert_missing(gpu->sm_active_percent, VAL_LOST, "NVML_ERROR_GPU_IS_LOST");
		assert_figure(list_find(&sampled, gpus, tick_gpu, B)->busy_percent, 5);
	}
	/* The other goes on. */
	assert_true(calls_of("nvml") > calls);
	assert_int_equal(calls_of("nvmlDeviceGetClockInfo " A " 1"), 1);
}

static void test_a_gpu_that_has_no_handle(void **state)
{
	(void)state;
	begin_with("current", "{'gpus': [{'pci': '" A "', 'handle_error': 'IRQ_ISSUE'}, {'pci': '" B "'}]}");
	assert_missing(gpu_at(1000, A)->busy_percent, VAL_ERROR, "NVML_ERROR_IRQ_ISSUE");
	assert_true(is_known(gpu_at(2000, B)->busy_percent));
	assert_int_equal(calls_of("nvmlDeviceGetHandleByPciBusId_v2 " A), 1);
}

static void test_a_handle_that_comes_later(void **state)
{
	struct nvml_gpu_watch *gpu;

	(void)state;
	begin_with("current",
		   "{'gpus': [{'pci': '" A "', 'handle_error': 'IRQ_ISSUE', 'busy_percent': 7}, {'pci': '" B "'}],"
		   "'script': [{'t_ms': 3000, 'gpu': '" A "', 'handle_error': 0}, {'t_ms': 4000, 'gpu': '" B
		   "', 'handle_error': 'IRQ_ISSUE'}]}");
	assert_missing(gpu_at(1000, A)->busy_percent, VAL_ERROR, "NVML_ERROR_IRQ_ISSUE");
	gpu = &((struct sample_nvml *)sampling_own)->gpus[0];
	/* Not at once. */
	assert_missing(gpu_at(3000, A)->busy_percent, VAL_ERROR, "NVML_ERROR_IRQ_ISSUE");
	assert_int_equal(calls_of("nvmlDeviceGetHandleByPciBusId_v2 " A), 1);
	gpu->opened_ns -= 10 * S_NS;
	assert_figure(gpu_at(4000, A)->busy_percent, 7);
	/* A handle that is there is not asked for again. */
	gpu->opened_ns -= 10 * S_NS;
	assert_true(is_known(gpu_at(5000, A)->busy_percent));
	assert_int_equal(calls_of("nvmlDeviceGetHandleByPciBusId_v2 " A), 2);
}

/* Its parent reads from the page which call hangs, and of which GPU. */
static void test_a_call_that_hangs(void **state)
{
	struct sample_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	(void)state;
	assert_true(page != MAP_FAILED);
	begin_with("current",
		   "{'gpus': [{'pci': '" A "'}, {'pci': '" B "'}], 'faults': [{'call': 'nvmlDeviceGetMemoryInfo_v2',"
		   "'gpu': '" B "', 'after_ms': 40000, 'do': 'hang'}]}");
	sampling_env.page = page;
	assert_true(is_known(gpu_at(39000, B)->vram_used_bytes));
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		at_ms(40000);
		sample_tick();
		_exit(0);
	}
	for (int i = 0; i < 500 && (strcmp(page->call, "nvmlDeviceGetMemoryInfo_v2") || strcmp(page->gpu, B)); i++)
		clock_sleep_ns(10000000);
	clock_sleep_ns(50000000);
	assert_string_equal(page->call, "nvmlDeviceGetMemoryInfo_v2");
	assert_string_equal(page->gpu, B);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	munmap(page, sizeof(*page));
}

static void test_a_gpu_that_sleeps(void **state)
{
	(void)state;
	put_machine("current", "{'gpus': [{'pci': '" A "'}, {'pci': '" B "'}]}");
	put_text("sys/bus/pci/devices/" A "/power/runtime_status", "suspended\n");
	sampling_open(&sample_nvml, S_NS);
	assert_missing(gpu_at(1000, A)->busy_percent, VAL_ASLEEP, "runtime_status suspended");
	assert_int_equal(calls_of("nvmlDeviceGetHandleByPciBusId_v2 " A), 0);
	put_text("sys/bus/pci/devices/" A "/power/runtime_status", "active\n");
	assert_true(is_known(gpu_at(2000, A)->power_mw));
	put_text("sys/bus/pci/devices/" A "/power/runtime_status", "suspended\n");
	assert_missing(gpu_at(3000, A)->power_mw, VAL_ASLEEP, "runtime_status suspended");
	assert_true(is_known(list_find(&sampled, gpus, tick_gpu, B)->power_mw));
}

/* ---- all of it */

static void test_throttle_reasons(void **state)
{
	(void)state;
	begin_with("r470", "{'gpus': [{'pci': '" A "', 'clock_reasons': 1}, {'pci': '" B "', 'clock_reasons': 36}]}");
	assert_string_equal(str_or(gpu_at(1000, A)->throttle_reasons, ""), "none");
	assert_string_equal(str_or(gpu_at(1000, B)->throttle_reasons, ""), "power-cap, thermal");
}

static void test_healthy_by_every_branch(void **state)
{
	static const char *const branches[] = { "r470", "r535", "r550", "r560", "r580", "current" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(branches); i++) {
		const struct tick_gpu *gpu;

		begin_with(branches[i], "{'gpus': [{'pci': '" A
					"', 'busy_percent': 90, 'memory_busy_percent': 40}, {'pci': '" B "'}]}");
		gpu_at(1000, A);
		gpu = gpu_at(2000, A);
		assert_figure(gpu->busy_percent, 90);
		assert_figure(gpu->busy_min_percent, 90);
		assert_figure(gpu->memory_busy_percent, 40);
		assert_count(gpu->power_mw, 68000);
		assert_count(gpu->clock_mhz, 1980);
		assert_count(gpu->memory_clock_mhz, 2619);
		assert_figure(gpu->temperature_c, 34);
		assert_count(gpu->link_width, 16);
		assert_count(gpu->link_speed_mtps, 32000);
		assert_count(gpu->energy_mj, 918273645);
		assert_true(is_known(gpu->vram_used_bytes));
		assert_count(gpu->processes, 0);
		assert_int_equal(gpu->link_bytes_per_s.state, VAL_ABSENT);
		assert_no_misuse();
		sampling_close();
	}
}

static void test_environment(void **state)
{
	struct snapshot sealed = { .nr_gpus = 0 };
	struct strs ret = { 0 }, skip = { 0 };
	struct gpu *gpu;

	(void)state;
	gpu = list_element(&sealed.arena, &sealed, gpus, gpu, A);
	gpu->pci.driver = val_str("nvidia");
	gpu = list_element(&sealed.arena, &sealed, gpus, gpu, B);
	gpu->pci.driver = val_str("nvidia");
	gpu->nvml.virtualization = val_str("vgpu");
	assert_true(sample_nvml.reads_gpu(&sealed, gpu));
	gpu = list_element(&sealed.arena, &sealed, gpus, gpu, "0000:99:00.0");
	gpu->pci.driver = val_str("amdgpu");
	assert_false(sample_nvml.reads_gpu(&sealed, gpu));
	sealed.host.sees_all_processes = val_bool(true);
	sample_nvml.environment(&sealed, &skip, &sealed.arena, &ret);
	assert_true(strs_has(&ret, "GPUDIAG_SAMPLE_NVML_GPUS=" A "/ " B "/v"));
	assert_true(strs_has(&ret, "GPUDIAG_SAMPLE_NVML_PIDS=host"));
	/* One that it hung at is left out. */
	strs_add(&sealed.arena, &skip, A);
	ret = (struct strs){ 0 };
	sample_nvml.environment(&sealed, &skip, &sealed.arena, &ret);
	assert_true(strs_has(&ret, "GPUDIAG_SAMPLE_NVML_GPUS=" B "/v"));
	snapshot_release(&sealed);
}

static void test_without_a_library(void **state)
{
	char why[256] = "";

	(void)state;
	setenv("GPUDIAG_DRIVER_ROOT", scratch("nothing"), 1);
	sampling_env = (struct sample_env){ .root = &tree, .page = &sampling_page, .interval_ns = S_NS };
	assert_null(sample_nvml.open(&sampling_env, why));
	assert_non_null(strstr(why, "not installed"));
}

/* ---- cost */

/* Ten minutes at 100 ms of 8 GPUs with 25 processes each. */
static void test_cost(void **state)
{
	STRBUF_AUTO json = STRBUF_INIT;
	STRBUF_AUTO list = STRBUF_INIT;
	const char *first = "0000:10:00.0";
	unsigned reads = under_valgrind() ? 20 : 6000;
	long before = 0;
	uint64_t cpu_ns;

	(void)state;
	strbuf_addf(&json, "{'driver_version': '580.82.07', 'gpus': [");
	for (unsigned gpu = 0; gpu < 8; gpu++) {
		strbuf_addf(&json,
			    "%s{'pci': '0000:%02x:00.0', 'busy_percent': 90, " GPM ", " COUNTERS ", 'processes': [",
			    gpu ? ", " : "", 0x10 + gpu);
		for (unsigned pid = 0; pid < 25; pid++)
			strbuf_addf(&json, "%s{'pid': %u, 'memory_bytes': 5}", pid ? ", " : "", 1000 * gpu + pid + 1);
		strbuf_addf(&json, "], 'process_use': [{'pid': %u, 'sm': 90}]}", 1000 * gpu + 1);
		strbuf_addf(&list, "%s0000:%02x:00.0/", gpu ? " " : "", 0x10 + gpu);
	}
	strbuf_addf(&json, "]}");
	put_machine("r580", json.buf);
	unsetenv("GPUDIAG_FAKE_NVML_LOG");
	setenv("GPUDIAG_SAMPLE_NVML_GPUS", list.buf, 1);
	sampling_open(&sample_nvml, S_NS / 10);
	cpu_ns = clock_cpu_ns();
	for (unsigned i = 0; i < reads; i++) {
		gpu_at(100 * i, first);
		before = i == reads / 10 ? resident_kib() : before;
	}
	cpu_ns = clock_cpu_ns() - cpu_ns;
	print_message("8 GPUs, 200 processes: %.3f ms of CPU a tick, the fake's answers included; %ld KiB, "
		      "%ld KiB more than after %u reads\n",
		      (double)cpu_ns / 1e6 / reads, resident_kib(), resident_kib() - before, reads / 10);
	if (memory_is_its_own())
		assert_true(resident_kib() - before < 256);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_make, end)
	const struct CMUnitTest tests[] = {
		TEST(test_samples_since_the_last_tick), TEST(test_the_first_look_is_of_one_interval),
		TEST(test_stamps_that_step_back), TEST(test_without_samples), TEST(test_stamps),
		TEST(test_processes), TEST(test_processes_between_two_rows), TEST(test_processes_by_the_newer_call),
		TEST(test_processes_of_another_namespace),
		TEST(test_counters_of_branches), TEST(test_counters_of_32_bits), TEST(test_links_of_blackwell),
		TEST(test_throughput_in_turn),
		TEST(test_throughput_of_one_alone),
		TEST(test_gpm), TEST(test_gpm_that_fails), TEST(test_gpm_of_old_libraries),
		TEST(test_gpm_that_writes_all),
		TEST(test_instances), TEST(test_instances_without_gpm),
		TEST(test_a_gpu_that_falls_off), TEST(test_a_gpu_that_has_no_handle),
		TEST(test_a_handle_that_comes_later),
		TEST(test_a_call_that_hangs),
		TEST(test_a_gpu_that_sleeps),
		TEST(test_throttle_reasons), TEST(test_healthy_by_every_branch), TEST(test_environment),
		TEST(test_without_a_library), TEST(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
