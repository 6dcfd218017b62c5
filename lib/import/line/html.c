// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html.c - a text as a web page or a chat's export has it: lines that end with <br>, in <pre>, <p> or <div>, with
 * <code> and <span> in them, and characters as entities. Tags of other names, as in XML, and "<unknown>" of the kernel,
 * stay.
 */
#include "base/compat.h"
#include "import/dump/dump.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LONGEST_NAME = 10, LONGEST_TAG = 400 };

/* The length of a page's tag, 0: it is none. *ret_is_line: a line ends there. */
static size_t tag_len(const char *at, bool *ret_is_line)
{
	static const char *const of_lines[] = { "br", "p", "div", "pre", "li", "tr", "table", "tbody", "thead", "html", "body", "blockquote",
						"codeblock", "h1", "h2", "h3", "h4" };
	static const char *const in_lines[] = { "code", "span", "b", "i", "em", "strong", "font", "tt", "samp", "td",
						"th", "ul", "ol", "a" };
	const char *name = at + 1 + (at[1] == '/');
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), tag;

	if (!len || len > LONGEST_NAME || !strchr(" />", name[len]) || !name[len])
		return 0;
	*ret_is_line = text_word_is_any(name, len, of_lines, ARRAY_SIZE(of_lines));
	if (!*ret_is_line && !text_word_is_any(name, len, in_lines, ARRAY_SIZE(in_lines)))
		return 0;
	tag = strnlen(at, LONGEST_TAG);
	at = memchr(name, '>', tag - (size_t)(name - at));
	return at ? (size_t)(at - name) + (size_t)(name[-1] == '/') + 2 : 0;
}

static bool is_of_page(const struct dump_line *lines, size_t nr)
{
	static const char *const signs[] = { "<br", "</pre>", "</p>", "</div>", "</code>", "</span>", "</td>" };

	for (size_t i = 0; i < nr; i++)
		if (strchr(lines[i].text, '<') && text_has_any(lines[i].text, signs, ARRAY_SIZE(signs)))
			return true;
	return false;
}

struct page {
	struct arena *arena;
	struct dump_line *lines;
	size_t nr;
	struct strbuf text;	/* of the line at hand, without its tags */
	unsigned nr_cells;	/* of a row in it, beside the first; 0: no row */
	uint64_t row_number;	/* of the line that its first cell numbered */
};

/*
 * "17 |     Driver Version …": trackers show code as a table whose first column numbers the lines. Where the text
 * begins; 0: no such row.
 */
static size_t behind_number(struct page *page)
{
	const char *at = page->text.buf;
	bool fits = true;
	uint64_t number;

	if (page->nr_cells != 1)
		return 0;
	at += strspn(at, " ");
	if (!scan_u64(&at, 10, &number, &fits) || !fits || strncmp(at + strspn(at, " "), "| ", 2) != 0 ||
	    (number != page->row_number + 1 && number != 1))
		return 0;
	page->row_number = number;
	return (size_t)(at + strspn(at, " ") + 2 - page->text.buf);
}

/* What was one line in the file keeps its number. Where a tag of XML is left, entities are what keeps it from text. */
static void end_line(struct page *page, const struct dump_line *line)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	const bool has_tags = strchr(page->text.buf, '<');
	const size_t from = behind_number(page);
	const bool is_row = page->nr_cells && !from;

	if (is_row)
		strbuf_addstr(&clean, "| ");
	for (const char *at = page->text.buf + from, *end = page->text.buf + page->text.len; at < end;)
		if (*at != '&' || has_tags || !dump_take_entity(&at, end, &clean))
			strbuf_addch(&clean, *at++);
	while (clean.len && clean.buf[clean.len - 1] == ' ')
		strbuf_setlen(&clean, clean.len - 1);
	if (is_row)
		strbuf_addstr(&clean, " |");
	page->nr_cells = 0;
	page->lines = arena_grow(page->arena, page->lines, page->nr, sizeof(*page->lines));
	page->lines[page->nr] = *line;
	page->lines[page->nr].text = arena_strdup(page->arena, clean.buf);
	page->lines[page->nr++].tabbed = NULL;
	strbuf_setlen(&page->text, 0);
}

/* "| a | b |", as other tables are. The first may be empty, as where a page has numbers of lines. */
static void begin_cell(struct page *page)
{
	page->nr_cells++;
	strbuf_addstr(&page->text, " | ");
}

static void take_line(struct page *page, const struct dump_line *line)
{
	bool is_line, is_any = false;

	for (const char *at = line->text; *at;) {
		size_t len = *at == '<' ? tag_len(at, &is_line) : 0;

		if (!len) {
			strbuf_addch(&page->text, *at++);
			continue;
		}
		if (page->text.len && (text_begins(at, "<td") || text_begins(at, "<th")))
			begin_cell(page);
		at += len;
		/* Nothing stands between "</p>" and "<p>". */
		if (is_line && page->text.len) {
			end_line(page, line);
			is_any = true;
		}
	}
	if (page->text.len || !is_any)
		end_line(page, line);
}

struct dump_line *dump_unfold_html(struct arena *arena, struct dump_line *lines, size_t *nr)
{
	struct page page = { .arena = arena, .text = STRBUF_INIT };

	if (!is_of_page(lines, *nr))
		return lines;
	for (size_t i = 0; i < *nr; i++)
		take_line(&page, &lines[i]);
	strbuf_release(&page.text);
	*nr = page.nr;
	return page.lines;
}

/* "&#39;", "&#x27;": what one sees in ASCII, and the no-break space. */
static bool take_number(const char **at, const char *end, struct strbuf *out)
{
	const char *digits = *at + 2;
	int base = 10;
	uint64_t value;
	bool fits = true;

	if (end - *at < 4 || (*at)[1] != '#')
		return false;
	if (*digits == 'x' || *digits == 'X') {
		digits++;
		base = 16;
	}
	if (!scan_u64(&digits, base, &value, &fits) || !fits || digits >= end || *digits != ';')
		return false;
	if (value != 0xa0 && (value < ' ' || value > '~'))
		return false;
	strbuf_addch(out, value == 0xa0 ? ' ' : (char)value);
	*at = digits + 1;
	return true;
}

bool dump_take_entity(const char **at, const char *end, struct strbuf *out)
{
	static const struct { const char *name; char is; } entities[] = {
		{ "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' }, { "&apos;", '\'' },
		{ "&nbsp;", ' ' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
		size_t len = strlen(entities[i].name);

		if ((size_t)(end - *at) < len || memcmp(*at, entities[i].name, len) != 0)
			continue;
		strbuf_addch(out, entities[i].is);
		*at += len;
		return true;
	}
	return take_number(at, end, out);
}
