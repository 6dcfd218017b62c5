/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amdgpu_throttle.h - the bits of indep_throttle_status, pure.
 *
 * SMU_THROTTLER_*_BIT of Linux 7.2 drivers/gpu/drm/amd/pm/swsmu/inc/amdgpu_smu.h. A bit is set when
 * the firmware's percentage for that throttler is not 0.
 */
#pragma once

#include "base/strbuf.h"
#include "format/amdgpu_metrics.h"
#include "snapshot/value.h"

/* The kinds the bits fall into, by their places in the word. */
#define AMDGPU_THROTTLE_POWER ((uint64_t)0xff)				/* PPT, SPL: power limits */
#define AMDGPU_THROTTLE_CURRENT ((uint64_t)0xff << 16)			/* TDC, EDC: voltage regulators' current */
#define AMDGPU_THROTTLE_PROCHOT ((uint64_t)3 << 46)			/* a signal from outside */
#define AMDGPU_THROTTLE_THERMAL (((uint64_t)0xffff << 32) & ~AMDGPU_THROTTLE_PROCHOT)
#define AMDGPU_THROTTLE_HOTSPOT ((uint64_t)1 << 36)
#define AMDGPU_THROTTLE_VRHOT ((uint64_t)3 << 44)			/* a voltage regulator's own signal */

/*
 * The word without what it says of the hotspot, unless that is within 10 C of
 * where it slows itself: firmware of RDNA3 and RDNA4 has that bit set at idle
 * (ROCm/rocm-systems#11781: an R9700 at 1 W and 37 C). Where either
 * temperature is not known the bit is taken out too.
 */
uint64_t amdgpu_throttle_believed(uint64_t status, struct val_f64 hotspot_c, struct val_f64 hotspot_max_c);

/* Appends the names of the bits, "PPT0, TEMP_EDGE", as the driver has them; "none" where none is set. */
void amdgpu_throttle_names(struct strbuf *ret, uint64_t status);

/*
 * What throttles the GPU by its table, in words: names where its bits mean the
 * same of every chip, but for the one that sticks; else whether there is any.
 */
struct val_str amdgpu_throttle_status(struct arena *arena, const struct amdgpu_metrics *metrics,
				      struct val_f64 hotspot_c, struct val_f64 hotspot_max_c);
