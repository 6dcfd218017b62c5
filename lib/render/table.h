/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - a table as wide as its cells, on a page as wide as it is. Private to lib/render. */
#pragma once

#include "base/arena.h"
#include "render/term_writer.h"

struct table_column {
	const char *head;
	bool right;		/* its cells end with it */
	bool cut;		/* a name, which is cut where the page is narrow */
	unsigned leave;		/* on a narrow page those with the lowest go first; 0: never */
	enum style style;
};

struct table {
	struct arena *arena;
	const struct table_column *columns;	/* as many as width has */
	size_t nr_columns, nr_rows, indent;
	const char ***rows;			/* the head is the first */
	size_t *width;				/* 0: not shown */
};

/* An empty table with its head. What it holds comes from arena. */
void table_open(struct table *table, struct arena *arena, const struct term_writer *term,
		const struct table_column *columns, size_t nr_columns, size_t indent);
/* A row; its cells may hold whatever the data says. */
void table_add(struct table *table, const struct term_writer *term, const char *const *cells);
/* The rows onto the page. A column in which no row has anything is left out. */
void table_put(struct table *table, struct term_writer *term);
