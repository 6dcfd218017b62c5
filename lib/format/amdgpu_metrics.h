/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amdgpu_metrics.h - "gpu_metrics", the table of measurements amdgpu gives of
 * one GPU: a decoder, pure.
 *
 * The tables are struct gpu_metrics_v1_0 to v3_0 of Linux 7.2
 * drivers/gpu/drm/amd/include/kgd_pp_interface.h, little-endian, naturally
 * aligned; those of 1.0 to 1.3 and 2.0 to 2.3 are the same in Linux 6.1. The
 * driver sets all bytes to ones before it fills a table in, so all ones are
 * no value. A file may be longer than its table (padded to a page); the
 * table's own size counts.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "snapshot/value.h"

enum {
	AMDGPU_METRICS_MAX_BYTES = 8192,	/* to read; the longest table is that of 1.8 with 3872 */
	AMDGPU_METRICS_XGMI_LINKS = 8,
};
#define AMDGPU_METRICS_NOT_FILLED "not filled in by the firmware"

/*
 * Values of one table. Absent: this version has no such field. Unsupported:
 * it has, and the firmware did not fill it in.
 */
struct amdgpu_metrics {
	unsigned format, content;			/* 1, 3: version 1.3 */

	struct val_f64 edge_c, hotspot_c, memory_c;	/* of an APU edge_c is its graphics part */
	struct val_f64 gfx_busy_percent;		/* absent of APUs in versions 2.x, as their power */
	/* Absent of APUs in versions 2.x, whose unit differs from chip to chip: ask hwmon. */
	struct val_u64 socket_power_mw;
	struct val_u64 average_gfxclk_mhz;
	struct val_u64 current_gfxclk_mhz;		/* of several chips the highest */

	struct val_u64 throttle_status;			/* bits of this chip's firmware; up to 1.5, and 2.x */
	/* bits of amdgpu_throttle.h, the same of every chip; 1.3, and 2.2 to 2.4 */
	struct val_u64 indep_throttle_status;

	/*
	 * From 1.6 and in 3.0: counters to be compared with that of
	 * accumulation_counter. Of two tables, 100 times a residency's
	 * difference by the counter's is the share in percent. 3.0 has no
	 * such counter.
	 */
	struct val_u64 accumulation_counter;
	struct val_u64 prochot_residency;		/* a signal from outside */
	struct val_u64 ppt_residency;			/* power limit; of 3.0 the sum of SPL, fast and slow PPT */
	struct val_u64 socket_thm_residency;		/* heat; of 3.0 the sum of core, graphics and SoC */
	struct val_u64 vr_thm_residency;		/* heat of the voltage regulators */
	struct val_u64 hbm_thm_residency;		/* heat of the memory */

	struct val_u64 pcie_link_width;			/* lanes; what the firmware thinks */
	struct val_u64 pcie_link_speed_mtps;		/* 10^6 transfers a second */
	struct val_u64 pcie_replays;			/* packets sent again */
	struct val_u64 pcie_recoveries;			/* times the link went from L0 to recovery */

	/*
	 * Both directions together, now; 10^6 bit/s, as amdsmi and newer headers
	 * have it (older ones call the same number GB/sec). From 1.4, not in 3.0, as what follows.
	 */
	struct val_u64 pcie_mbps;
	struct val_u64 energy_counts;			/* of 15.259 microjoules; counts up */
	struct val_u64 xgmi_read_kib, xgmi_written_kib;	/* over all links; count up */

	struct val_u64 xgmi_link_width;			/* lanes of each xGMI link */
	struct val_u64 xgmi_link_speed_mtps;
	struct val_u64 xgmi_link_status[AMDGPU_METRICS_XGMI_LINKS];	/* enum amdgpu_xgmi_status; from 1.7 */
};

/* From version 1.7. */
enum amdgpu_xgmi_status { AMDGPU_XGMI_INACTIVE, AMDGPU_XGMI_ACTIVE, AMDGPU_XGMI_NOT_AVAILABLE };

/*
 * Decodes a table of len bytes. 0; or -ENODATA where nothing was filled in,
 * -EMSGSIZE where it is cut short or its size is not that of its version,
 * -EPROTONOSUPPORT of an unknown version, -EPROTO where it contradicts itself:
 * then *why says it in words and *ret holds no value. why is static.
 */
int amdgpu_metrics_decode(const unsigned char *buf, size_t len, struct amdgpu_metrics *ret, const char **why)
	MUST_CHECK;

/* "1.3", or NULL where no table of that version is known. Static. */
const char *amdgpu_metrics_version(const struct amdgpu_metrics *metrics);

/*
 * What was read of a file as a table: its version, "1.3". Where it is none, or
 * head is not VAL_OK as nothing could be read, that and every value of *ret
 * have the state and the reason, which comes from the arena.
 */
struct val_str amdgpu_metrics_table(struct arena *arena, struct val_head head, const unsigned char *buf, size_t len,
				    struct amdgpu_metrics *ret);
