// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wrapped.c - the words of an error stand in one line, and where that is broken no reader knows either half; of a
 * sentence about an error one half may look like the error. Two lines are one where the first is as long as a page is
 * wide, and together they hold an error that neither holds alone, or hold none. So are a line of a log that has its
 * stamp, and the next that has none.
 */
#include "base/compat.h"
#include "import/wrapped.h"

#include "import/kind/cues.h"
#include "import/line/prompt.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/line.h"
#include "klog/match.h"

enum {
	SHORTEST = 48, LONGEST = 132,	/* of a first line */
	LONGEST_REST = 400,
	STAMP = 32,			/* of a line of a log: within so many characters its time stands */
	MAX_LINES = 1 << 16,		/* of a text: longer ones are logs */
};

static const unsigned widths[] = { 72, 80, 100, 120, LONGEST };

/* May a line of this length be broken before a word of that one? By whole words, or wherever the page ends. */
static bool is_at_edge(size_t len, size_t word)
{
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (len <= widths[i] && len + 1 + word > widths[i])
			return true;
	return false;
}

/* Does it begin as no rest of a line does: a row, a record, a list, or a line of a log, as "node7:123:456 [3] NCCL"? */
static bool is_own_line(const char *text)
{
	size_t len = strnlen(text, STAMP), word = strcspn(text, " ");

	/* "node7  | …" of Compose */
	if (memmem(text, strnlen(text, STAMP), " | ", 3))
		return true;
	for (const char *colon = text; (colon = memchr(colon, ':', word - (size_t)(colon - text))); colon++)
		if (is_digit(colon[1]))
			return true;
	return strchr("|+[{<#>*-", *text) || text_begins(text, "  ") || memchr(text, '=', word) ||
	       text_has_clock(text, text + len);
}

static bool may_go_on(const struct dump_line *lines)
{
	size_t len = strnlen(lines[0].text, LONGEST + 1), rest = strnlen(lines[1].text, LONGEST_REST + 1);

	return len >= SHORTEST && len <= LONGEST && rest && rest <= LONGEST_REST && !strchr("|+#", lines[0].text[0]) &&
	       !is_own_line(lines[1].text) && !prompt_command(lines[1].text) &&
	       is_at_edge(len, strcspn(lines[1].text, " "));
}

static bool is_error(const char *text)
{
	static const enum dump_kind kinds[] = { DUMP_SMI_FAILURE, DUMP_ROCM_FAILURE, DUMP_PROGRAM_ERROR };

	return dump_line_begins(text, kinds, ARRAY_SIZE(kinds));
}

static bool is_odd_number_of(const char *text, char mark)
{
	bool is_odd = false;

	for (; *text; text++)
		is_odd ^= *text == mark;
	return is_odd;
}

/* A sentence goes on there: in small letters, or with what it quotes. */
static bool is_mid_sentence(const struct dump_line *lines)
{
	const char *text = lines[0].text, last = text[strlen(text) - 1], next = lines[1].text[0];

	return is_odd_number_of(text, '"') || is_odd_number_of(text, '`') ||
	       ((is_letter_or_digit(last) || last == ',') && ((next >= 'a' && next <= 'z') || strchr("\"`'", next)));
}

/* Is one of them an error, also within a sentence? What ends an error's line is none any more with words behind it. */
static bool is_either_error(const struct dump_line *lines)
{
	char line[LONGEST + LONGEST_REST];

	snprintf(line, sizeof(line), "%s x", lines[0].text);
	if (is_error(line))
		return true;
	snprintf(line, sizeof(line), "x %s", lines[1].text);
	return is_error(line);
}

/* The two as one line, or NULL: they are two. */
static const char *joined(struct arena *arena, const struct dump_line *lines)
{
	static const char *const joints[] = { " ", "" };
	bool is_either = is_error(lines[0].text) || is_error(lines[1].text);

	/* A source's lines end so. */
	if (is_either ? !is_mid_sentence(lines) || !is_either_error(lines) :
			strchr(",;{}()", lines[0].text[strlen(lines[0].text) - 1]) != NULL)
		return NULL;
	for (size_t i = 0; i < (is_either ? 1 : ARRAY_SIZE(joints)); i++) {
		char line[LONGEST + LONGEST_REST + 2];

		snprintf(line, sizeof(line), "%s%s%s", lines[0].text, joints[i], lines[1].text);
		if (is_error(line) != is_either)
			return arena_strdup(arena, line);
	}
	return NULL;
}

static void join(struct dump_line *lines, const char *line)
{
	lines[0].text = line;
	lines[0].tabbed = NULL;
	lines[1].text = "";
	lines[1].tabbed = NULL;
	lines[1].is_taken = true;
}

/* ---- a log, whose lines have a stamp each */

/* *ret_is_known: the catalogue of events has such a line. */
static bool is_of_log(const char *text, bool *ret_is_known)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_match match;
	struct klog_line line;
	bool ret;

	klog_line_parse(&context, span_of(text), &line);
	ret = line.time.has_boot || line.time.has_wall || line.origin != KLOG_ORIGIN_UNKNOWN;
	*ret_is_known = klog_match(&line, &match);
	klog_line_context_release(&context);
	return ret;
}

/* "mlx5_core 0000:81:00.0: …": a driver and its device, without a stamp. */
static bool names_device(const char *text)
{
	static const char form[] = "0000:00:00.0: ";
	const char *at = strchr(text, ' ');

	for (size_t i = 0; at && form[i]; i++)
		if (form[i] == '0' ? hex_digit(at[1 + i]) < 0 : at[1 + i] != form[i])
			return false;
	return at && at > text;
}

/*
 * The two as one line, or NULL: the second is no rest of a log's line. *ret_is_proof: only together they tell an event.
 * Below a driver's name without a stamp anything may stand: then it takes that.
 */
static const char *joined_log(struct arena *arena, const struct dump_line *lines, bool *ret_is_proof)
{
	const char *first = past_blanks(lines[0].text), *next = past_blanks(lines[1].text), *line;
	size_t len = strnlen(first, LONGEST + 1), rest = strnlen(next, LONGEST + 1);
	bool is_first_known, is_rest_known, is_known, is_stamped;

	/* Both are indented alike, as code is. */
	if (first - lines[0].text != next - lines[1].text || len < SHORTEST || len > LONGEST || !rest ||
	    rest > LONGEST || strchr("|+[{<#>*-", *next) || !is_at_edge(len, strcspn(next, " ")))
		return NULL;
	is_stamped = is_of_log(first, &is_first_known);
	if ((!is_stamped && !names_device(first)) || is_of_log(next, &is_rest_known) || is_rest_known ||
	    prompt_command(next))
		return NULL;
	line = arena_printf(arena, "%s %s", lines[0].text, next);
	*ret_is_proof = is_of_log(past_blanks(line), &is_known) == is_stamped && is_known && !is_first_known;
	return is_stamped || *ret_is_proof ? line : NULL;
}

/* Where one line of a log was broken by a mail, each of its kind was. */
static void join_log(struct arena *arena, struct dump_line *lines, size_t nr)
{
	bool is_broken = false;

	for (size_t i = 0; i + 1 < nr && !is_broken; i++)
		if (!joined_log(arena, &lines[i], &is_broken))
			is_broken = false;
	for (size_t i = 0; is_broken && i + 1 < nr; i++) {
		bool is_proof;
		const char *line = joined_log(arena, &lines[i], &is_proof);

		if (line)
			join(&lines[i++], line);
	}
}

void dump_join_wrapped(struct arena *arena, struct dump_line *lines, size_t nr)
{
	if (nr > MAX_LINES)
		return;
	for (size_t i = 0; i + 1 < nr; i++) {
		const char *line = may_go_on(&lines[i]) ? joined(arena, &lines[i]) : NULL;

		if (line)
			join(&lines[i++], line);
	}
	join_log(arena, lines, nr);
}
