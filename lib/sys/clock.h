/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the two clocks: one that only goes forward, for durations, and the time of day. */
#ifndef GPUDIAG_SYS_CLOCK_H
#define GPUDIAG_SYS_CLOCK_H

#include <stdint.h>

#include "base/compat.h"

/* Nanoseconds since some fixed moment (CLOCK_MONOTONIC_RAW: not slewed). */
uint64_t clock_now_ns(void);
/* Seconds since boot, time asleep counted (CLOCK_BOOTTIME). */
uint64_t clock_since_boot_s(void);
/* The time of day as RFC 3339 UTC with milliseconds. */
void clock_time_of_day(char buf[32]);

#endif
