// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log_files.c - the last start of the driver in any of the files is where the last boot begins in all of them. Without
 * one, what was rotated away is old, and the file that is written to may be of this boot.
 */
#include "base/compat.h"
#include "import/log/log_files.h"

#include "base/text_scan.h"
#include "klog/line.h"

enum { MAX_ROTATED = 100 };	/* more files are none of a node's */

bool log_file_is(const struct dump_part *part)
{
	return part->kind == DUMP_LOG && part->is_picked && part->boots_ago == BOOTS_NOT_TOLD;
}

bool log_is_start_of_driver(const char *text)
{
	return strstr(text, "NVRM: loading NVIDIA UNIX") != NULL;
}

/* To the second, as files differ in what they tell of it; 0: it has no date. */
static int64_t said_us(const struct dump_line *line, int64_t now_us)
{
	/* Dates without a year can be compared within one. */
	static const int64_t end_of_a_leap_year_us = 978220800 * (int64_t)1000000;
	struct klog_line_context context = { .now_us = now_us > 0 ? now_us : end_of_a_leap_year_us };
	struct klog_line parsed;
	int64_t ret;

	if (!*line->text)
		return 0;
	klog_line_parse(&context, span_of(line->text), &parsed);
	ret = parsed.time.has_wall ? parsed.time.wall_us - parsed.time.wall_us % 1000000 : 0;
	klog_line_context_release(&context);
	return ret;
}

static struct log_file read_file(const struct dump_part *part, size_t index, int64_t now_us)
{
	struct log_file ret = { .part = part, .index = index, .own_start = part->nr_lines };

	for (size_t k = 0; k < part->nr_lines; k++)
		if (log_is_start_of_driver(part->lines[k].text))
			ret.own_start = k;
	for (size_t k = part->nr_lines; k-- && !ret.last_us;)
		ret.last_us = said_us(&part->lines[k], now_us);
	return ret;
}

static const char *name_of(const struct log_file *file)
{
	const struct dump_part *part = file->part;

	return part->about && *part->about == '/' ? part->about : part->file;
}

/* Where dates do not tell, the longer name is that of the rotated one. */
static int by_time(const void *a, const void *b)
{
	const struct log_file *file_a = a, *file_b = b;

	size_t len_a = strlen(name_of(file_a)), len_b = strlen(name_of(file_b));

	if (file_a->last_us != file_b->last_us)
		return file_a->last_us < file_b->last_us ? -1 : 1;
	if (len_a != len_b)
		return len_a > len_b ? -1 : 1;
	return file_a->index < file_b->index ? -1 : 1;
}

/* ---- the last boot */

/* "/var/log/messages" of "/var/log/messages-20261108", "/var/log/kern.log" of "/var/log/kern.log.2.gz:" */
static size_t stem_len(const char *name)
{
	const char *slash = strrchr(name, '/'), *at = slash ? slash : name;

	while (*at && strcmp(at, ":") != 0 && !((*at == '-' || *at == '.') && is_digit(at[1])))
		at++;
	return (size_t)(at - name);
}

/* Is there a newer one that it was rotated away from? */
static bool is_newest(const struct log_file *files, size_t nr, size_t at)
{
	const char *name = name_of(&files[at]);
	size_t len = stem_len(name);

	for (size_t i = at + 1; i < nr && i <= at + MAX_ROTATED; i++) {
		const char *other = name_of(&files[i]);

		if (stem_len(other) == len && !strncmp(name, other, len) && strcmp(name, other) != 0)
			return false;
	}
	return true;
}

static size_t first_since(const struct dump_part *part, int64_t since_us, int64_t now_us)
{
	size_t ret = 0;

	while (ret < part->nr_lines && said_us(&part->lines[ret], now_us) < since_us)
		ret++;
	return ret;
}

/* since_us: of the last start in any file; 0: its date is not known. */
static size_t start_of(const struct log_file *file, int64_t since_us, int64_t now_us)
{
	const struct dump_part *part = file->part;
	int64_t own_us = file->own_start < part->nr_lines ? said_us(&part->lines[file->own_start], now_us) : 0;

	if (file->own_start < part->nr_lines && (!own_us || own_us >= since_us))
		return file->own_start;
	return since_us && !own_us ? first_since(part, since_us, now_us) : part->nr_lines;
}

static void find_starts(struct log_file *files, size_t nr, int64_t now_us)
{
	int64_t since_us = 0;
	bool has_start = false;

	for (size_t i = 0; i < nr; i++) {
		const struct dump_part *part = files[i].part;
		int64_t us =
			files[i].own_start < part->nr_lines ? said_us(&part->lines[files[i].own_start], now_us) : 0;

		has_start |= files[i].own_start < part->nr_lines;
		since_us = us > since_us ? us : since_us;
	}
	for (size_t i = 0; i < nr; i++)
		if (has_start)
			files[i].start = start_of(&files[i], since_us, now_us);
		else
			files[i].start = is_newest(files, nr, i) ? 0 : files[i].part->nr_lines;
}

struct log_file *log_files(struct arena *arena, const struct dump_parts *parts, int64_t now_us, size_t *ret_nr)
{
	struct log_file *ret = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < parts->nr; i++) {
		if (!log_file_is(&parts->v[i]))
			continue;
		ret = arena_grow(arena, ret, nr, sizeof(*ret));
		ret[nr++] = read_file(&parts->v[i], i, now_us);
	}
	if (nr)
		qsort(ret, nr, sizeof(*ret), by_time);
	find_starts(ret, nr, now_us);
	*ret_nr = nr;
	return ret;
}
