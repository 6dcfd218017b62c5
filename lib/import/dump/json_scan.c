// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_scan.c - JSON as it stands in issues and logs, made strict: commas are set where they belong, what is no number
 * is null, a string that was wrapped is one again. It ends with its last bracket, or before what cannot be JSON.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MAX_NUMBER_BYTES = 63,		/* as json.h reads them */
	MAX_WRAPPED_LINES = 32,		/* of one string: with more it is one that has no end */
};

struct level {
	char close;
	bool has_elements, awaits_value;
};

struct scan {
	const struct dump_line *lines;
	size_t nr, line;
	const char *at;			/* in the line */
	struct strbuf *out;
	struct level levels[JSON_MAX_DEPTH];
	unsigned depth;
	struct strbuf key;		/* of the value that comes next, with its quotes */
	size_t whole;			/* so much of `out` is whole, and so many brackets are open there */
	unsigned whole_depth;
};

/* ---- where one begins */

static char next_character(const struct dump_line *lines, size_t nr, const char *at)
{
	enum { FEW_LINES = 4 };

	for (size_t i = 0;;) {
		at += strspn(at, " ");
		if (*at || ++i == nr || i == FEW_LINES)
			return *at;
		at = lines[i].text;
	}
}

/* A log's line begins with "[   12.345678]", a prompt with "[root@node ~]#": what stands behind the bracket decides. */
const char *json_scan_start(const struct dump_line *lines, size_t nr)
{
	enum { TRIES = 4 };
	const char *at = lines->text;

	for (int i = 0; i < TRIES && (at = strpbrk(at, "{[")); i++, at++) {
		char next = next_character(lines, nr, at + 1);

		if (next && strchr(*at == '{' ? "\"}" : "{[\"", next))
			return at;
	}
	return NULL;
}

/* ---- text out */

static void note_whole(struct scan *scan)
{
	scan->whole = scan->out->len;
	scan->whole_depth = scan->depth;
}

static struct level *top(struct scan *scan)
{
	return &scan->levels[scan->depth - 1];
}

/* What is before a value: a comma, and in an object its key. false: it is no place for a value. */
static bool begin_value(struct scan *scan)
{
	struct level *level;

	if (!scan->depth)
		return true;
	level = top(scan);
	if (level->close == '}' && !level->awaits_value)
		return false;
	if (level->has_elements)
		strbuf_addch(scan->out, ',');
	if (level->close == '}')
		strbuf_addf(scan->out, "%s:", scan->key.buf);
	level->has_elements = true;
	level->awaits_value = false;
	strbuf_reset(&scan->key);
	return true;
}

static void add_value(struct scan *scan, const char *text, size_t len)
{
	if (!begin_value(scan))
		return;
	strbuf_add(scan->out, text, len);
	note_whole(scan);
}

static bool next_line(struct scan *scan)
{
	if (++scan->line == scan->nr)
		return false;
	scan->at = scan->lines[scan->line].text;
	return true;
}

/* ---- strings */

/* Does a string go on in the line? One that was cut off is followed by a key or a bracket. */
static bool goes_on(const char *text)
{
	text += strspn(text, " ");
	if (*text == '"')
		return !text[1] || strchr(",:}] ", text[1]);
	return *text && *text != '}' && *text != ']';
}

static bool is_escape(const char *at)
{
	unsigned value = 0;

	if (*at != 'u')
		return *at && strchr("\"\\/bfnrt", *at);
	for (int i = 1; i <= 4; i++) {
		if (hex_digit(at[i]) < 0)
			return false;
		value = value * 16 + (unsigned)hex_digit(at[i]);
	}
	return value && (value < 0xd800 || value > 0xdfff);
}

/* With its quotes; *ret_feeds: how often it was wrapped. false: the text ends in it. */
static bool take_string(struct scan *scan, struct strbuf *ret, size_t *ret_feeds)
{
	*ret_feeds = 0;
	strbuf_addch(ret, '"');
	for (scan->at++; *scan->at != '"';) {
		if (!*scan->at) {
			if (scan->line + 1 == scan->nr)
				return false;
			if (*ret_feeds == MAX_WRAPPED_LINES || !goes_on(scan->lines[scan->line + 1].text)) {
				strbuf_addch(ret, '"');
				return true;
			}
			next_line(scan);
			++*ret_feeds;
		} else if (*scan->at == '\\' && is_escape(scan->at + 1)) {
			strbuf_add(ret, scan->at, 2);
			scan->at += 2;
		} else {
			strbuf_addstr(ret, *scan->at == '\\' ? "\\" : "");
			strbuf_addch(ret, *scan->at++);
		}
	}
	strbuf_addch(ret, '"');
	scan->at++;
	return true;
}

static bool scan_string(struct scan *scan)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t feeds;
	bool has_end = take_string(scan, &text, &feeds);
	struct level *level = top(scan);

	if (!has_end)
		return false;
	if (level->close == '}' && !level->awaits_value) {
		strbuf_reset(&scan->key);
		strbuf_add(&scan->key, text.buf, text.len);
	} else {
		add_value(scan, text.buf, text.len);
	}
	strbuf_addchars(scan->out, '\n', feeds);
	return true;
}

/* ---- numbers and words */

/* By the grammar of RFC 8259, and within what json.h reads. */
static bool is_number(const char *text, size_t len)
{
	char copy[MAX_NUMBER_BYTES + 1];
	const char *at = copy;
	size_t digits;
	double value;

	if (len > MAX_NUMBER_BYTES)
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	at += *at == '-';
	digits = strspn(at, "0123456789");
	if (!digits || (*at == '0' && digits > 1))
		return false;
	at += digits;
	if (*at == '.') {
		digits = strspn(++at, "0123456789");
		at += digits;
	}
	if (digits && (*at == 'e' || *at == 'E')) {
		at++;
		at += *at == '-' || *at == '+';
		digits = strspn(at, "0123456789");
		at += digits;
	}
	return digits && !*at && !parse_f64(copy, &value);
}

/* One at the end of the text may be cut: it is kept once something follows it. */
static bool scan_number(struct scan *scan)
{
	size_t len = strspn(scan->at, "+-.0123456789eE"), whole = scan->whole;
	unsigned whole_depth = scan->whole_depth;
	bool is_last = !scan->at[len] && scan->line + 1 == scan->nr;

	if (!is_last && scan->at[len] && !strchr(" ,:]}#/<", scan->at[len]))
		return false;
	if (is_number(scan->at, len))
		add_value(scan, scan->at, len);
	else
		add_value(scan, "null", 4);
	if (is_last) {
		scan->whole = whole;
		scan->whole_depth = whole_depth;
	}
	scan->at += len;
	return true;
}

static bool scan_literal(struct scan *scan)
{
	static const struct { const char *word, *is; } words[] = {
		{ "true", "true" }, { "True", "true" }, { "false", "false" }, { "False", "false" }, { "null", "null" },
		{ "None", "null" }, { "NaN", "null" }, { "nan", "null" }, { "-nan", "null" }, { "inf", "null" },
		{ "-inf", "null" }, { "Infinity", "null" }, { "-Infinity", "null" },
	};
	size_t len = strspn(scan->at, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_@");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) != len || strncmp(scan->at, words[i].word, len) != 0)
			continue;
		add_value(scan, words[i].is, strlen(words[i].is));
		scan->at += len;
		return true;
	}
	return false;
}

/* ---- brackets */

static bool open_bracket(struct scan *scan)
{
	if (scan->depth == JSON_MAX_DEPTH || !begin_value(scan))
		return false;
	strbuf_addch(scan->out, *scan->at);
	scan->levels[scan->depth++] = (struct level){ .close = *scan->at++ == '{' ? '}' : ']' };
	note_whole(scan);
	return true;
}

/* What is open inside is closed with it. */
static bool close_bracket(struct scan *scan)
{
	unsigned depth = scan->depth;

	while (depth && scan->levels[depth - 1].close != *scan->at)
		depth--;
	if (!depth)
		return false;
	while (scan->depth >= depth)
		strbuf_addch(scan->out, scan->levels[--scan->depth].close);
	strbuf_reset(&scan->key);
	note_whole(scan);
	scan->at++;
	return true;
}

/* ---- a document */

/* "... ", "[…]", "<snip>", "// as expected", "<-- here?", "# 8 here": what people put in between. */
static bool is_remark(const struct scan *scan)
{
	const char *text = scan->lines[scan->line].text;

	if (*scan->at == '<' || (*scan->at == '/' && scan->at[1] == '/'))
		return true;
	return *scan->at == '#' && scan->at != text + strspn(text, " ");
}

/* false: here it ends. */
static bool scan_token(struct scan *scan)
{
	switch (*scan->at) {
	case '{': case '[':
		return open_bracket(scan);
	case '}': case ']':
		return close_bracket(scan) && scan->depth;
	case '"':
		return scan_string(scan);
	case ':':
		top(scan)->awaits_value = top(scan)->close == '}' && scan->key.len;
		scan->at++;
		return true;
	case ' ': case ',': case '.':
		scan->at++;
		return true;
	default:
		break;
	}
	if (!strncmp(scan->at, "\xe2\x80\xa6", 3)) {	/* the character of three dots */
		scan->at += 3;
		return true;
	}
	if (is_remark(scan)) {
		scan->at += strlen(scan->at);
		return true;
	}
	if (is_digit(*scan->at) || (*scan->at == '-' && is_digit(scan->at[1])))
		return scan_number(scan);
	return scan_literal(scan);
}

/* Blank lines at its end are none of it. */
static size_t lines_read(const struct scan *scan)
{
	const struct dump_line *lines = scan->lines;
	size_t nr = scan->line;

	/* It ended in this line, or before it. */
	if (nr < scan->nr && scan->at != lines[nr].text + strspn(lines[nr].text, " "))
		nr++;
	while (nr > 1 && !*lines[nr - 1].text)
		nr--;
	return nr ? nr : 1;
}

bool json_scan(const struct dump_line *lines, size_t nr, struct json_scan *ret)
{
	struct scan scan = { .lines = lines, .nr = nr, .key = STRBUF_INIT, .out = &ret->out };
	bool goes_on;

	*ret = (struct json_scan){ .out = STRBUF_INIT };
	scan.at = json_scan_start(lines, nr);
	if (!scan.at)
		return false;
	do {
		goes_on = true;
		if (*scan.at)
			goes_on = scan_token(&scan);
		else if (!next_line(&scan))
			goes_on = false;
		else
			strbuf_addch(scan.out, '\n');
	} while (goes_on);
	ret->nr_lines = lines_read(&scan);
	ret->nr_open = scan.depth;
	strbuf_release(&scan.key);
	if (!scan.depth)
		return true;
	strbuf_setlen(scan.out, scan.whole);
	while (scan.whole_depth)
		strbuf_addch(scan.out, scan.levels[--scan.whole_depth].close);
	return true;
}
