/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_time.h - a tool's words in a log, which has lines of any day: when they were said, and what stands behind the
 * stamp.
 */
#pragma once

#include "import/dump/dump.h"

/*
 * Was the first of these lines, which go to the end of their text, said at a time of its own, and long before the text
 * ends, or did the driver load after it? What has no time of day is of now.
 */
bool log_time_is_past(const struct dump_line *lines, size_t nr);

/* Is a line older than another as their own stamps tell? A list may have the newest first. */
bool log_time_is_earlier(const char *text, const char *than);

/* Has a line a time of day? */
bool log_time_has_clock(const char *text);

/*
 * Behind the stamp that a line begins with; the text where it begins with none. Go's date, "2024/01/01 00:00:00", is a
 * program's.
 */
const char *log_time_behind_stamp(const char *text);
/* Behind "node7: ", "name[123]: " and the like, as many as stand there. */
const char *log_time_behind_speakers(const char *text);
