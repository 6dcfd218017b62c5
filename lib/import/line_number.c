// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line_number.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/prefix.h"

enum {
	FEWEST = 3,		/* lines with a number; those of tables are fewer, or nothing begins behind them */
	LOOK_FOR = 64,		/* in so many of them a tool's output may begin, */
	LOOK_AHEAD = 32,	/* of which a reader is shown so many more */
	LONGEST_PATH = 200,
	MOST_DIGITS = 8,
};

/* A line with its number. */
struct numbered {
	uint64_t number;
	size_t path;		/* characters before it; 0: none */
	size_t len;		/* up to the end of the number and its mark */
	char mark;		/* ':', '|' of bat, or ' ': blanks part it from the text */
	size_t blanks;		/* behind it */
};

/* "/var/log/kern.log:", "out.txt-" of the lines around what was found. */
static size_t path_len(const char *text)
{
	size_t len = strcspn(text, " \t:");

	if (text[len] == ':' && len && len <= LONGEST_PATH && (memchr(text, '/', len) || memchr(text, '.', len)) &&
	    !is_digit(*text))
		return len + 1;
	return 0;
}

static bool read_number(const char *text, struct numbered *ret)
{
	const char *at = text + path_len(text), *digits;
	bool fits = true;

	*ret = (struct numbered){ .path = (size_t)(at - text) };
	digits = ret->path ? at : past_blanks(at);
	at = digits;
	if (!scan_u64(&at, 10, &ret->number, &fits) || at - digits > MOST_DIGITS)
		return false;
	if (*at == ':') {
		/* "12:34" is a time of day. */
		ret->mark = ':';
		ret->len = (size_t)(at - text) + 1;
		return digits == text + ret->path && (ret->path || at - digits > 2 || !is_digit(at[1]));
	}
	ret->mark = ' ';
	ret->len = (size_t)(at - text);
	ret->blanks = strspn(at, " ");
	at = past_blanks(at);
	if (text_begins(at, "│")) {
		ret->mark = '|';
		ret->len = (size_t)(at - text) + strlen("│");
		ret->blanks = strspn(text + ret->len, " ");
		return true;
	}
	return !ret->path && (ret->blanks || !*at);
}

/* Of cat and bat each has the next number; grep leaves lines out. */
static bool goes_on(const char *first, const char *text, const struct numbered *before, struct numbered *ret)
{
	if (!read_number(text, ret) || ret->mark != before->mark || ret->path != before->path ||
	    strncmp(first, text, ret->path) != 0)
		return false;
	return ret->mark == ':' ? ret->number > before->number : ret->number == before->number + 1;
}

/* How many lines have numbers that rise; *ret_blanks: that stand behind each of them, but for empty lines. */
static size_t run_of(const struct dump_line *lines, size_t nr, size_t *ret_blanks)
{
	struct numbered before, next;
	size_t i = 1;

	if (!read_number(lines->text, &before))
		return 0;
	*ret_blanks = lines->text[before.len] ? before.blanks : SIZE_MAX;
	for (; i < nr && goes_on(lines->text, lines[i].text, &before, &next); i++) {
		before = next;
		if (lines[i].text[next.len] && next.blanks < *ret_blanks)
			*ret_blanks = next.blanks;
	}
	return i;
}

static void strip(struct dump_line *line, size_t blanks)
{
	const char *tab = line->tabbed ? strchr(line->tabbed, '\t') : NULL;
	struct numbered numbered;
	size_t len;

	read_number(line->text, &numbered);
	len = numbered.len + (numbered.blanks < blanks ? numbered.blanks : blanks);
	if (tab && numbered.mark == ' ' && (size_t)(tab - line->tabbed) == numbered.len)
		line->tabbed = tab + 1;
	else
		line->tabbed = line->tabbed && !strncmp(line->tabbed, line->text, len) ? line->tabbed + len : NULL;
	line->text += len;
}

static bool begins_behind(struct arena *arena, const struct dump_line *lines, size_t nr, size_t blanks)
{
	size_t nr_behind = nr < LOOK_FOR + LOOK_AHEAD ? nr : LOOK_FOR + LOOK_AHEAD;
	struct dump_line *behind = arena_alloc(arena, (nr_behind + 1) * sizeof(*behind));

	for (size_t i = 0; i < nr_behind; i++) {
		behind[i] = lines[i];
		strip(&behind[i], blanks);
	}
	for (size_t i = 0; i < nr_behind && i < LOOK_FOR; i++)
		if (*behind[i].text && prefix_ends_before_tool(&behind[i], nr_behind - i) &&
		    !prefix_ends_before_tool(&lines[i], nr_behind - i))
			return true;
	return false;
}

void dump_strip_numbers(struct arena *arena, struct dump_line *lines, size_t nr)
{
	for (size_t i = 0, run; i < nr; i += run ? run : 1) {
		size_t blanks;

		run = run_of(&lines[i], nr - i, &blanks);
		if (run < FEWEST || !begins_behind(arena, &lines[i], run, blanks))
			continue;
		for (size_t k = i; k < i + run; k++)
			strip(&lines[k], blanks);
	}
}
