// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/xid_monitor.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/fleet/node_code.h"
#include "import/line/xid_line.h"
#include "import/nvidia/hostengine_log.h"
#include "import/program/dcgm_result.h"

/* ---- dcgmi dmon -e 230 */

/* "#Entity   GPUTL   XIDER": by which word of a row, whose GPU takes two; 0: it has none. */
static size_t xid_column(const char *text)
{
	size_t nr = 1, len;

	text = past_blanks(text);
	if (!text_begins(text, "#Entity"))
		return 0;
	for (const char *word = scan_word(&text, &len); len; word = scan_word(&text, &len), nr++)
		if (len == strlen("XIDER") && !strncmp(word, "XIDER", len))
			return nr;
	return 0;
}

/* "GPU 1      97      120" */
static bool take_row(const struct xid_monitor *at, const char *text, struct xid_report *ret)
{
	bool fits = true;
	size_t len = 1;

	text = past_blanks(text);
	if (!at->column || !text_begins(text, "GPU "))
		return false;
	text = past_blanks(text + strlen("GPU "));
	if (!scan_u64(&text, 10, &ret->index, &fits) || !fits || ret->index >= DCGM_MAX_GPUS)
		return false;
	for (size_t i = 2; i < at->column && len; i++)
		scan_word(&text, &len);
	text = past_blanks(text);
	return scan_u64(&text, 10, &ret->xid, &fits) && fits && (!*text || *text == ' ');
}

/* ---- all of them */

enum dump_begins xid_monitor_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = lines->text;

	(void)nr;
	if (event_line_is(text) || xid_line_is(text))
		return BEGINS_MORE;
	if (xid_column(text))
		return BEGINS_NEW;
	return gpu_metrics_is(text) || node_code_is(text) || xid_line_is_condition(text) || hostengine_log_is(text)
		? BEGINS_MORE
		: BEGINS_NOT;
}

/* Whom a line is about, and its Xid: 0 where it has another value, or none. */
static bool next_report(struct arena *arena, struct xid_monitor *at, const struct dump_line *line,
			struct xid_report *ret)
{
	bool is_first = at->line != line;

	*ret = (struct xid_report){ .index = UINT64_MAX };
	if (is_first) {
		at->line = line;
		at->rest = line->text;
		at->has_reasons = xid_line_is_condition(line->text);
		at->has_codes = node_code_is(line->text);
		if (text_begins(past_blanks(line->text), "#"))
			at->column = xid_column(line->text);
	}
	if (is_first && (take_row(at, line->text, ret) || gpu_metrics_take(arena, &at->metrics, line->text, ret) ||
			 event_line_take(arena, &at->events, line, ret) ||
			 hostengine_log_take(arena, line->text, ret) || xid_line_take(arena, line->text, ret)))
		return true;
	return at->has_reasons ? xid_line_condition_take(&at->rest, ret)
			       : at->has_codes && node_code_take(arena, &at->rest, ret);
}

bool xid_monitor_next(struct arena *arena, struct xid_monitor *at, const struct dump_line *line, struct xid_report *ret)
{
	while (next_report(arena, at, line, ret))
		if (ret->xid)
			return true;
	return false;
}

const char *xid_monitor_text(struct arena *arena, const struct xid_report *xid)
{
	unsigned long long code = xid->xid;

	if (xid->address)
		return arena_printf(arena, "Xid %llu reported of PCI:%s", code, xid->address);
	if (xid->index != UINT64_MAX)
		return arena_printf(arena, "Xid %llu reported of GPU %llu", code, (unsigned long long)xid->index);
	return arena_printf(arena, "XidCriticalError: Xid=%llu on Device=%s", code, xid->uuid ? xid->uuid : "");
}

static struct gpu *gpu_of(struct reading *reading, struct dump_line *line, const struct xid_report *report)
{
	struct gpu *gpu = report->address ? reading_nvidia_gpu(reading, line, report->address) : NULL;

	if (!gpu && report->index == UINT64_MAX)
		return NULL;
	gpu = gpu ? gpu : dcgm_gpu(reading, line, (int)report->index);
	if (report->index != UINT64_MAX)
		put(reading, line, gpu->nvml.index, val_u64(report->index));
	if (report->uuid && !strncmp(report->uuid, "GPU-", 4))
		put(reading, line, gpu->nvml.uuid, val_str(report->uuid));
	return gpu;
}

/* Which of DCGM's categories a name is of: enum dcgmErrorCategory_enum. */
static int category_of(const char *name)
{
	static const struct { const char *word; int category; } words[] = {
		{ "THERMAL", 9 }, { "TEMP", 9 }, { "POWER", 14 }, { "DBE", 10 }, { "SBE", 10 }, { "RETIRED", 10 },
		{ "REMAP", 10 },
		{ "UNCONTAINED", 10 }, { "INFOROM", 10 }, { "SRAM", 10 }, { "PCI_REPLAY", 12 }, { "FALLEN_OFF", 10 },
		{ "UNCORRECTABLE", 10 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(name, words[i].word))
			return words[i].category;
	return 0;
}

static void put_error(struct reading *reading, struct dump_line *line, const struct xid_report *report)
{
	struct dcgm_result result = {
		.test = report->error, .words = report->words, .category = category_of(report->error),
		.gpu = report->index == UINT64_MAX ? DCGM_NO_GPU : (int)report->index,
		.status = report->is_mild ? "warn" : "fail",
	};

	if (report->index == UINT64_MAX && report->address)
		dcgm_put_result_of(reading, line, &result, reading_nvidia_gpu(reading, line, report->address));
	else
		dcgm_put_result(reading, line, &result);
}

struct gpu *xid_report_put(struct reading *reading, struct dump_line *line, const struct xid_report *report)
{
	struct gpu *gpu = gpu_of(reading, line, report);

	if (report->error)
		put_error(reading, line, report);
	return gpu;
}

void xid_monitor_read(struct reading *reading)
{
	struct xid_monitor at = { .metrics.part = reading->part, .events.part = reading->part };
	struct xid_report report;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];

		line->is_taken = xid_column(line->text) > 0 || xid_line_is_condition(line->text);
		while (next_report(reading->arena, &at, line, &report)) {
			struct gpu *gpu = xid_report_put(reading, line, &report);

			if (gpu && !report.error)
				gpu_metrics_put(reading, line, gpu);
		}
	}
}
