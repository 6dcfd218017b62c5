/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch_page.h - a screen of bounded lines and columns, written over the one before. Private to watch_*.c.
 *
 * A line is never longer than the page is wide, and there are never more of them than it is high, whatever is put on
 * it: text of the node is cleaned (clean.c), and characters that take two columns, or none, are shown as "?".
 */
#pragma once

#include "eval/load/load.h"
#include "render/term_writer.h"

struct page {
	struct term_writer term;
	size_t rows, row;	/* row: lines ended so far */
};

void page_open(struct page *page, struct strbuf *out, size_t columns, size_t rows, bool colour, bool ascii);
/* What is below the last line goes. */
void page_close(struct page *page);

/* Text on the open line, cut where the page ends. */
void page_put(struct page *page, enum style style, const char *text);
/* The same as a cell of so many columns, cut with dots, padded left or right. */
void page_cell(struct page *page, enum style style, const char *text, size_t width, bool right);
void page_end_line(struct page *page);

/* How many lines text takes, further ones indented by hang. */
size_t page_lines_of(const struct page *page, size_t hang, const char *text);
/* Text wrapped onto at most so many lines; dots where there are more. */
void page_flow(struct page *page, enum style style, size_t hang, const char *text, size_t most);

/* How a word is painted. */
enum style watch_style(enum bottleneck word);
