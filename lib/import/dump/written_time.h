/* SPDX-License-Identifier: GPL-2.0-or-later */
/* written_time.h - dates as tools print them for people, with day, year and time of day. */
#pragma once

#include "base/compat.h"

/*
 * The time that a text begins with, in seconds since 1970 as if its zone were UTC: "Tue Nov 24 10:11:12 2026",
 * "Di 24. Nov 10:11:12 CET 2026", "Tue 24 Nov 2026 10:11:12 AM UTC", "2026/11/24 10:11:12.345", "2026-11-24T10:11:12Z".
 * 0: it begins with none. *ret_end: what stands behind it, without the name of a zone.
 */
int64_t written_time(const char *text, const char **ret_end);
