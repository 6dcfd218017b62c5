// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/manual.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/cues.h"

enum {
	NEAR = 4,	/* lines that are not empty, between an error and what is said about it */
	MOST_BELOW = 60,	/* lines of an example */
};

static bool is_failure(const struct dump_line *line)
{
	static const enum dump_kind kinds[] = { DUMP_SMI_FAILURE, DUMP_ROCM_FAILURE };

	return dump_line_begins(line->text, kinds, ARRAY_SIZE(kinds));
}

/* "#### Possible Solutions", "**Solution**: Restart …", "* **Causa:** …": marked as a heading, or alone in its line. */
static bool is_remedy(const char *text)
{
	static const char *const words[] = { "possible solution", "solution", "fix", "possible cause", "cause", "common cause",
					     "resolution", "causa", "solución", "ursache", "lösung", "解决", "解決", "原因",
					     "해결", "원인" };
	const char *first = text + strspn(text, " *-#_0123456789.");
	bool is_marked = memchr(text, '#', (size_t)(first - text)) || (first - text >= 2 && !strncmp(first - 2, "**", 2));
	size_t len;

	if (!strchr("PpSsFfCcRrUuLl", *first) && (unsigned char)*first < 0x80)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		len = strlen(words[i]);
		if (strncasecmp(first, words[i], len) != 0)
			continue;
		first += len;
		first += *first == 's';
		first += strspn(first, "*_ ");
		return is_marked ? !is_letter_or_digit(*first) : *first == ':' && !first[1];
	}
	return false;
}

/*
 * "If you see:", "You may get the following error:", "如果报错，类似：": the lines below are what may be seen, and no machine's.
 * "If you need more, see the log:" has its verb elsewhere.
 */
static bool is_condition(const char *text)
{
	static const char *const subjects[] = { "if you ", "If you ", "you may ", "You may ", "you might ", "You might ",
						"you should ", "You should " };
	static const char *const verbs[] = { "see:", "get:", "see the following", "get the following", "see something like",
					     "see an error", "see a message", "get an error", "encounter ", "observe ", "receive ",
					     "see output like", "see output similar", "see a line like", "see lines like",
					     "see errors like", "see this error", "get this error" };
	size_t len = strlen(text);

	if (!len || (text[len - 1] != ':' && (len < 3 || strcmp(text + len - 3, "：") != 0)))
		return false;
	if (text_begins(past_blanks(text), "如果") && (strstr(text, "报错") || strstr(text, "出现") || strstr(text, "看到")))
		return !strstr(text, "我");
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		const char *at = strstr(text, subjects[i]);

		if (at && text_begins_any(at + strlen(subjects[i]), verbs, ARRAY_SIZE(verbs)))
			return true;
	}
	return false;
}

/* "# Example output", and below it the output as comments. */
static bool is_example(const char *text)
{
	static const char *const words[] = { "xample output", "xpected output", "ample output", "xample:" };

	return *past_blanks(text) == '#' && text_has_any(text, words, ARRAY_SIZE(words));
}

static bool comments_below(const struct dump_line *lines, size_t nr, size_t i, struct left_out *ret)
{
	size_t end = i + 1;

	while (end < nr && *past_blanks(lines[end].text) == '#' && end - i < MOST_BELOW)
		end++;
	*ret = (struct left_out){ .begin = i + 1, .end = end };
	return end > i + 1;
}

/* The lines below, up to one that is empty; none if there are many. */
static bool block_below(const struct dump_line *lines, size_t nr, size_t i, struct left_out *ret)
{
	size_t begin = i + 1, end;

	while (begin < nr && begin - i < NEAR && !*lines[begin].text)
		begin++;
	for (end = begin; end < nr && *lines[end].text; end++)
		if (end - begin == MOST_BELOW)
			return false;
	*ret = (struct left_out){ .begin = begin, .end = end };
	return end > begin;
}

/* Is there one, behind the word or below it? Templates of trackers ask for it, and it stays empty or is not known. */
static bool is_filled_in(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const empty[] = { "_No response_", "N/A", "None", "Unknown", "unknown", "?", "##", "**", "TBD" };
	const char *behind = strpbrk(lines[i].text, ":：");

	behind = behind ? behind + strspn(behind, ":* ") : "";
	while (!*behind && ++i < nr)
		behind = past_blanks(lines[i].text);
	return *behind && !text_begins_any(behind, empty, ARRAY_SIZE(empty));
}

/* The error that stands at most so many lines above; nr_lines if none does. */
static size_t failure_above(const struct dump_line *lines, size_t nr, size_t from, size_t i)
{
	for (size_t near = 0; i-- > from && near < NEAR;) {
		if (!*lines[i].text)
			continue;
		if (is_failure(&lines[i]))
			return i;
		near++;
	}
	return nr;
}

bool manual_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t at = nr;

		if (is_remedy(lines[i].text) && is_filled_in(lines, nr, i))
			at = failure_above(lines, nr, from, i);
		if (at < nr) {
			*ret = (struct left_out){ .begin = at, .end = at + 1 };
			return true;
		}
		if (is_condition(lines[i].text) && block_below(lines, nr, i, ret))
			return true;
		if (is_example(lines[i].text) && comments_below(lines, nr, i, ret))
			return true;
	}
	return false;
}
