// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_state.c - which GPU it is; its link, heat, power, clocks, memory and settings as they are now. */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/read.h"
#include "sys/clock.h"

enum { MOST_GENERATION = 8, MOST_LANES = 32, MOST_FAN_PERCENT = 200, MOST_FANS = 16, MOST_CPUS = 4096 };

/* A call that writes one number or one text, as a value: to a variable `number` or a buffer `text` of the function. */
#define TEXT(session, call)                                                                              \
	nvml_text((session), nvml_call((session), call, (session)->device, text, sizeof(text)), text, sizeof(text))
#define NUMBER(session, call)                                                                            \
	nvml_u32((session), nvml_call((session), call, (session)->device, &number), &number)
#define NUMBER_OF(session, call, which)                                                                  \
	nvml_u32((session), nvml_call((session), call, (session)->device, (which), &number), &number)
#define WITHIN(session, call, least, most)                                                               \
	nvml_u32_in_range((session), nvml_call((session), call, (session)->device, &number), &number, (least), (most))

static void read_link(struct nvml_session *session, struct nvml_gpu *ret)
{
	unsigned number = 0;

	ret->link_generation = WITHIN(session, nvmlDeviceGetCurrPcieLinkGeneration, 1, MOST_GENERATION);
	ret->link_generation_max = WITHIN(session, nvmlDeviceGetMaxPcieLinkGeneration, 1, MOST_GENERATION);
	ret->link_generation_able = WITHIN(session, nvmlDeviceGetGpuMaxPcieLinkGeneration, 1, MOST_GENERATION);
	ret->link_width = WITHIN(session, nvmlDeviceGetCurrPcieLinkWidth, 1, MOST_LANES);
	ret->link_width_max = WITHIN(session, nvmlDeviceGetMaxPcieLinkWidth, 1, MOST_LANES);
	ret->pcie_replays = NUMBER(session, nvmlDeviceGetPcieReplayCounter);
}

int nvml_call_temperature(struct nvml_session *session, int64_t *ret)
{
	struct nvml_temperature now = { .version = NVML_VERSION_WORD(now, 1), .sensor = 0 };
	unsigned number = 0;
	int error;

	if (session->nvml->nvmlDeviceGetTemperatureV) {
		error = nvml_call(session, nvmlDeviceGetTemperatureV, session->device, &now);
		*ret = now.celsius;
		if (error != NVML_ERROR_ARGUMENT_VERSION_MISMATCH)
			return error;
	}
	error = nvml_call(session, nvmlDeviceGetTemperature, session->device, 0, &number);
	*ret = number;
	return error;
}

static struct val_f64 temperature_limit(struct nvml_session *session, int limit)
{
	unsigned celsius = 0;
	int error = nvml_call(session, nvmlDeviceGetTemperatureThreshold, session->device, limit, &celsius);

	return nvml_celsius(session, error, celsius);
}

/* The highest of its fans. nvml.h: more than 100 is possible. */
static struct val_u64 fan_speed(struct nvml_session *session)
{
	struct val_u64 highest = no_u64(VAL_ABSENT, "no fan");
	unsigned nr = 1, number = 0;
	int error = nvml_call(session, nvmlDeviceGetNumFans, session->device, &nr);

	if (error && error != NVML_ERROR_FUNCTION_NOT_FOUND)
		return nvml_u64(session, error, 0);
	for (unsigned i = 0; i < nr && i < MOST_FANS; i++) {
		struct val_u64 speed;

		error = nvml_call(session, nvmlDeviceGetFanSpeed_v2, session->device, i, &number);
		speed = nvml_in_range(session, error, number, 0, MOST_FAN_PERCENT);
		if (!is_known(highest) || u64_or(speed, 0) > u64_or(highest, 0))
			highest = speed;
	}
	return highest;
}

static void read_heat(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct nvml_margin margin = { .version = NVML_VERSION_WORD(margin, 1) };
	int64_t now = 0;
	int error = nvml_call_temperature(session, &now);

	ret->temperature_c = nvml_celsius(session, error, now);
	ret->temperature_max_c = temperature_limit(session, NVML_LIMIT_GPU);
	ret->temperature_slowdown_c = temperature_limit(session, NVML_LIMIT_SLOWDOWN);
	ret->temperature_shutdown_c = temperature_limit(session, NVML_LIMIT_SHUTDOWN);
	ret->memory_temperature_max_c = temperature_limit(session, NVML_LIMIT_MEMORY);
	error = nvml_call(session, nvmlDeviceGetMarginTemperature, session->device, &margin);
	ret->temperature_margin_c = nvml_margin(session, error, margin.celsius);
	ret->fan_percent = fan_speed(session);
}

static void read_power(struct nvml_session *session, struct nvml_gpu *ret)
{
	unsigned number = 0, most = 0;
	uint64_t energy = 0;
	int error;

	ret->power_mw = NUMBER(session, nvmlDeviceGetPowerUsage);
	ret->power_limit_mw = NUMBER(session, nvmlDeviceGetEnforcedPowerLimit);
	ret->power_requested_mw = NUMBER(session, nvmlDeviceGetPowerManagementLimit);
	ret->power_default_mw = NUMBER(session, nvmlDeviceGetPowerManagementDefaultLimit);
	error = nvml_call(session, nvmlDeviceGetPowerManagementLimitConstraints, session->device, &number, &most);
	ret->power_min_mw = nvml_u64(session, error, number);
	ret->power_max_mw = nvml_u64(session, error, most);
	error = nvml_call(session, nvmlDeviceGetTotalEnergyConsumption, session->device, &energy);
	ret->energy_mj = nvml_u64(session, error, energy);
}

static struct val_u64 set_clock(struct nvml_session *session, int which)
{
	unsigned mhz = 0;
	int error = nvml_call(session, nvmlDeviceGetClock, session->device, NVML_CLOCK_GRAPHICS, which, &mhz);

	return nvml_u64(session, error, mhz);
}

static void read_clocks(struct nvml_session *session, struct nvml_gpu *ret)
{
	uint64_t reasons = 0;
	unsigned number = 0;
	struct val_head no;
	int error;

	ret->clock_mhz = NUMBER_OF(session, nvmlDeviceGetClockInfo, NVML_CLOCK_SM);
	ret->clock_max_mhz = NUMBER_OF(session, nvmlDeviceGetMaxClockInfo, NVML_CLOCK_SM);
	ret->memory_clock_mhz = NUMBER_OF(session, nvmlDeviceGetClockInfo, NVML_CLOCK_MEMORY);
	ret->memory_clock_max_mhz = NUMBER_OF(session, nvmlDeviceGetMaxClockInfo, NVML_CLOCK_MEMORY);
	ret->clock_application_mhz = set_clock(session, NVML_CLOCK_ID_APP_TARGET);
	ret->clock_application_default_mhz = set_clock(session, NVML_CLOCK_ID_APP_DEFAULT);
	ret->clock_boost_max_mhz = NUMBER_OF(session, nvmlDeviceGetMaxCustomerBoostClock, NVML_CLOCK_GRAPHICS);
	/* 32 is "unknown". */
	ret->performance_state = WITHIN(session, nvmlDeviceGetPerformanceState, 0, 15);
	error = nvml_call(session, nvmlDeviceGetCurrentClocksEventReasons, session->device, &reasons);
	no = nvml_missing_value(error);
	ret->clock_reasons = error ? no_str(no.state, no.why) :
				     val_str(arena_printf(&session->sink->facts.arena, "0x%llx",
							  (unsigned long long)reasons));
}

int nvml_call_memory(struct nvml_session *session, int *ret_newest, struct nvml_memory_v2 *ret)
{
	struct nvml_memory older = { 0 };
	int error;

	*ret = (struct nvml_memory_v2){ .version = NVML_VERSION_WORD(*ret, 2) };
	error = *ret_newest = nvml_call(session, nvmlDeviceGetMemoryInfo_v2, session->device, ret);
	if (error != NVML_ERROR_FUNCTION_NOT_FOUND && error != NVML_ERROR_ARGUMENT_VERSION_MISMATCH)
		return error;
	error = nvml_call(session, nvmlDeviceGetMemoryInfo, session->device, &older);
	ret->total = older.total;
	ret->used = older.used;
	return error;
}

/* Version 2 reports the driver's reserved memory apart; used memory then excludes it. */
static void read_memory(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct nvml_memory_v2 memory;
	struct nvml_memory bar1 = { 0 };
	int newest = NVML_ERROR_FUNCTION_NOT_FOUND, error = nvml_call_memory(session, &newest, &memory);
	unsigned number = 0;

	ret->vram_reserved_bytes = nvml_u64(session, newest, memory.reserved);
	ret->vram_total_bytes = nvml_u64(session, error, memory.total);
	ret->vram_used_bytes = nvml_u64(session, error, memory.used);
	/* Read again for another value's sake it is no first look any more: whose it is was asked then. */
	if (!is_known(session->first_look.used_bytes)) {
		session->first_look.used_bytes = ret->vram_used_bytes;
		session->first_look.at_ns = clock_now_ns();
	}
	error = nvml_call(session, nvmlDeviceGetBAR1MemoryInfo, session->device, &bar1);
	ret->bar1_total_bytes = nvml_u64(session, error, bar1.total);
	ret->bar1_used_bytes = nvml_u64(session, error, bar1.used);
	ret->memory_bus_bits = NUMBER(session, nvmlDeviceGetMemoryBusWidth);
}

/* A mask of CPUs as a list, "0-15,32-47". */
static struct val_str cpus_near(struct nvml_session *session)
{
	enum { BITS = 8 * sizeof(unsigned long) };
	unsigned long mask[MOST_CPUS / BITS] = { 0 };
	int error = nvml_call(session, nvmlDeviceGetCpuAffinity, session->device, (unsigned)ARRAY_SIZE(mask), mask);
	struct val_head no = nvml_missing_value(error);
	STRBUF_AUTO words = STRBUF_INIT;
	STRBUF_AUTO list = STRBUF_INIT;

	if (error)
		return no_str(no.state, no.why);
	for (size_t i = ARRAY_SIZE(mask); i-- > 0;)
		strbuf_addf(&words, "%0*lx", BITS / 4, mask[i]);
	if (cpulist_of_mask(words.buf, &list))
		strbuf_reset(&list);
	return list.len ? val_str(arena_strdup(&session->sink->facts.arena, list.buf)) : no_str(VAL_ABSENT, "empty");
}

static void read_settings(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct nvml_addressing addressing = { .version = NVML_VERSION_WORD(addressing, 1) };
	unsigned number = 0, pending = 0;
	int error = nvml_call(session, nvmlDeviceGetPersistenceMode, session->device, &number);

	ret->persistence = nvml_bool(session, error, number);
	error = nvml_call(session, nvmlDeviceGetComputeMode, session->device, &number);
	ret->compute_mode = nvml_enum(session, error, number, &nvml_compute_modes);
	error = nvml_call(session, nvmlDeviceGetMigMode, session->device, &number, &pending);
	ret->mig_enabled = nvml_bool(session, error, number);
	ret->mig_pending = nvml_bool(session, error, pending);
	error = nvml_call(session, nvmlDeviceGetAddressingMode, session->device, &addressing);
	ret->addressing_mode = nvml_enum(session, error, addressing.mode, &nvml_addressing_modes);
	ret->numa_node = NUMBER(session, nvmlDeviceGetNumaNodeId);
	ret->local_cpus = cpus_near(session);
}

void nvml_read_state(struct nvml_session *session)
{
	static void (*const parts[])(struct nvml_session *session, struct nvml_gpu *ret) = {
		read_memory, read_heat, read_power, read_clocks, read_link, read_settings,
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		parts[i](session, &nvml_facts(session)->nvml);
		nvml_flush(session);
	}
}

/* ---- which GPU it is, and what firmware it runs */

static struct val_str architecture_of(struct nvml_session *session)
{
	unsigned number = 0;
	int error = nvml_call(session, nvmlDeviceGetArchitecture, session->device, &number);

	if (!error && number == NVML_ALL_ONES_32)
		return no_str(VAL_ABSENT, "not known to the driver");
	/* Newer than this table: the number is kept. */
	if (!error && (number >= nvml_architectures.nr || !nvml_architectures.names[number]))
		return val_str(arena_printf(&session->sink->facts.arena, "%u", number));
	return nvml_enum(session, error, number, &nvml_architectures);
}

static struct val_str capability_of(struct nvml_session *session)
{
	int major = 0, minor = 0;
	int error = nvml_call(session, nvmlDeviceGetCudaComputeCapability, session->device, &major, &minor);
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_str(no.state, no.why);
	if (major < 1 || minor < 0)
		return no_str(VAL_ERROR, arena_printf(&session->sink->facts.arena, "reads %d.%d", major, minor));
	return val_str(arena_printf(&session->sink->facts.arena, "%d.%d", major, minor));
}

static void read_firmware(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct arena *arena = &session->sink->facts.arena;
	char text[NVML_TEXT_BYTES] = "";
	unsigned number = 0, by_default = 0;
	int error;

	ret->vbios = checked_version(arena, TEXT(session, nvmlDeviceGetVbiosVersion));
	ret->inforom = TEXT(session, nvmlDeviceGetInforomImageVersion);
	error = nvml_call(session, nvmlDeviceGetGspFirmwareVersion, session->device, text);
	ret->gsp_firmware = checked_version(arena, nvml_text(session, error, text, sizeof(text)));
	error = nvml_call(session, nvmlDeviceGetGspFirmwareMode, session->device, &number, &by_default);
	ret->gsp_enabled = nvml_bool(session, error, number);
	error = nvml_call(session, nvmlDeviceGetVirtualizationMode, session->device, &number);
	ret->virtualization = nvml_enum(session, error, number, &nvml_virtualization_modes);
}

void nvml_read_identity(struct nvml_session *session)
{
	struct nvml_gpu *ret = &nvml_facts(session)->nvml;
	char text[NVML_TEXT_BYTES] = "";
	unsigned number = 0;

	ret->index = NUMBER(session, nvmlDeviceGetIndex);
	ret->name = TEXT(session, nvmlDeviceGetName);
	ret->uuid = TEXT(session, nvmlDeviceGetUUID);
	ret->serial = TEXT(session, nvmlDeviceGetSerial);
	ret->part_number = TEXT(session, nvmlDeviceGetBoardPartNumber);
	ret->board_id = NUMBER(session, nvmlDeviceGetBoardId);
	ret->module_id = NUMBER(session, nvmlDeviceGetModuleId);
	ret->minor = NUMBER(session, nvmlDeviceGetMinorNumber);
	ret->architecture = architecture_of(session);
	ret->compute_capability = capability_of(session);
	ret->cores = NUMBER(session, nvmlDeviceGetNumGpuCores);
	read_firmware(session, ret);
	nvml_flush(session);
}
