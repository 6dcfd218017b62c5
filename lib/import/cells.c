// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/cells.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/kind/cues.h"
#include "import/log/log.h"
#include "klog/span.h"

enum { MOST_CELLS = 12, LONGEST_TIME = 35, SHORTEST_TIME = 5 };

struct row {
	struct span cells[MOST_CELLS];
	size_t nr;
};

static struct span trimmed(struct span cell)
{
	while (cell.at < cell.end && strchr(" `", *cell.at))
		cell.at++;
	while (cell.end > cell.at && strchr(" `", cell.end[-1]))
		cell.end--;
	return cell;
}

static bool add_cell(struct row *row, const char *at, const char *end)
{
	if (row->nr == MOST_CELLS)
		return false;
	row->cells[row->nr++] = trimmed((struct span){ at, end });
	return true;
}

/* "| a | b |" */
static bool read_row(const char *text, struct row *ret)
{
	const char *at = past_blanks(text) + 1, *bar;

	for (; (bar = strchr(at, '|')); at = bar + 1)
		if (!add_cell(ret, at, bar))
			return false;
	return ret->nr > 1 && !*past_blanks(at);
}

/* Where a cell of a list that commas part ends: "a ""b"", c" or a word. */
static const char *past_value(const char *at)
{
	if (*at != '"')
		return at + strcspn(at, ",\"");
	for (at++; *at; at++) {
		if (*at != '"')
			continue;
		if (at[1] != '"')
			return at + 1;
		at++;
	}
	return NULL;
}

/* The last of them is in quotes, and nothing follows. */
static bool read_values(const char *text, struct row *ret)
{
	for (const char *at = text, *end; (end = past_value(at)); at = end + 1) {
		bool is_quoted = *at == '"';

		if (!add_cell(ret, at + (is_quoted ? 1 : 0), end - (is_quoted ? 1 : 0)))
			return false;
		if (!*end)
			return is_quoted && ret->nr > 1;
		if (*end != ',')
			return false;
	}
	return false;
}

/* "2026-03-11 08:12:44.001", "08:12", "2026-03-11": nothing else. */
static bool is_time(struct span cell)
{
	size_t nr_marks = 0;

	if (span_len(cell) < SHORTEST_TIME || span_len(cell) > LONGEST_TIME || !is_digit(*cell.at))
		return false;
	for (const char *at = cell.at; at < cell.end; at++) {
		if (!is_digit(*at) && !strchr(":-/. TZ+", *at))
			return false;
		nr_marks += *at == ':' || *at == '-' || *at == '/';
	}
	return nr_marks > 0;
}

/* Spreadsheets of incidents have how bad it is. */
static bool is_severity(struct span cell)
{
	static const char *const words[] = { "critical", "error", "high", "Critical", "ERROR", "CRITICAL", "crit",
					     "err" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (span_is(cell, words[i]))
			return true;
	return false;
}

/* In a cell behind the time, or NULL. */
static const struct span *message_of(const struct row *row, const struct span **ret_time)
{
	const struct span *ret = NULL;

	*ret_time = NULL;
	for (size_t i = 0; i < row->nr; i++) {
		const struct span *cell = &row->cells[i];

		if (!*ret_time && (is_time(*cell) || is_severity(*cell)))
			*ret_time = cell;
		else if (*ret_time && (!ret || span_len(*cell) > span_len(*ret)))
			ret = cell;
	}
	return ret;
}

/* The words of a program, and not the kernel's? */
static bool is_of_program(const char *text)
{
	static const enum dump_kind kinds[] = { DUMP_SMI_FAILURE, DUMP_ROCM_FAILURE, DUMP_PROGRAM_ERROR };

	return dump_line_begins(text, kinds, ARRAY_SIZE(kinds)) && !dump_is_log_line(text);
}

/* With the day it may be told how old it is; a time of day alone tells nothing. */
static const char *line_of(struct arena *arena, const struct span *time, const struct span *message)
{
	bool has_day = text_has_clock(time->at, time->end) && memchr(time->at, '-', span_len(*time));

	return arena_printf(arena, "%.*s%s%.*s", has_day ? (int)span_len(*time) : 0, time->at, has_day ? " " : "",
			    (int)span_len(*message), message->at);
}

void dump_open_cells(struct arena *arena, struct dump_line *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *text = past_blanks(lines[i].text), *words;
		const struct span *time, *message;
		struct row row = { .nr = 0 };

		if (!*text || (*text == '|' ? !read_row(text, &row) : !strstr(text, ",\"") || !read_values(text, &row)))
			continue;
		message = message_of(&row, &time);
		if (!message)
			continue;
		words = arena_strndup(arena, message->at, span_len(*message));
		if (is_of_program(words))
			lines[i] = (struct dump_line){
				.text = line_of(arena, time, message), .number = lines[i].number,
				.label = lines[i].label,
			};
	}
}
