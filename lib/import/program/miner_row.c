// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	Speed 43.14 Mh/s gpu0 21.57 65C 36% 86W gpu1 21.57 66C 32% 86W
 *	Speed 43.14 Mh/s gpu0 21.57 65C 36% 86W gpu1 21.57 0C 0%
 *
 * A GPU that cannot be read is 0C 0% from the first row on. One that was read and is no more, while others are, is
 * lost, whatever the miner reckons as its speed.
 */
#include "base/compat.h"
#include "import/program/miner_row.h"

#include "import/dump/error_put.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_GPUS = 32,
	MOST_BELOW = 64,	/* lines up to the next row */
};

static const char row_begins[] = " Mh/s gpu0 ", lost[] = " 0C 0%";

struct row {
	bool is_read[MOST_GPUS], is_lost[MOST_GPUS];
	const char *at[MOST_GPUS];
	bool is_any_read;
};

/* "21.57 0C 0%": the speed, the temperature and the fan. */
static void read_gpu(struct row *row, uint64_t gpu, const char *at, const char *text)
{
	bool fits = true;
	uint64_t celsius, percent;

	at += strspn(at, "0123456789.");
	if (!scan_char(&at, ' ') || !scan_u64(&at, 10, &celsius, &fits) || !scan_char(&at, 'C') ||
	    !scan_char(&at, ' ') || !scan_u64(&at, 10, &percent, &fits) || !scan_char(&at, '%') || !fits)
		return;
	row->at[gpu] = text;
	row->is_read[gpu] = celsius > 0;
	row->is_lost[gpu] = !celsius && !percent;
	row->is_any_read |= celsius > 0;
}

static struct row row_of(const char *text)
{
	static const char gpu[] = " gpu";
	struct row ret = { .is_any_read = false };
	const char *row = strstr(text, row_begins), *name = row ? strstr(row, gpu) : NULL;

	for (int i = 0; name && i < MOST_GPUS; i++) {
		const char *at = name + strlen(gpu);
		bool fits = true;
		uint64_t number;

		if (scan_u64(&at, 10, &number, &fits) && fits && number < MOST_GPUS && scan_char(&at, ' '))
			read_gpu(&ret, number, at, name + 1);
		name = strstr(at, gpu);
	}
	return ret;
}

/* Once it could not be read: a row further below has it again. */
static bool is_back(const struct dump_line *lines, size_t nr, int gpu)
{
	char name[16];

	snprintf(name, sizeof(name), " gpu%d ", gpu);
	for (size_t i = 1; i < nr; i++)
		if (strstr(lines[i].text, row_begins) && strstr(lines[i].text, name) &&
		    row_of(lines[i].text).is_read[gpu])
			return true;
	return false;
}

/* The first GPU that one row has, and that the first of these lines and those below have lost; NULL: none. */
static const char *lost_since(const struct row *before, const struct row *after, const struct dump_line *lines,
			      size_t nr)
{
	for (int i = 0; i < MOST_GPUS; i++)
		if (before->is_read[i] && after->is_lost[i] && !is_back(lines, nr, i))
			return after->at[i];
	return NULL;
}

/* How far below the first line the next row is, if it has lost a GPU; 0: it has not, or there is none. */
static size_t lost_below(const struct dump_line *lines, size_t nr, const char **ret_gpu)
{
	if (!strstr(lines->text, row_begins))
		return 0;
	for (size_t i = 1; i < nr && i <= MOST_BELOW; i++) {
		struct row first, row;

		if (!strstr(lines[i].text, row_begins))
			continue;
		if (!strstr(lines[i].text, lost))
			return 0;
		first = row_of(lines->text);
		row = row_of(lines[i].text);
		if (!first.is_any_read)
			return 0;
		if (!row.is_any_read)
			continue;
		*ret_gpu = lost_since(&first, &row, &lines[i], nr - i);
		return *ret_gpu ? i : 0;
	}
	return 0;
}

bool miner_row_begins(const struct dump_line *lines, size_t nr)
{
	const char *gpu;

	return lost_below(lines, nr, &gpu);
}

void miner_row_read(struct reading *reading, size_t at)
{
	struct dump_line *lines = &reading->part->lines[at];
	const char *gpu;
	const size_t below = lost_below(lines, reading->part->nr_lines - at, &gpu);
	struct dump_line piece = lines[below];

	/* Of the row's GPUs the line is about that one. */
	piece.text = arena_strndup(reading->arena, gpu, strcspn(gpu, "%") + 1);
	lines->is_taken = lines[below].is_taken = true;
	program_error_put(reading, &piece, "device-lost", piece.text, NULL);
}
