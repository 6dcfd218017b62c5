// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_mig.c - instances of a GPU (MIG). See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>

API(nvmlDeviceGetMigMode, device_t device, u32 *current, u32 *pending)
{
	const struct gpu *gpu;
	long long now, then;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "mig_enabled", NOT_SUPPORTED, &now);
	if (!error)
		error = tell(gpu->said, "mig_pending", now, &then);
	if (!error) {
		*current = (u32)now;
		*pending = (u32)then;
	}
	return error;
}

API(nvmlDeviceGetMaxMigDeviceCount, device_t device, u32 *count)
{
	const struct gpu *gpu;
	long long most;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(member(gpu->said, "mig"), "max", 0, &most);
	if (!error)
		*count = (u32)most;
	return error;
}

API(nvmlDeviceGetMigDeviceHandleByIndex, device_t device, u32 index, device_t *instance)
{
	DETAIL("%u", index);
	const struct gpu *gpu;
	long long most;
	int error = enter_gpu(__func__, device, detail, &gpu);

	if (!error)
		error = tell(member(gpu->said, "mig"), "max", 0, &most);
	if (!error && index >= (u32)most)
		error = NVML_INVALID_ARGUMENT;
	if (!error && index >= gpu->instance_count)
		error = NVML_NOT_FOUND;
	if (!error)
		*instance = &gpu->instances[index];
	return error;
}

API(nvmlDeviceIsMigDeviceHandle, device_t device, u32 *is_instance)
{
	const struct gpu *gpu;
	int error = enter_any(__func__, device, "", &gpu);

	if (!error)
		*is_instance = !!gpu->whole;
	return error;
}

API(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, device_t device, device_t *whole)
{
	const struct gpu *gpu;
	int error = enter_any(__func__, device, "", &gpu);

	if (!error && !gpu->whole)
		error = NVML_INVALID_ARGUMENT;
	if (!error)
		*whole = gpu->whole;
	return error;
}

static int instance_number(const char *call, device_t device, const char *key, u32 *out)
{
	const struct gpu *gpu;
	long long value;
	int error = enter_any(call, device, "", &gpu);

	if (!error && !gpu->whole)
		error = misuse(call, "no instance", NVML_INVALID_ARGUMENT);
	if (!error)
		error = tell(gpu->said, key, 0, &value);
	if (!error)
		*out = (u32)value;
	return error;
}

API(nvmlDeviceGetGpuInstanceId, device_t device, u32 *id)
{
	return instance_number(__func__, device, "gi", id);
}

API(nvmlDeviceGetComputeInstanceId, device_t device, u32 *id)
{
	return instance_number(__func__, device, "ci", id);
}

struct attributes {
	u32 processors, copy, decoders, encoders, jpeg, ofa, gpu_slices, compute_slices;
	u64 memory_mib;
};

API(nvmlDeviceGetAttributes_v2, device_t device, struct attributes *out)
{
	const struct gpu *gpu;
	long long processors, gpu_slices, compute_slices, memory = 0;
	int error = enter_any(__func__, device, "", &gpu);

	if (!error && !gpu->whole)
		error = NVML_NOT_SUPPORTED;
	if (!error)
		error = tell(gpu->said, "processors", 14, &processors);
	if (!error)
		error = tell(gpu->said, "gpu_slices", 1, &gpu_slices);
	if (!error)
		error = tell(gpu->said, "compute_slices", 1, &compute_slices);
	if (!error)
		error = tell(gpu->said, "vram_total_bytes", 0, &memory);
	if (!error)
		*out = (struct attributes){.processors = (u32)processors,
					   .copy = 1,
					   .gpu_slices = (u32)gpu_slices,
					   .compute_slices = (u32)compute_slices,
					   .memory_mib = (u64)memory >> 20};
	return error;
}

_Static_assert(sizeof(struct attributes) == 40, "nvmlDeviceAttributes_t");
