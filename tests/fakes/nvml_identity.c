// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_identity.c - the GPUs that the fake NVML has, and what they are. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>
#include <string.h>

static int count_gpus(const char *call, u32 *count)
{
	int error = enter(call, NULL, "");

	if (!error)
		*count = machine.gpu_count;
	return error;
}

API(nvmlDeviceGetCount_v2, u32 *count)
{
	return count_gpus(__func__, count);
}

API(nvmlDeviceGetCount, u32 *count)
{
	return count_gpus(__func__, count);
}

static int open_gpu(const char *call, struct gpu *gpu, const char *detail, int absent, device_t *device)
{
	int error = enter(call, gpu, detail);
	long long ignored;

	if (!error && !gpu)
		error = absent;
	if (!error)
		error = tell(gpu->said, "handle_error", 0, &ignored);
	if (!error)
		*device = gpu;
	return error;
}

static int open_by_index(const char *call, u32 index, device_t *device)
{
	DETAIL("%u", index);
	return open_gpu(call, index < machine.gpu_count ? &machine.gpus[index] : NULL, detail, NVML_INVALID_ARGUMENT,
			device);
}

API(nvmlDeviceGetHandleByIndex_v2, u32 index, device_t *device)
{
	return open_by_index(__func__, index, device);
}

API(nvmlDeviceGetHandleByIndex, u32 index, device_t *device)
{
	return open_by_index(__func__, index, device);
}

static int open_by_address(const char *call, const char *address, device_t *device)
{
	u32 domain, bus, slot;
	bool is_address = parse_address(address, &domain, &bus, &slot);
	struct gpu *found = NULL;

	for (u32 i = 0; is_address && i < machine.gpu_count; i++)
		if (machine.gpus[i].domain == domain && machine.gpus[i].bus == bus && machine.gpus[i].device == slot)
			found = &machine.gpus[i];
	return open_gpu(call, found, "", is_address ? NVML_NOT_FOUND : misuse(call, "address", NVML_INVALID_ARGUMENT),
			device);
}

API(nvmlDeviceGetHandleByPciBusId_v2, const char *address, device_t *device)
{
	return open_by_address(__func__, address, device);
}

API(nvmlDeviceGetHandleByPciBusId, const char *address, device_t *device)
{
	return open_by_address(__func__, address, device);
}

static struct gpu *by_text(const char *key, const char *wanted)
{
	const char *text;

	for (u32 i = 0; i < machine.gpu_count; i++)
		if (!tell_text(machine.gpus[i].said, key, NULL, &text) && !strcmp(text, wanted))
			return &machine.gpus[i];
	return NULL;
}

API(nvmlDeviceGetHandleByUUID, const char *uuid, device_t *device)
{
	return open_gpu(__func__, by_text("uuid", uuid), "", NVML_NOT_FOUND, device);
}

API(nvmlDeviceGetHandleBySerial, const char *serial, device_t *device)
{
	return open_gpu(__func__, by_text("serial", serial), "", NVML_NOT_FOUND, device);
}

struct uuid {
	u32 version, type;
	char text[44];
};

API(nvmlDeviceGetHandleByUUIDV, const struct uuid *uuid, device_t *device)
{
	if (uuid->version != VERSION(sizeof(*uuid), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return open_gpu(__func__, by_text("uuid", uuid->text), "", NVML_NOT_FOUND, device);
}

#define TEXT(name, key, otherwise)                                                                                     \
	API(name, device_t device, char *out, u32 length)                                                              \
	{                                                                                                              \
		return ask_text(__func__, device, key, otherwise, out, length);                                        \
	}
TEXT(nvmlDeviceGetName, "name", "NVIDIA H100 80GB HBM3")
TEXT(nvmlDeviceGetUUID, "uuid", "GPU-00000000-0000-0000-0000-000000000000")
TEXT(nvmlDeviceGetSerial, "serial", NULL)
TEXT(nvmlDeviceGetBoardPartNumber, "part_number", NULL)
TEXT(nvmlDeviceGetVbiosVersion, "vbios", "96.00.74.00.01")
TEXT(nvmlDeviceGetInforomImageVersion, "inforom", NULL)

#define NUMBER_OF(name, key, otherwise)                                                                                \
	API(name, device_t device, u32 *out)                                                                           \
	{                                                                                                              \
		const struct gpu *gpu = device;                                                                        \
		return ask_u32(__func__, device, "", key, gpu ? (long long)(otherwise) : 0, out);                      \
	}

NUMBER_OF(nvmlDeviceGetIndex, "index", gpu->index)
NUMBER_OF(nvmlDeviceGetMinorNumber, "minor", gpu->index)
NUMBER_OF(nvmlDeviceGetBoardId, "board_id", gpu->domain << 16 | gpu->bus << 8 | gpu->device)
NUMBER(nvmlDeviceGetBrand, "brand", 0)
NUMBER(nvmlDeviceGetArchitecture, "architecture", 9)
NUMBER(nvmlDeviceGetNumGpuCores, "cores", 16896)
NUMBER(nvmlDeviceGetModuleId, "module_id", NOT_SUPPORTED)

API(nvmlDeviceGetCudaComputeCapability, device_t device, int *major, int *minor)
{
	const struct gpu *gpu;
	const char *text;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell_text(gpu->said, "compute_capability", "9.0", &text);
	if (!error && sscanf(text, "%d.%d", major, minor) != 2)
		error = NVML_UNKNOWN;
	return error;
}

struct platform_info {
	u32 version;
	unsigned char guid[16], chassis[16], slot, tray, host, peer, module;
};

API(nvmlDeviceGetPlatformInfo, device_t device, struct platform_info *info)
{
	long long slot;
	int error;

	if (info->version != VERSION(44, 2))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = ask(__func__, device, "", "platform_slot", NOT_SUPPORTED, &slot);
	if (!error)
		*info = (struct platform_info){.version = VERSION(44, 2), .slot = (unsigned char)slot};
	return error;
}

struct versioned_u64 {
	u32 version;
	u64 value;
};

API(nvmlDeviceGetPdi, device_t device, struct versioned_u64 *pdi)
{
	if (pdi->version != VERSION(16, 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return ask_u64(__func__, device, "", "pdi", 0x1122334455667788LL, &pdi->value);
}

_Static_assert(sizeof(struct uuid) == 52, "nvmlUUID_v1_t");
