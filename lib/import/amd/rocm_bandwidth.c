// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rocm_bandwidth.c - rocm_bandwidth_test: its devices, CPUs first, and a matrix of rates below each heading. Other
 * matrices tell which devices reach each other, and distances; and with -v which copies arrived as they were sent.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/dump/tool_figure.h"
#include "import/program/dcgm_result.h"

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
	bool is_validation;		/* the matrix is of verdicts */
	bool is_access;			/* the matrix tells which devices reach one another */
	bool is_gpu[TOOL_MAX_COLUMNS];	/* by the number of a device */
};

/* "Device: 1,  AMD Instinct MI210,  GPU-06c9d21390bc2e70,  05:0.0", where a CPU has its name alone */
static void take_device(struct state *state, const char *text)
{
	const char *at = past_blanks(text + strlen("Device: "));
	bool fits = true;
	uint64_t number;

	if (scan_u64(&at, 10, &number, &fits) && fits && number < TOOL_MAX_COLUMNS)
		state->is_gpu[number] = strstr(at, "GPU-") != NULL;
}

/* "1         1         1         0": of each pair of GPUs the row of the first tells. */
static bool take_access(struct reading *reading, const struct state *state, struct dump_line *line)
{
	static const struct tool_place place = { .tool = "rocm_bandwidth_test", .test = "peer access" };
	double values[TOOL_MAX_COLUMNS];
	uint64_t row;

	if (!tool_matrix_row(&state->matrix, line->text, &row, values))
		return false;
	line->is_taken = true;
	for (size_t i = 0; i < state->matrix.nr_columns; i++) {
		uint64_t column = state->matrix.columns[i];

		if (column > row && column < TOOL_MAX_COLUMNS && state->is_gpu[row] && state->is_gpu[column] &&
		    values[i] < 1.0)
			tool_put_no_access(reading, line, &place, row, column);
	}
	return true;
}

/* dcgm_diag.c goes by whose it is. */
static const char validation[] = "rocm_bandwidth_test's data path validation";

/* "1         FAIL        PASS": from the row's device to the column's. */
static bool take_verdicts(struct reading *reading, const struct tool_matrix *matrix, struct dump_line *line)
{
	const char *at = past_blanks(line->text), *wrong = "";
	bool fits = true, has_verdict = false;
	struct dcgm_result result = { .test = validation, .gpu = DCGM_NO_GPU, .status = "pass" };
	uint64_t row;

	if (!scan_u64(&at, 10, &row, &fits) || !fits)
		return false;
	for (size_t i = 0; i < matrix->nr_columns; i++) {
		size_t len;
		const char *word = scan_word(&at, &len);

		has_verdict |= len == 4 && (!strncmp(word, "PASS", 4) || !strncmp(word, "FAIL", 4));
		if (len == 4 && !strncmp(word, "FAIL", 4))
			wrong = arena_printf(reading->arena, "%s%s%llu to %llu", wrong,
					     *wrong ? ", " : "wrong data from device ", (unsigned long long)row,
					     (unsigned long long)matrix->columns[i]);
	}
	if (!has_verdict)
		return false;
	if (*wrong) {
		result.status = "fail";
		result.words = wrong;
	}
	dcgm_put_result(reading, line, &result);
	return true;
}

static bool is_validation_heading(const char *text)
{
	return strcasestr(text, "data path validation") != NULL;
}

static bool is_other_heading(const char *text)
{
	return strstr(text, "Device Access") || strstr(text, "Numa Distance") || is_validation_heading(text);
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
		state->is_validation = is_validation_heading(text);
		state->is_access = strstr(text, "Device Access") != NULL;
	} else if (!strncmp(text, "Device: ", 8) || !strncmp(text, "Launch Command is:", 18)) {
		if (*text == 'D')
			take_device(state, text);
		line->is_taken = true;
		return;
	} else if (tool_matrix_head(&state->matrix, text, "D/D")) {
		line->is_taken = true;
		return;
	} else if (state->place.test) {
		tool_put_row(reading, line, &state->place, &state->matrix, state->way, 1e9);
		return;
	} else if (state->is_access && take_access(reading, state, line)) {
		return;
	} else if (state->is_validation && take_verdicts(reading, &state->matrix, line)) {
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
