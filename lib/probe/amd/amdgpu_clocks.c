// SPDX-License-Identifier: GPL-2.0-or-later
/* amdgpu_clocks.c - clocks of one AMD GPU and its slot's link, from whoever knows them best. */
#include "base/compat.h"
#include "probe/amd/amdgpu_dpm.h"
#include "base/text.h"
#include "probe/amd/amdgpu_internal.h"

enum { NEWEST_GENERATION = 6 };	/* of PCIe: a higher one is no answer */

/* Kernels that cannot tell leave the file empty or without a current level: then another source may know. */
static struct val_u64 first_known(struct val_u64 first, struct val_u64 second)
{
	return is_known(first) || !is_known(second) ? first : second;
}

static struct amdgpu_clock read_levels(struct card *card, const char *file)
{
	struct val_str text = card_text(card, file);

	if (is_known(text))
		return amdgpu_dpm_clock(str_or(text, ""));
	return (struct amdgpu_clock){
		.current_mhz = no_u64(text.state, text.why), .highest_mhz = no_u64(text.state, text.why),
	};
}

static struct amdgpu_link read_link(struct card *card)
{
	struct val_str text = card_text(card, "pp_dpm_pcie");

	if (is_known(text))
		return amdgpu_dpm_link(str_or(text, ""));
	return (struct amdgpu_link){
		.width = no_u64(text.state, text.why), .speed_mtps = no_u64(text.state, text.why),
	};
}

/* The firmware's view, where it is one: a table may hold 0, or the number of a generation. */
static struct amdgpu_link link_of(const struct amdgpu_metrics *metrics)
{
	struct amdgpu_link link = { .width = metrics->pcie_link_width, .speed_mtps = metrics->pcie_link_speed_mtps };
	bool is_speed = false;

	for (unsigned generation = 1; generation <= NEWEST_GENERATION; generation++)
		is_speed |= u64_or(link.speed_mtps, 0) == link_generation_mtps(generation);
	if (is_known(link.speed_mtps) && !is_speed)
		link.speed_mtps = no_u64(VAL_ERROR, "no rate of PCIe");
	if (is_known(link.width) && (!u64_or(link.width, 0) || u64_or(link.width, 0) > 32))
		link.width = no_u64(VAL_ERROR, "no width of PCIe");
	return link;
}

void amdgpu_read_clocks(struct card *card, struct amdgpu_files *files, const struct amdgpu_sensors *sensors,
			const struct amdgpu_metrics *metrics)
{
	struct amdgpu_clock chip = read_levels(card, "pp_dpm_sclk"), memory = read_levels(card, "pp_dpm_mclk");
	struct amdgpu_link told = link_of(metrics), levels = read_link(card);

	files->clock_mhz = first_known(first_known(chip.current_mhz, sensors->clock_mhz), metrics->current_gfxclk_mhz);
	files->clock_max_mhz = chip.highest_mhz;
	files->memory_clock_mhz = first_known(memory.current_mhz, sensors->memory_clock_mhz);
	files->memory_clock_max_mhz = memory.highest_mhz;
	files->performance_level = card_text(card, "power_dpm_force_performance_level");
	files->link_width = first_known(levels.width, told.width);
	files->link_speed_mtps = first_known(levels.speed_mtps, told.speed_mtps);
	if (is_known(told.width) && is_known(told.speed_mtps)) {
		files->link_width = told.width;
		files->link_speed_mtps = told.speed_mtps;
	}
}
