// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/clock.h"

#include <errno.h>
#include <time.h>

#include "base/text.h"

#define NS_PER_S UINT64_C(1000000000)
#define US_PER_S INT64_C(1000000)

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return read_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t clock_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_cpu_ns(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_sleep_ns(uint64_t ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
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

int64_t clock_utc_us(void)
{
	return (int64_t)(read_ns(CLOCK_REALTIME) / 1000);
}

int64_t clock_boot_began_us(void)
{
	return clock_utc_us() - (int64_t)(read_ns(CLOCK_MONOTONIC) / 1000);
}

int64_t clock_local_of_utc_us(int64_t utc_us)
{
	time_t seconds = utc_us / US_PER_S;
	struct tm tm;

	return localtime_r(&seconds, &tm) ? timegm(&tm) * US_PER_S + utc_us % US_PER_S : utc_us;
}

int64_t clock_utc_of_local_us(int64_t local_us)
{
	time_t seconds = local_us / US_PER_S;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		return local_us;
	tm.tm_isdst = -1;
	return mktime(&tm) * US_PER_S + local_us % US_PER_S;
}
