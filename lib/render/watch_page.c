// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/watch_page.h"

#include "base/text.h"

/* ECMA-48: to the upper left corner; clear to the end of the line; clear to the end of the screen. */
#define CURSOR_HOME "\x1b[H"
#define CLEAR_LINE "\x1b[K"
#define CLEAR_REST "\x1b[J"

void page_open(struct page *page, struct strbuf *out, size_t columns, size_t rows, bool colour, bool ascii)
{
	*page = (struct page){
		.term = { .out = out, .columns = columns ? columns : 1, .colour = colour, .ascii = ascii },
		.rows = rows ? rows : 1,
	};
	strbuf_addstr(out, CURSOR_HOME);
}

void page_close(struct page *page)
{
	if (page->row < page->rows)
		strbuf_addstr(page->term.out, CLEAR_REST);
}

/* Characters of two columns or of none, as far as names of processes have any: a line would be longer than it seems. */
static bool is_of_one_column(uint32_t character)
{
	static const struct { uint32_t from, to; } others[] = {
		{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05c7 }, { 0x0610, 0x061a }, { 0x064b, 0x065f },
		{ 0x0670, 0x0670 }, { 0x06d6, 0x06ed }, { 0x0900, 0x0dff }, { 0x0e31, 0x0eff }, { 0x0f00, 0x109f },
		{ 0x1100, 0x11ff }, { 0x1700, 0x18ff }, { 0x1ab0, 0x1cff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x20d0, 0x20ff }, { 0x231a, 0x231b }, { 0x2329, 0x232a },
		{ 0x23e9, 0x23fa }, { 0x25fd, 0x25fe }, { 0x2600, 0x27bf }, { 0x2b1b, 0x2b55 }, { 0x2e80, 0xa4cf },
		{ 0xa802, 0xabff }, { 0xac00, 0xdfff }, { 0xf900, 0xfaff }, { 0xfe00, 0xffef },
	};

	if (character >= 0x10000)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (character >= others[i].from && character <= others[i].to)
			return false;
	return true;
}

static void clean(const struct page *page, struct strbuf *ret, const char *text)
{
	STRBUF_AUTO harmless = STRBUF_INIT;
	const char *end;

	term_clean(&page->term, &harmless, text);
	end = harmless.buf + harmless.len;
	for (const char *at = harmless.buf; at < end;) {
		const char *from = at;

		if (is_of_one_column(utf8_take(&at)))
			strbuf_add(ret, from, (size_t)(at - from));
		else
			strbuf_addch(ret, '?');
	}
}

/* The bytes of its first columns. */
static size_t bytes_of(const char *text, size_t columns)
{
	const char *at = text;

	while (*at && columns--)
		utf8_take(&at);
	return (size_t)(at - text);
}

void page_put(struct page *page, enum style style, const char *text)
{
	size_t room = page->term.columns - page->term.at;
	STRBUF_AUTO fit = STRBUF_INIT;

	if (page->row == page->rows)
		return;
	clean(page, &fit, text);
	strbuf_setlen(&fit, bytes_of(fit.buf, room));
	fit.buf[fit.len] = '\0';
	term_put(&page->term, style, fit.buf);
}

void page_cell(struct page *page, enum style style, const char *text, size_t width, bool right)
{
	STRBUF_AUTO harmless = STRBUF_INIT;
	STRBUF_AUTO fit = STRBUF_INIT;
	STRBUF_AUTO blank = STRBUF_INIT;

	clean(page, &harmless, text);
	term_clean_cut(&page->term, &fit, harmless.buf, width);
	strbuf_addchars(&blank, ' ', width - utf8_columns(fit.buf));
	if (right)
		page_put(page, STYLE_PLAIN, blank.buf);
	page_put(page, style, fit.buf);
	if (!right)
		page_put(page, STYLE_PLAIN, blank.buf);
}

void page_end_line(struct page *page)
{
	if (page->row == page->rows)
		return;
	/* Behind a full line the cursor still stands on its last character, which would go. */
	if (page->term.at < page->term.columns)
		strbuf_addstr(page->term.out, CLEAR_LINE);
	page->row++;
	page->term.at = 0;
	if (page->row < page->rows)
		strbuf_addstr(page->term.out, "\r\n");
}

/* ---- wrapped text */

static void wrap(const struct page *page, struct strbuf *ret, size_t hang, const char *text)
{
	struct term_writer term = { .out = ret, .columns = page->term.columns, .ascii = page->term.ascii };
	STRBUF_AUTO harmless = STRBUF_INIT;

	clean(page, &harmless, text);
	/* A margin that leaves no room for words is none. */
	if (hang * 2 > term.columns)
		hang = 0;
	if (hang) {
		size_t first = bytes_of(harmless.buf, hang);
		bool is_lead = harmless.len >= hang && strspn(harmless.buf, " ") < first;

		/* What stands in the margin of the first line: "Next: ". */
		if (is_lead && harmless.buf[first - 1] == ' ') {
			strbuf_add(ret, harmless.buf, first);
			term.at = hang;
			term_flow(&term, hang, harmless.buf + first);
			term_end_line(&term);
			return;
		}
	}
	term_flow(&term, hang, harmless.buf);
	term_end_line(&term);
}

size_t page_lines_of(const struct page *page, size_t hang, const char *text)
{
	STRBUF_AUTO wrapped = STRBUF_INIT;
	size_t lines = 0;

	wrap(page, &wrapped, hang, text);
	for (size_t i = 0; i < wrapped.len; i++)
		lines += wrapped.buf[i] == '\n';
	return lines;
}

void page_flow(struct page *page, enum style style, size_t hang, const char *text, size_t most)
{
	STRBUF_AUTO wrapped = STRBUF_INIT;
	char *line, *next;

	wrap(page, &wrapped, hang, text);
	for (line = wrapped.buf; most && *line; line = next, most--) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (most == 1 && *next) {
			STRBUF_AUTO longer = STRBUF_INIT;

			strbuf_addf(&longer, "%s %s", line, next + strspn(next, " "));
			page_cell(page, style, longer.buf, page->term.columns, false);
		} else {
			page_put(page, style, line);
		}
		page_end_line(page);
	}
}

enum style watch_style(enum bottleneck word)
{
	if (word == BOTTLENECK_NOT_JUDGED || (size_t)word >= NR_BOTTLENECKS)
		return STYLE_UNKNOWN;
	switch (bottleneck_defs[word].counts) {
	case COUNTS_FAULT:
		return STYLE_FAIL;
	case COUNTS_REMOVABLE:
		return STYLE_WARN;
	default:
		return STYLE_PASS;
	}
}
