/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * template.h - sentences from evidence.
 *
 * Places: {name} the observed value of that evidence in words, {name.expected}
 * what was expected of it; about several subjects that of {name.many} where there
 * is such evidence. {gpu} and {address} the subject, {one|many} the
 * form for one subject or for several. {name|error|errors} the value, and the
 * word for one of them or for another number. In a command {name*} is a list of plain
 * words with blanks between them, any other place one word.
 */
#pragma once

#include "base/strbuf.h"
#include "eval/judge/report.h"

struct template_context {
	const struct subject *subject;
	struct evidence_list evidence;
	bool many;
	bool is_command;	/* for a shell: a value that it would not take as plain words fills no place */
};

/*
 * Adds the filled template. Returns how many places found nothing; each is
 * left as it stands, which the cases take for the bug it is.
 */
unsigned template_fill(struct strbuf *out, const char *template, const struct template_context *context);
/* The same into an arena. *unfilled is increased. */
const char *template_text(struct arena *arena, const char *template, const struct template_context *context,
			  unsigned *unfilled);

/* Is it one plain word to a shell, in quotes or out of them: an address, a number, a file name? */
bool template_is_plain(const char *text);
