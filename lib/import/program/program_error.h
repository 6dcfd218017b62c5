/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program_error.h - words of the runtimes in what another reader reads. */
#pragma once

#include "import/dump/dump.h"

/* Puts the error that a text has, which stands in that line or goes on below it; none: nothing. */
void program_error_take(struct reading *reading, struct dump_line *line, const char *text);

/*
 * Errors of one part that another, further down in its text, tells to be over: who tries again has another prompt. Of
 * what all parts told, and once: it looks at the lines of all.
 */
void program_errors_end(struct snapshot *snapshot, const struct dump_parts *parts);

/* Does a line hold the words of an error, whoever it is that says or quotes them? */
bool program_error_names(const char *text);
