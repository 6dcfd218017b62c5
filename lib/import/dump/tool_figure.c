// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/tool_figure.h"

#include "base/text.h"
#include "base/text_scan.h"

/* More than any of these tools has of tests, and any test of figures. */
enum { MAX_TESTS = 512, MAX_FIGURES = 8192, MAX_DIGITS = 24, MAX_PAIRS_TEXT = 160 };
#define MOST 1e18

/* NULL: there are too many. */
static struct tool_test *test_at(struct reading *reading, struct dump_line *line, const struct tool_place *place)
{
	struct arena *arena = reading->arena;
	struct snapshot *snapshot = reading->snapshot;
	const char *key = arena_printf(arena, "%s %s", place->tool, place->test);
	struct tool_test *test = list_find(snapshot, tool_tests, tool_test, key);

	if (test)
		return test;
	if (snapshot->nr_tool_tests == MAX_TESTS)
		return NULL;
	test = list_element(arena, snapshot, tool_tests, tool_test, key);
	put(reading, line, test->tool, val_str(place->tool));
	put(reading, line, test->test, val_str(place->test));
	if (place->version)
		put(reading, line, test->tool_version, val_str(place->version));
	if (place->method)
		put(reading, line, test->method, val_str(place->method));
	return test;
}

void tool_put(struct reading *reading, struct dump_line *line, const struct tool_place *place, const char *of,
	      double value)
{
	struct tool_test *test = value > 0.0 && value < MOST ? test_at(reading, line, place) : NULL;
	struct tool_figure *figure;

	if (!test || (test->nr_figures == MAX_FIGURES && !list_find(test, figures, tool_figure, of)))
		return;
	figure = list_element(reading->arena, test, figures, tool_figure, of);
	if (place->unit == TOOL_BYTES_PER_S)
		put(reading, line, figure->rate_bytes_per_s, val_f64(value));
	else if (place->unit == TOOL_NS)
		put(reading, line, figure->time_ns, val_f64(value));
	else
		put(reading, line, figure->rate_gflops, val_f64(value));
}

void tool_put_status(struct reading *reading, struct dump_line *line, const struct tool_place *place,
		     const char *status)
{
	struct tool_test *test = test_at(reading, line, place);

	if (test)
		put(reading, line, test->status, val_str(status));
}

void tool_put_no_access(struct reading *reading, struct dump_line *line, const struct tool_place *place, uint64_t one,
			uint64_t other)
{
	struct tool_test *test = test_at(reading, line, place);
	const char *before = test ? str_or(test->no_access, "") : NULL;

	if (test && strlen(before) < MAX_PAIRS_TEXT)
		put(reading, line, test->no_access,
		    val_str(arena_printf(reading->arena, "%s%s%llu and %llu", before, *before ? ", " : "",
					 (unsigned long long)one, (unsigned long long)other)));
}

/* ---- matrices */

const char *tool_way_words(struct arena *arena, enum tool_way way, uint64_t row, uint64_t column)
{
	unsigned long long from = row, to = column;

	if (row == column && (way == TOOL_ROW_TO_COLUMN || way == TOOL_COLUMN_TO_ROW || way == TOOL_ROW_AND_COLUMN))
		return arena_printf(arena, "device %llu itself", to);
	switch (way) {
	case TOOL_HOST_TO_COLUMN:
		return arena_printf(arena, "host to device %llu", to);
	case TOOL_COLUMN_TO_HOST:
		return arena_printf(arena, "device %llu to host", to);
	case TOOL_HOST_AND_COLUMN:
		return arena_printf(arena, "host and device %llu", to);
	case TOOL_ROW_TO_COLUMN:
		return arena_printf(arena, "device %llu to device %llu", from, to);
	case TOOL_COLUMN_TO_ROW:
		return arena_printf(arena, "device %llu to device %llu", to, from);
	case TOOL_ROW_AND_COLUMN:
		return arena_printf(arena, "device %llu and device %llu", from, to);
	case TOOL_COLUMN:
		break;
	}
	return arena_printf(arena, "device %llu", to);
}

static bool small_number(const char *word, size_t len, uint64_t *ret)
{
	bool fits = true;
	const char *at = word;

	return len && len <= 4 && scan_u64(&at, 10, ret, &fits) == len && fits;
}

bool tool_matrix_head(struct tool_matrix *matrix, const char *text, const char *corner)
{
	struct tool_matrix head;
	const char *word;
	size_t len;

	head.nr_columns = 0;
	if (corner) {
		word = scan_word(&text, &len);
		if (len != strlen(corner) || strncmp(word, corner, len) != 0)
			return false;
	}
	for (word = scan_word(&text, &len); len; word = scan_word(&text, &len))
		if (head.nr_columns == TOOL_MAX_COLUMNS || !small_number(word, len, &head.columns[head.nr_columns++]))
			return false;
	if (head.nr_columns)
		*matrix = head;
	return head.nr_columns > 0;
}

static bool figure_of(const char *word, size_t len, double *ret)
{
	char digits[MAX_DIGITS];

	*ret = -1.0;
	if (len == 3 && !strncmp(word, "N/A", 3))
		return true;
	if (!len || len >= sizeof(digits) || !is_digit(*word))
		return false;
	memcpy(digits, word, len);
	digits[len] = '\0';
	return !parse_f64(digits, ret) && *ret < MOST;
}

bool tool_number(const char *text, double *ret)
{
	size_t len;
	const char *word = scan_word(&text, &len);

	return figure_of(word, len, ret) && *ret >= 0.0;
}

bool tool_matrix_row(const struct tool_matrix *matrix, const char *text, uint64_t *ret_row,
		     double ret[TOOL_MAX_COLUMNS])
{
	const char *word;
	size_t len, nr = 0;

	word = scan_word(&text, &len);
	if (!matrix->nr_columns || !small_number(word, len, ret_row))
		return false;
	for (word = scan_word(&text, &len); len; word = scan_word(&text, &len))
		if (nr == matrix->nr_columns || !figure_of(word, len, &ret[nr++]))
			return false;
	return nr == matrix->nr_columns;
}

bool tool_put_row(struct reading *reading, struct dump_line *line, const struct tool_place *place,
		  const struct tool_matrix *matrix, enum tool_way way, double scale)
{
	double values[TOOL_MAX_COLUMNS];
	uint64_t row;

	if (!tool_matrix_row(matrix, line->text, &row, values))
		return false;
	line->is_taken = true;
	for (size_t i = 0; i < matrix->nr_columns; i++)
		tool_put(reading, line, place, tool_way_words(reading->arena, way, row, matrix->columns[i]),
			 values[i] * scale);
	return true;
}
