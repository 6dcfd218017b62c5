/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key_figures.h - what everybody asks first of a GPU, whoever made it: how hot it is, what it draws and may draw, how
 * busy it is, its VRAM, its link, its memory errors.
 *
 * Each is the newest reading that the snapshot has. What is not known says why; what no source tells of such a GPU has
 * no reason (VAL_UNSET).
 */
#pragma once

#include "snapshot/snapshot.h"

struct key_figures {
	struct val_f64 temperature_c;	/* of the chip */
	struct val_u64 power_mw;	/* present draw; the mean of the window where the driver tells energy alone */
	struct val_u64 power_limit_mw;	/* in force */
	struct val_u64 clock_max_mhz;	/* of its cores, as its settings and its maker allow */
	struct val_f64 busy_percent;	/* mean over the window, or as a dump tells it */
	struct val_u64 vram_used_bytes, vram_total_bytes;
	struct val_u64 link_width, link_speed_mtps;	/* of the link to its slot now, in lanes and MT/s per lane */
	struct val_u64 link_width_able, link_speed_able_mtps;	/* what both ends of it are able to */
	/* errors since the driver was loaded; of AMD, over all blocks */
	struct val_u64 ecc_corrected, ecc_uncorrected;
};

struct key_figures key_figures_of(const struct gpu *gpu);
