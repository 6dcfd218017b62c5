// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/gpus.h"

const struct gpu *gpu_at(const struct snapshot *snapshot, const char *address)
{
	return address ? list_find(snapshot, gpus, gpu, address) : NULL;
}

const struct gpu *ocl_device_gpu(const struct snapshot *snapshot, const struct ocl_device *device)
{
	return gpu_at(snapshot, str_or(device->pci_address, NULL));
}

bool ocl_device_is_of(const struct ocl_device *device, const struct gpu *gpu)
{
	return str_is(device->pci_address, str_or(gpu->key, "?"));
}
