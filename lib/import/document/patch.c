// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * patch.c - what git has below a change's message: trailers ("Signed-off-by: Name <address>",
 * git-interpret-trailers(1)), and in a mail "---" and which files were changed.
 */
#include "base/compat.h"
#include "import/document/patch.h"

#include "base/text.h"

enum {
	MOST_TRAILERS = 40,	/* lines between the first and the change */
	MOST_LINES = 400,	/* of a message */
};

/* Without marks of quoting that stand deeper than those of the text around. */
static const char *bare(const char *text)
{
	return text + strspn(text, " >");
}

/* Others' messages begin behind these. */
static bool ends_another(const char *text)
{
	static const char *const heads[] = { "Subject: ", "commit ", "From: ", "Date: ", "Author: " };
	size_t len = strlen(text);

	return text_begins_any(text, heads, ARRAY_SIZE(heads)) || (len > 7 && !strcmp(text + len - 7, " wrote:")) ||
	       strstr(text, " schrieb ") || strstr(text, " a écrit") || strstr(text, "写道");
}

static bool is_signature(const char *text)
{
	const char *at = *text == 'S' && text_begins(text, "Signed-off-by: ") ? strchr(text, '<') : NULL;

	return at && strchr(at, '@') && strchr(at, '>');
}

static bool is_trailer(const char *text)
{
	static const char *const trailers[] = { "Signed-off-by: ", "Fixes: ", "Reviewed-by: ", "Acked-by: ",
						"Tested-by: ", "Link: ", "Closes: ", "Cc: ", "Reported-by: ",
						"Suggested-by: ", "Co-developed-by: " };

	return text_begins_any(text, trailers, ARRAY_SIZE(trailers));
}

static bool is_change(const char *text)
{
	return !strcmp(text, "---") || text_begins(text, "diff --git ") || strstr(text, " file changed, ") ||
	       strstr(text, " files changed, ");
}

/* Where the trailers end that begin with a signature or have one below them; 0: it is no patch's. */
static size_t trailers_end(const struct dump_line *lines, size_t nr, size_t first)
{
	size_t nr_trailers = 0, i = first;
	bool is_signed = false;

	for (; i < nr && i - first < MOST_TRAILERS; i++) {
		const char *text = bare(lines[i].text);

		if (is_signed && is_change(text))
			return i;
		if (*text && !is_trailer(text))
			break;
		is_signed |= is_signature(text);
		nr_trailers += *text != '\0';
	}
	return is_signed && nr_trailers > 1 ? i : 0;
}

/* As a rule there is none: then no line is looked at twice. */
static bool has_signature(const struct dump_line *lines, size_t nr, size_t from)
{
	for (size_t i = from; i < nr; i++)
		if (is_signature(bare(lines[i].text)))
			return true;
	return false;
}

/* "6.12-stable review patch.  If anyone has any objections, please let me know.", "[ Upstream commit 9ab498155293 ]" */
static bool begins_review(const char *text)
{
	return strstr(text, "-stable review patch.") || (text_begins(text, "[ Upstream commit ") && strchr(text, ']'));
}

/* Its trailers may have been cut off: all of it, up to the change. */
static bool review_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		if (!begins_review(bare(lines[i].text)))
			continue;
		*ret = (struct left_out){ .begin = i, .end = i + 1 };
		while (ret->end < nr && ret->end - i < MOST_LINES && !is_change(bare(lines[ret->end].text)))
			ret->end++;
		return true;
	}
	return false;
}

bool patch_message_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	size_t begin = from;

	if (!has_signature(lines, nr, from))
		return review_next(lines, nr, from, ret);
	for (size_t i = from; i < nr; i++) {
		const char *text = bare(lines[i].text);
		size_t end = is_trailer(text) ? trailers_end(lines, nr, i) : 0;

		if (end) {
			*ret = (struct left_out){ .begin = begin, .end = end };
			return true;
		}
		if (ends_another(text))
			begin = i + 1;
	}
	return false;
}
