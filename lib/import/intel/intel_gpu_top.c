// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intel_gpu_top.c - intel_gpu_top with -J, -l or on a terminal. It tells how busy engines are, at which clock and
 * power, of a GPU that it does not name, over a moment that nothing is known of: no fault, and not whose. So it is
 * known for what it is and read for nothing, rather than searched for lines of a kernel log.
 */
#include "base/compat.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"

#include "base/text.h"

static bool is_table_head(const char *text)
{
	return strstr(text, "Freq MHz") && strstr(text, "RC6");
}

/* "intel-gpu-top: Intel Dg2 (Gen12) @ /dev/dri/card1 -  585/ 439 MHz;  33% RC6" */
static bool is_title(const char *text)
{
	text += strspn(text, " ");
	return (!strncmp(text, "intel-gpu-top:", 14) || !strncmp(text, "intel-gpu-top -", 15)) && strstr(text, "MHz");
}

enum dump_begins intel_gpu_top_begins(const struct dump_line *lines, size_t nr)
{
	if (is_table_head(lines->text) || is_title(lines->text))
		return BEGINS_MORE;
	if (!json_text_has_key(lines, nr, "engines") ||
	    (!json_text_has_key(lines, nr, "rc6") && !json_text_has_key(lines, nr, "requested")))
		return BEGINS_NOT;
	return json_text_has_key(lines, nr, "period") ? BEGINS_NEW : BEGINS_NOT;
}

/* Numbers of the table, engines with their bars, and JSON; no words of people. */
static bool is_its_line(const char *text)
{
	static const char *const names[] = { "ENGINE", "RCS", "BCS", "VCS", "Render/3D", "Blitter", "Video", "Compute",
					     "IMC ", "req " };

	text += strspn(text, " ");
	if (strspn(text, " .0123456789%|") == strlen(text) || strchr("{}[]\"", *text))
		return true;
	return text_begins_any(text, names, ARRAY_SIZE(names)) || is_table_head(text) || is_title(text);
}

void intel_gpu_top_read(struct reading *reading)
{
	for (size_t i = 0; i < reading->part->nr_lines; i++)
		reading->part->lines[i].is_taken = is_its_line(reading->part->lines[i].text);
}
