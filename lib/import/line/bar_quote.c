// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/bar_quote.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { FEWEST = 2 };	/* lines */

static bool is_quoted(const char *text)
{
	return *text == '|' && (!text[1] || text[1] == ' ');
}

/* Lines drawn above, between and below rows, and rows of another form. */
static bool is_of_table(const char *text)
{
	return *past_blanks(text) == '+' || strchr(text, '|');
}

static bool begins_quoted_table(const char *text)
{
	return text_begins(text, "| |") || text_begins(text, "| +-");
}

static bool is_row(const char *text)
{
	return text[1] && text[strlen(text) - 1] == '|' && !begins_quoted_table(text);
}

/* A table that is quoted has two bars, and what no table holds has one. */
static bool is_no_row(const char *text)
{
	return text[1] && (begins_quoted_table(text) || (text[2] != ' ' && !strchr(text + 1, '|')));
}

static bool is_quotation(const struct dump_line *lines, size_t nr, size_t begin, size_t end)
{
	/* No table ends with a bar alone. */
	bool is_closed = !lines[end - 1].text[1], ret = false;

	if (end - begin < FEWEST || (begin && is_of_table(lines[begin - 1].text)) ||
	    (end < nr && !is_closed && is_of_table(lines[end].text)))
		return false;
	for (size_t i = begin; i < end; i++) {
		if (is_row(lines[i].text))
			return false;
		ret |= is_no_row(lines[i].text);
	}
	return ret;
}

static void strip(struct dump_line *line)
{
	size_t len = line->text[1] ? 2 : 1;

	if (line->tabbed && strlen(line->tabbed) >= len)
		line->tabbed += len;
	line->text += len;
}

void bar_quote_undo(struct dump_line *lines, size_t nr)
{
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && is_quoted(lines[end].text); end++)
			continue;
		if (end > i && is_quotation(lines, nr, i, end))
			for (size_t k = i; k < end; k++)
				strip(&lines[k]);
		end += end == i;
	}
}
