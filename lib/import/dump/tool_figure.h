/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool_figure.h - figures that other tools measured, into the snapshot; and the matrices that they print:
 *
 *	   D\D     0      1
 *	     0 911.08  20.10
 *	     1  20.39    N/A
 *
 * A tool numbers devices in an order of its own: they are called devices here, never GPUs.
 */
#pragma once

#include "import/dump/dump.h"

enum tool_unit { TOOL_BYTES_PER_S, TOOL_NS, TOOL_GFLOPS, NR_TOOL_UNITS };

/* Where a figure belongs. Texts live as long as the snapshot, or are static. */
struct tool_place {
	const char *tool, *version, *test, *method;	/* version, method: NULL: not told */
	enum tool_unit unit;
};

/* Puts a figure; of one that is told twice the later counts. value: in that unit; what is not above 0 is no figure. */
void tool_put(struct reading *reading, struct dump_line *line, const struct tool_place *place, const char *of,
	      double value);
/* "passed", "failed" or "waived". */
void tool_put_status(struct reading *reading, struct dump_line *line, const struct tool_place *place,
		     const char *status);

/* Adds a pair of devices that cannot reach one another's memory. */
void tool_put_no_access(struct reading *reading, struct dump_line *line, const struct tool_place *place, uint64_t one,
			uint64_t other);

/* ---- matrices */

enum { TOOL_MAX_COLUMNS = 256 };

/* From what to what a figure of row and column is. */
enum tool_way {
	TOOL_HOST_TO_COLUMN, TOOL_COLUMN_TO_HOST, TOOL_HOST_AND_COLUMN, TOOL_ROW_TO_COLUMN, TOOL_COLUMN_TO_ROW,
	TOOL_ROW_AND_COLUMN, TOOL_COLUMN,
};
/* "host to device 3", "device 0 to device 1", of both the same "device 0 itself", "device 3" */
const char *tool_way_words(struct arena *arena, enum tool_way way, uint64_t row, uint64_t column);

struct tool_matrix {
	uint64_t columns[TOOL_MAX_COLUMNS];	/* what each is headed by */
	size_t nr_columns;			/* 0: no head was seen */
};

/* "   D\D     0      1": takes the heads of the columns; corner: the word before them, or NULL. false: no such line. */
bool tool_matrix_head(struct tool_matrix *matrix, const char *text, const char *corner);

/* A row's number, and its figures. false: it is none, or was cut off. ret[i]: below 0 where there is no figure. */
bool tool_matrix_row(const struct tool_matrix *matrix, const char *text, uint64_t *ret_row,
		     double ret[TOOL_MAX_COLUMNS]);

/* Takes such a row, each figure times `scale`. false: it is none. */
bool tool_put_row(struct reading *reading, struct dump_line *line, const struct tool_place *place,
		  const struct tool_matrix *matrix, enum tool_way way, double scale);

/* The number in a text up to its first blank; false: it does not begin with one, or with one that is no figure. */
bool tool_number(const char *text, double *ret);
