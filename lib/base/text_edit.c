// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text_edit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

struct edit {
	size_t first, last;	/* lines from 1; of "a" the one it stands behind */
	char command;
	const char *lines;	/* of "a" and "c" */
	size_t len;
};

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : at + strlen(at);
}

static size_t read_number(const char **at)
{
	char *end;
	size_t number = (size_t)strtoul(*at, &end, 10);

	*at = end;
	return number;
}

/* One command and its lines; returns what follows it, or NULL. */
static const char *read_edit(const char *at, struct edit *ret)
{
	if (*at < '0' || *at > '9')
		return NULL;
	ret->first = ret->last = read_number(&at);
	if (*at == ',') {
		at++;
		ret->last = read_number(&at);
	}
	ret->command = *at;
	if (!*at || !strchr("acd", *at) || (at[1] && at[1] != '\n') || ret->last < ret->first)
		return NULL;
	at = next_line(at);
	ret->lines = at;
	ret->len = 0;
	if (ret->command == 'd')
		return at;
	while (*at && (at[0] != '.' || at[1] != '\n'))
		at = next_line(at);
	ret->len = (size_t)(at - ret->lines);
	return *at ? next_line(at) : NULL;
}

/* Past the lines from *line up to and with `to`; false where the text ends before. */
static bool skip_lines(const char **text, size_t *line, size_t to)
{
	for (; *line <= to; (*line)++) {
		if (!**text)
			return false;
		*text = next_line(*text);
	}
	return true;
}

static bool copy_lines(struct strbuf *out, const char **text, size_t *line, size_t to)
{
	const char *begin = *text;

	if (!skip_lines(text, line, to))
		return false;
	strbuf_add(out, begin, (size_t)(*text - begin));
	return true;
}

/* From the first line on, which the last edit changes. */
static bool apply(struct strbuf *out, const char *text, const struct edit *edits, size_t nr)
{
	size_t line = 1;	/* the next of text */

	while (nr--) {
		const struct edit *edit = &edits[nr];
		size_t kept = edit->command == 'a' ? edit->first : edit->first - 1;

		if (kept + 1 < line || !copy_lines(out, &text, &line, kept))
			return false;
		strbuf_add(out, edit->lines, edit->len);
		if (edit->command != 'a' && !skip_lines(&text, &line, edit->last))
			return false;
	}
	strbuf_addstr(out, text);
	return true;
}

int text_edit(struct strbuf *out, const char *text, const char *script)
{
	struct arena arena = { .blocks = NULL };
	struct edit *edits = NULL;
	size_t nr = 0, before = out->len;
	int r = 0;

	for (const char *at = script; at && *at;) {
		edits = arena_grow(&arena, edits, nr, sizeof(*edits));
		at = read_edit(at, &edits[nr]);
		if (!at || (edits[nr].command != 'a' && !edits[nr].first))
			r = -EINVAL;
		nr++;
	}
	if (!r && !apply(out, text, edits, nr))
		r = -EINVAL;
	if (r)
		strbuf_setlen(out, before);
	arena_release(&arena);
	return r;
}
