// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/fence.h"

#include "base/text.h"
#include "base/text_scan.h"

static bool begins_fence(const char *text)
{
	text = past_blanks(text);
	return !strncmp(text, "```", 3) || !strncmp(text, "~~~", 3);
}

/* "```NVRM: …```": where the marks behind a sentence begin; NULL: there are none, or one word alone is before them. */
static const char *end_marks(const char *text)
{
	const char *at, *end = text + strlen(text);

	if (!begins_fence(text))
		return NULL;
	text = past_blanks(text);
	text += strspn(text, "`~ ");
	while (end > text && end[-1] == ' ')
		end--;
	for (at = end; at > text && at[-1] == '`'; at--)
		continue;
	return end - at >= 3 && memchr(text, ' ', (size_t)(at - text)) ? at : NULL;
}

bool fence_is(const char *text)
{
	if (!begins_fence(text) || end_marks(text))
		return false;
	text = past_blanks(text) + 3;
	text += strspn(text, "`~ ");
	return !*text || is_letter_or_digit(*text) || *text == '{';
}

const char *fence_past_glued(char *text)
{
	const bool is_glued = begins_fence(text) && !fence_is(text);
	const char *end = is_glued ? end_marks(text) : NULL;

	if (end)
		text[end - text] = '\0';
	return is_glued ? text + strspn(text, " `~") : text;
}

/* An empty line need not have the blanks; one that has fewer is outside, and the fences are no pair. */
static bool are_indented(const struct dump_line *lines, size_t nr, size_t indent)
{
	for (size_t i = 0; i < nr; i++)
		if (*lines[i].text && strspn(lines[i].text, " ") < indent)
			return false;
	return true;
}

static void move_back(struct dump_line *line, size_t indent)
{
	if (!*line->text)
		return;
	line->text += indent;
	if (line->tabbed && strspn(line->tabbed, " ") >= indent)
		line->tabbed += indent;
}

void fence_next(struct fence *fence, struct dump_line *lines, size_t i, const char *raw)
{
	size_t indent = strspn(raw, " ");
	bool has_name = is_letter_or_digit(raw[indent + strspn(raw + indent, "`~ ")]), is_pair;

	is_pair = fence->is_open && fence->indent == indent && !has_name;
	if (is_pair && indent && are_indented(&lines[fence->at + 1], i - fence->at - 1, indent))
		for (size_t k = fence->at + 1; k < i; k++)
			move_back(&lines[k], indent);
	*fence = (struct fence){ .at = i, .indent = indent, .is_open = !is_pair };
}
