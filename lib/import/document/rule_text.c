// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/rule_text.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_LINES = 60,       /* of a rule */
	MOST_CHARACTERS = 600, /* of a line of it */
};

/* How far a key is indented, behind the dash of a list. */
static size_t indent_of(const char *text)
{
	return strspn(text, " -");
}

/* Where the keys end that are indented as far as this one or further: the next rule begins with a dash before. */
static size_t end_of_keys(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t indent = indent_of(lines[i].text), end = i + 1;

	while (end < nr && end - i < MOST_LINES && *lines[end].text && strspn(lines[end].text, " ") >= indent)
		end++;
	return end;
}

/* A message that an alert sends has no expression. */
static bool is_alert(const struct dump_line *lines, size_t i, size_t end)
{
	for (size_t k = i + 1; k < end; k++)
		if (text_begins(past_blanks(lines[k].text), "expr: "))
			return true;
	return false;
}

/* "ansible.builtin.fail:": a module's full name, alone. */
static bool is_module(const char *text)
{
	const char *first = text + indent_of(text);
	size_t len = strlen(first);

	return len > 4 && first[len - 1] == ':' && text_begins(first, "ansible.") && !strchr(first, ' ');
}

/* "description": "Shows lines like …": who has no subject tells what something is for. */
static bool is_description(const char *text)
{
	static const char *const verbs[] = { "Shows ", "Detects ", "Matches ", "Fires ", "Counts ", "Alerts ",
					     "Finds ", "Lists ", "Triggers ", "Lines ", "Panel ", "Searches " };
	static const char key[] = "description";
	const char *at = strstr(text, key);

	if (!at)
		return false;
	at += strlen(key);
	at += strspn(at, "\": ");
	return text_begins_any(at, verbs, ARRAY_SIZE(verbs));
}

/* {job="kernel"} |= `…`: a query of Loki's. */
static bool is_query(const char *text)
{
	static const char *const operators[] = { "} |= ", "} |~ " };

	return strchr(text, '{') && text_has_any(text, operators, ARRAY_SIZE(operators));
}

bool rule_text_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		const char *text = lines[i].text;
		size_t end = 0;

		if (strnlen(text, MOST_CHARACTERS) == MOST_CHARACTERS)
			continue;
		if (text_begins(text + indent_of(text), "alert: ")) {
			end = end_of_keys(lines, nr, i);
			end = is_alert(lines, i, end) ? end : 0;
		} else if (is_module(text)) {
			end = end_of_keys(lines, nr, i);
		} else if (is_description(text) || is_query(text)) {
			end = i + 1;
		}
		if (!end)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
