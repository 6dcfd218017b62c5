// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/string_text.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	FEWEST = 2,		/* strings of a list */
	MAX_LINES = 1 << 16,	/* of it */
};

/*
 * Behind the string that begins here, or at the end of what there is of it. *ret_is_text: it goes on in another line.
 */
static const char *past_string(const char *at, bool *ret_is_text)
{
	const char mark = *at++;

	*ret_is_text = false;
	for (; *at && *at != mark; at++) {
		*ret_is_text |= *at == '<' && text_begins(at, "<br");
		if (*at != '\\' || !at[1])
			continue;
		at++;
		/* A record of a log ends with one. */
		*ret_is_text |= (*at == 'n' && at[1] && at[1] != mark) || text_begins(at, "u003cbr");
	}
	return *at ? at + 1 : at;
}

/* A quote that no word goes on with, as in "don't"; Python has letters before it: b'…', rb"…". */
static bool begins_string(const char *text, const char *at)
{
	if (*at != '"' && *at != '\'')
		return false;
	while (at > text && strchr("bru", at[-1]))
		at--;
	return at == text || strchr(" \t:=([{,", at[-1]);
}

/* "\u003c", "\x1b": behind its digits, or NULL where they are not all there. */
static const char *add_digits(struct strbuf *out, const char *at, size_t nr)
{
	unsigned value = 0;

	for (size_t i = 0; i < nr; i++, at++) {
		int digit = hex_digit(*at);

		if (digit < 0)
			return NULL;
		value = value << 4 | (unsigned)digit;
	}
	/* A NUL ends no text, and half of a pair is no character. */
	utf8_add(out, !value ? ' ' : value >= 0xd800 && value <= 0xdfff ? '?' : value);
	return at;
}

/* What is behind a backslash; returns what follows it. */
static const char *add_escaped(struct strbuf *out, const char *at)
{
	const char *behind = *at == 'u' ? add_digits(out, at + 1, 4) : *at == 'x' ? add_digits(out, at + 1, 2) : NULL;

	if (behind)
		return behind;
	/* A line ends with both. */
	if (*at != 'r')
		strbuf_addch(out, *at == 'n' ? '\n' : *at == 't' ? '\t' : *at);
	return at + 1;
}

static void add_string(struct strbuf *out, const char *at, const char *end)
{
	const char mark = *at++;

	while (at < end && *at != mark) {
		if (*at == '\\' && at + 1 < end)
			at = add_escaped(out, at + 1);
		else
			strbuf_addch(out, *at++);
	}
	strbuf_addch(out, '\n');
}

/* Of {"log":"…"}, which begins the line: is that the key in front of a string? */
static bool is_behind_key_of_log(const char *text, const char *at)
{
	static const char *const keys[] = { "\"MESSAGE\"", "\"message\"", "\"msg\"", "\"log\"", "\"line\"" };

	while (at > text && strchr(" :", at[-1]))
		at--;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t len = strlen(keys[i]);

		if ((size_t)(at - text) >= len && !strncmp(at - len, keys[i], len))
			return true;
	}
	return false;
}

/* Is anything in it that ends a line: "\n", or as pages have it? */
static bool may_have_text(const char *line)
{
	return strstr(line, "\\n") || strstr(line, "<br") || strstr(line, "\\u003cbr");
}

/* The next string of a line that is a text, and its end; NULL: there is none. */
static const char *next_text(const char *line, const char *from, const char **ret_end)
{
	bool is_text;

	for (const char *at = from; *at; at = *ret_end) {
		*ret_end = at + 1;
		if (!begins_string(line, at))
			continue;
		*ret_end = past_string(at, &is_text);
		if (is_text)
			return at;
	}
	return NULL;
}

bool string_text_is_in(const char *line)
{
	const char *end, *at = may_have_text(line) ? next_text(line, line, &end) : NULL;

	return at && !text_has_clock(line, at);
}

static bool read_strings(const struct dump_line *line, struct string_text *ret)
{
	const bool is_object = *past_blanks(line->text) == '{';
	const char *at, *end = line->text;

	if (!may_have_text(line->text))
		return false;
	while ((at = next_text(line->text, end, &end))) {
		ret->is_of_log |= (is_object && is_behind_key_of_log(line->text, at)) ||
				  (!ret->text.len && text_has_clock(line->text, at));
		add_string(&ret->text, at, end);
	}
	for (size_t i = 0; i < ret->text.len; i++)
		ret->nr += ret->text.buf[i] == '\n';
	ret->nr_lines = 1;
	return ret->nr > 0;
}

/* Where the string of a line stands that has nothing else, but the comma behind it; NULL: it has. */
static const char *lone_string(const char *text, const char **ret_end)
{
	const char *at = past_blanks(text), *end;
	bool is_text;

	if (*at != '"' && *at != '\'')
		return NULL;
	end = past_string(at, &is_text);
	*ret_end = end;
	return end[-1] == *at && end - at > 1 && (!*end || (*end == ',' && !end[1])) ? at : NULL;
}

bool string_text_is_element(const char *text)
{
	const char *end;

	return lone_string(text, &end);
}

static bool read_list(struct arena *arena, const struct dump_line *lines, size_t nr, struct string_text *ret)
{
	size_t len = strlen(lines->text), nr_strings = 0;
	const char *at, *end;

	if (!len || lines->text[len - 1] != '[')
		return false;
	while (nr_strings + 1 < nr && nr_strings < MAX_LINES && lone_string(lines[nr_strings + 1].text, &end))
		nr_strings++;
	if (nr_strings < FEWEST)
		return false;
	ret->numbers = arena_alloc(arena, (nr_strings + 1) * sizeof(*ret->numbers));
	for (size_t i = 1; i <= nr_strings; i++) {
		size_t before = ret->text.len;

		at = lone_string(lines[i].text, &end);
		add_string(&ret->text, at, end);
		/* A line is one. */
		for (size_t k = before; k + 1 < ret->text.len; k++)
			if (ret->text.buf[k] == '\n')
				ret->text.buf[k] = ' ';
		ret->numbers[ret->nr++] = lines[i].number;
	}
	ret->nr_lines = nr_strings + 1;
	return true;
}

bool string_text_read(struct arena *arena, const struct dump_line *lines, size_t nr, struct string_text *ret)
{
	*ret = (struct string_text){ .text = STRBUF_INIT };
	if (read_list(arena, lines, nr, ret) || read_strings(lines, ret))
		return true;
	strbuf_release(&ret->text);
	return false;
}
