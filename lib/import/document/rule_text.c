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

/* pattern: "…", "regex": "…",: of a list of rules, as the node problem detector has one. */
static bool is_pattern(const char *text)
{
	static const char *const keys[] = { "pattern", "regex", "regexp" };
	const char *key = text + indent_of(text);
	bool is_quoted = *key == '"';
	size_t len;

	key += is_quoted;
	len = strcspn(key, "\": ");
	return text_word_is_any(key, len, keys, ARRAY_SIZE(keys)) &&
	       text_begins(key + len, is_quoted ? "\": \"" : ": ");
}

/* "uncorrectable ECC error -> open a case": an error, and what is done about it. A log's arrow has no words before it. */
static bool is_mapped(const char *text)
{
	const char *arrow = strstr(text, " -> "), *first = past_blanks(text);

	return arrow && is_letter_or_digit(*first) && memchr(first, ' ', (size_t)(arrow - first)) &&
	       is_letter_or_digit(arrow[strlen(" -> ")]) && !text_has_clock(text, arrow);
}

/* "apiVersion: v1", "kind: ConfigMap", and below "data:" a block of text in which each line maps an error to an action. */
static size_t end_of_config_map(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t begin = i + 1, end;

	if (strcmp(lines[i].text, "kind: ConfigMap") != 0)
		return 0;
	while (begin < nr && begin - i < MOST_LINES && strcmp(lines[begin].text, "data:") != 0)
		begin++;
	if (begin == nr || begin - i == MOST_LINES)
		return 0;
	for (end = begin + 1; end < nr && end - i < MOST_LINES && *lines[end].text == ' '; end++) {
		const char *text = lines[end].text;
		size_t len = strlen(text);
		bool is_key = text[len - 1] == '|' || !strcmp(text + len - (len > 1) - 1, "|-") || *past_blanks(text) == '#';

		if (!is_key && !is_mapped(text))
			return 0;
	}
	return end > begin + 2 ? end : 0;
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
		} else if (text_begins(text, "kind: ")) {
			end = end_of_config_map(lines, nr, i);
		} else if (is_description(text) || is_query(text) || is_pattern(text)) {
			end = i + 1;
		}
		if (!end)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
