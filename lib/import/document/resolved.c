// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/resolved.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/line/prompt.h"

enum { HEAD_LINES = 16 }; /* its title, date and machine */

/*
 * "**Status**: ✅ Resolved — no hardware damage", "- **Status:** resolved": in bold, as a head has it. Of a tracker's
 * own "Status: Resolved" the end may be that nobody was asked again: solved.h asks for more.
 */
static bool says_resolved(const char *text)
{
	static const char status[] = "**Status", resolved[] = "Resolved";
	const char *at = text + strspn(text, " -*|>");

	at -= at >= text + 2 && at[-1] == '*' && at[-2] == '*' ? 2 : 0;
	if (strncasecmp(at, status, strlen(status)) != 0)
		return false;
	at += strlen(status);
	if (strcspn(at, ":|") > strspn(at, "* "))
		return false;
	/* Behind a sign or an emoji. */
	while (*at && (!is_letter_or_digit(*at) || (unsigned char)*at >= 0x80))
		at++;
	return !strncasecmp(at, resolved, strlen(resolved)) && !is_letter_or_digit(at[strlen(resolved)]) &&
	       !strcasestr(at, "not ") && !strchr(at, '?');
}

static bool is_heading(const char *text)
{
	text = past_blanks(text);
	return *text == '#' && (text[1] == '#' || text[1] == ' ');
}

/* Does a heading say that it is not over? */
static bool goes_on(const struct dump_line *lines, size_t from, size_t to)
{
	static const char *const words[] = { "Update", "update", "again", "Recurr",     "recurr",
					    "Reopen", "Still",	"Open ", "Outstanding" };

	for (size_t i = from; i < to; i++)
		if (is_heading(lines[i].text) && text_has_any(lines[i].text, words, ARRAY_SIZE(words)))
			return true;
	return false;
}

/* What was found and done. */
static bool has_chapters(const struct dump_line *lines, size_t nr)
{
	static const char *const told[] = { "Root Cause", "Root cause", "root cause", "Resolution", "Fix" };

	for (size_t i = 0; i < nr; i++)
		if (is_heading(lines[i].text) && text_has_any(lines[i].text, told, ARRAY_SIZE(told)))
			return !goes_on(lines, 0, nr);
	return false;
}

/* "## Driver mismatch ✅ RESOLVED", "## Lost GPU: resolved": behind a sign, as "unresolved" and "not resolved" have
 * none. */
static bool is_heading_resolved(const char *text)
{
	static const char resolved[] = "resolved";
	size_t len = strlen(text);
	const char *word;

	if (!is_heading(text) || len < strlen(resolved) + 4)
		return false;
	word = text + len - strlen(resolved);
	if (strcasecmp(word, resolved) != 0 || word[-1] != ' ')
		return false;
	return (unsigned char)word[-2] >= 0x80 || strchr(":-", word[-2]);
}

/* "**Resolved 2026-07-25 by a reboot.**": when it was, in bold. */
static bool is_dated(const char *text)
{
	static const char begins[] = "**Resolved ";

	text = past_blanks(text);
	return text_begins(text, begins) && strspn(text + strlen(begins), "0123456789") == 4 &&
	       text[strlen(begins) + 4] == '-';
}

/* "### 2026-12-01: a new fault", "2026-12-01 gpu07 has it once more": of another day. */
static bool begins_day(const char *text)
{
	return text_begins_like(text + strspn(text, " #*-"), "0000-00-00");
}

/*
 * A chapter whose heading says so, and below it when: it ends where one of its level begins, a day, or a prompt. What
 * may come of the same cause later is often told in it; that it came again is in a heading.
 */
static bool chapter_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t level, below = i + 1, end;

		if (!strchr(" #", *lines[i].text) || !is_heading_resolved(lines[i].text))
			continue;
		while (below < nr && !*lines[below].text)
			below++;
		if (below == nr || !is_dated(lines[below].text))
			continue;
		level = strspn(past_blanks(lines[i].text), "#");
		for (end = below; end < nr; end++)
			if ((is_heading(lines[end].text) && strspn(past_blanks(lines[end].text), "#") <= level) ||
			    (end > below && begins_day(lines[end].text)) || prompt_command(lines[end].text))
				break;
		if (goes_on(lines, below, end))
			continue;
		*ret = (struct left_out){ .begin = i, .end = end };
		return true;
	}
	return false;
}

bool resolved_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	size_t seen = 0;
	bool has_title = false;

	if (from)
		return chapter_next(lines, nr, from, ret);
	for (size_t i = 0; i < nr && seen < HEAD_LINES; i++) {
		const char *text = lines[i].text;

		seen += *text != '\0';
		has_title |= is_heading(text);
		if (!says_resolved(text))
			continue;
		*ret = (struct left_out){ .begin = 0, .end = nr };
		if (has_title && has_chapters(lines, nr))
			return true;
		break;
	}
	return chapter_next(lines, nr, from, ret);
}
