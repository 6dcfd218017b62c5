// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_answer.c - how the calls of the fake NVML begin, and what all of them answer alike. See nvml.c. */
#include "nvml_answer.h"

#include <string.h>
#include <time.h>

void wait_us(double us)
{
	const struct timespec length = {.tv_sec = (time_t)(us / 1e6),
					.tv_nsec = (long)((us - 1e6 * (long)(us / 1e6)) * 1e3)};

	nanosleep(&length, NULL);
}

int enter(const char *call, const struct gpu *gpu, const char *detail)
{
	const cJSON *us = member(machine.said, "call_us");

	log_call(call, gpu, detail);
	if (us && us->valuedouble > 0)
		wait_us(us->valuedouble);
	follow_script();
	if (machine.users <= 0)
		return misuse(call, "before nvmlInit", NVML_UNINITIALIZED);
	return fault_of(call, gpu, detail);
}

int enter_any(const char *call, device_t device, const char *detail, const struct gpu **gpu)
{
	const struct gpu *given = device;
	long long ignored;
	int error;

	*gpu = NULL;
	for (u32 i = 0; i < machine.gpu_count && !*gpu; i++)
		if (given == &machine.gpus[i])
			*gpu = given;
	for (u32 i = 0; i < machine.instance_count && !*gpu; i++)
		if (given == &machine.instances[i])
			*gpu = given;
	error = enter(call, *gpu, detail);
	if (error)
		return error;
	if (!*gpu)
		return misuse(call, "no handle", NVML_INVALID_ARGUMENT);
	return tell((*gpu)->whole ? (*gpu)->whole->said : (*gpu)->said, "error", 0, &ignored);
}

int enter_gpu(const char *call, device_t device, const char *detail, const struct gpu **gpu)
{
	int error = enter_any(call, device, detail, gpu);

	return !error && (*gpu)->whole ? misuse(call, "handle of an instance", NVML_INVALID_ARGUMENT) : error;
}

int give_text(const char *call, const char *text, char *out, u32 length)
{
	if (!out)
		return misuse(call, "NULL", NVML_INVALID_ARGUMENT);
	if (strlen(text) >= length)
		return misuse(call, "too short a buffer", NVML_INSUFFICIENT_SIZE);
	strcpy(out, text);
	return NVML_SUCCESS;
}

int ask(const char *call, device_t device, const char *detail, const char *key, long long otherwise,
	       long long *value)
{
	const struct gpu *gpu;
	int error = enter_gpu(call, device, detail, &gpu);

	return error ? error : tell(gpu->said, key, otherwise, value);
}

int ask_u32(const char *call, device_t device, const char *detail, const char *key, long long otherwise,
		   u32 *out)
{
	long long value;
	int error = ask(call, device, detail, key, otherwise, &value);

	if (!error && !out)
		return misuse(call, "NULL", NVML_INVALID_ARGUMENT);
	if (!error)
		*out = (u32)value;
	return error;
}

int ask_u64(const char *call, device_t device, const char *detail, const char *key, long long otherwise,
		   u64 *out)
{
	long long value;
	int error = ask(call, device, detail, key, otherwise, &value);

	if (!error)
		*out = (u64)value;
	return error;
}

int ask_text(const char *call, device_t device, const char *key, const char *otherwise, char *out, u32 length)
{
	const struct gpu *gpu;
	const char *text;
	int error = enter_any(call, device, "", &gpu);

	if (!error)
		error = tell_text(gpu->said, key, otherwise, &text);
	return error ? error : give_text(call, text, out, length);
}
