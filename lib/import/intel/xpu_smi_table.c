// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xpu_smi_table.c - xpu-smi of release 2 without arguments: drawn as nvidia-smi's table, to the words of its heads,
 * with two lines for each GPU.
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/intel/xpu_smi.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/span.h"

enum { MAX_CELLS = 4, MAX_WORDS = 16 };

static bool is_head(const char *text)
{
	text += strspn(text, " ");
	return *text == '|' && strstr(text, "XPU-SMI") && strstr(text, "Version");
}

enum dump_begins xpu_smi_table_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return is_head(lines->text) ? BEGINS_NEW : BEGINS_NOT;
}

/* "0  Intel Data Center GPU Max 1550": the name, where it was not cut. */
static void take_name(struct reading *reading, struct xpu_gpu *gpu, struct dump_line *line, const char *at)
{
	const char *end;

	at += strspn(at, " ");
	end = strstr(at, "  ");
	end = end ? end : at + strlen(at);
	if (end - at > 3 && strncmp(end - 3, "...", 3) != 0)
		xpu_take(reading, gpu, "", "device name", arena_strndup(reading->arena, at, (size_t)(end - at)), line);
}

/* The first line of a GPU: number and name | address | uncorrected errors. False: it is none. */
static bool begin_gpu(struct reading *reading, struct xpu_gpu *ret, struct dump_line *line,
		      const char *const cells[MAX_CELLS])
{
	struct span span = span_of(cells[1]);
	char key[PCI_TEXT_BYTES];
	const char *at = cells[0];
	bool fits = true;
	uint64_t index;

	if (!scan_u64(&at, 10, &index, &fits) || !fits || *at != ' ' || !span_take_pci(&span, key))
		return false;
	if (ret->gpu)
		xpu_gpu_end(ret->gpu);
	*ret = xpu_gpu(reading, line, index, key);
	take_name(reading, ret, line, at);
	xpu_take(reading, ret, "", "uncorrectable total", cells[2], line);
	return true;
}

static bool has_unit(const char *word, const char *unit)
{
	size_t len = strspn(word, ".0123456789");

	return len && !strcmp(word + len, unit);
}

/* "N/A   31C    N/A    69W /  600W" and "12%   N/A": what is what shows in the units. */
static void take_sensors(struct reading *reading, struct xpu_gpu *gpu, struct dump_line *line, const char *sensors,
			 const char *use)
{
	const char *words[MAX_WORDS];
	size_t nr = layout_words(reading->arena, sensors, words, MAX_WORDS);
	bool after_slash = false;

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(words[i], "/"))
			after_slash = true;
		else if (has_unit(words[i], "C"))
			xpu_take(reading, gpu, "", "gpu core temperature (c)", words[i], line);
		else if (has_unit(words[i], "W") && after_slash)
			xpu_take(reading, gpu, "", "power limit (w)", words[i], line);
	}
	nr = layout_words(reading->arena, use, words, MAX_WORDS);
	if (nr && has_unit(words[0], "%"))
		xpu_take(reading, gpu, "", "gpu utilization (%)", words[0], line);
}

void xpu_smi_table_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct xpu_gpu gpu = { .gpu = NULL };
	bool is_second = false;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *cells[MAX_CELLS];
		size_t nr = layout_cells(reading->arena, part->lines[i].text, cells, MAX_CELLS);

		part->lines[i].is_taken |= is_head(part->lines[i].text);
		if (nr == 3 && begin_gpu(reading, &gpu, &part->lines[i], cells)) {
			is_second = true;
		} else if (nr == 3 && gpu.gpu && is_second) {
			take_sensors(reading, &gpu, &part->lines[i], cells[0], cells[2]);
			is_second = false;
		}
	}
	if (gpu.gpu)
		xpu_gpu_end(gpu.gpu);
}
