// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	MS Name/IP address         Stratum Poll Reach LastRx Last sample
 *	===============================================================================
 *	^? 192.168.0.5                   0   7     0     -     +0ns[   +0ns] +/-    0ns
 */
#include "base/compat.h"
#include "import/program/clock_sources.h"

#include "import/dump/error_put.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_SOURCES = 64 };

/* A row of a server that is not usable, and answered none of the last eight requests. */
static bool is_unreached(const char *text)
{
	const char *at = text_begins(text, "^?") || text_begins(text, "=?") ? text + 2 : NULL;
	size_t len = 0;

	/* Name, stratum, poll, reach */
	for (int i = 0; at && i < 4; i++) {
		at = past_blanks(at);
		len = strcspn(at, " ");
		at += i < 3 ? len : 0;
	}
	return at && len == 1 && *at == '0';
}

/* How many rows there are below the head, all of servers that were not reached; 0: one was, or there is none. */
static size_t count_unreached(const struct dump_line *lines, size_t nr)
{
	size_t ret = 0;

	for (size_t i = 1; i < nr && i <= MOST_SOURCES; i++) {
		const char *text = past_blanks(lines[i].text);

		if (text_begins(text, "==="))
			continue;
		if (!strchr("^=#", *text) || !*text)
			break;
		if (!is_unreached(text))
			return 0;
		ret++;
	}
	return ret;
}

bool clock_sources_begins(const struct dump_line *lines, size_t nr)
{
	return text_begins(past_blanks(lines->text), "MS Name/IP address") && strstr(lines->text, " Reach ") &&
	       count_unreached(lines, nr);
}

void clock_sources_read(struct reading *reading, size_t at)
{
	struct dump_line *lines = &reading->part->lines[at];
	size_t nr = count_unreached(lines, reading->part->nr_lines - at);

	for (size_t i = 0; i <= nr && at + i < reading->part->nr_lines; i++)
		lines[i].is_taken = true;
	program_error_put(reading, lines, "clock",
			  arena_printf(reading->arena, "chronyc: none of %zu time servers was reached", nr), NULL);
}
