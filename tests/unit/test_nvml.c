// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs beside one: it times deadlines. */
/*
 * test_nvml.c - what answers of NVIDIA's management library become: values, reasons, nothing at all. The library is a
 * struct of functions, filled here.
 */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/nvidia/nvml.h"
#include "sys/clock.h"
#include "tests/unit/tree.h"

#define GPU "0000:3b:00.0"

static struct nvml_library library;
static struct sink sink;
static struct nvml_session session;
static unsigned calls;

static int begin(void **state)
{
	if (tree_make(state))
		return -1;
	memset(&library, 0, sizeof(library));
	calls = 0;
	sink = sink_that_keeps();
	session = (struct nvml_session){ .nvml = &library, .sink = &sink, .address = GPU, .device = &library };
	return 0;
}

static int end(void **state)
{
	snapshot_release(&sink.facts);
	close(sink.fd);
	return tree_remove(state);
}

/* ---- errors */

static void test_an_error_is_a_state(void **state)
{
	static const struct { int error; enum val_state state; const char *why; } cases[] = {
		{ 2, VAL_ERROR, "NVML_ERROR_INVALID_ARGUMENT" },
		{ 3, VAL_UNSUPPORTED, "NVML_ERROR_NOT_SUPPORTED" },
		{ 4, VAL_DENIED, "NVML_ERROR_NO_PERMISSION" },
		{ 6, VAL_ABSENT, "NVML_ERROR_NOT_FOUND" },
		{ 9, VAL_ERROR, "NVML_ERROR_DRIVER_NOT_LOADED" },
		{ 10, VAL_ERROR, "NVML_ERROR_TIMEOUT" },
		{ 13, VAL_UNSUPPORTED, "not in this driver's library" },
		{ 15, VAL_LOST, "NVML_ERROR_GPU_IS_LOST" },
		{ 17, VAL_ERROR, "NVML_ERROR_OPERATING_SYSTEM" },
		{ 18, VAL_ERROR, "NVML_ERROR_LIB_RM_VERSION_MISMATCH" },
		{ 21, VAL_ABSENT, "NVML_ERROR_NO_DATA" },
		{ 999, VAL_ERROR, "NVML_ERROR_UNKNOWN" },
		{ 4711, VAL_ERROR, "an error that nvml.h does not name" },
		{ -1, VAL_ERROR, "an error that nvml.h does not name" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct val_head no = nvml_missing_value(cases[i].error);

		assert_int_equal(no.state, cases[i].state);
		assert_string_equal(no.why, cases[i].why);
	}
}

static int index_error;

static int get_index(nvml_device device, unsigned *index)
{
	assert_ptr_equal(device, &library);
	calls++;
	*index = 5;
	return index_error;
}

static int ask_index(int error)
{
	unsigned index;

	index_error = error;
	return nvml_call(&session, nvmlDeviceGetIndex, session.device, &index);
}

static void test_a_call_is_said_before_it_is_made(void **state)
{
	(void)state;
	library.nvmlDeviceGetIndex = get_index;
	assert_int_equal(ask_index(0), 0);
	assert_said("{\"step\":\"nvmlDeviceGetIndex\"");
	library.nvmlDeviceGetIndex = NULL;
	assert_int_equal(ask_index(0), NVML_ERROR_FUNCTION_NOT_FOUND);
}

static void test_the_gravest_trouble_is_kept(void **state)
{
	(void)state;
	library.nvmlDeviceGetIndex = get_index;
	ask_index(NVML_ERROR_NOT_SUPPORTED);
	assert_int_equal(session.worst_error, 0);
	ask_index(NVML_ERROR_RESET_REQUIRED);
	ask_index(NVML_ERROR_UNKNOWN);
	assert_int_equal(session.worst_error, NVML_ERROR_RESET_REQUIRED);
	assert_string_equal(session.worst_error_call, "nvmlDeviceGetIndex");
}

static void test_a_lost_gpu_is_asked_no_more(void **state)
{
	(void)state;
	library.nvmlDeviceGetIndex = get_index;
	assert_int_equal(ask_index(NVML_ERROR_GPU_IS_LOST), NVML_ERROR_GPU_IS_LOST);
	assert_int_equal(calls, 1);
	assert_int_equal(ask_index(0), NVML_ERROR_GPU_IS_LOST);
	nvml_read_identity(&session);
	nvml_read_health(&session);
	nvml_watch(&session, 1000, false, &(struct nvml_links){ .nr = 0 });
	assert_int_equal(calls, 1);
	assert_said("\"uuid\":\"lost: NVML_ERROR_GPU_IS_LOST\"");
	assert_said("\"recovery_action\":\"lost: NVML_ERROR_GPU_IS_LOST\"");
}

/* ---- values that cannot be */

static void test_nonsense_is_no_value(void **state)
{
	struct val_f64 celsius = nvml_celsius(&session, 0, 65535);

	(void)state;
	assert_int_equal(celsius.state, VAL_ERROR);
	assert_string_equal(celsius.why, "reads 65535");
	assert_true(is_known(nvml_celsius(&session, 0, -50)));
	assert_false(is_known(nvml_celsius(&session, 0, -273)));
	/* All ones; of a margin it is one degree beyond. */
	assert_false(is_known(nvml_celsius(&session, 0, -1)));
	assert_true(f64_or(nvml_margin(&session, 0, -1), 0.0) == -1.0);
	assert_int_equal(nvml_u64(&session, 0, (uint64_t)-2).state, VAL_ERROR);
	assert_int_equal(nvml_u64(&session, 0, UINT32_MAX).state, VAL_ERROR);
	assert_int_equal(nvml_u64(&session, 0, UINT64_MAX).state, VAL_ERROR);
	assert_int_equal(nvml_in_range(&session, 0, 0, 1, 32).state, VAL_ERROR);
	assert_int_equal(nvml_in_range(&session, 0, 63, 1, 32).state, VAL_ERROR);
	assert_int_equal(nvml_bool(&session, 0, 2).state, VAL_ERROR);
	assert_int_equal(nvml_text(&session, 0, "N/A", 4).state, VAL_ABSENT);
	assert_int_equal(nvml_text(&session, 0, "", 1).state, VAL_ABSENT);
	/* Not ended by the library: its size ends it. */
	assert_string_equal(str_or(nvml_text(&session, 0, "abcdef", 3), ""), "abc");
}

static void test_a_domain_of_more_than_16_bits(void **state)
{
	const struct nvml_pci_info pci = { .domain = 0x10000, .bus = 0xe1 };

	(void)state;
	assert_string_equal(str_or(nvml_address(&session, 0, &pci), ""), "10000:e1:00.0");
}

static void test_a_field_by_its_type(void **state)
{
	const struct nvml_field margin = { .type = NVML_TYPE_S32, .value.s32 = -5 };
	const struct nvml_field unsigned_margin = { .type = NVML_TYPE_U32, .value.u32 = (unsigned)-2 };
	const struct nvml_field count = { .type = NVML_TYPE_U64, .value.u64 = 42 };
	const struct nvml_field strange = { .type = 77 };

	(void)state;
	assert_true(f64_or(nvml_field_margin(&session, &margin), 0.0) == -5.0);
	assert_true(f64_or(nvml_field_margin(&session, &unsigned_margin), 0.0) == -2.0);
	assert_true(f64_or(nvml_field_celsius(&session, &unsigned_margin), 0.0) == -2.0);
	assert_int_equal(nvml_field_u64(&session, &margin).state, VAL_ERROR);
	assert_int_equal(u64_or(nvml_field_u64(&session, &count), 0), 42);
	assert_string_equal(nvml_field_u64(&session, &strange).why, "a value of type 77");
}

/* ---- versions */

static int memory_v2(nvml_device device, struct nvml_memory_v2 *ret)
{
	(void)device, (void)ret;
	return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}

static int memory_v1(nvml_device device, struct nvml_memory *ret)
{
	(void)device;
	*ret = (struct nvml_memory){ .total = 1000, .free = 900, .used = 100 };
	return 0;
}

static void test_memory_by_the_older_call(void **state)
{
	(void)state;
	library.nvmlDeviceGetMemoryInfo_v2 = memory_v2;
	library.nvmlDeviceGetMemoryInfo = memory_v1;
	nvml_read_state(&session);
	assert_said("\"vram_total_bytes\":1000,\"vram_used_bytes\":100");
	assert_said("\"vram_reserved_bytes\":\"unsupported: NVML_ERROR_ARGUMENT_VERSION_MISMATCH\"");
}

static unsigned fabric_word;

static int fabric(nvml_device device, struct nvml_fabric_v2 *ret)
{
	(void)device;
	if (ret->version != fabric_word)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	ret->state = 3;
	ret->clique = 7;
	ret->health_mask = 0x1 | 0x2 << 2 | 0x5 << 8;
	return 0;
}

static void test_fabric_one_version_down(void **state)
{
	(void)state;
	library.nvmlDeviceGetGpuFabricInfoV = fabric;
	fabric_word = 0x02000024;
	nvml_read_fabric(&session);
	assert_said("\"fabric_state\":\"completed\",\"fabric_status\":\"SUCCESS\"");
	assert_said("\"fabric_health\":\"degraded-bandwidth, too-few-nvlinks\",\"fabric_clique\":7");
	assert_said("\"fabric_cluster\":\"absent: all zeros\"");
}

/* ---- links */

static unsigned link_states[3], link_field;

static int get_link_state(nvml_device device, unsigned link, unsigned *is_active)
{
	(void)device;
	if (link >= ARRAY_SIZE(link_states))
		return NVML_ERROR_INVALID_ARGUMENT;
	*is_active = link_states[link];
	return 0;
}

static int get_remote_pci(nvml_device device, unsigned link, struct nvml_pci_info *pci)
{
	(void)device, (void)link;
	calls++;
	*pci = (struct nvml_pci_info){ .bus = 6 };
	return 0;
}

/* The state of link 1 alone. */
static int fields_of_links(nvml_device device, int nr, struct nvml_field *fields)
{
	(void)device;
	for (int i = 0; i < nr; i++) {
		bool is_told = fields[i].id == NVML_FIELD_LINK_STATE && fields[i].scope == 1;

		fields[i].result = is_told ? 0 : NVML_ERROR_NOT_SUPPORTED;
		fields[i].type = NVML_TYPE_U32;
		fields[i].value.u32 = link_field;
	}
	return 0;
}

static void read_links(unsigned second, unsigned field)
{
	struct nvml_links links;

	link_states[0] = link_states[2] = 1;
	link_states[1] = second;
	link_field = field;
	calls = 0;
	library.nvmlDeviceGetNvLinkState = get_link_state;
	library.nvmlDeviceGetNvLinkRemotePciInfo_v2 = get_remote_pci;
	library.nvmlDeviceGetFieldValues = fields_of_links;
	nvml_read_links(&session, &links);
	assert_int_equal(links.nr, 3);
}

static void test_a_link_state_of_all_ones(void **state)
{
	(void)state;
	read_links(UINT32_MAX, 1);
	assert_said("\"state\":\"error: reads all ones\"");
	assert_said("\"nvlinks_active\":\"error: reads all ones\"");
	assert_said("\"nvlinks\":3");
	assert_int_equal(calls, 2);
}

static void test_a_link_state_of_all_ones_by_its_field(void **state)
{
	(void)state;
	read_links(1, UINT32_MAX);
	assert_said("\"state\":\"error: reads all ones\"");
	assert_said("\"nvlinks_active\":\"error: reads all ones\"");
}

static void test_links_that_are_down_or_asleep(void **state)
{
	(void)state;
	read_links(0, 0);
	assert_said("\"state\":\"inactive\"");
	assert_said("\"nvlinks_active\":2");
	read_links(1, 2);
	assert_said("\"state\":\"sleep\"");
	assert_said("\"nvlinks_active\":3");
}

static int rows_v1(nvml_device device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed)
{
	(void)device;
	*corrected = 1;
	*uncorrected = 2;
	*pending = 1;
	*failed = 0;
	return 0;
}

static int pages(nvml_device device, int cause, unsigned *nr, uint64_t *addresses, uint64_t *times)
{
	(void)device, (void)addresses, (void)times;
	assert_int_equal(*nr, 0);
	*nr = cause ? 3 : 0;
	return cause ? NVML_ERROR_INSUFFICIENT_SIZE : 0;
}

static int corrupted(nvml_device device)
{
	(void)device;
	return NVML_ERROR_CORRUPTED_INFOROM;
}

static void test_health(void **state)
{
	(void)state;
	library.nvmlDeviceGetRemappedRows = rows_v1;
	library.nvmlDeviceGetRetiredPages_v2 = pages;
	library.nvmlDeviceValidateInforom = corrupted;
	nvml_read_health(&session);
	assert_said("\"rows_remapped_corrected\":1,\"rows_remapped_uncorrected\":2,\"remap_pending\":true,"
		    "\"remap_failed\":false");
	assert_said("\"pages_retired_single_bit\":0,\"pages_retired_double_bit\":3");
	assert_said("\"inforom_valid\":false");
	assert_said("\"ecc_enabled\":\"unsupported: not in this driver's library\"");
	assert_int_equal(session.worst_error, NVML_ERROR_CORRUPTED_INFOROM);
}

static int no_rows(nvml_device device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed)
{
	(void)device, (void)corrected, (void)uncorrected, (void)pending, (void)failed;
	return NVML_ERROR_NOT_SUPPORTED;
}

static int no_rows_v2(nvml_device device, struct nvml_rows *ret)
{
	(void)device, (void)ret;
	return NVML_ERROR_FUNCTION_NOT_FOUND;
}

/* 143 to 145 are 6, 1 and 1; 186 is 71 W; nothing else is known. */
static int fields_of_rows(nvml_device device, int nr, struct nvml_field *fields)
{
	static const unsigned rows[] = { 6, 1, 1 };

	(void)device;
	for (int i = 0; i < nr; i++) {
		bool is_row = fields[i].id >= 143 && fields[i].id <= 145;

		fields[i].result = is_row || fields[i].id == 186 ? 0 : NVML_ERROR_NOT_SUPPORTED;
		fields[i].type = NVML_TYPE_U32;
		fields[i].value.u32 = is_row ? rows[fields[i].id - 143] : 71000;
	}
	return 0;
}

static void test_rows_that_nothing_tells(void **state)
{
	(void)state;
	library.nvmlDeviceGetRemappedRows_v2 = no_rows_v2;
	library.nvmlDeviceGetRemappedRows = no_rows;
	nvml_read_health(&session);
	assert_said("\"rows_remapped_corrected\":\"unsupported: NVML_ERROR_NOT_SUPPORTED\"");
}

static void test_rows_by_fields(void **state)
{
	(void)state;
	library.nvmlDeviceGetRemappedRows_v2 = no_rows_v2;
	library.nvmlDeviceGetRemappedRows = no_rows;
	library.nvmlDeviceGetFieldValues = fields_of_rows;
	nvml_read_health(&session);
	assert_said("\"rows_remapped_uncorrected\":6,\"remap_pending\":true,\"remap_failed\":true");
	assert_said("\"rows_remapped_corrected\":\"unsupported: NVML_ERROR_NOT_SUPPORTED\"");
	assert_said("\"power_instant_mw\":71000");
}

/* ---- processes */

static const char *driver_version;

static int get_driver_version(char *text, unsigned size)
{
	snprintf(text, size, "%s", driver_version);
	return 0;
}

static int processes_v1(nvml_device device, unsigned *nr, void *records)
{
	struct nvml_process_v1 *process = records;

	(void)device;
	process[0] = (struct nvml_process_v1){ .pid = 11, .used_bytes = 111 };
	process[1] = (struct nvml_process_v1){ .pid = 12, .used_bytes = UINT64_MAX };
	*nr = 2;
	return 0;
}

static int processes_v2(nvml_device device, unsigned *nr, void *records)
{
	struct nvml_process_v2 *process = records;

	(void)device;
	process[0] = (struct nvml_process_v2){ 21, 222, UINT32_MAX, UINT32_MAX };
	process[1] = (struct nvml_process_v2){ 22, 222, 7, 0 };
	*nr = 2;
	return 0;
}

/* 100 of them, in records of 32 bytes, as drivers 535.43 to 535.86 wrote. */
static int processes_odd(nvml_device device, unsigned *nr, void *records)
{
	unsigned *words = records, room = *nr;

	(void)device;
	*nr = 100;
	if (room < 100)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	for (unsigned i = 0; i < 100; i++) {
		words[8 * i] = 31 + i;
		words[8 * i + 2] = words[8 * i + 6] = 4 << 24;
	}
	return 0;
}

static void test_oldest_process_list(void **state)
{
	(void)state;
	library.nvmlDeviceGetComputeRunningProcesses = processes_v1;
	library.nvmlDeviceGetGraphicsRunningProcesses = processes_v1;
	nvml_read_clients(&session, &env, false);
	assert_said("\"key\":\"11:compute\",\"pid\":11,\"kind\":\"compute\",\"memory_bytes\":111");
	assert_said("\"memory_bytes\":\"unsupported: not reported by the driver\"");
	assert_said("\"alive\":\"unsupported: ");
	assert_said("\"clients\":4");
}

static void test_newer_process_list(void **state)
{
	(void)state;
	assert_int_equal(mkdir(scratch("proc"), 0755), 0);
	assert_int_equal(mkdir(scratch("proc/21"), 0755), 0);
	library.nvmlDeviceGetComputeRunningProcesses_v3 = processes_v2;
	library.nvmlDeviceGetGraphicsRunningProcesses_v3 = processes_v2;
	nvml_read_clients(&session, &env, true);
	assert_said("\"key\":\"21:compute\",\"pid\":21,\"kind\":\"compute\",\"memory_bytes\":222,"
		    "\"instance\":null,\"alive\":true");
	assert_said("\"key\":\"22:graphics:7/0\"");
	assert_said("\"instance\":\"7/0\",\"alive\":false");
}

static void test_odd_process_list(void **state)
{
	(void)state;
	library.nvmlSystemGetDriverVersion = get_driver_version;
	library.nvmlDeviceGetComputeRunningProcesses_v3 = processes_odd;
	library.nvmlDeviceGetComputeRunningProcesses_v2 = processes_v2;
	library.nvmlDeviceGetGraphicsRunningProcesses_v2 = processes_v2;
	driver_version = "535.54.03";
	nvml_read_clients(&session, &env, false);
	assert_said("{\"step\":\"nvmlDeviceGetComputeRunningProcesses_v2\"");
	assert_not_said("nvmlDeviceGetComputeRunningProcesses_v3");
	assert_said("\"clients\":4");
	assert_true(nvml_process_lists_are_odd("535.98"));
	assert_false(nvml_process_lists_are_odd("535.104.05"));
	assert_false(nvml_process_lists_are_odd("545.54"));
	assert_false(nvml_process_lists_are_odd("?"));
}

/* A driver that is odd and not known to be: numbers that no process has are no processes. */
static void test_a_list_that_cannot_be(void **state)
{
	(void)state;
	library.nvmlDeviceGetComputeRunningProcesses_v3 = processes_odd;
	library.nvmlDeviceGetGraphicsRunningProcesses_v3 = processes_v2;
	nvml_read_clients(&session, &env, false);
	assert_said("\"clients\":\"error: its list of processes has numbers that none can have\"");
	assert_not_said(":compute\"");
}

static int processes_beyond_count(nvml_device device, unsigned *nr, void *records)
{
	(void)device, (void)records;
	*nr = UINT32_MAX;
	return 0;
}

static void test_a_list_longer_than_its_room(void **state)
{
	(void)state;
	library.nvmlDeviceGetComputeRunningProcesses_v3 = processes_beyond_count;
	library.nvmlDeviceGetGraphicsRunningProcesses_v3 = processes_v2;
	nvml_read_clients(&session, &env, false);
	assert_said("\"clients\":\"error: its list of processes has numbers that none can have\"");
	assert_not_said(":compute\"");
}

/* ---- the window */

static int use_now(nvml_device device, struct nvml_utilization *ret)
{
	(void)device;
	calls++;
	*ret = (struct nvml_utilization){ .gpu = calls == 1 ? 10 : 90, .memory = 50 };
	return 0;
}

static int reasons_now(nvml_device device, uint64_t *ret)
{
	(void)device;
	*ret = calls == 1 ? NVML_REASON_HW_THERMAL : NVML_REASON_HW_SLOWDOWN | NVML_REASON_POWER_CAP;
	return 0;
}

static int clock_now(nvml_device device, int which, unsigned *mhz)
{
	(void)device, (void)which;
	*mhz = 1500;
	return 0;
}

static void test_the_window(void **state)
{
	(void)state;
	library.nvmlDeviceGetUtilizationRates = use_now;
	library.nvmlDeviceGetCurrentClocksEventReasons = reasons_now;
	library.nvmlDeviceGetClockInfo = clock_now;
	nvml_watch(&session, 250, false, &(struct nvml_links){ .nr = 0 });
	sink_flush(&sink);
	assert_said(
		"\"busy_max_percent\":90,\"busy_p5_percent\":10,\"busy_p95_percent\":90,\"memory_busy_percent\":50");
	assert_said("\"clock_busy_mhz\":1500");
	assert_said("\"power_mw\":\"unsupported: not in this driver's library\"");
	assert_said("\"reasons\":\"SwPowerCap, HwSlowdown, HwThermalSlowdown\"");
	/* Told once, and not while it worked. */
	assert_said("\"hw_thermal_percent\":0");
	assert_said("\"slowdown_percent\":100");
	assert_said("\"brake_all_percent\":0");
}

/* HwSlowdown and HwPowerBrakeSlowdown. */
static int reasons_of_a_brake(nvml_device device, uint64_t *reasons)
{
	(void)device;
	*reasons = 0x89;
	return 0;
}

static int no_use(nvml_device device, struct nvml_utilization *use)
{
	(void)device;
	*use = (struct nvml_utilization){ .gpu = 0 };
	return 0;
}

static void test_a_brake_at_idle(void **state)
{
	(void)state;
	library.nvmlDeviceGetUtilizationRates = no_use;
	library.nvmlDeviceGetCurrentClocksEventReasons = reasons_of_a_brake;
	nvml_watch(&session, 250, false, &(struct nvml_links){ .nr = 0 });
	sink_flush(&sink);
	assert_said("\"hw_thermal_all_percent\":0,\"brake_all_percent\":100");
	assert_said("\"brake_percent\":\"absent: not busy in the window\"");
}

static void test_no_window(void **state)
{
	(void)state;
	library.nvmlDeviceGetUtilizationRates = use_now;
	nvml_watch(&session, 0, false, &(struct nvml_links){ .nr = 1 });
	sink_flush(&sink);
	assert_int_equal(calls, 0);
	assert_said("\"busy_percent\":\"absent: no window\"");
	assert_said("\"new_errors\":\"absent: no window\"");
}

static void test_names_of_reasons(void **state)
{
	(void)state;
	assert_string_equal(nvml_reason_names(&sink.facts.arena, 0), "none");
	assert_string_equal(nvml_reason_names(&sink.facts.arena, 0x101), "GpuIdle, DisplayClockSetting");
	assert_string_equal(nvml_reason_names(&sink.facts.arena, 0x204), "SwPowerCap, 0x200");
}

/* ---- a second look at the memory in use */

enum { SECOND_LOOK_WORKS_MS = 7000 };

static int get_memory_v2(nvml_device device, struct nvml_memory_v2 *ret)
{
	(void)device;
	calls++;
	ret->used = UINT64_C(40) << 30;
	return 0;
}

static struct val_u64 look_again(uint64_t used, uint64_t living, uint64_t dead, bool sees, uint64_t deadline_ms)
{
	uint64_t now_ns = clock_now_ns();

	library.nvmlDeviceGetMemoryInfo_v2 = get_memory_v2;
	session.first_look = (struct nvml_first_look){
		.used_bytes = val_u64(used << 30), .is_complete = true, .nr_living = living != 0,
		.living_bytes = living << 30, .dead_bytes = dead << 30,
		/* 5 s ago, so that nobody waits here. */
		.began_ns = now_ns - 5000 * UINT64_C(1000000), .at_ns = now_ns - 5000 * UINT64_C(1000000),
	};
	calls = 0;
	nvml_memory_recheck(&session, &env, sees, deadline_ms);
	return nvml_facts(&session)->nvml.vram_used_again_bytes;
}

static void test_memory_that_nobody_holds_is_looked_at_again(void **state)
{
	static const struct { uint64_t used, living, dead; bool is_looked_at; } cases[] = {
		{ 40, 0, 0, true }, { 40, 0, 39, true }, { 40, 36, 3, true },
		/* Held, little, and beside somebody who lives: managed memory is counted as nobody's. */
		{ 40, 39, 0, false }, { 1, 0, 1, false }, { 40, 20, 0, false }, { 40, 20, 1, false },
		{ 40, 50, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct val_u64 again = look_again(cases[i].used, cases[i].living, cases[i].dead, true,
						  SECOND_LOOK_WORKS_MS);

		assert_int_equal(again.state, cases[i].is_looked_at ? VAL_OK : VAL_ABSENT);
		assert_int_equal(calls, cases[i].is_looked_at);
		if (cases[i].is_looked_at)
			assert_int_equal(u64_or(again, 0), UINT64_C(40) << 30);
		snapshot_release(&sink.facts);
	}
}

static void test_no_second_look_without_time_or_sight(void **state)
{
	(void)state;
	assert_int_equal(look_again(40, 0, 0, true, 5500).state, VAL_ABSENT);
	assert_int_equal(calls, 0);
	snapshot_release(&sink.facts);
	assert_int_equal(look_again(40, 0, 0, false, SECOND_LOOK_WORKS_MS).state, VAL_UNSUPPORTED);
	assert_int_equal(calls, 0);
	snapshot_release(&sink.facts);
	session.is_lost = true;
	assert_int_equal(look_again(40, 0, 0, true, SECOND_LOOK_WORKS_MS).state, VAL_LOST);
	assert_int_equal(calls, 0);
}

static int get_numa_node(nvml_device device, unsigned *node)
{
	(void)device;
	*node = 1;
	return 0;
}

static void test_memory_that_the_kernel_gives_out_is_not_looked_at_again(void **state)
{
	(void)state;
	library.nvmlDeviceGetNumaNodeId = get_numa_node;
	put_text("sys/devices/system/node/node1/cpulist", "\n");
	assert_int_equal(look_again(40, 0, 0, true, SECOND_LOOK_WORKS_MS).state, VAL_ABSENT);
	assert_int_equal(calls, 0);
	snapshot_release(&sink.facts);
	/* Main memory that it is near. */
	put_text("sys/devices/system/node/node1/cpulist", "32-63\n");
	assert_int_equal(look_again(40, 0, 0, true, SECOND_LOOK_WORKS_MS).state, VAL_OK);
	assert_int_equal(calls, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_error_is_a_state),
		TEST(test_a_call_is_said_before_it_is_made),
		TEST(test_the_gravest_trouble_is_kept),
		TEST(test_a_lost_gpu_is_asked_no_more),
		TEST(test_nonsense_is_no_value),
		TEST(test_a_domain_of_more_than_16_bits),
		TEST(test_a_field_by_its_type),
		TEST(test_memory_by_the_older_call),
		TEST(test_fabric_one_version_down),
		TEST(test_a_link_state_of_all_ones),
		TEST(test_a_link_state_of_all_ones_by_its_field),
		TEST(test_links_that_are_down_or_asleep),
		TEST(test_health),
		TEST(test_rows_that_nothing_tells),
		TEST(test_rows_by_fields),
		TEST(test_oldest_process_list),
		TEST(test_newer_process_list),
		TEST(test_odd_process_list),
		TEST(test_a_list_that_cannot_be),
		TEST(test_a_list_longer_than_its_room),
		TEST(test_the_window),
		TEST(test_a_brake_at_idle),
		TEST(test_no_window),
		TEST(test_names_of_reasons),
		TEST(test_memory_that_nobody_holds_is_looked_at_again),
		TEST(test_no_second_look_without_time_or_sight),
		TEST(test_memory_that_the_kernel_gives_out_is_not_looked_at_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
