/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - clocks: one that only goes forward, for durations, and the time of day. */
#ifndef GPUDIAG_SYS_CLOCK_H
#define GPUDIAG_SYS_CLOCK_H

#include <stdint.h>

#include "base/compat.h"

/* Nanoseconds since some fixed moment (CLOCK_MONOTONIC_RAW: not slewed). */
uint64_t clock_now_ns(void);
/* CPU time this process has used so far, all its threads. */
uint64_t clock_cpu_ns(void);
/* Sleeps that long, by a clock that nobody sets; a signal does not cut it short. */
void clock_sleep_ns(uint64_t ns);
/* Seconds since boot, time asleep counted (CLOCK_BOOTTIME). */
uint64_t clock_since_boot_s(void);
/* The time of day as RFC 3339 UTC with milliseconds. */
void clock_time_of_day(char buf[32]);

#endif
