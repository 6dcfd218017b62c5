// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_events.c - events: none comes. See nvml.c. */
#include "nvml_answer.h"

enum { SUPPORTED_EVENTS = 0xffff };

API(nvmlEventSetCreate, void **set)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		*set = &machine;
	return error;
}

LARGE(nvmlDeviceGetSupportedEventTypes, "event_types", SUPPORTED_EVENTS)

API(nvmlDeviceRegisterEvents, device_t device, u64 types, void *set)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error && (set != &machine || types & ~(u64)SUPPORTED_EVENTS))
		error = misuse(__func__, "events", NVML_INVALID_ARGUMENT);
	return error;
}

static int wait_event(const char *call, void *set, void *data, u32 timeout_ms)
{
	int error = enter(call, NULL, "");

	if (!error && (set != &machine || !data))
		error = misuse(call, "set", NVML_INVALID_ARGUMENT);
	if (!error)
		wait_us(1e3 * timeout_ms);
	return error ? error : NVML_TIMEOUT;
}

API(nvmlEventSetWait_v2, void *set, void *data, u32 timeout_ms)
{
	return wait_event(__func__, set, data, timeout_ms);
}

API(nvmlEventSetWait, void *set, void *data, u32 timeout_ms)
{
	return wait_event(__func__, set, data, timeout_ms);
}

API(nvmlEventSetFree, void *set)
{
	int error = enter(__func__, NULL, "");

	return !error && set != &machine ? misuse(__func__, "set", NVML_INVALID_ARGUMENT) : error;
}
