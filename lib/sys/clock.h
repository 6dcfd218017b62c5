/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - clocks: one that only goes forward, for durations, and the time of day. */
#pragma once

#include <stdint.h>

#include "base/compat.h"

/* Nanoseconds since some fixed moment (CLOCK_MONOTONIC_RAW: not slewed). */
uint64_t clock_now_ns(void);
/* The clock that sleeps and timers go by (CLOCK_MONOTONIC): for moments that two processes agree on. */
uint64_t clock_monotonic_ns(void);
/* CPU time this process has used so far, all its threads. */
uint64_t clock_cpu_ns(void);
/* Sleeps that long, by a clock that nobody sets; a signal does not cut it short. */
void clock_sleep_ns(uint64_t ns);
/* Seconds since boot, time asleep counted (CLOCK_BOOTTIME). */
uint64_t clock_since_boot_s(void);
/* Microseconds since 1970, UTC. */
int64_t clock_utc_us(void);
/*
 * When the clock of the kernel's log was 0, as far as the time of day was not set since and the machine did not sleep.
 */
int64_t clock_boot_began_us(void);
/* What a clock on the wall shows then in this time zone, as if it were UTC; and the other way round. */
int64_t clock_local_of_utc_us(int64_t utc_us);
int64_t clock_utc_of_local_us(int64_t local_us);
/* The time of day as RFC 3339 UTC with milliseconds. */
void clock_time_of_day(char buf[32]);
