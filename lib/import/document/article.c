// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/article.h"

#include "base/text.h"
#include "base/text_scan.h"

/* A ticket that quotes an article has its own words above it. */
enum { MOST_ABOVE = 8 };	/* lines that are not empty: title and navigation */

/* Below the title: Red Hat's "Solution Verified - Updated June 13 2024", SUSE's and Micro Focus' disclaimer. */
static bool is_mark(const char *text)
{
	static const char *const begins[] = { "Solution Verified - Updated", "Solution Unverified - Updated",
					      "Solution In Progress - Updated" };

	return text_begins_any(text, begins, ARRAY_SIZE(begins)) ||
	       (text_begins(text, "This document (") &&
		strstr(text, ") is provided subject to the disclaimer at the end of this document"));
}

/* "Environment", and below it the vendor's product; a template of a tracker has what its reader uses there. */
static bool is_environment(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const products[] = { "Red Hat ", "SUSE " };

	if (strcmp(past_blanks(lines[i].text), "Environment") != 0)
		return false;
	while (++i < nr && !*lines[i].text)
		;
	return i < nr && text_has_any(lines[i].text, products, ARRAY_SIZE(products));
}

static bool has_line(const struct dump_line *lines, size_t nr, size_t from, const char *words)
{
	for (size_t i = from; i < nr; i++)
		if (!strcmp(past_blanks(lines[i].text), words))
			return true;
	return false;
}

/* Where the page's marks were lost: its headings, each alone in its line. */
static bool has_sections(const struct dump_line *lines, size_t nr, size_t from)
{
	for (size_t i = from; i < nr; i++)
		if (is_environment(lines, nr, i))
			return has_line(lines, nr, i, "Resolution") &&
			       (has_line(lines, nr, from, "Issue") || has_line(lines, nr, from, "Situation"));
	return false;
}

bool article_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	bool is_article = false;

	for (size_t i = from, above = 0; i < nr && above <= MOST_ABOVE && !is_article; i++) {
		is_article = is_mark(past_blanks(lines[i].text));
		above += *lines[i].text != '\0';
	}
	if (!is_article && !has_sections(lines, nr, from))
		return false;
	*ret = (struct left_out){ .begin = from, .end = nr };
	return true;
}
