// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/article.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/line.h"

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

/* "9.2", "7,", "(RHEL)", "8.x" */
static bool is_version(const char *word, size_t len)
{
	return is_digit(*word) ? strspn(word, "0123456789.,x") >= len : *word == '(';
}

/*
 * "Red Hat Enterprise Linux 8 and 9", "SUSE Linux Enterprise Server 15 SP4 for SAP Applications", and nothing of
 * anybody's own.
 */
static bool is_product(const char *text)
{
	static const char *const products[] = { "Red Hat ", "SUSE " };
	static const char *const joining[] = { "and", "or", "for" };
	const char *word;
	size_t len;

	text = past_blanks(text);
	text += text_begins(text, "- ") || text_begins(text, "* ") ? 2 : 0;
	if (!text_begins_any(text, products, ARRAY_SIZE(products)))
		return false;
	while ((word = scan_word(&text, &len)), len)
		if (!(*word >= 'A' && *word <= 'Z') && !is_version(word, len) &&
		    !text_word_is_any(word, len, joining, ARRAY_SIZE(joining)))
			return false;
	return true;
}

/* "Environment", and below it the vendor's product; a template of a tracker has what its reader uses there. */
static bool is_environment(const struct dump_line *lines, size_t nr, size_t i)
{
	if (strcmp(past_blanks(lines[i].text), "Environment") != 0)
		return false;
	while (++i < nr && !*lines[i].text)
		;
	return i < nr && is_product(lines[i].text);
}

/* nr: there is none. */
static size_t line_of(const struct dump_line *lines, size_t nr, size_t from, const char *words)
{
	while (from < nr && strcmp(past_blanks(lines[from].text), words) != 0)
		from++;
	return from;
}

/* An article's examples have no time, or one that nobody asks for; a ticket's lines tell when it was. */
static bool has_stamp(const struct dump_line *lines, size_t from, size_t to)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line = { .level = -1 };

	for (size_t i = from; i < to && !line.time.has_boot && !line.time.has_wall; i++)
		klog_line_parse(&context, span_of(lines[i].text), &line);
	klog_line_context_release(&context);
	return line.time.has_boot || line.time.has_wall;
}

/* Where the page's marks were lost: its headings, each alone in its line. Trackers have such headings, too. */
static bool has_sections(const struct dump_line *lines, size_t nr, size_t from)
{
	size_t environment = from, issue, resolution;

	while (environment < nr && !is_environment(lines, nr, environment))
		environment++;
	if (environment == nr)
		return false;
	resolution = line_of(lines, nr, environment, "Resolution");
	issue = line_of(lines, nr, from, "Issue");
	issue = issue < nr ? issue : line_of(lines, nr, from, "Situation");
	return resolution < nr && issue < nr && !has_stamp(lines, issue < resolution ? issue : resolution, resolution);
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
