// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_state.c - a GPU's link, heat, power, clocks, memory and settings as they are now. */
#include "base/compat.h"
#include "probe/nvidia/nvml_values.h"

#include "base/strbuf.h"
#include "sys/clock.h"

enum { MOST_GENERATION = 8, MOST_LANES = 32, MOST_FAN_PERCENT = 200, MOST_FANS = 16, MOST_CPUS = 4096 };

static void read_link(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	unsigned number = 0;

	ret->link_generation = WITHIN(asked, nvmlDeviceGetCurrPcieLinkGeneration, 1, MOST_GENERATION);
	ret->link_generation_max = WITHIN(asked, nvmlDeviceGetMaxPcieLinkGeneration, 1, MOST_GENERATION);
	ret->link_generation_able = WITHIN(asked, nvmlDeviceGetGpuMaxPcieLinkGeneration, 1, MOST_GENERATION);
	ret->link_width = WITHIN(asked, nvmlDeviceGetCurrPcieLinkWidth, 1, MOST_LANES);
	ret->link_width_max = WITHIN(asked, nvmlDeviceGetMaxPcieLinkWidth, 1, MOST_LANES);
	ret->pcie_replays = NUMBER(asked, nvmlDeviceGetPcieReplayCounter);
}

int nvml_ask_temperature(struct nvml_asked *asked, int64_t *ret)
{
	struct nvml_temperature now = { .version = NVML_VERSION_WORD(now, 1), .sensor = 0 };
	unsigned number = 0;
	int error;

	if (asked->nvml->nvmlDeviceGetTemperatureV) {
		error = nvml_ask(asked, nvmlDeviceGetTemperatureV, asked->device, &now);
		*ret = now.celsius;
		if (error != NVML_ERROR_ARGUMENT_VERSION_MISMATCH)
			return error;
	}
	error = nvml_ask(asked, nvmlDeviceGetTemperature, asked->device, 0, &number);
	*ret = number;
	return error;
}

static struct val_f64 temperature_limit(struct nvml_asked *asked, int limit)
{
	unsigned celsius = 0;
	int error = nvml_ask(asked, nvmlDeviceGetTemperatureThreshold, asked->device, limit, &celsius);

	return nvml_celsius(asked, error, celsius);
}

/* The highest of its fans. nvml.h: more than 100 is possible. */
static struct val_u64 fan_speed(struct nvml_asked *asked)
{
	struct val_u64 highest = no_u64(VAL_ABSENT, "it has no fan of its own");
	unsigned nr = 1, number = 0;
	int error = nvml_ask(asked, nvmlDeviceGetNumFans, asked->device, &nr);

	if (error && error != NVML_ERROR_FUNCTION_NOT_FOUND)
		return nvml_u64(asked, error, 0);
	for (unsigned i = 0; i < nr && i < MOST_FANS; i++) {
		struct val_u64 speed;

		error = nvml_ask(asked, nvmlDeviceGetFanSpeed_v2, asked->device, i, &number);
		speed = nvml_within(asked, error, number, 0, MOST_FAN_PERCENT);
		if (!is_known(highest) || u64_or(speed, 0) > u64_or(highest, 0))
			highest = speed;
	}
	return highest;
}

static void read_heat(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	struct nvml_margin margin = { .version = NVML_VERSION_WORD(margin, 1) };
	int64_t now = 0;
	int error = nvml_ask_temperature(asked, &now);

	ret->temperature_c = nvml_celsius(asked, error, now);
	ret->temperature_max_c = temperature_limit(asked, NVML_LIMIT_GPU);
	ret->temperature_slowdown_c = temperature_limit(asked, NVML_LIMIT_SLOWDOWN);
	ret->temperature_shutdown_c = temperature_limit(asked, NVML_LIMIT_SHUTDOWN);
	ret->memory_temperature_max_c = temperature_limit(asked, NVML_LIMIT_MEMORY);
	error = nvml_ask(asked, nvmlDeviceGetMarginTemperature, asked->device, &margin);
	ret->temperature_margin_c = nvml_margin(asked, error, margin.celsius);
	ret->fan_percent = fan_speed(asked);
}

static void read_power(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	unsigned number = 0, most = 0;
	uint64_t energy = 0;
	int error;

	ret->power_mw = NUMBER(asked, nvmlDeviceGetPowerUsage);
	ret->power_limit_mw = NUMBER(asked, nvmlDeviceGetEnforcedPowerLimit);
	ret->power_requested_mw = NUMBER(asked, nvmlDeviceGetPowerManagementLimit);
	ret->power_default_mw = NUMBER(asked, nvmlDeviceGetPowerManagementDefaultLimit);
	error = nvml_ask(asked, nvmlDeviceGetPowerManagementLimitConstraints, asked->device, &number, &most);
	ret->power_min_mw = nvml_u64(asked, error, number);
	ret->power_max_mw = nvml_u64(asked, error, most);
	error = nvml_ask(asked, nvmlDeviceGetTotalEnergyConsumption, asked->device, &energy);
	ret->energy_mj = nvml_u64(asked, error, energy);
}

static struct val_u64 set_clock(struct nvml_asked *asked, int which)
{
	unsigned mhz = 0;
	int error = nvml_ask(asked, nvmlDeviceGetClock, asked->device, NVML_CLOCK_GRAPHICS, which, &mhz);

	return nvml_u64(asked, error, mhz);
}

static void read_clocks(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	uint64_t reasons = 0;
	unsigned number = 0;
	struct val_head no;
	int error;

	ret->clock_mhz = NUMBER_OF(asked, nvmlDeviceGetClockInfo, NVML_CLOCK_SM);
	ret->clock_max_mhz = NUMBER_OF(asked, nvmlDeviceGetMaxClockInfo, NVML_CLOCK_SM);
	ret->memory_clock_mhz = NUMBER_OF(asked, nvmlDeviceGetClockInfo, NVML_CLOCK_MEMORY);
	ret->memory_clock_max_mhz = NUMBER_OF(asked, nvmlDeviceGetMaxClockInfo, NVML_CLOCK_MEMORY);
	ret->clock_application_mhz = set_clock(asked, NVML_CLOCK_ID_APP_TARGET);
	ret->clock_application_default_mhz = set_clock(asked, NVML_CLOCK_ID_APP_DEFAULT);
	ret->clock_boost_max_mhz = NUMBER_OF(asked, nvmlDeviceGetMaxCustomerBoostClock, NVML_CLOCK_GRAPHICS);
	/* 32 is "unknown". */
	ret->performance_state = WITHIN(asked, nvmlDeviceGetPerformanceState, 0, 15);
	error = nvml_ask(asked, nvmlDeviceGetCurrentClocksEventReasons, asked->device, &reasons);
	no = nvml_no(error);
	ret->clock_reasons = error ? no_str(no.state, no.why) :
				     val_str(arena_printf(&asked->sink->facts.arena, "0x%llx",
							  (unsigned long long)reasons));
}

int nvml_ask_memory(struct nvml_asked *asked, int *ret_newest, struct nvml_memory_v2 *ret)
{
	struct nvml_memory older = { 0 };
	int error;

	*ret = (struct nvml_memory_v2){ .version = NVML_VERSION_WORD(*ret, 2) };
	error = *ret_newest = nvml_ask(asked, nvmlDeviceGetMemoryInfo_v2, asked->device, ret);
	if (error != NVML_ERROR_FUNCTION_NOT_FOUND && error != NVML_ERROR_ARGUMENT_VERSION_MISMATCH)
		return error;
	error = nvml_ask(asked, nvmlDeviceGetMemoryInfo, asked->device, &older);
	ret->total = older.total;
	ret->used = older.used;
	return error;
}

/* Version 2 tells what the driver keeps for itself; what is used by others is without that then. */
static void read_memory(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	struct nvml_memory_v2 memory;
	struct nvml_memory bar1 = { 0 };
	int newest = NVML_ERROR_FUNCTION_NOT_FOUND, error = nvml_ask_memory(asked, &newest, &memory);
	unsigned number = 0;

	ret->vram_reserved_bytes = nvml_u64(asked, newest, memory.reserved);
	ret->vram_total_bytes = nvml_u64(asked, error, memory.total);
	ret->vram_used_bytes = nvml_u64(asked, error, memory.used);
	/* Read again for another value's sake it is no first look any more: whose it is was asked then. */
	if (!is_known(asked->first_look.used_bytes)) {
		asked->first_look.used_bytes = ret->vram_used_bytes;
		asked->first_look.at_ns = clock_now_ns();
	}
	error = nvml_ask(asked, nvmlDeviceGetBAR1MemoryInfo, asked->device, &bar1);
	ret->bar1_total_bytes = nvml_u64(asked, error, bar1.total);
	ret->bar1_used_bytes = nvml_u64(asked, error, bar1.used);
	ret->memory_bus_bits = NUMBER(asked, nvmlDeviceGetMemoryBusWidth);
}

/* A mask of CPUs as a list, "0-15,32-47". */
static struct val_str cpus_near(struct nvml_asked *asked)
{
	enum { BITS = 8 * sizeof(unsigned long) };
	unsigned long mask[MOST_CPUS / BITS] = { 0 };
	int error = nvml_ask(asked, nvmlDeviceGetCpuAffinity, asked->device, (unsigned)ARRAY_SIZE(mask), mask);
	struct val_head no = nvml_no(error);
	STRBUF_AUTO list = STRBUF_INIT;

	if (error)
		return no_str(no.state, no.why);
	for (unsigned cpu = 0, last; cpu < MOST_CPUS; cpu = last + 1) {
		last = cpu;
		if (!(mask[cpu / BITS] >> cpu % BITS & 1))
			continue;
		while (last + 1 < MOST_CPUS && mask[(last + 1) / BITS] >> (last + 1) % BITS & 1)
			last++;
		strbuf_addf(&list, "%s%u", list.len ? "," : "", cpu);
		if (last > cpu)
			strbuf_addf(&list, "-%u", last);
	}
	return list.len ? val_str(arena_strdup(&asked->sink->facts.arena, list.buf)) : no_str(VAL_ABSENT, "empty");
}

static void read_settings(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	/* nvmlComputeMode_t, nvmlDeviceAddressingModeType_t */
	static const char *const compute_modes[] = {
		"default", "exclusive-thread", "prohibited", "exclusive-process",
	};
	static const char *const addressing_modes[] = { "none", "hmm", "ats" };
	struct nvml_addressing addressing = { .version = NVML_VERSION_WORD(addressing, 1) };
	unsigned number = 0, pending = 0;
	int error = nvml_ask(asked, nvmlDeviceGetPersistenceMode, asked->device, &number);

	ret->persistence = nvml_bool(asked, error, number);
	error = nvml_ask(asked, nvmlDeviceGetComputeMode, asked->device, &number);
	ret->compute_mode = nvml_word(asked, error, number, compute_modes, ARRAY_SIZE(compute_modes));
	error = nvml_ask(asked, nvmlDeviceGetMigMode, asked->device, &number, &pending);
	ret->mig_enabled = nvml_bool(asked, error, number);
	ret->mig_pending = nvml_bool(asked, error, pending);
	error = nvml_ask(asked, nvmlDeviceGetAddressingMode, asked->device, &addressing);
	ret->addressing_mode = nvml_word(asked, error, addressing.mode, addressing_modes, ARRAY_SIZE(addressing_modes));
	ret->numa_node = NUMBER(asked, nvmlDeviceGetNumaNodeId);
	ret->local_cpus = cpus_near(asked);
}

void nvml_read_state(struct nvml_asked *asked)
{
	static void (*const parts[])(struct nvml_asked *asked, struct nvml_gpu *ret) = {
		read_memory, read_heat, read_power, read_clocks, read_link, read_settings,
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		parts[i](asked, &nvml_facts(asked)->nvml);
		nvml_flush(asked);
	}
}
