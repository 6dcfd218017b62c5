// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/manual.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/cues.h"
#include "import/readers.h"

enum { NEAR = 4 };	/* lines that are not empty, between an error and what is said about it */

static bool is_failure(const struct dump_line *line)
{
	return dump_cues(line->text) && (smi_failure_begins(line, 1) != BEGINS_NOT || rocm_failure_begins(line, 1) != BEGINS_NOT);
}

/* "#### Possible Solutions", "**Solution**: Restart …", "* **Causa:** …": marked as a heading, or alone in its line. */
static bool is_remedy(const char *text)
{
	static const char *const words[] = { "possible solution", "solution", "fix", "possible cause", "cause", "common cause",
					     "resolution", "causa", "solución", "ursache", "lösung", "解决", "解決", "原因" };
	const char *first = text + strspn(text, " *-#_0123456789.");
	bool is_marked = memchr(text, '#', (size_t)(first - text)) || (first - text >= 2 && !strncmp(first - 2, "**", 2));
	size_t len;

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

/* "If you see:", "如果报错，类似：": the lines below are what may be seen. */
static bool is_condition(const char *text)
{
	static const char *const words[] = { "if you ", "if the ", "if `", "if nvidia-smi", "如果", "若", "もし", "если ", "falls " };
	const char *first = text + strspn(text, " *-#0123456789.");
	size_t len = strlen(text);

	if (!len || (text[len - 1] != ':' && (len < 3 || strcmp(text + len - 3, "：") != 0)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncasecmp(first, words[i], strlen(words[i])))
			return true;
	return false;
}

/* "The login nodes do not have GPUs": who starts a tool there is told just what a node without its driver tells. */
static bool says_login_has_none(const char *text)
{
	static const char *const none[] = { "not have GPU", "not have a GPU", "not have any GPU", "have no GPU", "has no GPU",
					    "without GPU", "without a GPU", "no GPUs", "no GPU on", "n't have GPU", "n't have a GPU",
					    "n't have any GPU" };

	return strstr(text, "ogin") && text_has_any(text, none, ARRAY_SIZE(none));
}

/* The error that stands at most so many lines above or below; nr_lines if none does. */
static size_t failure_near(const struct dump_line *lines, size_t nr, size_t from, size_t i, bool is_above)
{
	size_t near = 0;

	for (size_t k = is_above ? i - 1 : i + 1; k < nr && k >= from && near < NEAR; k += is_above ? (size_t)-1 : 1) {
		if (!*lines[k].text)
			continue;
		if (is_failure(&lines[k]))
			return k;
		near++;
	}
	return nr;
}

bool manual_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	bool has_none = false;

	for (size_t i = 0; i < nr && !has_none; i++)
		has_none = says_login_has_none(lines[i].text);
	for (size_t i = from; i < nr; i++) {
		bool is_above = is_remedy(lines[i].text);
		size_t at = nr;

		if (has_none && is_failure(&lines[i]))
			at = i;
		else if (is_above || is_condition(lines[i].text))
			at = failure_near(lines, nr, from, i, is_above);
		if (at < nr) {
			*ret = (struct left_out){ .begin = at, .end = at + 1 };
			return true;
		}
	}
	return false;
}
