// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prefix.c - what stands before each line of a tool's output where something else ran the tool: the node with pdsh, the
 * rank with srun or mpirun, the service with Compose, the time with a build server or syslog. It is taken off where the
 * output of a tool begins behind it and stands on the lines below, too.
 */
#include "base/compat.h"
#include "import/kind/cues.h"
#include "import/line/string_text.h"
#include "import/prefix.h"

#include "base/text_scan.h"

enum {
	LONGEST = 80,		/* of a prefix, */
	MOST_ENDS = 12,		/* and how many marks are tried as its end */
	LINES_ALIKE = 3,	/* from there on it is one */
	LOOK_AHEAD = 32,	/* how many lines a reader is shown to see whether its output begins */
	MAX_LINES = 1 << 16,	/* of a text: longer ones are logs */
};

/* May a tool's output begin somewhere in this text? */
static bool has_cue_of_tool(const char *text)
{
	struct dump_kinds cues = dump_cues(text);

	for (enum dump_kind kind; dump_kinds_take(&cues, &kind); )
		if (dump_is_of_tool(kind))
			return true;
	return false;
}

bool prefix_ends_before_tool(const struct dump_line *lines, size_t nr)
{
	struct dump_kinds cues = dump_cues(lines->text);

	for (enum dump_kind kind; dump_kinds_take(&cues, &kind); )
		if (dump_is_of_tool(kind) && dump_source(kind)->begins &&
		    dump_source(kind)->begins(lines, nr) != BEGINS_NOT)
			return true;
	return false;
}

/* "10:11:12.345", "2026-05-01T10:11:12Z": what is another one in each line. */
static bool is_time(const char *word, size_t len)
{
	for (size_t i = 1; i + 1 < len; i++)
		if (word[i] == ':' && is_digit(word[i - 1]) && is_digit(word[i + 1]))
			return true;
	return false;
}

static const char *past_digits(const char *text)
{
	while (is_digit(*text))
		text++;
	return text;
}

/*
 * How many characters of a text are this prefix; 0: it has another one, or none. Blanks at the end of a line are gone.
 * Behind the prefix nothing is looked at: the line may be long.
 */
static size_t prefix_of(const char *prefix, size_t len, const char *text)
{
	const char *at = text, *end = prefix + len;

	while (prefix < end) {
		const char *blank = memchr(prefix, ' ', (size_t)(end - prefix)), *stop = blank ? blank : end;
		bool is_of_time = is_time(prefix, (size_t)(stop - prefix));

		while (prefix < stop) {
			if (is_of_time && is_digit(*prefix) && is_digit(*at)) {
				prefix = past_digits(prefix);
				at = past_digits(at);
			} else if (*prefix++ != *at++) {
				return 0;
			}
		}
		for (; prefix < end && *prefix == ' '; prefix++) {
			if (!*at)
				return (size_t)(at - text);
			if (*at++ != ' ')
				return 0;
		}
	}
	return (size_t)(at - text);
}

static bool are_alike(const struct dump_line *lines, size_t nr, size_t len)
{
	if (nr < LINES_ALIKE)
		return false;
	for (size_t i = 1; i < LINES_ALIKE; i++)
		if (!prefix_of(lines->text, len, lines[i].text))
			return false;
	return true;
}

/* The same place in a line that has its tabs; NULL: a tab goes on behind it. */
static const char *past_columns(const char *tabbed, size_t columns)
{
	enum { TAB_COLUMNS = 8 };
	size_t at = 0;

	for (; at < columns && *tabbed; tabbed++)
		at += *tabbed == '\t' ? TAB_COLUMNS - at % TAB_COLUMNS : 1;
	return at == columns ? tabbed : NULL;
}

static void strip(struct dump_line *line, size_t len)
{
	line->tabbed = line->tabbed ? past_columns(line->tabbed, len) : NULL;
	line->text += len;
}

static bool begins_behind(const struct dump_line *lines, size_t nr, size_t len)
{
	struct dump_line behind[LOOK_AHEAD];
	size_t nr_behind = 0;

	while (nr_behind < nr && nr_behind < LOOK_AHEAD) {
		size_t own = prefix_of(lines->text, len, lines[nr_behind].text);

		if (!own)
			break;
		behind[nr_behind] = lines[nr_behind];
		strip(&behind[nr_behind++], own);
	}
	return nr_behind && prefix_ends_before_tool(behind, nr_behind);
}

/* "2026-05-01 10:11:12.345\t" of a viewer's table: a time ends there, and blanks follow. */
static size_t blanks_behind_time(const char *text, size_t at)
{
	size_t word = at;

	while (word && text[word - 1] != ' ')
		word--;
	return text[at] == ' ' && is_time(text + word, at - word) ? strspn(text + at, " ") : 0;
}

/* Where a prefix of this line may end: behind its first marks. 0: no further one. */
static size_t next_end(const char *text, size_t from)
{
	/* containerd logs "2026-05-01T10:11:12.345678901Z stderr F ", kubectl's plugins "pod › container │ " */
	static const char *const marks[] = { ": ", "| ", "│ ", "] ", ") ", "Z ", ">:", " - ", "stdout F ",
					     "stderr F " };

	for (size_t i = from; text[i] && i < LONGEST; i++) {
		size_t blanks = i > from ? blanks_behind_time(text, i) : 0;

		if (blanks)
			return i + blanks;
		for (size_t k = 0; k < ARRAY_SIZE(marks); k++)
			if (text[i] == *marks[k] && !strncmp(text + i, marks[k], strlen(marks[k])))
				return i + strlen(marks[k]);
	}
	return 0;
}

bool prefix_ends_before_kernel(const char *text)
{
	const char *stamp = *text == '[' ? past_blanks(text + 1) : "";

	return (is_digit(*stamp) && *past_digits(stamp) == '.') || strstr(text, "kernel: ");
}

/* The length of what stands before the output of a tool that begins here; 0: none does, or nothing stands there. */
static size_t prefix_before_tool(const struct dump_line *lines, size_t nr)
{
	size_t len = 0;

	/* A row of a table, too, has marks, and an object many. */
	if (prefix_ends_before_kernel(lines->text) || strchr("|+{", *past_blanks(lines->text)) ||
	    !has_cue_of_tool(lines->text) || string_text_is_element(lines->text))
		return 0;
	for (size_t i = 0; i < MOST_ENDS && (len = next_end(lines->text, len)); i++)
		if (are_alike(lines, nr, len) && begins_behind(lines, nr, len))
			return prefix_ends_before_tool(lines, nr < LOOK_AHEAD ? nr : LOOK_AHEAD) ? 0 : len;
	return 0;
}

/* Outputs of two nodes, line by line, are no single node's. */
static bool is_of_other_node(const char *first, size_t first_len, const char *text, size_t len)
{
	return first && !prefix_of(first, first_len, text) && !prefix_of(text, len, first);
}

void dump_strip_prefixes(struct arena *arena, struct dump_line *lines, size_t nr)
{
	size_t *lens = nr <= MAX_LINES ? arena_alloc(arena, (nr + 1) * sizeof(*lens)) : NULL;
	const char *first = NULL;
	size_t first_len = 0;

	for (size_t i = 0; lens && i < nr;) {
		const char *text = lines[i].text;
		size_t len = prefix_before_tool(&lines[i], nr - i);

		lens[i] = len;
		if (!len) {
			i++;
			continue;
		}
		if (is_of_other_node(first, first_len, text, len))
			return;
		first = first ? first : text;
		first_len = first_len ? first_len : len;
		for (i++; i < nr && (lens[i] = prefix_of(text, len, lines[i].text));)
			i++;
	}
	for (size_t i = 0; first && i < nr; i++)
		if (lens[i])
			strip(&lines[i], lens[i]);
}
