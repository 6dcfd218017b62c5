// SPDX-License-Identifier: GPL-2.0-or-later
/* toml.c - a reader of TOML 1.0 as far as toml.h says. */
#include "base/compat.h"
#include "format/toml.h"

#include "base/strbuf.h"

enum { MAX_NESTED = 32 };

struct reader {
	struct arena *arena;
	const struct toml_taker *taker;
	const char *at;
	unsigned line;
	const char *what;		/* set: it ended there */
	struct toml_key table;
};

static void stop(struct reader *reader, const char *what)
{
	if (!reader->what)
		reader->what = what;
}

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t\r");
}

/* Blanks, remarks and ends of lines. */
static void skip_lines(struct reader *reader)
{
	for (;;) {
		skip_blanks(reader);
		if (*reader->at == '#')
			reader->at += strcspn(reader->at, "\n");
		if (*reader->at != '\n')
			return;
		reader->at++;
		reader->line++;
	}
}

static void end_line(struct reader *reader)
{
	skip_blanks(reader);
	if (*reader->at && *reader->at != '\n' && *reader->at != '#')
		stop(reader, "text after the end of the value or table");
}

/* A quoted text of one line, or of several where its mark stands three times; NULL: stopped. */
static const char *read_quoted(struct reader *reader)
{
	const char mark[2] = { *reader->at, '\0' };
	const bool is_long = reader->at[1] == *mark && reader->at[2] == *mark;
	const size_t marks = is_long ? 3 : 1;
	STRBUF_AUTO text = STRBUF_INIT;

	for (reader->at += marks; *reader->at; reader->at++) {
		if (*reader->at == *mark && (!is_long || (reader->at[1] == *mark && reader->at[2] == *mark))) {
			reader->at += marks;
			return arena_strdup(reader->arena, text.buf ? text.buf : "");
		}
		if (*reader->at == '\n' && !is_long)
			break;
		reader->line += *reader->at == '\n';
		/* Of escapes those that paths have; the others stay as they are. */
		if (*reader->at == '\\' && *mark == '"' && (reader->at[1] == '"' || reader->at[1] == '\\'))
			reader->at++;
		strbuf_addch(&text, *reader->at);
	}
	stop(reader, "a quotation mark without its other");
	return NULL;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static void read_key(struct reader *reader, struct toml_key *ret)
{
	static const char bare[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

	for (;;) {
		const char *part = NULL;
		size_t len;

		skip_blanks(reader);
		len = strspn(reader->at, bare);
		if (is_quote(*reader->at))
			part = read_quoted(reader);
		else if (len)
			part = arena_strndup(reader->arena, reader->at, len);
		if (!part || ret->nr == TOML_MAX_DEPTH) {
			stop(reader, part ? "a key of too many parts" : "no key or table");
			return;
		}
		reader->at += len;	/* 0 behind a quoted one */
		ret->parts[ret->nr++] = part;
		skip_blanks(reader);
		if (*reader->at != '.')
			return;
		reader->at++;
	}
}

static const char *read_bare(struct reader *reader)
{
	size_t len = strcspn(reader->at, ",]}#\n");
	const char *text = reader->at;

	reader->at += len;
	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	text = arena_strndup(reader->arena, text, len);
	if (!len)
		stop(reader, "no value after the =");
	else if (!strchr("+-0123456789", *text) && strcmp(text, "true") != 0 && strcmp(text, "false") != 0 &&
		 strcmp(text, "inf") != 0 && strcmp(text, "nan") != 0)
		stop(reader, "a text without quotation marks");
	return text;
}

static const char *read_value(struct reader *reader, struct strs *array, unsigned depth);

/* [ a, b ] and { a = b }, over several lines. */
static void read_many(struct reader *reader, char end, struct strs *array, unsigned depth)
{
	reader->at++;
	for (;;) {
		struct toml_key key = { .nr = 0 };
		const char *text;

		skip_lines(reader);
		if (*reader->at == end) {
			reader->at++;
			return;
		}
		if (end == '}') {
			read_key(reader, &key);
			if (*reader->at != '=')
				stop(reader, "no = after the key");
			if (reader->what)
				return;
			reader->at++;
			skip_lines(reader);
		}
		text = read_value(reader, NULL, depth + 1);
		if (reader->what)
			return;
		if (text && array)
			strs_add(reader->arena, array, text);
		skip_lines(reader);
		if (*reader->at == ',')
			reader->at++;
		else if (*reader->at != end)
			stop(reader, end == ']' ? "an array without its ]" : "an inline table without its }");
		if (reader->what)
			return;
	}
}

/* NULL: no scalar, or stopped. */
static const char *read_value(struct reader *reader, struct strs *array, unsigned depth)
{
	skip_blanks(reader);
	if (is_quote(*reader->at))
		return read_quoted(reader);
	if (*reader->at != '[' && *reader->at != '{')
		return read_bare(reader);
	if (depth == MAX_NESTED)
		stop(reader, "nested too deep");
	else
		read_many(reader, *reader->at == '[' ? ']' : '}', *reader->at == '[' ? array : NULL, depth);
	return NULL;
}

/* [table] and [[table]] */
static void read_table(struct reader *reader)
{
	const size_t brackets = reader->at[1] == '[' ? 2 : 1;

	reader->at += brackets;
	reader->table.nr = 0;
	read_key(reader, &reader->table);
	if (!reader->what && strncmp(reader->at, "]]", brackets) != 0)
		stop(reader, "a table without its ]");
	if (reader->what)
		return;
	reader->at += brackets;
	end_line(reader);
	if (!reader->what)
		reader->taker->table(reader->taker->data, &reader->table);
}

static void read_assignment(struct reader *reader)
{
	struct toml_key key = reader->table;
	struct strs array = { .nr = 0 };
	const unsigned line = reader->line;
	const char *text;

	read_key(reader, &key);
	if (!reader->what && *reader->at != '=')
		stop(reader, "no = after the key");
	if (reader->what)
		return;
	reader->at++;
	text = read_value(reader, &array, 0);
	if (!reader->what)
		end_line(reader);
	/* Where it began says more than where the file ended. */
	if (reader->what && !*reader->at)
		reader->line = line;
	if (!reader->what)
		reader->taker->value(reader->taker->data, &key, text, &array);
}

unsigned toml_read(struct arena *arena, const char *text, const struct toml_taker *taker, const char **ret_what)
{
	struct reader reader = { .arena = arena, .taker = taker, .at = text, .line = 1 };

	/* A mark of UTF-8 that some editors put first. */
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		reader.at += 3;
	for (skip_lines(&reader); *reader.at && !reader.what; skip_lines(&reader)) {
		if (*reader.at == '[')
			read_table(&reader);
		else
			read_assignment(&reader);
		if (reader.what)
			break;
	}
	*ret_what = reader.what;
	return reader.what ? reader.line : 0;
}
