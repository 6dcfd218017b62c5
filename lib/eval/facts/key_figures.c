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
		return no_u64(files->ras_blocks.state == VAL_OK ? VAL_UNSET : files->ras_blocks.state,
			      files->ras_blocks.why);
	for (size_t i = 0; i < files->nr_ras; i++) {
		struct val_u64 of_block = *(const struct val_u64 *)((const char *)&files->ras[i] + offset);

		if (!is_known(of_block))
			return of_block;
		sum += u64_or(of_block, 0);
	}
	return val_u64(sum);
}

/* What both ends are able to; of one that does not tell, what the other is. */
static struct val_u64 lesser(struct val_u64 lower, struct val_u64 upper)
{
	return is_known(upper) && (!is_known(lower) || u64_or(upper, 0) < u64_or(lower, 0)) ? upper : lower;
}

/* The link to the slot: that of the switch on the card, where it has one. */
static void fill_link(const struct gpu *gpu, struct key_figures *ret)
{
	const struct pci_function *lower = &gpu->pci, *upper = NULL;
	struct link_path path;

	gpu_links(gpu, &path);
	if (path.nr) {
		lower = path.links[0].lower;
		upper = path.links[0].upper;
	}
	ret->link_width = lower->link_width;
	ret->link_speed_mtps = lower->link_speed_mtps;
	ret->link_width_able = upper ? lesser(lower->link_width_able, upper->link_width_able) : lower->link_width_able;
	ret->link_speed_able_mtps =
		upper ? lesser(lower->link_speed_able_mtps, upper->link_speed_able_mtps) : lower->link_speed_able_mtps;
}

struct key_figures key_figures_of(const struct gpu *gpu)
{
	struct key_figures ret = {
		.temperature_c = vendor_f64(gpu, "temperature_c"),
		.power_mw = vendor_u64(gpu, "power_mw"),
		.power_limit_mw = vendor_u64(gpu, "power_limit_mw"),
		.clock_max_mhz = vendor_u64(gpu, "clock_max_mhz"),
		.busy_percent = gpu->use.busy_percent,
		.vram_used_bytes = vendor_u64(gpu, "vram_used_bytes"),
		.vram_total_bytes = vendor_u64(gpu, "vram_total_bytes"),
		.ecc_corrected = vendor_u64(gpu, "ecc_corrected"),
		.ecc_uncorrected = vendor_u64(gpu, "ecc_uncorrected"),
	};

	fill_link(gpu, &ret);
	if (!is_known(ret.power_mw) && is_known(gpu->use.power_mw))
		ret.power_mw = gpu->use.power_mw;
	if (gpu_vendor(gpu) == VENDOR_AMD) {
		ret.ecc_corrected = errors_of(gpu, offsetof(struct ras_block, corrected));
		ret.ecc_uncorrected = errors_of(gpu, offsetof(struct ras_block, uncorrected));
	}
	return ret;
}
