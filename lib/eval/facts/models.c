// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/models.h"

static const struct gpu_model models[] = {
#define MODEL(vendor, device, name_, memory, fp32, links, source_)                     \
	{ .vendor_id = vendor, .device_id = device, .name = name_,                     \
	  .memory_gbps = memory, .fp32_gflops = fp32, .nvlinks = links, .source = source_ },
#include "eval/facts/models.def"
#undef MODEL
};

bool gpu_is_module_by_name(const struct gpu *gpu)
{
	static const char *const modules[] = { "SXM", "HBM3", "H200", "B200", "B300", "GB200", "GB300" };
	const char *name = str_or(gpu->nvml.name, "");

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (strstr(name, modules[i]))
			return !strstr(name, "NVL") && !strstr(name, "PCIe");
	return false;
}

bool gpu_is_on_full_board_by_name(const struct gpu *gpu)
{
	return gpu_is_module_by_name(gpu) && !strstr(str_or(gpu->nvml.name, ""), "SXM2");
}

const struct gpu_model *gpu_model_of(const struct gpu *gpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (str_is(gpu->pci.vendor_id, models[i].vendor_id) && str_is(gpu->pci.device_id, models[i].device_id))
			return &models[i];
	return NULL;
}
