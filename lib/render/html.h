/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h - a page of HTML that needs nothing else: one stylesheet in it, no script, no address that a browser would
 * fetch, and a policy that forbids it both. Light and dark by what the reader has set, white on paper. Private to
 * lib/render.
 *
 * It is well-formed XML too, so that tests can read it strictly. Texts come from anywhere: each goes through
 * html_text() or a cell, which clean and escape it; html_put() is for our own markup alone, which is ASCII.
 */
#pragma once

#include "base/arena.h"
#include "render/term_writer.h"

struct html {
	struct strbuf *out;
	bool ascii;
	struct arena arena;		/* for cells, and words made on the way */
};

/* Up to the page's first line; title is that of the browser's window. */
void html_open(struct html *html, struct strbuf *out, const struct render_options *options, const char *title);
/* The end; frees the arena. */
void html_close(struct html *html);

/* html_style.c: the one stylesheet of all pages. */
extern const char html_style[];

/* Markup of ours as it stands. */
void html_put(struct html *html, const char *markup);
/* Text as content or in a double-quoted attribute; nothing where it is NULL. */
void html_text(struct html *html, const char *text);
/* <tag class="class">text</tag>; class may be NULL. Nothing where text is NULL or "". */
void html_element(struct html *html, const char *tag, const char *class, const char *text);
/* A word of state, PASS or "worse", which its colour only repeats. */
void html_word(struct html *html, enum style style, const char *word);
/* The class that colours something as a style says: "fail". */
const char *html_class(enum style style);
/* A command ready to be copied, whole with one triple click. */
void html_command(struct html *html, const char *command);

/* A part of the page with a heading; id is what a link to it ends with. */
void html_section(struct html *html, const char *id, const char *heading);
void html_section_end(struct html *html);

/* What is folded behind its summary: between the two, text and markup of the caller's make the summary. */
void html_fold(struct html *html, bool is_open);
void html_fold_body(struct html *html);
void html_fold_end(struct html *html);

/*
 * A table, of cells made by the functions below. Columns in which no row has anything are left out, and a table without
 * rows is nothing. The first column that is left heads its row. Where it is wider than the page it scrolls by itself.
 */
struct html_column {
	const char *head;
	bool right;		/* figures, to be compared */
};

struct html_table {
	struct html *html;
	const char *label;	/* what it is a table of */
	bool is_wide;		/* no cell wraps */
	const struct html_column *columns;
	size_t nr_columns, nr_rows;
	const char ***rows;
};
void html_table_open(struct html_table *table, struct html *html, const char *label, const struct html_column *columns,
		     size_t nr_columns);
/* NULL is an empty cell. */
void html_table_add(struct html_table *table, const char *const *cells);
void html_table_put(const struct html_table *table);

/* Cells: text; code, which does not wrap; a word of state. "" for NULL and "". They live in the page's arena. */
const char *html_cell(struct html *html, const char *text);
const char *html_code_cell(struct html *html, const char *text);
const char *html_word_cell(struct html *html, enum style style, const char *word);
