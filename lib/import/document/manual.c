// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/manual.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/kind/cues.h"

enum { NEAR = 4 };	/* lines that are not empty, between an error and what is said about it */

/* A program's error has a cause in tickets, too: only where its remedy is given nobody waits for one. */
static bool is_failure(const struct dump_line *line, bool has_cause_alone)
{
	static const enum dump_kind kinds[] = { DUMP_SMI_FAILURE, DUMP_ROCM_FAILURE, DUMP_PROGRAM_ERROR };

	return dump_line_begins(line->text, kinds, ARRAY_SIZE(kinds) - has_cause_alone);
}

/* "#### Possible Solutions", "**Solution**: Restart …", "* **Causa:** …": marked as a heading, or alone in its line. */
static bool is_remedy(const char *text)
{
	static const char *const words[] = { "possible solution", "solution", "fix", "possible cause", "cause",
					     "common cause", "resolution", "causa", "solución", "ursache", "lösung",
					     "解决", "解決", "原因", "해결", "원인" };
	const char *first = text + strspn(text, " *-#_0123456789.");
	bool is_marked =
		memchr(text, '#', (size_t)(first - text)) || (first - text >= 2 && !strncmp(first - 2, "**", 2));
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

static bool is_cause(const char *text)
{
	static const char *const words[] = { "cause", "causa", "ursache", "原因", "원인" };
	size_t row;

	return text_find_row(text, words, sizeof(*words), ARRAY_SIZE(words), true, &row) != NULL;
}

/* Is there one, behind the word or below it? Templates of trackers ask for it, and it stays empty or is not known. */
static bool is_filled_in(const struct dump_line *lines, size_t nr, size_t i)
{
	static const char *const empty[] = { "_No response_", "N/A", "None", "none", "Unknown", "unknown", "?", "##", "**",
					     "TBD", "not yet", "Not yet", "no ", "No ", "pending", "Pending" };
	/* It was tried, and did not do. */
	static const char *const vain[] = { "came back", "comes back", "again", "still", "for a while", "for a day",
					    "did not help", "didn't help", "until ", "waiting", "replaced" };
	const char *behind = strpbrk(lines[i].text, ":：");

	behind = behind ? behind + strspn(behind, ":* ") : "";
	while (!*behind && ++i < nr)
		behind = past_blanks(lines[i].text);
	return *behind && !text_begins_any(behind, empty, ARRAY_SIZE(empty)) &&
	       !text_has_any(behind, vain, ARRAY_SIZE(vain));
}

/* The error that stands at most so many lines above; nr_lines if none does. */
static size_t failure_above(const struct dump_line *lines, size_t nr, size_t from, size_t i)
{
	bool has_cause_alone = is_cause(lines[i].text);

	for (size_t near = 0; i-- > from && near < NEAR;) {
		if (!*lines[i].text)
			continue;
		if (is_failure(&lines[i], has_cause_alone))
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
	}
	return false;
}
