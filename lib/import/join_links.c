// SPDX-License-Identifier: GPL-2.0-or-later
/* join_links.c - the link of a GPU where no listing of the bus tells of it: what its driver says. */
#include "base/compat.h"
#include "import/amd/amd_counter.h"
#include "import/join.h"

/*
 * What one GPU of a model shows its twins are able to, as well. Where all have the same width nothing tells whether it
 * is all that they are able to.
 */
static void take_width_from_twins(const struct snapshot *snapshot, struct gpu *gpu)
{
	const struct gpu *widest = gpu;
	bool differs = false;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *twin = &snapshot->gpus[i];
		uint64_t width = u64_or(twin->amdgpu.link_width, 0), best = u64_or(widest->amdgpu.link_width, 0);

		if (!width || !is_known(gpu->pci.device_id) ||
		    !str_is(twin->pci.device_id, str_or(gpu->pci.device_id, "")))
			continue;
		differs |= width != best;
		widest = width > best ? twin : widest;
	}
	if (differs)
		gpu->pci.link_width_able = widest->amdgpu.link_width;
}

/*
 * Of the link nvidia-smi tells what the GPU sees of it; its maximum is what GPU and slot can do together. Of AMD's GPUs
 * the maximum is known only where the driver's view of the link is to be trusted.
 */
void dump_take_links(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		struct gpu *gpu = &snapshot->gpus[i];

		if (is_known(gpu->pci.link_width) && !is_known(gpu->pci.link_width_able) && !gpu->nr_hops)
			gpu->pci.link_width_able = gpu->nvml.link_width_max;
		if (is_known(gpu->pci.link_width) || (gpu->nr_hops && is_known(gpu->hops[0].pci.link_width)))
			continue;
		if (is_known(gpu->nvml.link_width)) {
			gpu->pci.link_width = gpu->nvml.link_width;
			gpu->pci.link_width_able = gpu->nvml.link_width_max;
			continue;
		}
		if (is_known(gpu->amdgpu.link_width) && !is_known(gpu->pci.link_width_able) && amd_is_instinct(gpu))
			take_width_from_twins(snapshot, gpu);
		if (is_known(gpu->amdgpu.link_width) && is_known(gpu->pci.link_width_able))
			gpu->pci.link_width = gpu->amdgpu.link_width;
	}
}
