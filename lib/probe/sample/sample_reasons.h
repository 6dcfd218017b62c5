/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_reasons.h - throttle reasons of a sample, as a tick has them. */
#pragma once

#include "snapshot/sample_fold.h"

/* "power-cap, thermal" or "none"; in the arena. */
struct val_str sample_throttle_reasons(struct arena *arena, const struct gpu_sample *sample);
