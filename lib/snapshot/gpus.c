// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/gpus.h"

const struct gpu *gpu_at(const struct snapshot *snapshot, const char *address)
{
	return address ? list_find(snapshot, gpus, gpu, address) : NULL;
}

bool gpu_has_address(const struct gpu *gpu)
{
	return strncmp(str_or(gpu->key, ""), "gpu", 3) != 0;
}

bool gpu_is_below(const struct gpu *gpu, const char *bridge)
{
	for (size_t i = 0; i < gpu->nr_hops; i++)
		if (str_is(gpu->hops[i].address, bridge))
			return true;
	return false;
}

const struct gpu *ocl_device_gpu(const struct snapshot *snapshot, const struct ocl_device *device)
{
	return gpu_at(snapshot, str_or(device->pci_address, NULL));
}

bool ocl_device_is_of(const struct ocl_device *device, const struct gpu *gpu)
{
	return str_is(device->pci_address, str_or(gpu->key, "?"));
}

/* The bridge's part in a path of n bridges, when its type could not be read: 0 is the one next to the GPU. */
static const char *type_by_place(size_t place, size_t n)
{
	if (place == n - 1)
		return "root-port";
	return (n - 1 - place) % 2 ? "upstream-port" : "downstream-port";
}

const char *gpu_port_type(const struct gpu *gpu, size_t place)
{
	const char *type = str_or(gpu->hops[place].pci.port_type, NULL);

	return type ? type : type_by_place(place, gpu->nr_hops);
}

/*
 * A switch on the card: AMD's bridges 1002:1478/1479 and 14a0/14a1, and those
 * of Intel's cards, which have an upstream port of Intel's own below a root port.
 */
bool gpu_has_card_switch(const struct gpu *gpu)
{
	const struct pci_function *down, *up;

	if (gpu->nr_hops < 3)
		return false;
	down = &gpu->hops[0].pci;
	up = &gpu->hops[1].pci;
	if (strcmp(gpu_port_type(gpu, 0), "downstream-port") || strcmp(gpu_port_type(gpu, 1), "upstream-port"))
		return false;
	if (str_is(gpu->pci.vendor_id, "0x1002"))
		return str_is(down->vendor_id, "0x1002") && str_is(up->vendor_id, "0x1002");
	return str_is(gpu->pci.vendor_id, "0x8086") && str_is(down->vendor_id, "0x8086") &&
	       str_is(up->vendor_id, "0x8086");
}
