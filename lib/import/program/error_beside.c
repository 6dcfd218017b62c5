// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/error_beside.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/program/error_weight.h"
#include "import/program/likely_error.h"

/* Two lines that say the same, whatever their numbers are: of the rank, the time, the process. */
static bool is_alike(const char *a, const char *b)
{
	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			a += strspn(a, "0123456789");
			b += strspn(b, "0123456789");
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return *a == *b;
}

/* text: so much of a line as is told. */
static bool is_told(const struct reading *reading, const struct dump_line *told, const char *text)
{
	const struct snapshot *snapshot = reading->snapshot;

	if (told && is_alike(error_said(reading->arena, told->text), text))
		return true;
	for (size_t i = 0; i < snapshot->nr_error_lines; i++)
		if (is_alike(str_or(snapshot->error_lines[i].text, ""), text))
			return true;
	for (size_t i = 0; i < snapshot->nr_program_errors; i++)
		if (is_alike(str_or(snapshot->program_errors[i].line, ""), text))
			return true;
	return false;
}

static struct dump_line *likeliest(struct reading *reading, size_t told)
{
	const struct dump_part *part = reading->part;
	const struct dump_line *line_told = told < part->nr_lines ? &part->lines[told] : NULL;
	struct dump_line *ret = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		unsigned signs = likely_error_signs(part->lines[i].text);

		if (i == told || signs <= most ||
		    is_told(reading, line_told, error_said(reading->arena, part->lines[i].text)))
			continue;
		most = signs;
		ret = &part->lines[i];
	}
	return ret;
}

void error_beside_put(struct reading *reading, size_t told)
{
	struct snapshot *snapshot = reading->snapshot;
	struct dump_line *line;

	while (snapshot->nr_error_lines < MOST_BESIDE && (line = likeliest(reading, told))) {
		struct error_line *to = list_element(
			reading->arena, snapshot, error_lines, error_line,
			arena_printf(reading->arena, "%zu", snapshot->nr_error_lines + 1));

		put(reading, line, to->text, val_str(error_said(reading->arena, line->text)));
	}
}

void error_beside_read(struct reading *reading)
{
	error_beside_put(reading, reading->part->nr_lines);
}
