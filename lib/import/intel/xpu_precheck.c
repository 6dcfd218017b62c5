// SPDX-License-Identifier: GPL-2.0-or-later
/* xpu_precheck.c - xpu-smi diag --precheck: a table of components, each with its address and status. */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum dump_begins xpu_precheck_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = past_blanks(lines->text), *details;

	(void)nr;
	details = text_begins(text, "| Component ") ? strchr(text + 1, '|') : NULL;
	return details && text_begins(details, "| Details ") ? BEGINS_NEW : BEGINS_NOT;
}

/*
 * What stands behind a name in the second cell, "Status: Fail", without the blanks around it; NULL: it has another
 * name.
 */
static const char *value_of(struct arena *arena, const char *line, const char *name)
{
	const char *at = strstr(line, name), *end;

	if (!at)
		return NULL;
	at += strlen(name);
	end = at + strcspn(at, "|");
	while (end > at && end[-1] == ' ')
		end--;
	return arena_strndup(arena, at, (size_t)(end - at));
}

static const char *status_of(const char *text)
{
	return !strcasecmp(text, "Pass") ? "pass" : !strcasecmp(text, "Fail") ? "fail" : "skip";
}

/* Of the GPU at hand; what else is checked, as the driver and processors, is told where it has failed by the log. */
void xpu_precheck_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct diagnostic_result *result = NULL;

	part->lines[0].is_taken = true;
	for (size_t i = 1; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *text = line->text + strspn(line->text, " |"), *value;
		struct gpu *gpu;

		if (text_begins(text, "Driver ") || text_begins(text, "CPU ") ||
		    strspn(line->text, " +-=") == strlen(line->text))
			result = NULL;
		if ((value = value_of(reading->arena, line->text, " BDF: ")) && (gpu = reading_gpu(reading, value))) {
			put(reading, line, gpu->pci.vendor_id, val_str("0x8086"));
			result = list_element(reading->arena, gpu, diagnostics, diagnostic_result, "precheck");
		} else if (result && (value = value_of(reading->arena, line->text, " Status: "))) {
			put(reading, line, result->status, val_str(status_of(value)));
		} else if (result && ((value = value_of(reading->arena, line->text, " Category: ")) ||
				      (value = value_of(reading->arena, line->text, " Severity: ")) ||
				      (value = value_of(reading->arena, line->text, " Description: ")))) {
			const char *before = str_or(result->words, NULL);

			put(reading, line, result->words,
			    val_str(before ? arena_printf(reading->arena, "%s, %s", before, value) : value));
		}
	}
}
