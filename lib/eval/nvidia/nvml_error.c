// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia/nvml_error.h"

static bool is_of_a_name(char c)
{
	return (c >= 'A' && c <= 'Z') || c == '_';
}

bool nvml_error_is(const char *text, const char *error)
{
	static const char prefix[] = "NVML_ERROR_";
	const size_t len = strlen(prefix);

	for (const char *at = text ? strstr(text, error) : NULL; at; at = strstr(at + 1, error)) {
		const char *start = (size_t)(at - text) >= len && !memcmp(at - len, prefix, len) ? at - len : at;

		/* GPU_NOT_FOUND is no NOT_FOUND. */
		if ((start == text || !is_of_a_name(start[-1])) && !is_of_a_name(at[strlen(error)]))
			return true;
	}
	return false;
}

bool nvml_did_not_start(const struct gpu *gpu)
{
	const struct val_str *handle = &gpu->nvml.handle;

	return !is_known(*handle) && handle->why && !strncmp(handle->why, "nvmlInit", strlen("nvmlInit"));
}

/* The library has opened this GPU, or could not, and said why. */
static bool nvml_was_asked(const struct gpu *gpu)
{
	if (nvml_did_not_start(gpu))
		return false;
	switch (gpu->nvml.handle.state) {
	case VAL_UNSET:
	case VAL_TIMEOUT:
	case VAL_ASLEEP:
	case VAL_SKIPPED:
		return false;
	case VAL_ERROR:
		return gpu->nvml.handle.why;
	default:
		return true;
	}
}

const char *nvml_gpu_error(const struct gpu *gpu)
{
	const struct val_str *handle = &gpu->nvml.handle;

	if (!nvml_was_asked(gpu))
		return NULL;
	if (is_known(*handle))
		return str_or(gpu->nvml.trouble, NULL);
	return handle->state == VAL_LOST && !handle->why ? "GPU_IS_LOST" : handle->why;
}

const char *nvml_gpu_error_call(const struct gpu *gpu)
{
	const char *by_default = is_known(gpu->nvml.handle) ? "a call" : "nvmlDeviceGetHandleByPciBusId";

	return str_or(gpu->nvml.trouble_call, by_default);
}
