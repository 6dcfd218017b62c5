// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/table.h"

#include "base/text.h"

enum {
	GAP = 2,
	MAX_CELL_COLUMNS = 40,		/* of what a snapshot names: tests and devices */
	USEFUL_CELL_COLUMNS = 20,	/* of a name, for which no column goes */
	LEAST_CELL_COLUMNS = 8,
};

void table_add(struct table *table, const struct term_writer *term, const char *const *cells)
{
	const char **row = arena_alloc(table->arena, table->nr_columns * sizeof(*row));

	for (size_t i = 0; i < table->nr_columns; i++) {
		STRBUF_AUTO clean = STRBUF_INIT;
		size_t width;

		term_clean_cut(term, &clean, cells[i], MAX_CELL_COLUMNS);
		width = utf8_columns(clean.buf);
		row[i] = arena_strdup(table->arena, clean.buf);
		if (table->nr_rows && width && table->width[i] < width)
			table->width[i] = width;
	}
	table->rows = arena_grow(table->arena, table->rows, table->nr_rows, sizeof(*table->rows));
	table->rows[table->nr_rows++] = row;
}

void table_open(struct table *table, struct arena *arena, const struct term_writer *term,
		const struct table_column *columns, size_t nr_columns, size_t indent)
{
	const char **heads = arena_alloc(arena, nr_columns * sizeof(*heads));

	*table = (struct table){
		.arena = arena, .columns = columns, .nr_columns = nr_columns, .indent = indent,
		.width = arena_alloc(arena, nr_columns * sizeof(*table->width)),
	};
	for (size_t i = 0; i < nr_columns; i++)
		heads[i] = columns[i].head;
	table_add(table, term, heads);
}

static size_t width_of(const struct table *table)
{
	size_t columns = table->indent - GAP;

	for (size_t i = 0; i < table->nr_columns; i++)
		columns += table->width[i] ? table->width[i] + GAP : 0;
	return columns;
}

/* Takes from names what the page is too narrow for, down to the least; from the last column of them first. */
static void narrow(struct table *table, size_t page_columns, size_t least)
{
	for (size_t i = table->nr_columns; i-- > 0;) {
		size_t columns = width_of(table), *width = &table->width[i];
		size_t over = columns > page_columns ? columns - page_columns : 0;

		if (table->columns[i].cut && *width > least)
			*width = *width - least > over ? *width - over : least;
	}
}

static void drop_least(struct table *table)
{
	size_t least = table->nr_columns;

	for (size_t i = 0; i < table->nr_columns; i++)
		if (table->width[i] && table->columns[i].leave &&
		    (least == table->nr_columns || table->columns[i].leave < table->columns[least].leave))
			least = i;
	if (least < table->nr_columns)
		table->width[least] = 0;
}

/* Heads count where their column is shown; then columns go that a reader misses least. */
static void fit(struct table *table, size_t page_columns)
{
	for (size_t i = 0; i < table->nr_columns; i++) {
		size_t head = utf8_columns(table->rows[0][i]);

		if (table->width[i] && table->width[i] < head)
			table->width[i] = head;
	}
	narrow(table, page_columns, USEFUL_CELL_COLUMNS);
	for (size_t i = 0; i < table->nr_columns && width_of(table) > page_columns; i++)
		drop_least(table);
	narrow(table, page_columns, LEAST_CELL_COLUMNS);
}

static void put_row(const struct table *table, struct term_writer *term, const char *const *row, bool is_head)
{
	size_t start = table->indent;

	for (size_t i = 0; i < table->nr_columns; i++) {
		size_t width = table->width[i];
		STRBUF_AUTO cell = STRBUF_INIT;

		if (!width)
			continue;
		term_clean_cut(term, &cell, row[i], width);
		term_move(term, table->columns[i].right ? start + width - utf8_columns(cell.buf) : start);
		term_put(term, is_head ? STYLE_DIM : table->columns[i].style, cell.buf);
		start += width + GAP;
	}
	term_end_line(term);
}

void table_put(struct table *table, struct term_writer *term)
{
	fit(table, term->columns);
	for (size_t i = 0; i < table->nr_rows; i++)
		put_row(table, term, table->rows[i], i == 0);
}
