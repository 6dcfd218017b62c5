// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/nvidia/dcgm_row.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/dcgm_result.h"

enum { MOST_ROWS = 16 };	/* that are looked at for one that only DCGM has */

/* Tests of DCGM 3 and 4; is_own: no other tool has such a name. */
static const struct { const char *name; bool is_own; } tests[] = {
	{ "targeted_stress", true }, { "targeted_power", true }, { "memory_bandwidth", true }, { "sm_stress", true },
	{ "pulse_test", true }, { "context_create", true }, { "diagnostic", false }, { "memory", false },
	{ "memtest", false }, { "pcie", false }, { "software", false }, { "nvbandwidth", false }, { "eud", false },
};

struct row {
	size_t test;
	const char *status, *words;
};

static bool take_row(const char *text, struct row *ret)
{
	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		const char *status = text + strlen(tests[i].name);
		size_t len;

		if (!text_begins(text, tests[i].name) || *status != ' ')
			continue;
		status = past_blanks(status);
		len = strcspn(status, " ");
		*ret = (struct row){ .test = i, .status = dcgm_status(status), .words = past_blanks(status + len) };
		return ret->status && len == strlen(ret->status);
	}
	return false;
}

/* By its name, or by what CUDA and the driver say in its words. */
static bool is_dcgms(const struct row *row)
{
	return tests[row->test].is_own || text_begins(row->words, "Xid ") ||
	       (text_begins(row->words, "cu") && strstr(row->words, " failed"));
}

bool dcgm_row_begins(const struct dump_line *lines, size_t nr)
{
	struct row row;

	if (!take_row(lines->text, &row))
		return false;
	for (size_t i = 0; i < nr && i < MOST_ROWS; i++)
		if (take_row(lines[i].text, &row) && is_dcgms(&row))
			return true;
	return false;
}

/* GPUs that a text tells to be lost: the number of one, and whether it tells of several. */
enum { MOST_LINES = 256 };	/* of a part: for the rows of a longer one no GPU is looked for in the text around */

struct lost {
	int gpu;
	bool are_several;
};

/* "GPU 1 falls off the bus" */
static void take_lost(const char *text, struct lost *lost)
{
	static const char *const verbs[] = { " falls off the", " fell off the", " fallen off the", " has fallen off the",
					     " dropped off the" };

	/* Conditions, and what was before. */
	static const char *const others[] = { "if ", "If ", "when ", "When ", "replaced", "yesterday", "Yesterday",
					      "last ", "ago" };
	bool is_elsewhere = text_has_any(text, others, ARRAY_SIZE(others));

	for (const char *at = text; (at = strstr(at, "GPU ")) != NULL;) {
		uint64_t number;
		bool fits = true;

		at += strlen("GPU ");
		if (!scan_u64(&at, 10, &number, &fits) || !fits || number >= DCGM_MAX_GPUS ||
		    !text_begins_any(at, verbs, ARRAY_SIZE(verbs)) || is_elsewhere)
			continue;
		lost->are_several |= lost->gpu != DCGM_NO_GPU && lost->gpu != (int)number;
		lost->gpu = (int)number;
	}
}

/* Do the rows themselves say that one is lost? */
static bool tells_of_lost(const struct dump_part *part)
{
	for (size_t i = 0; part->nr_lines <= MOST_LINES && i < part->nr_lines; i++)
		if (strstr(part->lines[i].text, "fallen off bus") || strstr(part->lines[i].text, "fallen off the bus"))
			return true;
	return false;
}

/* The one of which the text around the table says so. */
static int lost_gpu_around(const struct reading *reading)
{
	struct lost lost = { .gpu = DCGM_NO_GPU };
	struct file_lines lines = { .text = 0 };
	const struct dump_line *line;

	while ((line = file_lines_next(reading, &lines)))
		take_lost(line->text, &lost);
	return lost.are_several ? DCGM_NO_GPU : lost.gpu;
}

void dcgm_row_read(struct reading *reading, struct dump_line *line)
{
	struct dcgm_result result;
	struct row row;

	if (!take_row(line->text, &row))
		return;
	result = (struct dcgm_result){ .test = tests[row.test].name, .gpu = dcgm_gpu_of_words(row.words),
				       .status = row.status,
				       .words = *row.words ? arena_strdup(reading->arena, row.words) : NULL };
	if (result.gpu == DCGM_NO_GPU && !strcmp(row.status, "fail") && tells_of_lost(reading->part))
		result.gpu = lost_gpu_around(reading);
	dcgm_put_result(reading, line, &result);
}
