// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/test_data.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_LINES = 400,      /* of a table or record */
	MOST_CHARACTERS = 600, /* of a line: what has more is a text in a string */
	MOST_FIELDS = 6,       /* of a record in one line each */
	FARTHEST = 60,	       /* lines between an input and what is expected of it */
};

/*
 * "input,expected_code,expected_severity": nothing but names, of a line and of what is expected of it.
 * "host,expected_gpus,…" is a check's.
 */
static bool is_head_of_table(const char *text)
{
	static const char *const lines[] = { "input", "line", "log", "message", "text", "raw", "sample" };
	static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ \",;";
	const char *expected = strpbrk(text, ",;") ? strstr(text, "xpected") : NULL;

	return expected && !text[strspn(text, names)] &&
	       text_begins_any(text + (*text == '"'), lines, ARRAY_SIZE(lines));
}

static size_t end_of_table(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t end = i + 1;

	while (end < nr && *lines[end].text && end - i < MOST_LINES)
		end++;
	return end;
}

/* "input: |", "log: >-": lines of text are below, which are indented further. */
static bool is_head_of_text(const char *text)
{
	size_t len = strlen(text);
	const char *first = text + strspn(text, " -"), *sign = strchr(first, ':');

	if (len < 4 || !strchr("|>-", text[len - 1]) || !sign || (size_t)(sign - first) > 32)
		return false;
	return sign[1] == ' ' && strchr("|>", sign[2]) && strlen(sign) <= 4;
}

/* One word that begins with one of these, and a colon. */
static bool has_key(const char *text, const char *const *keys, size_t nr)
{
	const char *first = text + strspn(text, " -#");

	return text_begins_any(first, keys, nr) &&
	       first[strspn(first, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == ':';
}

/* "expected_code: fatal", "want: 79"; a ticket's "Expected behavior:" is of more than one word. */
static bool is_expectation(const char *text)
{
	static const char *const keys[] = { "expected", "expect", "want" };

	return has_key(text, keys, ARRAY_SIZE(keys));
}

/* "found: 7": a check ran on a machine, and tells both. */
static bool is_result(const char *text)
{
	static const char *const keys[] = { "found", "actual", "got", "observed", "seen", "current", "node",
					    "host" };

	return has_key(text, keys, ARRAY_SIZE(keys));
}

/* Do these lines, but for a text's own, tell what is expected, and not what was found? */
static bool are_of_test(const struct dump_line *lines, size_t nr, size_t begin, const struct left_out *text)
{
	bool ret = false;

	for (size_t k = begin; k < nr && k < text->end + FARTHEST; k++) {
		if (k >= text->begin && k < text->end)
			continue;
		if (is_result(lines[k].text))
			return false;
		ret |= is_expectation(lines[k].text);
	}
	return ret;
}

/* line: "…", and what is expected of it in one of the next keys of its record. */
static bool is_field(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t indent = strspn(lines[i].text, " -");
	bool ret = false;

	if (!indent || !strstr(lines[i].text, ": ") || !strpbrk(lines[i].text, "\"'"))
		return false;
	for (size_t k = i + 1; k < nr && k - i < MOST_FIELDS && strspn(lines[k].text, " ") == indent; k++) {
		if (is_result(lines[k].text))
			return false;
		ret |= is_expectation(lines[k].text);
	}
	return ret;
}

/* Where the text ends if its record tells what is expected, above or below it; 0: it does not. */
static size_t end_of_input(const struct dump_line *lines, size_t nr, size_t i)
{
	size_t indent = strspn(lines[i].text, " "), end = i + 1, begin = i > FARTHEST ? i - FARTHEST : 0;

	while (end < nr && end - i < MOST_LINES && (!*lines[end].text || strspn(lines[end].text, " ") > indent))
		end++;
	return are_of_test(lines, nr, begin, &(struct left_out){ .begin = i, .end = end }) ? end : 0;
}

/* "Running test_parse with input: …" */
static bool is_step(const char *text)
{
	static const char *const inputs[] = { " with input: ", " with input '", " with input \"" };

	if (strnlen(text, MOST_CHARACTERS) == MOST_CHARACTERS)
		return false;
	return strstr(text, " with input") && strcasestr(text, "test") &&
	       text_has_any(text, inputs, ARRAY_SIZE(inputs));
}

/*
 * "    def test_xid(self):": what is indented further is the test's. What a runner prints of one that failed begins
 * with its own marks, further left.
 */
static size_t end_of_test(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *head = past_blanks(lines[i].text);
	size_t indent = (size_t)(head - lines[i].text), end = i + 1;

	if (!text_begins(head, "def test_") && !text_begins(head, "async def test_"))
		return 0;
	while (end < nr && end - i < MOST_LINES && (!*lines[end].text || strspn(lines[end].text, " ") > indent))
		end++;
	return end;
}

bool test_data_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t end = 0;

		if (is_head_of_text(lines[i].text))
			end = end_of_input(lines, nr, i);
		else if (is_head_of_table(lines[i].text))
			end = end_of_table(lines, nr, i);
		else if (strstr(lines[i].text, "def test_"))
			end = end_of_test(lines, nr, i);
		else if (is_step(lines[i].text) || is_field(lines, nr, i))
			end = i + 1;
		if (!end)
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}
