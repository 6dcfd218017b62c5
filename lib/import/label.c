// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/label.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/layout.h"
#include "import/line/node_name.h"
#include "import/prefix.h"

enum {
	LONGEST = 80,
	MOST = 250,		/* labels; lines of others are nobody's */
	FIRST_LINES = 1 << 16,	/* of a text: the most of them have a label, or it has none */
	LOOK_AHEAD = 32,	/* how many lines a reader is shown to see whether its output begins */
	LOOK_FOR = 64,		/* and in how many of a label's it may begin */
};

/* Where a line's label stands in it. */
struct place {
	const char *at;
	size_t len;
	size_t behind;		/* so many bytes of the line are it and its mark */
};

/* "[pod/trainer-0/main] ", "[1,0]<stdout>:" and no stamp of the kernel's. */
static bool find_in_brackets(const char *text, struct place *ret)
{
	size_t len = strcspn(text + 1, "] \"'{[(");
	const char *end = text + 1 + len;

	if (!len || len > LONGEST || *end != ']')
		return false;
	*ret = (struct place){ .at = text + 1, .len = len };
	if ((text_begins(end, "]<stdout>:") || text_begins(end, "]<stderr>:")) && memchr(text + 1, ',', len)) {
		ret->behind = (size_t)(end - text) + strlen("]<stdout>:");
		return true;
	}
	ret->behind = (size_t)(end - text) + (end[1] ? 2 : 1);
	return memchr(text + 1, '/', len) && (!end[1] || end[1] == ' ');
}

/* How bad a line is, as many logs begin with. */
static bool is_severity(const char *at, size_t len)
{
	static const char *const words[] = { "error", "warning", "warn", "info", "notice", "note", "debug", "trace",
					     "fatal", "critical", "success", "failure", "failed", "fail", "passed",
					     "pass", "ok" };

	return text_word_is_any(at, len, words, ARRAY_SIZE(words));
}

/* Numbers of tasks stand to the right. */
static bool find_label(const char *text, struct place *ret)
{
	const char *at = past_blanks(text), *mark;
	size_t len;

	if (*text == '[')
		return find_in_brackets(text, ret);
	len = node_name_len(at);
	if (!len || len > LONGEST || is_severity(at, len) || (at > text && strspn(at, "0123456789") != len))
		return false;
	mark = at + len;
	*ret = (struct place){ .at = at, .len = len };
	if (*mark == ':' && (!mark[1] || mark[1] == ' ')) {
		ret->behind = (size_t)(mark - text) + (mark[1] ? 2 : 1);
		return true;
	}
	mark = past_blanks(mark);
	ret->behind = (size_t)(mark - text) + (*mark && mark[1] ? 2 : 1);
	return mark > at + len && *mark == '|' && (!mark[1] || mark[1] == ' ');
}

static bool are_labelled(const struct dump_line *lines, size_t nr)
{
	size_t nr_lines = 0, nr_labelled = 0;
	struct place place;

	for (size_t i = 0; i < nr && nr_lines < FIRST_LINES; i++) {
		nr_lines += *lines[i].text ? 1 : 0;
		nr_labelled += find_label(lines[i].text, &place) ? 1 : 0;
	}
	return nr_labelled > 3 && nr_labelled >= nr_lines / 2;
}

/* Its number, from 1; 0: there are too many. As a rule it is that of the line before. */
static unsigned label_number(struct arena *arena, struct labels *labels, const struct dump_line *line,
			     const struct place *place, unsigned before)
{
	struct label *label;
	const char *text;

	for (size_t i = 0; i <= labels->nr; i++) {
		size_t number = i ? i : before;
		const char *name = number ? labels->v[number - 1].name.text : NULL;

		if (name && !strncmp(name, place->at, place->len) && !name[place->len])
			return (unsigned)number;
	}
	if (labels->nr == MOST)
		return 0;
	labels->v = arena_grow(arena, labels->v, labels->nr, sizeof(*labels->v));
	label = &labels->v[labels->nr++];
	text = past_blanks(line->text);
	*label = (struct label){ .name = {
		.text = arena_strndup(arena, place->at, place->len), .line = line->number, .by = NAMED_BY_LABEL,
		.label = layout_trimmed(arena, text, place->behind - (size_t)(text - line->text)),
	} };
	label->name.is_node = node_name_is_sure(label->name.text);
	return (unsigned)labels->nr;
}

static void strip(struct dump_line *line, size_t len)
{
	line->tabbed = line->tabbed && !strncmp(line->tabbed, line->text, len) ? line->tabbed + len : NULL;
	line->text += len;
}

/* Puts the lines of each label behind those of the one before; those of none come first. */
static struct dump_line *sorted(struct arena *arena, const struct dump_line *lines, size_t nr, struct labels *labels)
{
	struct dump_line *ret = arena_alloc(arena, (nr + 1) * sizeof(*ret));
	size_t *next = arena_alloc(arena, (labels->nr + 2) * sizeof(*next));
	struct place place;

	for (size_t i = 0; i < nr; i++)
		next[lines[i].label + 1]++;
	for (size_t i = 1; i <= labels->nr; i++) {
		labels->v[i - 1].nr_lines = next[i + 1];
		next[i + 1] += next[i];
	}
	for (size_t i = 0; i < nr; i++) {
		struct dump_line *line = &ret[next[lines[i].label]++];

		*line = lines[i];
		if (line->label && find_label(line->text, &place))
			strip(line, place.behind);
	}
	return ret;
}

/* Does anything begin in a label's lines? */
static bool begins_any(const struct dump_line *lines, size_t nr)
{
	for (size_t i = 0; i < nr && i < LOOK_FOR; i++)
		if (prefix_ends_before_kernel(lines[i].text) ||
		    prefix_ends_before_tool(&lines[i], nr - i < LOOK_AHEAD ? nr - i : LOOK_AHEAD))
			return true;
	return false;
}

/* Rows of a table, too, may begin with a word and a mark: there the tool's output begins as it stands. */
static bool are_of_several(const struct dump_line *lines, size_t nr, const struct dump_line *stripped,
			   const struct labels *labels)
{
	size_t nr_known = 0, at = nr;

	for (size_t i = 0; i < labels->nr; i++)
		at -= labels->v[i].nr_lines;
	for (size_t i = 0; i < labels->nr; at += labels->v[i++].nr_lines)
		nr_known += begins_any(&stripped[at], labels->v[i].nr_lines) ? 1 : 0;
	return nr_known > 1 && !prefix_ends_before_tool(lines, nr < LOOK_AHEAD ? nr : LOOK_AHEAD);
}

struct dump_line *dump_sort_by_label(struct arena *arena, struct dump_line *lines, size_t nr, struct labels *ret)
{
	struct dump_line *stripped;
	struct place place;
	unsigned before = 0;

	*ret = (struct labels){ .nr = 0 };
	if (!are_labelled(lines, nr))
		return lines;
	for (size_t i = 0; i < nr; i++) {
		before = find_label(lines[i].text, &place) ? label_number(arena, ret, &lines[i], &place, before) : 0;
		lines[i].label = (uint8_t)before;
	}
	if (ret->nr > 1) {
		stripped = sorted(arena, lines, nr, ret);
		if (are_of_several(lines, nr, stripped, ret))
			return stripped;
	}
	for (size_t i = 0; i < nr; i++)
		lines[i].label = 0;
	ret->nr = 0;
	return lines;
}
