/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intel_throttle.h - reasons why i915 or xe holds clocks back, pure.
 *
 * Names are those of the drivers' files without what they begin with:
 * throttle_reason_pl1 of i915 (Linux 7.2 drivers/gpu/drm/i915/gt/intel_gt_sysfs_pm.c),
 * reason_pl1 or a word of "reasons" of xe (drivers/gpu/drm/xe/xe_gt_throttle.c).
 */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "snapshot/throttle_kinds.h"

/*
 * Adds to a list "pl1, thermal" what a "reasons" file holds: words, or "none".
 * False where it holds what is no name; then nothing is added.
 */
bool intel_throttle_parse(const char *text, struct strbuf *reasons);

/* The kinds in such a list, a bit (1 << kind) each; what is of no kind has none. */
unsigned intel_throttle_kinds(const char *reasons);

/* Does a list tell that a voltage regulator is too hot, which a GPU without load is only by a fault? */
bool intel_throttle_is_too_hot(const char *list);
