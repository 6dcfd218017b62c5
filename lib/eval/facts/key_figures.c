// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/key_figures.h"

#include "eval/facts/link.h"
#include "eval/judge/vendor.h"

/* Over all blocks; not known as the first of them that is not. */
static struct val_u64 errors_of(const struct gpu *gpu, size_t offset)
{
	const struct amdgpu_files *files = &gpu->amdgpu;
	uint64_t sum = 0;

	if (!files->nr_ras)
		return no_u64(files->ras_blocks.state == VAL_OK ? VAL_UNSET : files->ras_blocks.state, files->ras_blocks.why);
	for (size_t i = 0; i < files->nr_ras; i++) {
		struct val_u64 of_block = *(const struct val_u64 *)((const char *)&files->ras[i] + offset);

		if (!is_known(of_block))
			return of_block;
		sum += u64_or(of_block, 0);
	}
	return val_u64(sum);
}

/* Whose link stands for the card's: that of the switch on it, where it has one. */
static const struct pci_function *at_slot(const struct gpu *gpu)
{
	struct link_path path;

	gpu_links(gpu, &path);
	return path.nr ? path.links[0].lower : &gpu->pci;
}

struct key_figures key_figures_of(const struct gpu *gpu)
{
	const struct pci_function *link = at_slot(gpu);
	struct key_figures ret = {
		.temperature_c = vendor_f64(gpu, "temperature_c"),
		.power_mw = vendor_u64(gpu, "power_mw"),
		.power_limit_mw = vendor_u64(gpu, "power_limit_mw"),
		.busy_percent = gpu->use.busy_percent,
		.vram_used_bytes = vendor_u64(gpu, "vram_used_bytes"),
		.vram_total_bytes = vendor_u64(gpu, "vram_total_bytes"),
		.link_width = link->link_width,
		.link_width_able = link->link_width_able,
		.link_speed_mtps = link->link_speed_mtps,
		.link_speed_able_mtps = link->link_speed_able_mtps,
		.ecc_corrected = vendor_u64(gpu, "ecc_corrected"),
		.ecc_uncorrected = vendor_u64(gpu, "ecc_uncorrected"),
	};

	if (!is_known(ret.power_mw) && is_known(gpu->use.power_mw))
		ret.power_mw = gpu->use.power_mw;
	if (gpu_vendor(gpu) == VENDOR_AMD) {
		ret.ecc_corrected = errors_of(gpu, offsetof(struct ras_block, corrected));
		ret.ecc_uncorrected = errors_of(gpu, offsetof(struct ras_block, uncorrected));
	}
	return ret;
}
