// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/resolved.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { HEAD_LINES = 16 };	/* its title, date and machine */

/*
 * "**Status**: ✅ Resolved — no hardware damage", "- **Status:** resolved": in bold, as a head has it. Of a tracker's own
 * "Status: Resolved" the end may be that nobody was asked again: solved.h asks for more.
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

/* What was found and done; and what would say that it is not over. */
static bool has_chapters(const struct dump_line *lines, size_t nr)
{
	static const char *const told[] = { "Root Cause", "Root cause", "root cause", "Resolution", "Fix" };
	static const char *const goes_on[] = { "Update", "update", "again", "Recurr", "recurr", "Reopen", "Still",
					       "Open ", "Outstanding" };
	bool ret = false;

	for (size_t i = 0; i < nr; i++) {
		if (!is_heading(lines[i].text))
			continue;
		if (text_has_any(lines[i].text, goes_on, ARRAY_SIZE(goes_on)))
			return false;
		ret |= text_has_any(lines[i].text, told, ARRAY_SIZE(told));
	}
	return ret;
}

bool resolved_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	size_t seen = 0;
	bool has_title = false;

	if (from)
		return false;
	for (size_t i = 0; i < nr && seen < HEAD_LINES; i++) {
		const char *text = lines[i].text;

		seen += *text != '\0';
		has_title |= is_heading(text);
		if (!says_resolved(text))
			continue;
		*ret = (struct left_out){ .begin = 0, .end = nr };
		return has_title && has_chapters(lines, nr);
	}
	return false;
}
