/* SPDX-License-Identifier: GPL-2.0-or-later */
/* written_time.h - dates as tools print them for people, with day, year and time of day. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a clock showed, in seconds since 1970. s: 0: it is not told. */
struct written_clock {
	int64_t s;
	bool has_zone;		/* of UTC; else as if the zone, which is not told, were UTC */
};

/*
 * The time that a text begins with: "Tue Nov 24 10:11:12 2026", "Di 24. Nov 10:11:12 CET 2026",
 * "Tue 24 Nov 2026 10:11:12 AM UTC", "2026/11/24 10:11:12.345", "2026-11-24T10:11:12Z". A zone of which several have the
 * name (CST, IST) is not told. *ret_end: what stands behind it and the zone.
 */
struct written_clock written_time(const char *text, const char **ret_end);

/* So much later is it, that whatever the zones are it was not at the same time? least_s: where the zones are alike. */
bool written_clock_is_later(struct written_clock clock, struct written_clock than, int64_t least_s);
