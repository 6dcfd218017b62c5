// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_memory.c - memory and use of a GPU. See nvml.c. */
#include "nvml_answer.h"

struct memory {
	u64 total, reserved, free, used;
};

static int memory_of(const char *call, device_t device, struct memory *memory)
{
	const struct gpu *gpu;
	long long total, reserved, used;
	int error = enter_any(call, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "vram_total_bytes", 85520809984, &total);
	if (!error)
		error = tell(gpu->said, "vram_reserved_bytes", 665845760, &reserved);
	if (!error)
		error = tell(gpu->said, "vram_used_bytes", 4194304, &used);
	if (!error)
		*memory = (struct memory){(u64)total, (u64)reserved, (u64)(total - reserved - used), (u64)used};
	return error;
}

struct memory_v2 {
	u32 version;
	struct memory memory;
};

API(nvmlDeviceGetMemoryInfo_v2, device_t device, struct memory_v2 *out)
{
	if (out->version != VERSION(sizeof(*out), 2))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return memory_of(__func__, device, &out->memory);
}

struct amounts {
	u64 total, free, used;
};

API(nvmlDeviceGetMemoryInfo, device_t device, struct amounts *out)
{
	struct memory memory;
	int error = memory_of(__func__, device, &memory);

	if (!error)
		*out = (struct amounts){memory.total, memory.free, memory.used + memory.reserved};
	return error;
}

API(nvmlDeviceGetBAR1MemoryInfo, device_t device, struct amounts *out)
{
	const struct gpu *gpu;
	long long total, used;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "bar1_total_bytes", 137438953472, &total);
	if (!error)
		error = tell(gpu->said, "bar1_used_bytes", 1048576, &used);
	if (!error)
		*out = (struct amounts){(u64)total, (u64)(total - used), (u64)used};
	return error;
}

NUMBER(nvmlDeviceGetMemoryBusWidth, "memory_bus_bits", 5120)

struct utilization {
	u32 gpu, memory;
};

int refused_in_parts(const struct gpu *gpu)
{
	long long divided = 0;

	return !tell(gpu->said, "mig_enabled", 0, &divided) && divided ? NVML_NOT_SUPPORTED : NVML_SUCCESS;
}

API(nvmlDeviceGetUtilizationRates, device_t device, struct utilization *out)
{
	const struct gpu *gpu;
	long long busy, memory;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = refused_in_parts(gpu);
	if (!error)
		error = tell(gpu->said, "busy_percent", 0, &busy);
	if (!error)
		error = tell(gpu->said, "memory_busy_percent", 0, &memory);
	if (!error)
		*out = (struct utilization){(u32)busy, (u32)memory};
	return error;
}

_Static_assert(sizeof(struct memory_v2) == 40, "nvmlMemory_v2_t");
