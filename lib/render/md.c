// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/md.h"

#include "base/text_scan.h"

/* "#12", "GH-12" */
static bool has_number_after(const char *word, const char *sign)
{
	for (const char *at = strstr(word, sign); at; at = strstr(at + 1, sign))
		if (is_digit(at[strlen(sign)]))
			return true;
	return false;
}

/* Mentions, links, issues, formulas and emoji of GitHub. */
static bool is_read_into(const char *word)
{
	const char *colon = strchr(word, ':');

	return strpbrk(word, "@$") || strstr(word, "://") || strstr(word, "www.") || has_number_after(word, "#") ||
	       has_number_after(word, "GH-") || (colon && strchr(colon + 1, ':'));
}

/* ---- code */

static size_t longest_run(const char *text, char of)
{
	size_t longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == of ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* Between more backticks than it has in a row; blanks keep its own from them. */
static void add_code(struct md *md, const char *clean)
{
	size_t fence = longest_run(clean, '`') + 1, len = strlen(clean);
	bool padded;

	if (!len)
		return;
	padded = clean[0] == '`' || clean[len - 1] == '`' || (clean[0] == ' ' && clean[len - 1] == ' ');
	strbuf_addchars(md->out, '`', fence);
	strbuf_addstr(md->out, padded ? " " : "");
	for (; *clean; clean++) {
		if (md->in_table && *clean == '|')
			strbuf_addch(md->out, '\\');
		strbuf_addch(md->out, *clean);
	}
	strbuf_addstr(md->out, padded ? " " : "");
	strbuf_addchars(md->out, '`', fence);
}

void md_code(struct md *md, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	render_clean(&clean, text, md->ascii);
	add_code(md, clean.buf);
}

void md_command(struct md *md, size_t indent, const char *command)
{
	enum { LEAST_FENCE = 3 };
	STRBUF_AUTO clean = STRBUF_INIT;
	size_t fence;

	render_clean(&clean, command, md->ascii);
	fence = longest_run(clean.buf, '`') + 1;
	fence = fence < LEAST_FENCE ? LEAST_FENCE : fence;
	strbuf_addchars(md->out, ' ', indent);
	strbuf_addchars(md->out, '`', fence);
	strbuf_addstr(md->out, "sh\n");
	strbuf_addchars(md->out, ' ', indent);
	strbuf_addf(md->out, "%s\n", clean.buf);
	strbuf_addchars(md->out, ' ', indent);
	strbuf_addchars(md->out, '`', fence);
	strbuf_addch(md->out, '\n');
}

/* ---- text */

/* An underscore within a word marks nothing: names stay as they are written. */
static bool is_markup(const char *word, const char *at)
{
	if (*at == '_')
		return at == word || !is_letter_or_digit(at[-1]) || !is_letter_or_digit(at[1]);
	return strchr("\\`*[]#~|", *at);
}

static void add_plain(struct strbuf *out, const char *word)
{
	for (const char *at = word; *at; at++) {
		switch (*at) {
		case '&': strbuf_addstr(out, "&amp;"); break;
		case '<': strbuf_addstr(out, "&lt;"); break;
		case '>': strbuf_addstr(out, "&gt;"); break;
		default:
			if (is_markup(word, at))
				strbuf_addch(out, '\\');
			strbuf_addch(out, *at);
			break;
		}
	}
}

/* A first word that begins a list or underlines a heading: "1.", "-", "===". */
static void add_beginning(struct strbuf *out, const char **text)
{
	size_t digits = strspn(*text, "0123456789");
	char sign = (*text)[digits];

	strbuf_add(out, *text, digits);
	*text += digits;
	if ((!digits && sign && strchr("-+=", sign)) || (digits && sign && strchr(".)", sign) && !(*text)[1]))
		strbuf_addch(out, '\\');
}

/* As code, but for the brackets and points around it. */
static void add_word_as_code(struct md *md, const char *word)
{
	static const char before[] = "([\"", after[] = ")],.;:\"";
	size_t from = strspn(word, before), to = strlen(word);
	STRBUF_AUTO part = STRBUF_INIT;

	while (to > from && strchr(after, word[to - 1]))
		to--;
	strbuf_add(&part, word, from);
	add_plain(md->out, part.buf);
	strbuf_reset(&part);
	strbuf_add(&part, word + from, to - from);
	add_code(md, part.buf);
	add_plain(md->out, word + to);
}

void md_text(struct md *md, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	const char *at;
	size_t len;

	render_clean(&clean, text, md->ascii);
	at = clean.buf + strspn(clean.buf, " ");
	for (bool first = true; *at; at += len, first = false) {
		STRBUF_AUTO word = STRBUF_INIT;
		const char *rest;

		if (*at == ' ') {
			strbuf_addch(md->out, ' ');
			at += strspn(at, " ");
		}
		len = strcspn(at, " ");
		strbuf_add(&word, at, len);
		rest = word.buf;
		if (is_read_into(rest)) {
			add_word_as_code(md, rest);
			continue;
		}
		if (first)
			add_beginning(md->out, &rest);
		add_plain(md->out, rest);
	}
}

/* ---- tables */

void md_table_open(struct md_table *table, struct arena *arena, const char *const *heads, size_t nr_columns)
{
	*table = (struct md_table){ .arena = arena, .nr_columns = nr_columns };
	md_table_add(table, heads);
}

void md_table_add(struct md_table *table, const char *const *cells)
{
	const char **row = arena_alloc(table->arena, table->nr_columns * sizeof(*row));

	for (size_t i = 0; i < table->nr_columns; i++)
		row[i] = cells[i] ? cells[i] : "";
	table->rows = arena_grow(table->arena, table->rows, table->nr_rows, sizeof(*table->rows));
	table->rows[table->nr_rows++] = row;
}

static bool is_shown(const struct md_table *table, size_t column)
{
	for (size_t i = 1; i < table->nr_rows; i++)
		if (*table->rows[i][column])
			return true;
	return false;
}

static void put_row(const struct md_table *table, struct strbuf *out, const char *const *cells)
{
	strbuf_addch(out, '|');
	for (size_t i = 0; i < table->nr_columns; i++)
		if (is_shown(table, i))
			strbuf_addf(out, " %s%s|", cells ? cells[i] : "---", !cells || *cells[i] ? " " : "");
	strbuf_addch(out, '\n');
}

void md_table_put(const struct md_table *table, struct strbuf *out)
{
	if (table->nr_rows < 2)
		return;
	put_row(table, out, table->rows[0]);
	put_row(table, out, NULL);
	for (size_t i = 1; i < table->nr_rows; i++)
		put_row(table, out, table->rows[i]);
	strbuf_addch(out, '\n');
}

const char *md_cell(struct arena *arena, const char *text, bool ascii)
{
	STRBUF_AUTO cell = STRBUF_INIT;
	struct md md = { .out = &cell, .ascii = ascii, .in_table = true };

	md_text(&md, text ? text : "");
	return arena_strdup(arena, cell.buf);
}

const char *md_code_cell(struct arena *arena, const char *text, bool ascii)
{
	STRBUF_AUTO cell = STRBUF_INIT;
	struct md md = { .out = &cell, .ascii = ascii, .in_table = true };

	md_code(&md, text ? text : "");
	return arena_strdup(arena, cell.buf);
}
