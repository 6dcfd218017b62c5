// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/part_times.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/written_time.h"
#include "klog/line.h"

enum {
	HEAD_LINES = 8,		/* in which a tool prints the time, */
	END_LINES = 64,		/* and in which the last date of a log stands */
	LONGEST_HEAD = 400,
	APART_S = 600,		/* two outputs of one look at a node are not that far apart */
};
static const int64_t us_of_second = 1000000;

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
static int64_t time_in_head(const char *text)
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
static int64_t time_behind_host(const char *text)
{
	const char *at = past_blanks(text), *end;

	at = past_blanks(at + strcspn(at, " "));
	return written_time(at, &end);
}

/* What `date` prints: nothing else stands in the line. */
static int64_t time_alone(const char *text)
{
	const char *at = past_blanks(text), *end;
	int64_t ret;

	if (strnlen(text, 64) == 64)
		return 0;
	ret = written_time(at, &end);
	return ret && !*past_blanks(end) ? ret : 0;
}

static int64_t time_of_log_line(const char *text)
{
	/* The year of a stamp without one is not known. */
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line;

	klog_line_parse(&context, span_of(text), &line);
	klog_line_context_release(&context);
	return line.time.has_wall && line.time.wall_us > 0 ? line.time.wall_us / us_of_second : 0;
}

/* ---- the time of a part */

static int64_t time_at_head(const struct dump_part *part)
{
	int64_t ret = 0;

	for (size_t i = 0; i < part->nr_lines && i < HEAD_LINES && !ret; i++)
		if (strnlen(part->lines[i].text, LONGEST_HEAD) < LONGEST_HEAD)
			ret = part->kind == DUMP_GPUSTAT ? time_behind_host(part->lines[i].text)
							 : time_in_head(part->lines[i].text);
	return ret;
}

/* "2026/11/24 10:11:12.345, 0, NVIDIA …" of --query-gpu=timestamp,index: of its last row. */
static int64_t time_in_rows(const struct dump_part *part)
{
	for (size_t i = part->nr_lines; i && part->nr_lines - i < END_LINES; i--) {
		const char *text = part->lines[i - 1].text, *end;

		for (const char *cell = text; cell; cell = strchr(cell, ',')) {
			int64_t ret;

			cell = past_blanks(cell + (*cell == ',' ? 1 : 0));
			ret = *cell == '2' ? written_time(cell, &end) : 0;
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int64_t time_at_end(const struct dump_part *part)
{
	for (size_t i = part->nr_lines; i && part->nr_lines - i < END_LINES; i--) {
		int64_t ret = time_of_log_line(part->lines[i - 1].text);

		if (ret)
			return ret;
	}
	return 0;
}

/* A line with nothing but the date, in prose or by itself, is of what stands below it. */
static int64_t time_above_next(const struct dump_part *part)
{
	size_t last = part->nr_lines;

	while (last && !*part->lines[last - 1].text)
		last--;
	return last ? time_alone(part->lines[last - 1].text) : 0;
}

static void put_time(struct arena *arena, struct dump_part *part, int64_t clock_s)
{
	char time[32];

	part->clock_s = clock_s;
	if (!clock_s || part->taken_at)
		return;
	format_rfc3339(clock_s, 0, time);
	part->taken_at = arena_strdup(arena, time);
}

/* ---- parts of one file */

static bool is_same_file(const struct dump_part *a, const struct dump_part *b)
{
	return a->file == b->file || !strcmp(a->file, b->file);
}

/* Returns the time that parts below have, too; 0: none. */
static int64_t date_part(struct arena *arena, struct dump_part *part)
{
	int64_t below_s = 0;

	if (part->clock_s)
		return part->clock_s;
	if (part->kind == DUMP_SMI_CSV)
		below_s = time_in_rows(part);
	else if (is_of_moment(part->kind))
		below_s = time_at_head(part);
	else if (part->kind == DUMP_LOG)
		below_s = time_above_next(part);
	put_time(arena, part, below_s ? below_s : part->kind == DUMP_LOG ? time_at_end(part) : 0);
	return below_s;
}

/* nr parts of one file, one after another. */
static void date_file(struct arena *arena, struct dump_part *parts, size_t nr)
{
	int64_t first_s = 0, above_s = 0;

	for (size_t i = 0; i < nr; i++) {
		int64_t below_s = date_part(arena, &parts[i]);

		first_s = first_s ? first_s : below_s;
	}
	for (size_t i = 0; i < nr; i++) {
		int64_t own_s = parts[i].clock_s;

		if (!own_s)
			parts[i].clock_s = above_s ? above_s : first_s;
		else if (parts[i].kind != DUMP_LOG || time_above_next(&parts[i]))
			above_s = own_s;
	}
}

void dump_parts_date(struct arena *arena, struct dump_parts *parts)
{
	for (size_t i = 0, end; i < parts->nr; i = end) {
		for (end = i + 1; end < parts->nr && is_same_file(&parts->v[i], &parts->v[end]); end++)
			continue;
		date_file(arena, &parts->v[i], end - i);
	}
}

int64_t part_time_in_order(const struct dump_part *part, int64_t *newest_s)
{
	if (!part->clock_s)
		return *newest_s;
	*newest_s = part->clock_s > *newest_s ? part->clock_s : *newest_s;
	return part->clock_s;
}

bool part_time_is_older(const struct dump_part *part, const struct dump_part *other)
{
	return is_of_moment(part->kind) && part->clock_s && other->clock_s && part->clock_s - other->clock_s >= APART_S;
}

int64_t part_times_last_start(const struct dump_parts *parts)
{
	static const char *const starts[] = { "Linux version ", "NVRM: loading NVIDIA UNIX" };
	int64_t ret = 0;

	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];

		for (size_t k = 0; part->kind == DUMP_LOG && k < part->nr_lines; k++) {
			int64_t at = text_has_any(part->lines[k].text, starts, ARRAY_SIZE(starts))
					     ? time_of_log_line(part->lines[k].text)
					     : 0;

			ret = at > ret ? at : ret;
		}
	}
	return ret;
}
