// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_pieces.c - a node of Kubernetes as JSON on one line that a terminal broke: pieces of its width are one line
 * again.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"

enum { NARROWEST = 60, MOST_PIECES = 1 << 14 };

bool json_is_of_node(const char *text)
{
	return strstr(text, "\"lastHeartbeatTime\"") ||
	       (strstr(text, "\"allocatable\"") && strstr(text, "\"capacity\""));
}

/* With the blank at its end, on which it may have been broken. */
static const char *whole(const struct dump_line *line)
{
	return line->tabbed && !strchr(line->tabbed, '\t') ? line->tabbed : line->text;
}

/* A document that its line does not end. */
static bool is_open(const char *text)
{
	size_t len = strlen(text);

	return len >= NARROWEST && (*text == '{' || *text == '[') && (text[1] == '{' || text[1] == '"') &&
	       !strchr("}]", text[len - 1]);
}

/* How many brackets are open at the end of a piece, where so many are at its beginning; and does it end in a string? */
static int open_at_end(const char *at, int depth, bool *is_in_string)
{
	for (; *at; at++) {
		if (*is_in_string && *at == '\\' && at[1])
			at++;
		else if (*at == '"')
			*is_in_string = !*is_in_string;
		else if (!*is_in_string)
			depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
	}
	return depth;
}

/* How many lines are one document's, all of which but the last are long; *ret_nr_seen: so many were looked at. */
static size_t nr_pieces(const struct dump_line *lines, size_t nr, size_t *ret_nr_seen)
{
	bool is_in_string = false;
	int depth = 0;
	size_t i = 0;

	*ret_nr_seen = 1;
	if (!is_open(lines->text))
		return 1;
	for (; i < nr && i < MOST_PIECES; i++) {
		depth = open_at_end(whole(&lines[i]), depth, &is_in_string);
		if (depth <= 0 || strlen(whole(&lines[i])) < NARROWEST)
			break;
	}
	*ret_nr_seen = i + 1;
	return i < nr && depth == 0 && !is_in_string ? i + 1 : 1;
}

/* false: it is no node's. */
static bool join(struct arena *arena, struct dump_line *lines, size_t nr)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addstr(&text, whole(&lines[i]));
	if (!json_is_of_node(text.buf))
		return false;
	lines->text = arena_strdup(arena, text.buf);
	lines->tabbed = NULL;
	return true;
}

/* What a terminal broke is one line again. */
void json_join_pieces(struct arena *arena, struct dump_line *lines, size_t *nr)
{
	size_t to = 0;

	for (size_t i = 0, seen = 0, nr_joined; i < *nr; i += nr_joined) {
		size_t nr_seen;

		nr_joined = i < seen ? 1 : nr_pieces(&lines[i], *nr - i, &nr_seen);
		if (i >= seen)
			seen = i + nr_seen;
		if (nr_joined > 1 && !join(arena, &lines[i], nr_joined))
			nr_joined = 1;
		lines[to++] = lines[i];
	}
	*nr = to;
}
