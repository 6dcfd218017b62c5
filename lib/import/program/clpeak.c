// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clpeak.c - clpeak: platforms, devices, and below each a figure in a line, "float4  : 822.46", under a heading with
 * its unit. Integer operations have no place here.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/dump/tool_figure.h"
#include "import/program/program_error.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_NAME = 80 };

static const struct { const char *word; enum tool_unit unit; double scale; } units[] = {
	{ "(GBPS)", TOOL_BYTES_PER_S, 1e9 }, { "(GB/s)", TOOL_BYTES_PER_S, 1e9 }, { "(GFLOPS)", TOOL_GFLOPS, 1.0 },
	{ "(TFLOPS)", TOOL_GFLOPS, 1e3 }, { "(GIOPS)", NR_TOOL_UNITS, 0.0 }, { "(TIOPS)", NR_TOOL_UNITS, 0.0 },
	{ "(TOPS)", NR_TOOL_UNITS, 0.0 },
};

/* "Global memory bandwidth (GBPS)": how long its name is, 0: no such line. *ret: its unit in units[]. */
static size_t heading_len(const char *text, size_t *ret)
{
	for (*ret = 0; *ret < ARRAY_SIZE(units); ++*ret) {
		size_t len = strlen(text), unit_len = strlen(units[*ret].word);

		if (len > unit_len + 1 && len < MAX_NAME && !strcmp(text + len - unit_len, units[*ret].word) &&
		    text[len - unit_len - 1] == ' ' && (strstr(text, "bandwidth") || strstr(text, "compute")) &&
		    !strchr(text, ':'))
			return len - unit_len - 1;
	}
	return 0;
}

/* A platform is followed by a device; "Platform: NVIDIA CUDA" alone is anybody's. */
enum dump_begins clpeak_begins(const struct dump_line *lines, size_t nr)
{
	size_t unit;

	if (scan_behind(lines->text, "clpeak version:"))
		return BEGINS_MORE;
	if (scan_behind(lines->text, "Platform:") && nr > 1 && scan_behind(lines[1].text, "Device:"))
		return BEGINS_MORE;
	return heading_len(past_blanks(lines->text), &unit) ? BEGINS_MORE : BEGINS_NOT;
}

struct state {
	struct tool_place place;
	const char *device;		/* ", gfx906"; "" where it is not told */
	double scale;			/* 0: no heading, or one of other units */
};

static const char *name_of(struct arena *arena, const char *text)
{
	return arena_printf(arena, ", %.*s", (int)utf8_floor(text, strnlen(text, MAX_NAME)), text);
}

/* "Kernel launch latency : 78.36 us" */
static bool take_latency(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *rest = scan_behind(line->text, "Kernel launch latency");
	struct tool_place place = state->place;
	double value;

	if (!rest || *rest != ':' || !tool_number(rest + 1, &value))
		return false;
	place.test = arena_printf(reading->arena, "Kernel launch latency%s", state->device);
	place.unit = TOOL_NS;
	line->is_taken = true;
	if (strstr(rest, " us"))
		tool_put(reading, line, &place, "launch", value * 1e3);
	return true;
}

static void take_figure(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *text = past_blanks(line->text), *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	double value;

	while (len && text[len - 1] == ' ')
		len--;
	if (!state->place.test || !len || len > MAX_NAME || !tool_number(colon + 1, &value))
		return;
	line->is_taken = true;
	if (state->scale > 0.0)
		tool_put(reading, line, &state->place, arena_strndup(reading->arena, text, len), value * state->scale);
}

static void read_line(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *text = past_blanks(line->text), *rest;
	size_t unit, len = heading_len(text, &unit);

	if (len) {
		state->place.test = arena_printf(reading->arena, "%.*s%s", (int)len, text, state->device);
		state->place.unit = units[unit].unit;
		state->scale = units[unit].scale;
		line->is_taken = true;
	} else if ((rest = scan_behind(text, "clpeak version:"))) {
		state->place.version = *rest ? arena_strndup(reading->arena, rest, strcspn(rest, " ")) : NULL;
		line->is_taken = true;
	} else if ((rest = scan_behind(text, "Device:"))) {
		state->device = name_of(reading->arena, rest);
		state->place.test = NULL;
		line->is_taken = true;
	} else if (scan_behind(text, "Platform:") || scan_behind(text, "Driver version") ||
		   scan_behind(text, "Compute units") || scan_behind(text, "Clock frequency")) {
		line->is_taken = true;
	} else if (!take_latency(reading, state, line)) {
		take_figure(reading, state, line);
		/* "float   : clEnqueueNDRangeKernel (-5)" */
		if (!line->is_taken)
			program_error_take(reading, line, text);
	}
}

void clpeak_read(struct reading *reading)
{
	struct state state = { .place = { .tool = "clpeak", .method = "OpenCL kernels and copies" }, .device = "" };

	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(reading, &state, &reading->part->lines[i]);
}
