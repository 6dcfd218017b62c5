/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * growth.h - from two readings of a counter to what happened between them. Pure: no file, no clock.
 *
 * A counter that went backwards (a reset device, a file that is another one by now) gives no rate, and neither does one
 * that grew by more than can be.
 */
#pragma once

#include "snapshot/value.h"

/* How much it grew. What is missing at either end is missing in the same way here. */
struct val_u64 growth_of(struct val_u64 start, struct val_u64 end);
/* The same for one that may have 32 bits: a wrap counts as growth, a fall to near zero does not. */
struct val_u64 growth_of_32_bits(struct val_u64 start, struct val_u64 end);
/* Per second. */
struct val_f64 rate_of(struct val_u64 growth, double each, uint64_t elapsed_ns);
/* Share of the time, per cent, of a counter of time in steps of step_ns. A little over 100 is 100; more is nonsense. */
struct val_f64 share_of(struct val_u64 growth, uint64_t step_ns, uint64_t elapsed_ns);
