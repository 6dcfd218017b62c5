/* SPDX-License-Identifier: GPL-2.0-or-later */
/* time_arg.h - times as people name them: "2026-11-20 14:00", "yesterday", "-2h". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

/* A moment by two clocks, in microseconds since 1970: UTC, and what a clock on the wall here shows. */
struct klog_time_arg {
	int64_t utc_us, local_us;
};

enum klog_time_arg_clock { KLOG_TIME_ARG_UTC, KLOG_TIME_ARG_LOCAL };

/*
 * Reads one of
 *
 *	2026-11-20  2026-11-20 14:00  2026-11-20 14:00:05	on the wall here
 *	2026-11-20T14:00:05Z  2026-11-20 14:00+01:00		with a zone (RFC 3339)
 *	14:00  14:00:05  today  yesterday			on the wall here
 *	now  @1700000000
 *	-2h  2h  90m  30s  3d  1w				before now
 *
 * and fills the clock that *ret_clock names; the other one, which takes the
 * rules of a time zone to know, is the caller's to fill. 0 or -EINVAL.
 */
int klog_time_arg_parse(const char *text, const struct klog_time_arg *now, struct klog_time_arg *ret,
		      enum klog_time_arg_clock *ret_clock) MUST_CHECK;
