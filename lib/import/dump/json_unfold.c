// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_unfold.c - a node of Kubernetes, or a list of them, as JSON on one line, as it stands in tickets and logs: laid
 * out as kubectl does, a key to a line, as readers of lines know it. Each line has the number of the one it is from.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"
#include "import/dump/log_time.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	INDENT = 4,
	DEEPEST = 32,		/* of nested brackets: a node has half of that */
	SHORTEST = 8,		/* bytes of a document for each line that is made of it: a node has twice as many */
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

/* A log's stamp may stand in brackets, too. */
static const char *first_bracket(const char *text)
{
	const char *at = strpbrk(text, "{[");

	while (at && *at == '[' && *past_blanks(at + 1) != '{' && *past_blanks(at + 1) != '"')
		at = strpbrk(at + 1, "{[");
	return at;
}

/*
 * Where it begins, or NULL: at the beginning of the line, or behind a log's stamp; not what a command is given to
 * change a node, nor what an API server was asked for at any time.
 */
static const char *node_in(const char *text)
{
	const char *at = first_bracket(text), *first = past_blanks(text);

	/* To look for the first of the keys in each line of a log would take long. */
	if (!at || !strchr(at, '{') || !json_is_of_node(at))
		return NULL;
	if (at != first && (at[-1] != ' ' || !text_has_clock(first, at)))
		return NULL;
	return is_too_deep(at) || strstr(at, "\"audit.k8s.io/") ? NULL : at;
}

static bool has_inner_brackets(const char *document)
{
	const char *at = document + 1;

	while (*at && !strchr("{[}]", *at))
		at += *at == '"' ? string_len(at) : 1;
	return *at == '{' || *at == '[';
}

/* Of a node's list a condition to a line; what a log or a watch prints begins alike, and has the node in it. */
static bool is_condition(const char *node)
{
	static const char *const first[] = {
		"\"lastHeartbeatTime\"", "\"lastTransitionTime\"", "\"message\"", "\"reason\"", "\"type\"",
	};

	return text_begins_any(past_blanks(node + 1), first, ARRAY_SIZE(first)) && !has_inner_brackets(node);
}

/* A log has a node as it was at any time: the last counts, and only where it is of now. */
static bool is_of_log(const char *text, const char *node)
{
	static const char *const first[] = {
		"\"apiVersion\"", "\"kind\"", "\"items\"", "\"metadata\"", "\"spec\"", "\"status\"", "\"capacity\"",
		"\"allocatable\"", "\"conditions\"", "\"addresses\"", "{",
	};

	if (node != past_blanks(text))
		return true;
	return !text_begins_any(past_blanks(node + 1), first, ARRAY_SIZE(first)) && !is_condition(node);
}

/* ---- the layout */

struct unfold {
	struct arena *arena;
	struct dump_line *lines;
	size_t nr;
	const struct dump_line *from;	/* the line that is laid out */
	struct strbuf text;		/* of the one that is made of it */
	size_t depth;
	size_t nr_left;			/* so many may still be made of it: what is behind them is one line */
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

static void break_line(struct unfold *unfold)
{
	if (!unfold->text.len || !unfold->nr_left)
		return;
	unfold->nr_left--;
	end_line(unfold);
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
	break_line(unfold);
	unfold->depth++;
	return at + 1;
}

static const char *close_bracket(struct unfold *unfold, const char *at)
{
	break_line(unfold);
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
		break_line(unfold);
	return at + len;
}

/* What stands before a document and behind it are lines, too. */
static void lay_out(struct unfold *unfold, const char *node)
{
	const char *text = unfold->from->text, *at = node;

	if (node > past_blanks(text))
		add(unfold, text, (size_t)(node - text));
	end_line(unfold);
	unfold->nr_left = strlen(node) / SHORTEST;
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

	json_join_pieces(arena, lines, nr);
	last = last_of_log(lines, *nr, &has_any);
	if (!has_any)
		return lines;
	for (size_t i = 0; i < *nr; i++) {
		const char *node = node_in(lines[i].text);

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
