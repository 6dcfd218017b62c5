// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/label.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/line/node_name.h"
#include "import/line/prompt.h"
#include "import/log/log.h"
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

/* What a node's kernel says, and why its tools have no output: no task of a job prints that for itself. */
static bool is_of_node(const struct dump_line *lines, size_t nr)
{
	return prefix_ends_before_kernel(lines->text) || dump_is_log_line(lines->text) ||
	       smi_failure_begins(lines, nr) != BEGINS_NOT || rocm_failure_begins(lines, nr) != BEGINS_NOT;
}

/* Is that known which a label's lines begin with, or what stands further down? */
static bool begins_any(const struct dump_line *lines, size_t nr, bool is_node)
{
	for (size_t i = 0; i < nr && i < LOOK_FOR; i++) {
		const size_t ahead = nr - i < LOOK_AHEAD ? nr - i : LOOK_AHEAD;

		if (prefix_ends_before_kernel(lines[i].text) || prefix_ends_before_tool(&lines[i], ahead) ||
		    (is_node && is_of_node(&lines[i], ahead)))
			return true;
	}
	return false;
}

/* Are there other labels that are called alike? */
static bool is_of_row(const struct labels *labels, const struct label *label)
{
	for (size_t i = 0; i < labels->nr; i++)
		if (&labels->v[i] != label && node_names_are_alike(labels->v[i].name.text, label->name.text))
			return true;
	return false;
}

/* Names of nodes, as they are called or by what they say. */
static void find_nodes(const struct dump_line *stripped, size_t nr, struct labels *labels)
{
	size_t at = nr;

	for (size_t i = 0; i < labels->nr; i++)
		at -= labels->v[i].nr_lines;
	for (size_t i = 0; i < labels->nr; at += labels->v[i++].nr_lines) {
		struct label *label = &labels->v[i];
		const size_t nr_lines = label->nr_lines;

		label->name.is_node |= node_name_may_be(label->name.text) && is_of_row(labels, label) && nr_lines &&
				       is_of_node(&stripped[at], nr_lines < LOOK_AHEAD ? nr_lines : LOOK_AHEAD);
	}
}

/* Rows of a table, too, may begin with a word and a mark: there the tool's output begins as it stands. */
static bool are_of_several(const struct dump_line *lines, size_t nr, const struct dump_line *stripped,
			   const struct labels *labels)
{
	size_t nr_known = 0, at = nr;

	for (size_t i = 0; i < labels->nr; i++)
		at -= labels->v[i].nr_lines;
	for (size_t i = 0; i < labels->nr; at += labels->v[i++].nr_lines)
		nr_known += begins_any(&stripped[at], labels->v[i].nr_lines, labels->v[i].name.is_node) ? 1 : 0;
	return nr_known > 1 && !prefix_ends_before_tool(lines, nr < LOOK_AHEAD ? nr : LOOK_AHEAD);
}

/* ---- few lines, of nodes */

/* Is it a row of what a command above gave without a header? */
static bool is_row_below(const struct dump_line *lines, size_t at, const char *text)
{
	for (size_t i = at; strchr(text, ',') && i; i--) {
		const char *command = prompt_command(lines[i - 1].text);

		if (command)
			return smi_csv_is_command(command);
	}
	return false;
}

/* Of few lines a label counts only if it may be a node's, and something known stands behind it. */
static bool find_node(const struct dump_line *lines, size_t nr, size_t at, struct place *ret)
{
	struct dump_line behind[2];
	char name[LONGEST + 1];
	size_t nr_behind = 0;
	struct place next;

	if (*lines[at].text == '[' || !find_label(lines[at].text, ret) || lines[at].text[ret->behind - 1] == '|')
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)ret->len, ret->at);
	if (!node_name_may_be(name))
		return false;
	for (size_t i = at; i < nr && nr_behind < ARRAY_SIZE(behind) && find_label(lines[i].text, &next); i++) {
		if (next.len != ret->len || strncmp(next.at, ret->at, next.len) != 0)
			break;
		behind[nr_behind] = lines[i];
		strip(&behind[nr_behind++], next.behind);
	}
	return is_of_node(behind, nr_behind) || prefix_ends_before_tool(behind, nr_behind) ||
	       is_row_below(lines, at, behind->text);
}

static void number_few(struct arena *arena, struct dump_line *lines, size_t nr, struct labels *labels)
{
	struct place place;
	unsigned before = 0;

	for (size_t i = 0; i < nr && i < FIRST_LINES; i++)
		if (find_node(lines, nr, i, &place))
			before = label_number(arena, labels, &lines[i], &place, before);
	for (size_t i = 0; labels->nr && i < nr && i < FIRST_LINES; i++) {
		const size_t nr_before = labels->nr;

		if (!find_label(lines[i].text, &place))
			continue;
		before = label_number(arena, labels, &lines[i], &place, before);
		lines[i].label = before <= nr_before ? (uint8_t)before : 0;
		labels->nr = nr_before;
	}
}

static size_t count_nodes(const struct labels *labels)
{
	size_t ret = 0;

	for (size_t i = 0; i < labels->nr; i++)
		ret += labels->v[i].name.is_node ? 1 : 0;
	return ret;
}

/* Of one node: a line or two, as of `nvidia-smi -L`, of which nothing else shows what stands before them. */
static bool strip_one(struct dump_line *lines, size_t nr, const struct labels *labels)
{
	const struct dump_line *first = NULL;
	struct place place;
	size_t nr_lines = 0;

	for (size_t i = 0; i < nr; i++) {
		first = first || !lines[i].label ? first : &lines[i];
		nr_lines += lines[i].label ? 1 : 0;
	}
	if (!first || nr_lines > 2 || !labels->v[0].name.is_node)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (lines[i].label && find_label(lines[i].text, &place))
			strip(&lines[i], place.behind);
	return true;
}

static void forget_labels(struct dump_line *lines, size_t nr, struct labels *labels)
{
	for (size_t i = 0; i < nr; i++)
		lines[i].label = 0;
	labels->nr = 0;
}

/* Where most lines have a label it may be anybody's; of few lines it must be a node's. */
static struct dump_line *sort_few(struct arena *arena, struct dump_line *lines, size_t nr, struct labels *ret)
{
	struct dump_line *stripped;

	number_few(arena, lines, nr, ret);
	if (ret->nr > 1) {
		stripped = sorted(arena, lines, nr, ret);
		find_nodes(stripped, nr, ret);
		if (count_nodes(ret) > 1)
			return stripped;
	} else if (ret->nr && strip_one(lines, nr, ret)) {
		return lines;
	}
	forget_labels(lines, nr, ret);
	return lines;
}

struct dump_line *dump_sort_by_label(struct arena *arena, struct dump_line *lines, size_t nr, struct labels *ret)
{
	struct dump_line *stripped;
	struct place place;
	unsigned before = 0;

	*ret = (struct labels){ .nr = 0 };
	if (!are_labelled(lines, nr))
		return sort_few(arena, lines, nr, ret);
	for (size_t i = 0; i < nr; i++) {
		before = find_label(lines[i].text, &place) ? label_number(arena, ret, &lines[i], &place, before) : 0;
		lines[i].label = (uint8_t)before;
	}
	if (ret->nr > 1) {
		stripped = sorted(arena, lines, nr, ret);
		find_nodes(stripped, nr, ret);
		if (are_of_several(lines, nr, stripped, ret))
			return stripped;
	}
	forget_labels(lines, nr, ret);
	return lines;
}
