// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_pcie.c - GPUs on the bus: addresses and links. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fill_pci(const struct gpu *gpu, struct pci_info *pci)
{
	const cJSON *ids = member(gpu->said, "pci_device_id"), *subsystem = member(gpu->said, "pci_subsystem_id");

	*pci = (struct pci_info){
		.domain = gpu->domain,
		.bus = gpu->bus,
		.device = gpu->device,
		.ids = ids ? (u32)strtoul(ids->valuestring, NULL, 16) : 0x233010de,
		.subsystem = subsystem ? (u32)strtoul(subsystem->valuestring, NULL, 16) : 0x16c110de,
	};
	snprintf(pci->legacy, sizeof(pci->legacy), "%04X:%02X:%02X.0", gpu->domain & 0xffff, gpu->bus & 0xff,
		 gpu->device & 0xff);
	snprintf(pci->address, sizeof(pci->address), "%08X:%02X:%02X.0", gpu->domain, gpu->bus, gpu->device);
}

static int pci_info(const char *call, device_t device, void *out, size_t bytes)
{
	const struct gpu *gpu;
	struct pci_info pci;
	int error = enter_gpu(call, device, "", &gpu);

	if (!error) {
		fill_pci(gpu, &pci);
		memcpy(out, &pci, bytes);
	}
	return error;
}

API(nvmlDeviceGetPciInfo_v3, device_t device, struct pci_info *pci)
{
	return pci_info(__func__, device, pci, sizeof(*pci));
}

API(nvmlDeviceGetPciInfo_v2, device_t device, struct pci_info *pci)
{
	return pci_info(__func__, device, pci, offsetof(struct pci_info, address));
}

API(nvmlDeviceGetPciInfo, device_t device, struct pci_info *pci)
{
	return pci_info(__func__, device, pci, offsetof(struct pci_info, subsystem));
}

struct pci_info_ext {
	u32 version, domain, bus, device, ids, subsystem, class_code, subclass;
	char address[32];
};

API(nvmlDeviceGetPciInfoExt, device_t device, struct pci_info_ext *out)
{
	struct pci_info pci;
	int error;

	if (out->version != VERSION(64, 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = pci_info(__func__, device, &pci, sizeof(pci));
	if (error)
		return error;
	*out = (struct pci_info_ext){out->version, pci.domain, pci.bus, pci.device, pci.ids, pci.subsystem, 3, 2, ""};
	memcpy(out->address, pci.address, sizeof(out->address));
	return NVML_SUCCESS;
}

NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "link_generation", 5)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "link_width", 16)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "link_generation_max", 5)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "link_width_max", 16)
NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, "link_generation_able", 5)
NUMBER(nvmlDeviceGetPcieLinkMaxSpeed, "link_generation_max", 5)
NUMBER(nvmlDeviceGetPcieSpeed, "link_speed_mbps", 32000)
NUMBER(nvmlDeviceGetPcieReplayCounter, "pcie_replays", 0)
NUMBER(nvmlDeviceGetBusType, "bus_type", 2)
NUMBER(nvmlDeviceGetIrqNum, "irq", 128)

API(nvmlDeviceGetPcieThroughput, device_t device, u32 counter, u32 *out)
{
	DETAIL("%u", counter);
	if (counter > 1)
		return misuse(__func__, "counter", NVML_INVALID_ARGUMENT);
	return ask_u32(__func__, device, detail, counter ? "pcie_received_kbps" : "pcie_sent_kbps", 0, out);
}

_Static_assert(sizeof(struct pci_info) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct pci_info_ext) == 64, "nvmlPciInfoExt_v1_t");
