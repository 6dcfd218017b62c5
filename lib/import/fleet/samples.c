// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samples.c - tools that print a line of load, power and heat every second: dcgmi dmon, nvidia-smi dmon and pmon,
 * xpu-smi dump, tegrastats. They name no limit, and nothing is known of the time they were taken: no fault. So they are
 * known for what they are and read for nothing, rather than searched for lines of a kernel log.
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char *const heads[] = {
	"#Entity ", "# gpu ", "# Idx ", "Timestamp, DeviceId,", "Timestamp,DeviceId,",
};

/* "RAM 4722/7772MB (lfb 1x4MB) …" of a Jetson, behind a date or not; EMC_FREQ is of no other machine. */
static bool is_of_tegra(const char *text)
{
	const char *at = strstr(text, "RAM ");

	return at && strstr(at, "MB (lfb ") && (strstr(at, "GR3D_FREQ") || strstr(at, "EMC_FREQ"));
}

static bool is_head(const char *text)
{
	text = past_blanks(text);
	return text_begins_any(text, heads, ARRAY_SIZE(heads)) || is_of_tegra(text);
}

enum dump_begins samples_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return is_head(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* Columns of numbers, with a GPU before them or a time; the rest of what follows is people's. */
static bool is_row(const char *text)
{
	text = past_blanks(text);
	if (text_begins(text, "GPU "))
		text += 4;
	return is_head(text) || text_begins(text, "ID ") || (is_digit(*text) && !strchr(text, '|'));
}

void samples_read(struct reading *reading)
{
	for (size_t i = 0; i < reading->part->nr_lines; i++)
		reading->part->lines[i].is_taken = is_row(reading->part->lines[i].text);
}
