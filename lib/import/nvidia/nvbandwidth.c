// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvbandwidth.c - nvbandwidth as people read it: "Running NAME.", what the matrix holds, the matrix, "SUM NAME 205.04".
 * Where a pair was not measured stands N/A, in old versions 0.00.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/nvidia/nvbandwidth.h"

#include "base/text_scan.h"

enum { MAX_NAME = 80 };

bool nvbandwidth_form(const char *description, struct nvbandwidth_form *ret)
{
	bool is_latency = strstr(description, "(ns)"), has_host = strstr(description, "CPU(row)");
	bool has_row = strstr(description, "GPU(row)"), is_both = strstr(description, "<->");
	bool is_back = strstr(description, "<-"), is_forth = strstr(description, "->");

	if (!strstr(description, "GPU(column)") || (!is_latency && !strstr(description, "(GB/s)")))
		return false;
	ret->unit = is_latency ? TOOL_NS : TOOL_BYTES_PER_S;
	ret->scale = is_latency ? 1.0 : 1e9;
	ret->way = TOOL_COLUMN;
	if (is_both && (has_host || has_row))
		ret->way = has_host ? TOOL_HOST_AND_COLUMN : TOOL_ROW_AND_COLUMN;
	else if (is_back && (has_host || has_row))
		ret->way = has_host ? TOOL_COLUMN_TO_HOST : TOOL_COLUMN_TO_ROW;
	else if (is_forth && (has_host || has_row))
		ret->way = has_host ? TOOL_HOST_TO_COLUMN : TOOL_ROW_TO_COLUMN;
	return true;
}

const char *nvbandwidth_version(struct arena *arena, const char *text)
{
	size_t len = strcspn(text, " ");

	return len && len < MAX_NAME ? arena_strndup(arena, text, len) : NULL;
}

/* ---- lines */

/* The length of the name of a test that the text begins with: "host_to_device_memcpy_ce"; 0: none. */
static size_t name_len(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
	bool is_test = len && len < MAX_NAME && (memmem(text, len, "_memcpy", 7) || memmem(text, len, "_latency", 8) ||
						 memmem(text, len, "_local_copy", 11));

	return is_test ? len : 0;
}

/* The name behind "Running " or "SUM "; NULL: it is no such line. */
static const char *name_behind(const char *text, const char *word, size_t *ret_len)
{
	text = past_blanks(text);
	if (strncmp(text, word, strlen(word)) != 0)
		return NULL;
	text += strlen(word);
	*ret_len = name_len(text);
	return *ret_len && (!text[*ret_len] || strchr(". ", text[*ret_len])) ? text : NULL;
}

/* "Running host_to_device_memcpy_ce." */
static const char *running_in(const char *text, size_t *ret_len)
{
	const char *name = name_behind(text, "Running ", ret_len);

	return name && !strcmp(name + *ret_len, ".") ? name : NULL;
}

static bool is_form(const char *text)
{
	struct nvbandwidth_form form;

	return scan_behind(text, "mem") && nvbandwidth_form(text, &form);
}

enum dump_begins nvbandwidth_begins(const struct dump_line *lines, size_t nr)
{
	size_t len;

	(void)nr;
	if (scan_behind(lines->text, "nvbandwidth Version:"))
		return BEGINS_NEW;
	return running_in(lines->text, &len) || is_form(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

struct state {
	struct tool_place place;
	struct nvbandwidth_form form;
	struct tool_matrix matrix;
	bool has_form;
};

/* Below a name, or a description that people pasted without one. */
static void begin_test(struct reading *reading, struct state *state, struct dump_line *line)
{
	state->has_form = nvbandwidth_form(line->text, &state->form);
	state->place.method = arena_strdup(reading->arena, past_blanks(line->text));
	state->place.test = state->place.test ? state->place.test : state->place.method;
	state->place.unit = state->form.unit;
	state->matrix.nr_columns = 0;
	line->is_taken = true;
}

static void name_test(struct reading *reading, struct state *state, struct dump_line *line, const char *name,
		      size_t len)
{
	state->place.test = arena_strndup(reading->arena, name, len);
	state->place.method = NULL;
	state->has_form = false;
	line->is_taken = true;
}

/* Lines that say what ran where. */
static bool read_head(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *rest = scan_behind(line->text, "nvbandwidth Version:");

	if (rest) {
		*state = (struct state){ .place = { .tool = "nvbandwidth" } };
		state->place.version = nvbandwidth_version(reading->arena, rest);
		line->is_taken = true;
		return true;
	}
	rest = scan_behind(line->text, "Driver Version:");
	if (rest && *rest && !strchr(rest, ' '))
		put(reading, line, reading->snapshot->nvml.driver_version, val_str(arena_strdup(reading->arena, rest)));
	if (rest || scan_behind(line->text, "CUDA Runtime Version:") ||
	    scan_behind(line->text, "CUDA Driver Version") || scan_behind(line->text, "Built from Git version:") ||
	    scan_behind(line->text, "Device "))
		line->is_taken = true;
	return line->is_taken;
}

static void read_line(struct reading *reading, struct state *state, struct dump_line *line)
{
	size_t len;
	const char *name = running_in(line->text, &len);

	if (name) {
		name_test(reading, state, line, name, len);
	} else if (is_form(line->text) ||
		   (state->place.test && !state->has_form && strstr(line->text, "GPU(column)"))) {
		begin_test(reading, state, line);
	} else if (name_behind(line->text, "SUM ", &len)) {
		line->is_taken = true;
		state->has_form = false;
		state->place.test = NULL;
	} else if (state->place.test && scan_behind(line->text, "Waived")) {
		tool_put_status(reading, line, &state->place, "waived");
	} else if (!state->has_form) {
		read_head(reading, state, line);
	} else if (!state->matrix.nr_columns && tool_matrix_head(&state->matrix, line->text, NULL)) {
		line->is_taken = true;
	} else {
		tool_put_row(reading, line, &state->place, &state->matrix, state->form.way, state->form.scale);
	}
}

void nvbandwidth_read(struct reading *reading)
{
	struct state state = { .place = { .tool = "nvbandwidth" } };

	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(reading, &state, &reading->part->lines[i]);
}
