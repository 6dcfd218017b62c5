// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/clock.h"

#include <time.h>

#include "base/text.h"

uint64_t clock_now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t clock_since_boot_s(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec;
}

void clock_time_of_day(char buf[32])
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	format_rfc3339(now.tv_sec, (unsigned)(now.tv_nsec / 1000000), buf);
}
