// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xpu_smi_text.c - xpu-smi's tables: two cells a line, of which the first is empty where the line goes on with what the
 * one before began. Where GPUs are listed each has its number in the first cell, else the number stands behind "Device
 * ID".
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/intel/xpu_smi.h"
#include "import/intel/xpu_verdict.h"

#include "base/text.h"
#include "base/text_scan.h"

/* The two cells of a line in small letters and as they are, without the blanks around them. */
struct row {
	const char *key, *text;
	/* the text does, with what the line before began: it is indented, or has no name before a colon */
	bool goes_on;
};

static bool row_of(struct arena *arena, const char *line, struct row *ret)
{
	const char *first = line + strspn(line, " "), *second, *end;

	if (*first != '|')
		return false;
	second = strchr(first + 1, '|');
	end = second ? strchr(second + 1, '|') : NULL;
	if (!end || strchr(end + 1, '|'))
		return false;
	ret->key = layout_trimmed(arena, first + 1, (size_t)(second - first - 1));
	ret->text = layout_trimmed(arena, second + 1, (size_t)(end - second - 1));
	ret->goes_on = strspn(second + 1, " ") > 2 || !strchr(ret->text, ':');
	return true;
}

enum dump_begins xpu_smi_text_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = lines->text + strspn(lines->text, " ");

	(void)nr;
	if (*text++ != '|')
		return BEGINS_NOT;
	text += strspn(text, " ");
	if (strncmp(text, "Device ID ", 10) != 0)
		return BEGINS_NOT;
	text += 10 + strspn(text + 10, " ");
	if (*text++ != '|')
		return BEGINS_NOT;
	text += strspn(text, " ");
	return is_digit(*text) || !strncmp(text, "Device Information", 18) || !strncmp(text, "Topology", 8)
		? BEGINS_NEW
		: BEGINS_NOT;
}

/* "PCI BDF Address: 0000:4d:00.0" of the GPU that begins in this line, or NULL. */
static const char *address_below(struct arena *arena, const struct dump_part *part, size_t from)
{
	static const char name[] = "PCI BDF Address: ";
	struct row row;

	for (size_t i = from; i < part->nr_lines; i++) {
		if (!row_of(arena, part->lines[i].text, &row))
			continue;
		if (i > from && *row.key)
			return NULL;
		if (!strncmp(row.text, name, strlen(name)))
			return row.text + strlen(name);
	}
	return NULL;
}

struct state {
	struct xpu_gpu gpu;
	const char *section;	/* the last filled first cell, "1. GPU Core Temperature" without its number */
	struct dump_line *failed;	/* says that the diagnostic as a whole failed */
};

static bool has_failed_test(const struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->nr_diagnostics; i++)
		if (str_is(gpu->diagnostics[i].status, "fail"))
			return true;
	return false;
}

/* Which test failed may stand below the end of a text that was cut. */
static void end_gpu(struct reading *reading, const struct state *state)
{
	struct gpu *gpu = state->gpu.gpu;

	if (!gpu)
		return;
	xpu_gpu_end(gpu);
	if (state->failed && !has_failed_test(gpu))
		xpu_take_verdict(reading, gpu, "diagnostic", "result", "Fail", state->failed);
}

static void begin_gpu(struct reading *reading, struct state *state, size_t line, uint64_t index)
{
	end_gpu(reading, state);
	state->gpu = xpu_gpu(reading, &reading->part->lines[line], index,
			     address_below(reading->arena, reading->part, line));
	state->section = "";
	state->failed = NULL;
}

/* "Throttle Threshold: 105 Celsius Degree" */
static void take_pair(struct reading *reading, struct state *state, struct dump_line *line, const char *text)
{
	const char *colon = strchr(text, ':'), *name;

	if (!colon || !state->gpu.gpu)
		return;
	name = layout_trimmed(reading->arena, text, (size_t)(colon - text));
	xpu_take(reading, &state->gpu, state->section, arena_small_letters(reading->arena, name, strlen(name)),
		 colon + 1 + strspn(colon + 1, " "), line);
}

/* Its heading without the number. */
static const char *section_of(struct arena *arena, const char *text)
{
	size_t len = strspn(text, "0123456789");

	if (len && text[len] == '.')
		text += len + 1 + strspn(text + len + 1, " ");
	return arena_small_letters(arena, text, strlen(text));
}

/*
 * " GPU 1 : Fail to check computation performance. …" below the message of a test of several GPUs: its verdict is of
 * all of them, these words of one.
 */
static bool take_one_of_many(struct reading *reading, struct state *state, struct dump_line *line, const char *text)
{
	const char *words;
	struct xpu_gpu gpu;
	uint64_t index;
	bool fits = true;

	if (strncmp(text, "GPU ", 4) != 0)
		return false;
	text += 4;
	if (!scan_u64(&text, 10, &index, &fits) || !fits || strncmp(text, " : ", 3) != 0)
		return false;
	words = text + 3;
	gpu = xpu_gpu(reading, line, index, NULL);
	return gpu.gpu && xpu_take_verdict(reading, gpu.gpu, state->section, "result", words, line) &&
	       xpu_take_verdict(reading, gpu.gpu, state->section, "message", words, line);
}

void xpu_smi_text_read(struct reading *reading)
{
	struct state state = { .section = "" };
	struct row row;
	uint64_t index;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];

		if (!row_of(reading->arena, line->text, &row))
			continue;
		if (!strcmp(row.key, "Device ID")) {
			line->is_taken = true;
			if (!parse_u64(row.text, &index))
				begin_gpu(reading, &state, i, index);
			continue;
		}
		if (!parse_u64(row.key, &index))
			begin_gpu(reading, &state, i, index);
		else if (*row.key)
			state.section = section_of(reading->arena, row.key);
		if (!state.gpu.gpu) {
			line->is_taken |= take_one_of_many(reading, &state, line, row.text);
			continue;
		}
		if (!*row.key && row.goes_on)
			xpu_add_words(reading, state.gpu.gpu, state.section, row.text, line);
		else if (!strcmp(row.key, "Result") && !strcasecmp(row.text, "Fail"))
			state.failed = line;
		else if (!*row.key || !xpu_take(reading, &state.gpu, "", state.section, row.text, line))
			take_pair(reading, &state, line, row.text);
	}
	end_gpu(reading, &state);
}
