// SPDX-License-Identifier: GPL-2.0-or-later
/* cdi_yaml.c - YAML in the one form that generators of CDI files write, line by line. No reader of YAML in general. */
#include "base/compat.h"
#include "format/cdi.h"

enum { MAX_DEPTH = 16 };		/* a CDI file is 7 deep */

/* A mapping or a list that is being read, at its column. */
struct level {
	size_t column;
	bool is_list;
	bool is_open;			/* its last key or item has no value yet */
};

struct reader {
	struct arena *arena;
	const struct cdi_taker *taker;
	struct level levels[MAX_DEPTH];
	const char *keys[MAX_DEPTH];
	size_t depth;
	bool has_begun;
	const char *rest;		/* the text after this line, which may end what begins on it */
	enum cdi_form form;
	const char *what;
};

static void stop(struct reader *reader, enum cdi_form form, const char *what)
{
	reader->form = form;
	reader->what = what;
}

static struct level *top(struct reader *reader)
{
	return reader->depth ? &reader->levels[reader->depth - 1] : NULL;
}

static void push(struct reader *reader, size_t column, bool is_list)
{
	struct level *above = top(reader);

	if (above)
		above->is_open = false;
	if (reader->depth == MAX_DEPTH) {
		stop(reader, CDI_UNKNOWN_FORM, "nested deeper than any generator does");
		return;
	}
	reader->keys[reader->depth] = NULL;
	reader->levels[reader->depth++] = (struct level){ .column = column, .is_list = is_list };
}

/* Makes the level at that column the innermost one, beginning it where its parent waits for a value. */
static void enter(struct reader *reader, size_t column, bool is_list)
{
	struct level *level;

	/* "devices:" and its "- " may stand in one column: the list is the inner one. */
	while ((level = top(reader)) &&
	       (level->column > column || (level->column == column && level->is_list && !is_list)))
		reader->depth--;
	if (level && level->column == column && level->is_list == is_list)
		return;
	if (!level || (level->is_open && (level->column < column || (is_list && !level->is_list))))
		push(reader, column, is_list);
	else
		stop(reader, CDI_BROKEN, "indentation that fits no line above");
}

static struct cdi_place place_of(const struct reader *reader)
{
	return (struct cdi_place){ .keys = reader->keys, .depth = reader->depth };
}

static void close_value(struct reader *reader, const char *text)
{
	const struct cdi_place place = place_of(reader);

	top(reader)->is_open = false;
	reader->taker->scalar(reader->taker->data, &place, text);
}

/* The end of a quoted text that begins at text; NULL: stopped. Two of '' are one within. */
static const char *end_of_quoted(struct reader *reader, const char *text)
{
	const char quote = *text;

	for (const char *at = text + 1; *at; at++) {
		if (*at == '\\' && quote == '"')
			break;
		if (*at != quote)
			continue;
		if (quote == '\'' && at[1] == quote)
			break;
		return at;
	}
	if (strchr(text + 1, quote) || strchr(text, '\\') || strchr(reader->rest, quote))
		stop(reader, CDI_UNKNOWN_FORM, "a quoted text with escapes, or of several lines");
	else
		stop(reader, CDI_BROKEN, "a quotation mark without its other");
	return NULL;
}

static bool is_end(const char *text)
{
	const char *at = text + strspn(text, " \t");

	return !*at || (*at == '#' && at > text);
}

/* A scalar on the rest of the line, in the arena; NULL: stopped. */
static const char *scalar_of(struct reader *reader, const char *text)
{
	size_t len = strlen(text);
	const char *comment = strstr(text, " #");

	if (*text == '"' || *text == '\'') {
		const char *end = end_of_quoted(reader, text);

		if (end && is_end(end + 1))
			return arena_strndup(reader->arena, text + 1, (size_t)(end - text - 1));
		if (end)
			stop(reader, CDI_BROKEN, "text after a quoted text");
		return NULL;
	}
	if (comment)
		len = (size_t)(comment - text);
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	if (len == 2 && (!strncmp(text, "[]", 2) || !strncmp(text, "{}", 2)))
		return "";
	if (strchr("[]{},&*!|>%@`", *text)) {
		stop(reader, CDI_UNKNOWN_FORM, "not of the form that nvidia-ctk writes");
		return NULL;
	}
	return arena_strndup(reader->arena, text, len);
}

/* How long the key is that text begins with, "hostPath:"; 0: text is none. */
static size_t key_length(const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./";
	const bool is_quoted = *text == '"' || *text == '\'';
	size_t len = strspn(text + is_quoted, letters);
	const char *after = text + is_quoted + len;

	if (!len || (is_quoted && *after++ != *text))
		return 0;
	return *after == ':' && (!after[1] || after[1] == ' ' || after[1] == '\t') ? (size_t)(after - text) : 0;
}

static void read_key(struct reader *reader, size_t column, const char *text, size_t len)
{
	const bool is_quoted = *text == '"' || *text == '\'';
	const char *value = text + len + 1, *scalar;

	enter(reader, column, false);
	if (reader->what)
		return;
	reader->keys[reader->depth - 1] = arena_strndup(reader->arena, text + is_quoted, len - 2 * is_quoted);
	top(reader)->is_open = true;
	value += strspn(value, " \t");
	if (!*value || *value == '#')
		return;
	scalar = scalar_of(reader, value);
	if (scalar)
		close_value(reader, scalar);
}

/* Keys may hold more than key_length() takes: "a b: c" is valid. */
static bool may_be_key(const char *text)
{
	const size_t len = strlen(text);

	return strchr("\"'?<&*!{[", *text) || strstr(text, ": ") || strstr(text, ":\t") || text[len - 1] == ':';
}

/* A text that is neither a key nor an item. */
static void read_text(struct reader *reader, size_t column, const char *text)
{
	const struct level *level;
	const char *scalar;

	while ((level = top(reader)) && level->column > column)
		reader->depth--;
	if (level && level->is_list && level->is_open && level->column < column) {
		scalar = scalar_of(reader, text);
		if (scalar)
			close_value(reader, scalar);
	} else if (level && !level->is_list && level->column == column && !may_be_key(text)) {
		stop(reader, CDI_BROKEN, "neither a key with its colon nor an item of a list");
	} else {
		stop(reader, CDI_UNKNOWN_FORM, "not of the form that nvidia-ctk writes");
	}
}

static bool is_item(const char *text)
{
	return *text == '-' && (!text[1] || text[1] == ' ');
}

/* "- containerPath: /x", "  - - a": each dash is an item, and what follows stands in its own column. */
static void read_line(struct reader *reader, const char *line)
{
	size_t column = strspn(line, " "), key;

	while (is_item(line + column)) {
		struct cdi_place place;

		enter(reader, column, true);
		if (reader->what)
			return;
		top(reader)->is_open = true;
		place = place_of(reader);
		reader->taker->item(reader->taker->data, &place);
		column++;
		column += strspn(line + column, " ");
		if (!line[column] || line[column] == '#')
			return;
	}
	key = key_length(line + column);
	if (key)
		read_key(reader, column, line + column, key);
	else
		read_text(reader, column, line + column);
}

static bool is_marker(struct reader *reader, const char *line)
{
	const bool is_begin = !strncmp(line, "---", 3) && is_end(line + 3);

	if (is_begin && !reader->has_begun)
		return true;
	if (is_begin || *line == '%' || (!strncmp(line, "...", 3) && is_end(line + 3)))
		stop(reader, CDI_UNKNOWN_FORM, "not of the form that nvidia-ctk writes");
	return reader->what;
}

unsigned cdi_yaml_read(struct arena *arena, const char *text, size_t len, const struct cdi_taker *taker,
		       enum cdi_form *ret_form, const char **ret_what)
{
	struct reader reader = { .arena = arena, .taker = taker, .form = CDI_READ };
	const char *end = text + len;
	unsigned number = 0;

	for (const char *at = text; at < end && !reader.what;) {
		size_t line_len = strcspn(at, "\n"), kept = line_len;
		const char *line;
		size_t blank;

		number++;
		while (kept && (at[kept - 1] == '\r' || at[kept - 1] == ' ' || at[kept - 1] == '\t'))
			kept--;
		line = arena_strndup(arena, at, kept);
		at += line_len + (at + line_len < end);
		reader.rest = at;
		blank = strspn(line, " \t");
		if (!line[blank] || line[blank] == '#' || is_marker(&reader, line))
			continue;
		reader.has_begun = true;
		if (!memchr(line, '\t', blank))
			read_line(&reader, line);
		else if (is_item(line + blank) || key_length(line + blank))
			stop(&reader, CDI_BROKEN, "a tab in the indentation");
		else
			stop(&reader, CDI_UNKNOWN_FORM, "not of the form that nvidia-ctk writes");
	}
	*ret_form = reader.form;
	*ret_what = reader.what;
	return reader.what ? number : 0;
}
