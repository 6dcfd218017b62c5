/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * string_text.h - output that stands in a string of JSON or Python, its line feeds as "\n": what Ansible registers,
 * what trackers and chats give out, bytes that a program prints. Or in a list of strings, one to a line.
 */
#pragma once

#include "import/dump/dump.h"

#include "base/strbuf.h"

struct string_text {
	struct strbuf text;	/* decoded; the caller releases it */
	/* of each of its lines, the dump's line that has it; in the arena. NULL: the first has all */
	unsigned *numbers;
	size_t nr;		/* lines of it */
	size_t nr_lines;	/* of the dump that hold it */
	bool is_of_log;		/* it stands in a record of a log, which has the time beside it */
};

/* Of the first line, or of the list that begins in it; false: no such thing does, and nothing is to be released. */
bool string_text_read(struct arena *arena, const struct dump_line *lines, size_t nr, struct string_text *ret);

/* Has a line a string of several lines that is of no log? */
bool string_text_is_in(const char *line);

/* Is a line one string of a list? What stands before the lines of an output is not to be looked for in those. */
bool string_text_is_element(const char *text);
