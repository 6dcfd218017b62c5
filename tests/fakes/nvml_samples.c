// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_samples.c - samples, and what processes used, since a moment. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>
#include <string.h>

enum { LOADED_AT_S = 1700000000, SAMPLE_EVERY_MS = 166, SAMPLES_KEPT = 120 };

/* A time of the machine as its driver stamps it: microseconds since 1970. */
static u64 stamp_of(const struct gpu *gpu, double ms)
{
	long long shift_ms = 0;

	tell(member(gpu->said, "samples"), "shift_ms", 0, &shift_ms);
	return (u64)LOADED_AT_S * 1000000 + (u64)(long long)((ms + (double)shift_ms) * 1e3);
}

struct sample {
	u64 stamp_us;
	union {
		double f64;
		u64 u64;
	} value;
};

/* Those after that moment, as many as there is room for. */
struct wanted {
	u64 after_us;
	u32 room, found;
	struct sample *out;
};

static void put_sample(struct wanted *wanted, u64 stamp_us, long long value)
{
	if (stamp_us <= wanted->after_us || wanted->found >= wanted->room)
		return;
	wanted->out[wanted->found].stamp_us = stamp_us;
	wanted->out[wanted->found++].value.u64 = (u64)value;
}

static int samples_of(const struct gpu *gpu, const char *type, const char *key, long long otherwise,
		      struct wanted *wanted)
{
	const cJSON *said = member(gpu->said, "samples"), *list = member(said, type), *one;
	long long every = SAMPLE_EVERY_MS, kept = SAMPLES_KEPT, value = 0, last;
	double now_ms = 1e3 * machine_s();
	int error = 0;

	tell(said, "every_ms", SAMPLE_EVERY_MS, &every);
	tell(said, "nr", SAMPLES_KEPT, &kept);
	cJSON_ArrayForEach(one, list)
	{
		double at_ms = cJSON_GetArrayItem(one, 0)->valuedouble;

		if (at_ms <= now_ms)
			put_sample(wanted, stamp_of(gpu, at_ms), (long long)cJSON_GetArrayItem(one, 1)->valuedouble);
	}
	last = (long long)now_ms / every;
	for (long long i = last < kept ? 0 : last - kept + 1; !list && !error && i <= last; i++) {
		u64 stamp_us = stamp_of(gpu, (double)(i * every));

		error = stamp_us > wanted->after_us ? tell(gpu->said, key, otherwise, &value) : 0;
		if (!error)
			put_sample(wanted, stamp_us, value);
	}
	return error;
}

API(nvmlDeviceGetSamples, device_t device, u32 type, u64 last_seen_us, int *value_type, u32 *count, struct sample *out)
{
	static const char *const keys[] = {"power_mw", "busy_percent", "memory_busy_percent"};
	DETAIL("%u %s", type, out ? "" : "size");
	struct wanted wanted = {.after_us = last_seen_us, .out = out};
	const struct gpu *gpu;
	long long kept = SAMPLES_KEPT;
	char number[12];
	int error = enter_gpu(__func__, device, detail, &gpu);

	_Static_assert(sizeof(struct sample) == 16, "as nvml.h lays it out");
	if (!error && (!count || !value_type || (out && !*count)))
		error = misuse(__func__, "count", NVML_INVALID_ARGUMENT);
	if (!error && (type > 2 || (type && refused_in_parts(gpu))))
		error = NVML_NOT_SUPPORTED;
	if (error)
		return error;
	snprintf(number, sizeof(number), "%u", type);
	*value_type = 1; /* unsigned int */
	if (!out) {
		tell(member(gpu->said, "samples"), "nr", SAMPLES_KEPT, &kept);
		*count = (u32)kept;
		return NVML_SUCCESS;
	}
	wanted.room = *count;
	error = samples_of(gpu, number, keys[type], type ? 0 : 68000, &wanted);
	*count = wanted.found;
	return error ? error : wanted.found ? NVML_SUCCESS : NVML_NOT_FOUND;
}

struct process_use {
	u32 pid;
	u64 stamp_us;
	u32 used[4]; /* SM, memory, encoder, decoder */
};

struct process_use_v1 {
	struct process_use use;
	u32 jpeg, optical_flow;
};

/* Of those since that moment; each `bytes` long. */
static int process_use_of(const char *call, device_t device, u64 after_us, u32 *count, void *out, size_t bytes)
{
	static const char *const keys[] = {"sm", "mem", "enc", "dec"};
	const struct gpu *gpu;
	u32 found = 0, room = *count;
	const cJSON *one;
	int error = enter_gpu(call, device, out ? "" : "size", &gpu);

	if (!error)
		error = refused_in_parts(gpu);
	if (!error && cJSON_IsString(member(gpu->said, "process_use")))
		error = error_code(member(gpu->said, "process_use")->valuestring);
	if (error)
		return error;
	cJSON_ArrayForEach(one, member(gpu->said, "process_use"))
	{
		struct process_use_v1 row = {.use.pid = (u32)member(one, "pid")->valuedouble};
		const cJSON *at = member(one, "t_ms");
		long long value = 0;

		row.use.stamp_us = stamp_of(gpu, at ? at->valuedouble : 1e3 * machine_s());
		for (int i = 0; i < 4; i++)
			row.use.used[i] = tell(one, keys[i], 0, &value) ? 0 : (u32)value;
		if (row.use.stamp_us > after_us && found++ < room && out)
			memcpy((char *)out + (found - 1) * bytes, &row, bytes);
	}
	*count = found;
	return !found ? NVML_NOT_FOUND : !out || found > room ? NVML_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

API(nvmlDeviceGetProcessUtilization, device_t device, struct process_use *out, u32 *count, u64 last_seen_us)
{
	_Static_assert(sizeof(struct process_use) == 32, "as nvml.h lays it out");
	return process_use_of(__func__, device, last_seen_us, count, out, sizeof(*out));
}

struct processes_use {
	u32 version, count;
	u64 last_seen_us;
	struct process_use_v1 *rows;
};

API(nvmlDeviceGetProcessesUtilizationInfo, device_t device, struct processes_use *info)
{
	_Static_assert(sizeof(struct process_use_v1) == 40, "as nvml.h lays it out");
	if (info->version != VERSION(sizeof(*info), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return process_use_of(__func__, device, info->last_seen_us, &info->count, info->rows, sizeof(*info->rows));
}
