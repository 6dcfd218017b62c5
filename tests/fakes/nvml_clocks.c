// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_clocks.c - clocks, what held them back, and for how long. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>

/* By clock type: graphics, SM, memory, video. */
static int clock_of(const char *call, device_t device, u32 type, const char *detail, const char *const keys[4],
		    u32 *out)
{
	static const u32 usual[] = {1980, 1980, 2619, 1545};

	if (type > 3)
		return misuse(call, "clock type", NVML_INVALID_ARGUMENT);
	return ask_u32(call, device, detail, keys[type], usual[type], out);
}

static const char *const clocks_now[] = {"clock_mhz", "clock_mhz", "memory_clock_mhz", "video_clock_mhz"};
static const char *const clocks_max[] = {"clock_max_mhz", "clock_max_mhz", "memory_clock_max_mhz",
					 "video_clock_max_mhz"};
static const char *const clocks_target[] = {"clock_application_mhz", "clock_application_mhz", "memory_clock_max_mhz",
					    "video_clock_max_mhz"};
static const char *const clocks_default[] = {"clock_application_default_mhz", "clock_application_default_mhz",
					     "memory_clock_max_mhz", "video_clock_max_mhz"};
static const char *const clocks_boost[] = {"clock_boost_max_mhz", "clock_boost_max_mhz", "memory_clock_max_mhz",
					   "video_clock_max_mhz"};

API(nvmlDeviceGetClockInfo, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_now, out);
}

API(nvmlDeviceGetMaxClockInfo, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_max, out);
}

API(nvmlDeviceGetClock, device_t device, u32 type, u32 id, u32 *out)
{
	static const char *const *const keys[] = {clocks_now, clocks_target, clocks_default, clocks_boost};
	DETAIL("%u %u", type, id);
	if (id > 3)
		return misuse(__func__, "clock id", NVML_INVALID_ARGUMENT);
	return clock_of(__func__, device, type, detail, keys[id], out);
}

API(nvmlDeviceGetMaxCustomerBoostClock, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_boost, out);
}

API(nvmlDeviceGetApplicationsClock, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_target, out);
}

NUMBER(nvmlDeviceGetPerformanceState, "performance_state", 0)
LARGE(nvmlDeviceGetCurrentClocksEventReasons, "clock_reasons", 1)
LARGE(nvmlDeviceGetCurrentClocksThrottleReasons, "clock_reasons", 1)
LARGE(nvmlDeviceGetSupportedClocksEventReasons, "clock_reasons_supported", 0x1ff)
LARGE(nvmlDeviceGetSupportedClocksThrottleReasons, "clock_reasons_supported", 0x1ff)

int violation(const struct gpu *gpu, u32 policy, long long *ns)
{
	const cJSON *list = member(gpu->said, "violations_ns");
	char key[8];

	snprintf(key, sizeof(key), "%u", policy);
	if (list && !cJSON_IsObject(list))
		return tell_item(list, 0, ns);
	return tell(list, key, 0, ns);
}

struct violation_time {
	u64 reference_us, ns;
};

API(nvmlDeviceGetViolationStatus, device_t device, u32 policy, struct violation_time *out)
{
	DETAIL("%u", policy);
	const struct gpu *gpu;
	long long ns;
	int error = enter_gpu(__func__, device, detail, &gpu);

	if (!error)
		error = violation(gpu, policy, &ns);
	if (!error)
		*out = (struct violation_time){(u64)(seconds_now() * 1e6), (u64)ns};
	return error;
}

struct clock_monitor {
	u32 fault, count, list[64];
};

API(nvmlDeviceGetClkMonStatus, device_t device, struct clock_monitor *out)
{
	long long fault;
	int error = ask(__func__, device, "", "clock_monitor_fault", 0, &fault);

	if (!error)
		*out = (struct clock_monitor){.fault = (u32)fault};
	return error;
}

_Static_assert(sizeof(struct clock_monitor) == 264, "nvmlClkMonStatus_t");
