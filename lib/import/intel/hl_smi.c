// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hl_smi.c - hl-smi of Intel's Gaudi (habanalabs), drawn as nvidia-smi's table of old, with two lines for each device.
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/intel/xpu_smi.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "klog/span.h"

enum { MAX_CELLS = 4, MAX_WORDS = 16 };

/* "| HL-SMI Version:                  hl-1.16.0-fw-50.1.2.0          |" */
static bool is_head(const char *text)
{
	return *past_blanks(text) == '|' && strstr(text, "HL-SMI Version:");
}

/* "|   0  HL-225              N/A  | 0000:33:00.0     N/A |                   0  |" */
static bool is_row(const char *text)
{
	uint64_t index;
	bool fits = true;

	text = past_blanks(text);
	if (*text != '|')
		return false;
	text = past_blanks(text + 1);
	return scan_u64(&text, 10, &index, &fits) && fits && text_begins(past_blanks(text), "HL-");
}

enum dump_begins hl_smi_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (is_head(lines->text))
		return BEGINS_NEW;
	return is_row(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* The first line of a device: number and name | address | uncorrected errors. False: it is none. */
static bool begin_device(struct reading *reading, struct xpu_gpu *ret, struct dump_line *line,
			 const char *const cells[MAX_CELLS])
{
	struct span span = span_of(cells[1]);
	const char *at = cells[0];
	char key[PCI_TEXT_BYTES];
	bool fits = true;
	uint64_t index;

	if (!is_row(line->text) || !scan_u64(&at, 10, &index, &fits) || !span_take_pci(&span, key))
		return false;
	if (ret->gpu)
		xpu_gpu_end(ret->gpu);
	*ret = xpu_gpu(reading, line, index, key);
	at = past_blanks(at);
	put(reading, line, ret->gpu->pci.vendor_id, val_str("0x1da3"));
	put(reading, line, ret->gpu->pci.driver, val_str("habanalabs"));
	put(reading, line, ret->gpu->pci.model, val_str(arena_strndup(reading->arena, at, strcspn(at, " "))));
	xpu_take(reading, ret, "", "uncorrectable total", cells[2], line);
	return true;
}

/* "0%           N/A" */
static void take_use(struct reading *reading, struct xpu_gpu *gpu, struct dump_line *line, const char *use)
{
	const char *words[MAX_WORDS];

	line->is_taken = true;
	if (layout_words(reading->arena, use, words, MAX_WORDS) && strchr(words[0], '%'))
		xpu_take(reading, gpu, "", "gpu utilization (%)", words[0], line);
}

void hl_smi_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct xpu_gpu gpu = { .gpu = NULL };
	bool is_second = false;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *cells[MAX_CELLS];
		size_t nr = layout_cells(reading->arena, part->lines[i].text, cells, MAX_CELLS);

		part->lines[i].is_taken |= is_head(part->lines[i].text);
		if (nr == 3 && begin_device(reading, &gpu, &part->lines[i], cells)) {
			is_second = true;
		} else if (nr == 3 && is_second) {
			take_use(reading, &gpu, &part->lines[i], cells[2]);
			is_second = false;
		}
	}
	if (gpu.gpu)
		xpu_gpu_end(gpu.gpu);
}
