// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/part_times.h"

#include <stdlib.h>

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/written_time.h"
#include "import/line/prompt.h"
#include "klog/line.h"

enum {
	HEAD_LINES = 8,		/* in which a tool prints the time, */
	END_LINES = 64,		/* and in which the last date of a log stands */
	LONGEST_HEAD = 400,
	APART_S = 600,		/* two outputs of one look at a node are not that far apart */
};
static const int64_t us_of_second = 1000000;
static const struct written_clock not_told = { .s = 0 };

/* Do they show how things are at one moment? Others are logs, results, or files of any age. */
static bool is_of_moment(enum dump_kind kind)
{
	switch (kind) {
	case DUMP_SMI_QUERY: case DUMP_SMI_XML: case DUMP_SMI_CSV: case DUMP_SMI_LIST: case DUMP_SMI_TABLE:
	case DUMP_SMI_TOPO: case DUMP_GPUSTAT: case DUMP_NVITOP: case DUMP_LSPCI: case DUMP_AMD_SMI_JSON:
	case DUMP_AMD_SMI: case DUMP_AMD_SMI_TABLE: case DUMP_AMD_SMI_CSV: case DUMP_ROCM_SMI_JSON:
	case DUMP_ROCM_SMI: case DUMP_ROCM_SMI_CSV: case DUMP_AMD_MONITOR: case DUMP_XPU_SMI_JSON:
	case DUMP_XPU_SMI: case DUMP_XPU_PRECHECK: case DUMP_DCGM_JSON: case DUMP_DCGM_TABLE: case DUMP_DCGMI:
	case DUMP_BUG_REPORT:
		return true;
	default:
		return false;
	}
}

/* ---- the time in a line */

/* "Timestamp   : Tue Nov 24 10:11:12 2026", "<timestamp>Tue …", "\"timestamp\": \"2026-…", "Tue …" */
static struct written_clock time_in_head(const char *text)
{
	static const char name[] = "timestamp";
	const char *at = past_blanks(text), *end;

	at += strspn(at, "<\"'|");
	at = past_blanks(at);
	if (!strncasecmp(at, name, strlen(name)))
		at += strlen(name) + strspn(at + strlen(name), " :>\"'=|");
	return written_time(at, &end);
}

/* Behind the host's name, "node7  Tue Nov 24 10:11:12 2026  550.90.07" */
static struct written_clock time_behind_host(const char *text)
{
	const char *at = past_blanks(text), *end;

	at = past_blanks(at + strcspn(at, " "));
	return written_time(at, &end);
}

/* What `date` prints: nothing else stands in the line. */
static struct written_clock time_alone(const char *text)
{
	const char *at = past_blanks(text), *end;
	struct written_clock ret;

	if (strnlen(text, 64) == 64)
		return not_told;
	ret = written_time(at, &end);
	return ret.s && !*past_blanks(end) ? ret : not_told;
}

static struct written_clock clock_of(const struct klog_line *line)
{
	if (!line->time.has_wall || line->time.wall_us <= 0)
		return not_told;
	return (struct written_clock){ .s = line->time.wall_us / us_of_second, .has_zone = !line->time.wall_is_local };
}

static struct written_clock time_of_log_line(const char *text)
{
	/* The year of a stamp without one is not known. */
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line;

	klog_line_parse(&context, span_of(text), &line);
	klog_line_context_release(&context);
	return clock_of(&line);
}

/* The kernel, or NVIDIA's driver, says that it starts. */
static struct written_clock time_of_start(const char *text)
{
	static const char *const starts[] = { "Linux version ", "NVRM: loading NVIDIA UNIX" };
	struct klog_line_context context = { .now_us = 0 };
	struct written_clock ret = not_told;
	struct klog_line line;

	if (!text_has_any(text, starts, ARRAY_SIZE(starts)))
		return ret;
	klog_line_parse(&context, span_of(text), &line);
	for (size_t i = 0; line.origin != KLOG_ORIGIN_USER && i < ARRAY_SIZE(starts); i++)
		if (span_begins(line.text, starts[i]))
			ret = clock_of(&line);
	klog_line_context_release(&context);
	return ret;
}

/* ---- the time of a part */

static struct written_clock time_at_head(const struct dump_part *part)
{
	struct written_clock ret = not_told;

	for (size_t i = 0; i < part->nr_lines && i < HEAD_LINES && !ret.s; i++)
		if (strnlen(part->lines[i].text, LONGEST_HEAD) < LONGEST_HEAD)
			ret = part->kind == DUMP_GPUSTAT ? time_behind_host(part->lines[i].text)
							 : time_in_head(part->lines[i].text);
	return ret;
}

/* "2026/11/24 10:11:12.345, 0, NVIDIA …" of --query-gpu=timestamp,index: of its last row. */
static struct written_clock time_in_rows(const struct dump_part *part)
{
	for (size_t i = part->nr_lines; i && part->nr_lines - i < END_LINES; i--) {
		const char *text = part->lines[i - 1].text, *end;

		for (const char *cell = text; cell; cell = strchr(cell, ',')) {
			struct written_clock ret;

			cell = past_blanks(cell + (*cell == ',' ? 1 : 0));
			ret = *cell == '2' ? written_time(cell, &end) : not_told;
			if (ret.s)
				return ret;
		}
	}
	return not_told;
}

static struct written_clock time_at_end(const struct dump_part *part)
{
	for (size_t i = part->nr_lines; i && part->nr_lines - i < END_LINES; i--) {
		struct written_clock ret = time_of_log_line(part->lines[i - 1].text);

		if (ret.s)
			return ret;
	}
	return not_told;
}

static bool has_word(const char *text)
{
	while (*text && !is_letter_or_digit(*text))
		text++;
	return *text;
}

/* "root@node7:~# nvidia-smi", "node7$ nvidia-smi" */
static bool is_command(const char *text)
{
	size_t len = strcspn(text, " ");

	return prompt_command(text) || (len > 1 && text[len - 1] == '$' && text[len]);
}

static size_t last_with_word(const struct dump_part *part, size_t nr)
{
	while (nr && !has_word(part->lines[nr - 1].text))
		nr--;
	return nr;
}

/*
 * A line with nothing but the date, in prose or by itself, is of what stands below it: of a table, whose upper edge is
 * none of its own, it ends the part before.
 */
static struct written_clock time_below(const struct dump_part *part)
{
	size_t last = last_with_word(part, part->nr_lines);

	/* By which the next part was printed. */
	if (last > 1 && is_command(part->lines[last - 1].text))
		last = last_with_word(part, last - 1);
	return last ? time_alone(part->lines[last - 1].text) : not_told;
}

/* What a tool prints without a zone, where a `date` above it tells the same moment with one. */
static struct written_clock with_zone(struct written_clock own, struct written_clock date)
{
	enum { STEP_S = 900, MOST_STEPS = 14 * 4 };	/* zones are whole quarters of an hour apart from UTC */
	int64_t apart_s = own.s > date.s ? own.s - date.s : date.s - own.s;
	int64_t steps = (apart_s + STEP_S / 2) / STEP_S;

	if (!own.s || own.has_zone || !date.has_zone || steps > MOST_STEPS)
		return own;
	apart_s -= steps * STEP_S;
	return apart_s <= STEP_S / 3 && apart_s >= -STEP_S / 3 ? date : own;
}

static void put_time(struct arena *arena, struct dump_part *part, struct written_clock clock)
{
	char time[32];

	part->clock = clock;
	if (!clock.s || part->taken_at)
		return;
	format_rfc3339(clock.s, 0, time);
	part->taken_at = arena_strdup(arena, time);
}

/* ---- parts of one file */

static struct written_clock own_time(const struct dump_part *part)
{
	if (part->kind == DUMP_SMI_CSV)
		return time_in_rows(part);
	if (is_of_moment(part->kind))
		return time_at_head(part);
	return part->kind == DUMP_LOG ? time_at_end(part) : not_told;
}

/* nr parts of one file, one after another. A log tells its end alone, and nothing of what stands below it. */
static void date_file(struct arena *arena, struct dump_part *parts, size_t nr)
{
	struct written_clock first = not_told, above = not_told, date = not_told;

	for (size_t i = 0; i < nr; i++) {
		struct dump_part *part = &parts[i];
		const struct written_clock below = time_below(part);

		if (!part->clock.s)
			put_time(arena, part, part->kind == DUMP_LOG && below.s ? below : own_time(part));
		if (part_shows_moment(part))
			part->clock = with_zone(part->clock, date);
		if (part->clock.s && part->kind != DUMP_LOG)
			date = not_told;
		else if (is_of_moment(part->kind))
			put_time(arena, part, date);
		if (part->kind != DUMP_LOG && part->clock.s)
			above = part->clock;
		else if (!part->clock.s)
			part->clock = above;
		date = below.s ? below : date;
		above = below.s ? below : above;
		first = first.s ? first : above;
	}
	for (size_t i = 0; i < nr; i++)
		if (!parts[i].clock.s)
			parts[i].clock = first;
}

void dump_parts_date(struct arena *arena, struct dump_parts *parts)
{
	for (size_t i = 0, end; i < parts->nr; i = end) {
		end = i + dump_parts_of_file(&parts->v[i], parts->nr - i);
		date_file(arena, &parts->v[i], end - i);
	}
}

int64_t part_time_in_order(const struct dump_part *part, int64_t *newest_s)
{
	if (!part->clock.s)
		return *newest_s;
	*newest_s = part->clock.s > *newest_s ? part->clock.s : *newest_s;
	return part->clock.s;
}

bool part_shows_moment(const struct dump_part *part)
{
	return is_of_moment(part->kind);
}

bool part_time_is_older(const struct dump_part *part, const struct dump_part *other)
{
	return is_of_moment(part->kind) && written_clock_is_later(part->clock, other->clock, APART_S);
}

struct written_clock part_times_last_start(const struct dump_parts *parts)
{
	struct written_clock ret = not_told;

	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];

		for (size_t k = 0; part->kind == DUMP_LOG && k < part->nr_lines; k++) {
			struct written_clock at = time_of_start(part->lines[k].text);

			ret = at.s > ret.s ? at : ret;
		}
	}
	return ret;
}
