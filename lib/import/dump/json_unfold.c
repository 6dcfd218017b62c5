// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_unfold.c - a node of Kubernetes, or a list of them, as JSON on one line, as it stands in tickets and logs: laid out
 * as kubectl does, a key to a line, as readers of lines know it. Each line has the number of the one it is from.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"
#include "import/dump/log_time.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	INDENT = 4,
	DEEPEST = 32,		/* of nested brackets: a node has half of that */
	MOST_LINES = 1 << 17,	/* that are made of one text's */
};

/* ---- which lines */

/* How many bytes a string has, with its quotes; one that was cut ends with the text. */
static size_t string_len(const char *at)
{
	const char *end = at + 1;

	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	return (size_t)(end - at) + (*end == '"');
}

static bool is_too_deep(const char *at)
{
	int depth = 0;

	while (*at && depth <= DEEPEST) {
		if (*at == '"') {
			at += string_len(at);
			continue;
		}
		depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
		at++;
	}
	return depth > DEEPEST;
}

/* Of a node, or of its conditions alone. */
static bool has_keys(const char *text)
{
	return strstr(text, "\"lastHeartbeatTime\"") ||
	       (strstr(text, "\"allocatable\"") && strstr(text, "\"capacity\""));
}

/*
 * Where it begins, or NULL: at the beginning of the line, or behind a log's stamp; not what a command is given to change
 * a node, nor what an API server was asked for at any time.
 */
static const char *node_in(const char *text)
{
	const char *at = strpbrk(text, "{["), *first = past_blanks(text);

	/* To look for the first of the keys in each line of a log would take long. */
	if (!at || !strchr(at, '{') || !has_keys(at))
		return NULL;
	if (at != first && (at[-1] != ' ' || !text_has_clock(first, at)))
		return NULL;
	return is_too_deep(at) || strstr(at, "\"audit.k8s.io/") ? NULL : at;
}

/* A log has a node as it was at any time: the last counts, and only where it is of now. */
static bool is_of_log(const char *text, const char *node)
{
	static const char *const first[] = {
		"\"apiVersion\"", "\"kind\"", "\"items\"", "\"metadata\"", "\"spec\"", "\"status\"", "\"capacity\"",
		"\"allocatable\"", "\"conditions\"", "\"addresses\"", "{",
	};

	return node != past_blanks(text) || !text_begins_any(past_blanks(node + 1), first, ARRAY_SIZE(first));
}

/* ---- the layout */

struct unfold {
	struct arena *arena;
	struct dump_line *lines;
	size_t nr;
	const struct dump_line *from;	/* the line that is laid out */
	struct strbuf text;		/* of the one that is made of it */
	size_t depth;
};

static void add(struct unfold *unfold, const char *at, size_t len)
{
	if (!unfold->text.len)
		strbuf_addchars(&unfold->text, ' ', INDENT * unfold->depth);
	strbuf_add(&unfold->text, at, len);
}

static void add_line(struct unfold *unfold, const struct dump_line *line)
{
	unfold->lines = arena_grow(unfold->arena, unfold->lines, unfold->nr, sizeof(*unfold->lines));
	unfold->lines[unfold->nr++] = *line;
}

static void end_line(struct unfold *unfold)
{
	if (!unfold->text.len)
		return;
	add_line(unfold, &(struct dump_line){
		.text = arena_strdup(unfold->arena, unfold->text.buf),
		.number = unfold->from->number,
		.label = unfold->from->label,
	});
	strbuf_reset(&unfold->text);
}

/* "{}" stays as it is. */
static const char *open_bracket(struct unfold *unfold, const char *at)
{
	const char *next = past_blanks(at + 1);

	add(unfold, at, 1);
	if (*next == '}' || *next == ']') {
		add(unfold, next, 1);
		return next + 1;
	}
	end_line(unfold);
	unfold->depth++;
	return at + 1;
}

static const char *close_bracket(struct unfold *unfold, const char *at)
{
	end_line(unfold);
	unfold->depth -= unfold->depth > 0;
	add(unfold, at, 1);
	return at + 1;
}

static const char *take_token(struct unfold *unfold, const char *at)
{
	size_t len = *at == '"' ? string_len(at) : 1;

	if (*at == '{' || *at == '[')
		return open_bracket(unfold, at);
	if (*at == '}' || *at == ']')
		return close_bracket(unfold, at);
	if (*at == ':')
		add(unfold, ": ", 2);
	else if (*at != ' ')
		add(unfold, at, len);
	if (*at == ',')
		end_line(unfold);
	return at + len;
}

/* What stands before a document and behind it are lines, too. */
static void lay_out(struct unfold *unfold, const char *node)
{
	const char *text = unfold->from->text, *at = node;

	if (node > past_blanks(text))
		add(unfold, text, (size_t)(node - text));
	end_line(unfold);
	do
		at = take_token(unfold, at);
	while (*at && unfold->depth);
	if (*at == ',')
		add(unfold, at++, 1);
	end_line(unfold);
	if (*past_blanks(at))
		add(unfold, at, strlen(at));
	end_line(unfold);
	unfold->depth = 0;
}

/* ---- pieces of a terminal's width */

enum { NARROWEST = 60, MOST_PIECES = 1 << 14 };

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
	if (!has_keys(text.buf))
		return false;
	lines->text = arena_strdup(arena, text.buf);
	lines->tabbed = NULL;
	return true;
}

/* What a terminal broke is one line again. */
static void join_pieces(struct arena *arena, struct dump_line *lines, size_t *nr)
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

/* ---- the whole */

/* SIZE_MAX: none; *ret_has_any: is any to be laid out? */
static size_t last_of_log(const struct dump_line *lines, size_t nr, bool *ret_has_any)
{
	size_t ret = SIZE_MAX;

	*ret_has_any = false;
	for (size_t i = 0; i < nr; i++) {
		const char *node = node_in(lines[i].text);

		*ret_has_any |= node != NULL;
		if (node && is_of_log(lines[i].text, node))
			ret = i;
	}
	return ret != SIZE_MAX && log_time_is_past(&lines[ret], nr - ret) ? SIZE_MAX : ret;
}

struct dump_line *json_unfold(struct arena *arena, struct dump_line *lines, size_t *nr)
{
	struct unfold unfold = { .arena = arena, .text = STRBUF_INIT };
	bool has_any;
	size_t last;

	join_pieces(arena, lines, nr);
	last = last_of_log(lines, *nr, &has_any);
	if (!has_any)
		return lines;
	for (size_t i = 0; i < *nr; i++) {
		const char *node = unfold.nr < i + MOST_LINES ? node_in(lines[i].text) : NULL;

		unfold.from = &lines[i];
		if (node && (i == last || !is_of_log(lines[i].text, node)))
			lay_out(&unfold, node);
		else
			add_line(&unfold, &lines[i]);
	}
	strbuf_release(&unfold.text);
	*nr = unfold.nr;
	return unfold.lines;
}
