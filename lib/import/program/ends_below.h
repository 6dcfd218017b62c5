/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends_below.h - lines of a text in which something comes right, and whether one of them stands below a failure and is
 * of the same: machine, and GPU, resource, service or module. Who knows which words end what (error_back.c,
 * service_back.c) gives its reader of a line.
 */
#pragma once

#include "import/dump/dump.h"

/* A word of a line. */
struct word {
	const char *at;		/* NULL: it has none */
	size_t len;
};

/* The signs of hosts' names and the like. */
extern const char host_signs[];
/* Of such signs as there are at `at`. */
struct word word_of(const char *at, const char *signs);

/* Something that failed, or that came right. */
struct ending {
	const char *what;	/* which of those that its reader knows, by its name */
	/* Of one that comes right: what the failure must say that it ends. NULL: whatever it says. */
	const char *of;
	const struct dump_line *line;
	struct word host, subject;
};

struct ends_below;

/* Adds to `ends` what comes right in the line. */
typedef void (*read_ends)(struct ends_below *ends, const struct dump_line *line);

void ends_below_add(struct ends_below *ends, const struct ending *end);

/* Of the reading's part and those below it in its file. *ends is NULL at first, and read once for all of its lines. */
struct ends_below *ends_below_of(const struct reading *reading, struct ends_below **ends, read_ends reader);
/* Of one part alone. */
struct ends_below *ends_below_in(struct arena *arena, const struct dump_part *part, read_ends reader);

/* Whose host, or subject, must be that of the failure. */
enum ends_match {
	ENDS_WHERE_NAMED,	/* where both lines name one */
	ENDS_OF_SAME_LOG,	/* and where one of them names none, the other does not */
};

/* Does one of them end what failed? What an older line tells ends nothing: a list may have the newest first. */
bool ends_below_has(const struct ends_below *ends, const struct ending *failed, enum ends_match match);

/* The host in a line of a log: the word before its speaker, which may be NULL, as the return is without one. */
struct word host_before_speaker(const char *text, const char *speaker);
/* Is a line further down than another of its file? Those of a string all have the number of its line. */
bool line_is_below(const struct dump_line *line, const struct dump_line *other);
