// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/remedies.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/document/stamp.h"
#include "import/words/sentence.h"

enum {
	LEAST = 2, /* of a list: one alone may be a ticket's */
	MOST_LINES = 200,
};

/* Nothing but the chapter's name: "Troubleshooting gpu07" is of one machine. */
static bool is_chapter(const char *text)
{
	static const char *const names[] = { "FAQ", "Troubleshooting", "Frequently asked questions", "Common errors",
					    "Common issues", "Common problems" };
	size_t level = strspn(text, "#");

	if (!level || text[level] != ' ')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(past_blanks(text + level), names[i]))
			return true;
	return false;
}

/* Behind "- **Error**", or NULL. */
static const char *behind_bold(const char *text)
{
	const char *first = text + strspn(text, " "), *end;

	if (strchr("-*+", *first) && first[0] && first[1] == ' ')
		first = past_blanks(first + 1);
	if (!text_begins(first, "**") || !(end = strstr(first + 2, "**")))
		return NULL;
	return end + 2;
}

/* What to do, as one is told to; what was done is told in other forms. */
static bool is_remedy(const char *text)
{
	static const char *const verbs[] = { "restart", "reboot", "reseat", "reinstall", "run", "check",
					    "install",	"load",	  "update", "upgrade",	 "use", "set" };
	static const char *const told[] = { "did",   "still",	"again", "no change", "no luck", "help",   "not yet",
					   "tried", "since", "fail",	"then it",   "today",	"rebooted", "I ", "we " };

	if (sentence_has_any(span_of(text), told, ARRAY_SIZE(told)) || text[strcspn(text, "?")])
		return false;
	for (const char *at = text; at; at = strstr(at, ". ")) {
		at += text_begins(at, ". ") ? strlen(". ") : 0;
		for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
			if (!strncasecmp(at, verbs[i], strlen(verbs[i])) && !is_letter_or_digit(at[strlen(verbs[i])]))
				return true;
	}
	return false;
}

/* The end of the item that stands there with its remedy, on the line or below it; 0: it is none. */
static size_t end_of_item(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const signs[] = { "-", "–", "—", ":", "->", "→" };
	const char *behind = past_blanks(behind_bold(lines[i].text));

	for (size_t k = 0; k < ARRAY_SIZE(signs); k++)
		if (text_begins(behind, signs[k]) && behind[strlen(signs[k])] == ' ')
			return is_remedy(past_blanks(behind + strlen(signs[k]))) ? i + 1 : 0;
	return !*behind && i + 1 < nr && is_remedy(past_blanks(lines[i + 1].text)) ? i + 2 : 0;
}

/* Where the list below a chapter's heading ends; 0: there is none, or a log stands in it. */
static size_t end_of_list(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t nr_items = 0, at = i + 1, end;

	while (at < nr && at - i < MOST_LINES && *lines[at].text != '#') {
		if (!*lines[at].text) {
			at++;
			continue;
		}
		end = behind_bold(lines[at].text) ? end_of_item(lines, nr, at) : 0;
		if (!end)
			break;
		nr_items++;
		at = end;
	}
	/* Who writes more below it, as what came, writes of a machine. */
	if (at < nr && *lines[at].text != '#' && (stamp_begins(lines[at].text) || behind_bold(lines[at].text)))
		return 0;
	return nr_items >= LEAST ? at : 0;
}

bool remedies_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t end = is_chapter(lines[i].text) ? end_of_list(lines, nr, i) : 0;

		if (!end)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
