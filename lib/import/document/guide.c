// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/guide.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/line/node_name.h"
#include "import/line/prompt.h"
#include "import/words/sentence.h"

enum {
	MOST_LINES = 600,  /* a longer text has a log in it */
	MOST_OF_HEAD = 16, /* lines of what a page has above its title for the site that shows it */
	LONGEST_NAME = 64,
};

/* Without the marks of a heading, a list or a numbered step. */
static const char *past_marks(const char *text)
{
	size_t len = strspn(text, " #*=-+>_");
	size_t digits = strspn(text + len, "0123456789");

	if (digits && (text[len + digits] == '.' || text[len + digits] == ')') && text[len + digits + 1] == ' ')
		len += digits + 2;
	return text + len;
}

/* ---- what it is about */

/*
 * "title: Node is not ready" between lines "---": what a site builds its pages of. A ticket and a report of what
 * happened have whose they are or when they were written there, too, and a tracker's form an empty one.
 */
static const char *title_of_head(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const of_cases[] = {
		"name:", "labels:", "assignees:", "state:", "number:", "author:", "date:" };
	const char *title = NULL;

	for (size_t k = i + 1; k < nr && k - i < MOST_OF_HEAD; k++) {
		const char *text = lines[k].text;

		if (!strcmp(text, "---"))
			return title && !title[strcspn(title, "0123456789")] ? title : NULL;
		if (text_has_any(text, of_cases, ARRAY_SIZE(of_cases)))
			return NULL;
		if (text_begins(text, "title: ") && is_letter_or_digit(text[strlen("title: ")]))
			title = text + strlen("title: ");
	}
	return NULL;
}

/* "Operations runbook: slurmd", "Disk runbook"; an alert and a mail name one. */
static bool is_of_runbook(const char *text)
{
	static const char *const words[] = { "Subject", "://", "lert" };
	const char *at = strcasestr(text, "runbook");

	return at && (at == text || !at[strlen("runbook")] || at[strlen("runbook")] == ':') &&
	       !text_has_any(text, words, ARRAY_SIZE(words));
}

/*
 * Of a class of troubles. "Troubleshooting Xid 79 of gpu07" and "Troubleshooting session" are of one, and "How to fix
 * this?" is asked.
 */
static bool is_title(const char *text)
{
	static const char *const begins[] = {
		"How to ",	 "Troubleshooting", "Interpreting ", "Understanding ",	  "Replacing a ",
		"Common errors", "Common problems", "Common issues", "Frequently asked ", "FAQ",
		"Example: a ",	 "Example: an " };
	static const char *const of_cases[] = {
		"How to reproduce", "How to recreate", "How to trigger", "How to repeat", " notes",
		" session",	    " taken",	       " report",	 " week",	  " month" };
	static const char *const words[] = { "cheat sheet", "cheatsheet", "FAQ:" };
	size_t len = strlen(text);

	if (!len || text[strcspn(text, "0123456789")] || (text[len - 1] == '?' && !strstr(text, "FAQ")) ||
	    text_has_any(text, of_cases, ARRAY_SIZE(of_cases)))
		return false;
	return text_begins_any(text, begins, ARRAY_SIZE(begins)) || is_of_runbook(text) ||
	       sentence_has_any(span_of(text), words, ARRAY_SIZE(words)) ||
	       (len > strlen(" utility") && !strcmp(text + len - strlen(" utility"), " utility"));
}

/* "Use sinfo -R:", "If that does not help, …", "You can free space by …" */
static bool is_instruction(const char *text)
{
	static const char *const begins[] = {
		"If you ",  "If your ",	 "If it ",   "If that ",   "If the ",  "In that case", "In this example",
		"Check ",   "Use ",	 "Run `",    "Remove ",	   "Replace ", "Then ",	       "Copy ",
		"You can ", "Look at ",	 "Verify ",  "Make sure ", "Disable ", "Enable ",      "Restart ",
		"Install ", "Identify ", "See the ", "See above",  "See also", "Go to " };
	static const char *const parts[] = { " you can ", " you will ", " in that case" };
	const char *first = past_marks(text);

	return text_begins_any(first, begins, ARRAY_SIZE(begins)) || text_has_any(text, parts, ARRAY_SIZE(parts));
}

static bool has_instruction(const struct dump_line *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (is_instruction(lines[i].text))
			return true;
	return false;
}

/* "Example:", "## Examples" */
static bool has_example(const struct dump_line *lines, size_t nr)
{
	static const char *const heads[] = { "Example",	 "Example:",	   "Examples",
					    "Examples:", "Example output", "Example output:" };

	for (size_t i = 0; i < nr; i++)
		if (text_is_any(past_marks(lines[i].text), heads, ARRAY_SIZE(heads)))
			return true;
	return false;
}

/* | Condition | Meaning | */
static bool is_table_of_meanings(const char *text)
{
	static const char *const columns[] = { "Meaning", "Explanation" };

	return *text == '|' && sentence_has_any(span_of(text), columns, ARRAY_SIZE(columns));
}

/* * `Link detected: no (No cable)` - nothing is plugged in */
static bool is_explained(const char *text)
{
	const char *first = past_blanks(text), *end;

	if (!*first || !strchr("*-", *first) || first[1] != ' ' || first[2] != '`')
		return false;
	end = strchr(first + 3, '`');
	return end && (text_begins(end + 1, " - ") || text_begins(end + 1, ": "));
}

/* "Description: Displays the status of sensors." of a command's reference; a form has other words there. */
static bool is_description(const char *text)
{
	static const char *const verbs[] = { "Displays ", "Shows ", "Lists ", "Prints ", "Returns ", "Gets ", "Sets " };

	return text_begins(text, "Description: ") &&
	       text_begins_any(text + strlen("Description: "), verbs, ARRAY_SIZE(verbs));
}

/* What messages mean, or what a command does. */
static bool is_reference(const struct dump_line *lines, size_t nr)
{
	size_t nr_explained = 0;

	for (size_t i = 0; i < nr; i++) {
		if (is_table_of_meanings(lines[i].text) || is_description(lines[i].text))
			return true;
		nr_explained += is_explained(lines[i].text);
	}
	return nr_explained > 1;
}

/* ---- whose it is */

/* A sentence of people's, and no line that a tool printed. */
static bool is_prose(const char *text)
{
	size_t len = strlen(text), nr_blanks = 0;
	const char *first = past_marks(text);

	for (const char *at = first; *at; at++)
		nr_blanks += *at == ' ' && at[1] != ' ';
	return len && nr_blanks > 2 && strspn(text, " ") < 4 && (is_letter_or_digit(*first) || *first == '`') &&
	       strchr(".:!?", text[len - 1]);
}

static bool names_node(const char *text)
{
	char name[LONGEST_NAME];

	for (const char *at = text; *at;) {
		size_t len = node_name_len(at), own = len;

		while (own && strchr(".-_", at[own - 1]))
			own--;
		if (own > 2 && own < sizeof(name)) {
			memcpy(name, at, own);
			name[own] = '\0';
			if (node_name_is_sure(name))
				return true;
		}
		at += len;
		at += *at != '\0';
	}
	return false;
}

/* A heading of a list of them is none. */
static bool is_question(const char *text)
{
	size_t len = strlen(text);

	return len && is_letter_or_digit(*text) && text[len - 1] == '?';
}

/* "[root@3ff4ca99a474 work]#": a container's number, which is no machine's name. */
static bool is_of_container(const char *text)
{
	enum { SHORTEST = 12 };
	const char *name = strchr(text, '@');

	return name && strspn(name + 1, "0123456789abcdef") >= SHORTEST;
}

/* Of somebody who has the trouble, or of what happened. */
static bool is_of_case(const char *text)
{
	static const char *const words[] = {
		"I ",	       "I'm ",	       "I've ",	      "we ",	      "we've ",	    "my ",	"our ",
		"me ",	       "us ",	       "please",      "thanks",	      "hello",	    "hi all",	"attached",
		"yesterday",   "today",	       "tonight",     "this morning", "last night", "tried",	"happened",
		"incident",    "post-mortem",  "postmortem",  "ticket",	      "outage",	    "any help", "advice",
		"was drained", "was replaced", "was rebooted" };
	const char *command = strchr(text, '@') && !is_of_container(text) ? prompt_command(text) : NULL;

	return command || sentence_has_any(span_of(text), words, ARRAY_SIZE(words)) ||
	       (is_prose(text) && names_node(text));
}

/* The first line is its title, which may be a question. */
static bool is_of_any_case(const struct dump_line *lines, size_t nr)
{
	if (names_node(lines->text))
		return true;
	for (size_t i = 0; i < nr; i++)
		if (is_of_case(lines[i].text) || (i && is_question(lines[i].text)))
			return true;
	return false;
}

/* Its title and what it tells to do or what messages mean; ".. _disk-full:", as reStructuredText calls a page. */
static bool is_guide(const struct dump_line *lines, size_t nr, size_t i)
{
	const struct dump_line *below = &lines[i + 1];
	const char *text = lines[i].text, *title = NULL;
	size_t nr_below = nr - i - 1;

	if (text_begins(text, ".. _"))
		return true;
	if (!strcmp(text, "---"))
		title = title_of_head(lines, nr, i);
	else if (is_title(past_marks(text)))
		title = past_marks(text);
	if (title && has_instruction(below, nr_below))
		return true;
	return (title || has_example(below, nr_below)) && is_reference(&lines[i], nr_below + 1);
}

bool guide_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	size_t at = from;

	while (at < nr && !*lines[at].text)
		at++;
	if (at == nr || nr - at > MOST_LINES || !is_guide(lines, nr, at) || is_of_any_case(&lines[at], nr - at))
		return false;
	*ret = (struct left_out){ .begin = from, .end = nr };
	return true;
}
