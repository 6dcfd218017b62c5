// SPDX-License-Identifier: GPL-2.0-or-later
/* line_column.c - where a line was found: by grep and editors, on which node, between which columns of a viewer. */
#include "base/compat.h"
#include "klog/line_internal.h"

enum { MAX_CELL = 64, MAX_LINE_DIGITS = 8 };

static bool is_name(struct span word)
{
	if (!span_len(word) || span_len(word) > MAX_CELL)
		return false;
	for (const char *c = word.at; c < word.end; c++)
		if (!is_digit(*c) && !strchr("._-/", *c) && !((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z'))
			return false;
	return true;
}

/* Is what follows a line that needs no name before it? */
static bool begins_with_time(const struct klog_parse *parse, struct span text)
{
	struct klog_time time = { .has_wall = false };

	return klog_begins_with_stamp(text) || klog_take_any_date(&text, parse->context->now_us, false, &time);
}

/* ---- "FILE:", "12:", "FILE:12:" of grep, "  12  " of cat -n and less -N, "12. " of lists */

static bool is_path(struct span word)
{
	/* So did i915 call itself up to Linux 4.15; and a column of time is none of a path. */
	if (span_is(word, "drm/i915") || memchr(word.at, '\t', span_len(word)))
		return false;
	return memchr(word.at, '/', span_len(word)) || memmem(word.at, span_len(word), ".log", 4);
}

/* "messages:Nov  4 12:00:01 ", "syslog-1:12:[    1.000000] ": of the folder that grep was called in. */
static bool is_before_time(const struct klog_parse *parse, struct span word, struct span text)
{
	struct span numbered = text;
	uint64_t number;

	if (!is_name(word) || is_digit(*word.at) || !span_len(text) || *text.at == ' ')
		return false;
	return begins_with_time(parse, text) || (span_take_u64(&numbered, &number) && span_take(&numbered, ":") &&
						 span_len(numbered) && begins_with_time(parse, numbered));
}

static bool take_path(const struct klog_parse *parse, struct span *at)
{
	const char *colon = memchr(at->at, ':', span_len(*at));
	const char *blank = memchr(at->at, ' ', span_len(*at));
	struct span word = { at->at, colon };

	if (!colon || (blank && blank < colon) ||
	    (!is_path(word) && !is_before_time(parse, word, (struct span){ colon + 1, at->end })))
		return false;
	at->at = colon + 1;
	return true;
}

/* Without a file before it, what goes on with digits is a time of day. */
static bool take_number(struct span *at, bool after_path)
{
	struct span from = *at;
	uint64_t number;

	if (!span_take_u64(&from, &number) || from.at - at->at > MAX_LINE_DIGITS)
		return false;
	if (span_take(&from, ":")) {
		if (!span_len(from) || (is_digit(*from.at) && !after_path))
			return false;
	} else if (after_path) {
		return false;
	} else if (span_take(&from, ". ") || span_take(&from, ") ")) {
		;
	} else if (span_begins(from, " ") || span_begins(from, "\t")) {
		span_trim(&from);
		if (!klog_begins_as_kernel(from))
			return false;
	} else {
		return false;
	}
	*at = from;
	return true;
}

bool klog_take_place(struct klog_parse *parse)
{
	struct span at = parse->at;
	bool has_path = take_path(parse, &at);

	if (!take_number(&at, has_path) && !has_path)
		return false;
	parse->at = at;
	return true;
}

/* ---- "node7: " of pdsh and others that ask several nodes, "[node7] " of others, "i-0abc " of a stream's name */

bool klog_take_node(struct klog_parse *parse)
{
	struct span at = parse->at, word;

	if (!klog_take_word(&at, &word))
		return false;
	span_trim(&at);
	if (parse->is_stamped) {
		if (!is_name(word) || !klog_begins_as_kernel(at) || klog_begins_as_kernel(parse->at))
			return false;
	} else {
		bool is_bracketed = span_take(&word, "[");

		if (word.end[-1] != (is_bracketed ? ']' : ':'))
			return false;
		word.end--;
		if (!is_name(word) || !begins_with_time(parse, at))
			return false;
	}
	parse->at = at;
	return true;
}

/* ---- columns: the time, then words, then the text */

static bool take_up_to(struct span *at, const char *separator, struct span *ret)
{
	const char *found = memmem(at->at, span_len(*at), separator, strlen(separator));

	if (!found || found - at->at > MAX_CELL)
		return false;
	*ret = (struct span){ at->at, found };
	at->at = found + strlen(separator);
	return true;
}

/* "2026-01-02T03:04:05Z","node7","text" */
static bool take_quoted(struct klog_parse *parse, struct span *at, struct span *ret)
{
	if (!span_take(at, "\""))
		return false;
	if (take_up_to(at, "\",\"", ret) || take_up_to(at, "\",", ret)) {
		at->at -= at->at[-1] == '"';
		return true;
	}
	/* The last one. */
	if (parse->separator != '"' || !span_len(*at))
		return false;
	at->end -= at->end[-1] == '"';
	*ret = (struct span){ at->at, at->at };
	return true;
}

static bool take_cell(struct klog_parse *parse, struct span *at, struct span *ret)
{
	const char separator[] = { parse->separator, '\0' };

	if (!parse->separator || parse->separator == '"')
		return take_quoted(parse, at, ret);
	if (!take_up_to(at, separator, ret))
		return false;
	while (ret->end > ret->at && ret->end[-1] == ' ')
		ret->end--;
	return true;
}

bool klog_take_cell(struct klog_parse *parse)
{
	struct span at = parse->at, cell;
	struct klog_time time = parse->line->time;

	if (!take_cell(parse, &at, &cell))
		return false;
	if (!parse->is_stamped) {
		/* The first column is a time, or these are no columns. */
		if (!klog_take_any_date(&cell, parse->context->now_us, false, &time) || span_len(cell))
			return false;
		parse->line->time = time;
		parse->is_stamped = true;
		parse->separator = '"';
	} else if (span_is(cell, "kernel") || span_is(cell, "kernel:")) {
		parse->line->origin = KLOG_ORIGIN_KERNEL;
	} else if (span_len(cell) && !is_name(cell)) {
		return false;
	}
	parse->at = at;
	return true;
}
