// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rocm_bandwidth.c - rocm_bandwidth_test: its devices, CPUs first, and a matrix of rates below each heading. Other matrices
 * tell which devices reach each other, and distances.
 */
#include "base/compat.h"
#include "import/readers.h"
#include "import/tool_figure.h"

#include "base/text_scan.h"

/* "Bdirectional" is how releases before 2.3 print it. */
static const struct { const char *heading, *test; enum tool_way way; } matrices[] = {
	{ "Unidirectional copy peak bandwidth GB/s", "unidirectional copy", TOOL_ROW_TO_COLUMN },
	{ "Bidirectional copy peak bandwidth GB/s", "bidirectional copy", TOOL_ROW_AND_COLUMN },
	{ "Bdirectional copy peak bandwidth GB/s", "bidirectional copy", TOOL_ROW_AND_COLUMN },
};

static int matrix_of(const char *text)
{
	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(matrices); i++)
		if (!strcmp(text, matrices[i].heading))
			return (int)i;
	return -1;
}

static const char *version_of(const char *text)
{
	return scan_behind(text, "RocmBandwidthTest Version:");
}

enum dump_begins rocm_bandwidth_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (version_of(lines->text))
		return BEGINS_NEW;
	return matrix_of(lines->text) >= 0 ? BEGINS_MORE : BEGINS_NOT;
}

struct state {
	struct tool_place place;	/* test: NULL: the matrix is of no figures */
	enum tool_way way;
	struct tool_matrix matrix;
};

static bool is_other_heading(const char *text)
{
	return strstr(text, "Device Access") || strstr(text, "Numa Distance") || strstr(text, "validation");
}

static void read_line(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *text = past_blanks(line->text), *version = version_of(text);
	int matrix = matrix_of(text);
	double values[TOOL_MAX_COLUMNS];
	uint64_t row;

	if (matrix >= 0) {
		state->place.test = matrices[matrix].test;
		state->way = matrices[matrix].way;
	} else if (version) {
		state->place.version = arena_strndup(reading->arena, version, strcspn(version, " "));
	} else if (is_other_heading(text)) {
		state->place.test = NULL;
	} else if (!strncmp(text, "Device: ", 8) || !strncmp(text, "Launch Command is:", 18)) {
		line->is_taken = true;
		return;
	} else if (tool_matrix_head(&state->matrix, text, "D/D")) {
		line->is_taken = true;
		return;
	} else if (state->place.test) {
		tool_put_row(reading, line, &state->place, &state->matrix, state->way, 1e9);
		return;
	} else {
		line->is_taken |= tool_matrix_row(&state->matrix, text, &row, values);
		return;
	}
	state->matrix.nr_columns = 0;
	line->is_taken = true;
}

void rocm_bandwidth_read(struct reading *reading)
{
	struct state state = { .place = { .tool = "rocm_bandwidth_test", .method = "copies, CPUs are devices too" } };

	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(reading, &state, &reading->part->lines[i]);
}
