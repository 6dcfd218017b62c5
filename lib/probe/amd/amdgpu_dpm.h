/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amdgpu_dpm.h - the texts of pp_dpm_sclk, pp_dpm_mclk and pp_dpm_pcie, pure.
 *
 * A line for each level, "1: 500Mhz *", the one in force with a star (Linux
 * 7.2 drivers/gpu/drm/amd/pm/swsmu/smu_cmn.c, amdgpu_pm.c). "S:" is deep
 * sleep, below level 0. Some chips show a range: lowest, current, highest, so
 * that the current one may be below the lowest. Of several stars (seen on RX
 * 7600S, RX 7900 XTX, Vega 56) the last counts; with none (RX 7700S) nobody
 * knows.
 */
#pragma once

#include "snapshot/value.h"

struct amdgpu_clock {
	struct val_u64 current_mhz, highest_mhz;
};
/* "0: 500Mhz", "S: 19Mhz *". whys are static. */
struct amdgpu_clock amdgpu_dpm_clock(const char *text);

struct amdgpu_link {
	struct val_u64 width, speed_mtps;
};
/* "1: 16.0GT/s, x16 619Mhz *" and, without a clock, "0: 8.0GT/s, x16 *": the one in force. */
struct amdgpu_link amdgpu_dpm_link(const char *text);
