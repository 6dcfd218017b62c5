/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.h - lines of bounded width for a terminal. Private to the text report.
 *
 * Whatever is put on a page, our words or the data's, comes out as valid
 * UTF-8 (or as ASCII) without anything that steers a terminal: control
 * characters and those that turn the direction of writing are shown as \x1b
 * or \u202e. Line feeds and tabs are spaces. A device whose name holds an
 * escape sequence paints nothing.
 *
 * No line is longer than `columns`; the one exception is a command that
 * cannot be broken and stay a command.
 */
#ifndef GPUDIAG_RENDER_PAGE_H
#define GPUDIAG_RENDER_PAGE_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "eval/findings/findings.h"
#include "render/render.h"

enum ink { INK_PLAIN, INK_DIM, INK_PASS, INK_NOTE, INK_WARN, INK_FAIL, INK_UNKNOWN };
enum ink ink_of(enum outcome outcome);

struct page {
	struct strbuf *out;
	size_t columns;
	size_t at;		/* columns used on the open line */
	bool colour, ascii;
};

void page_open(struct page *page, struct strbuf *out, const struct render_options *options);

/* Adds text to out as this page would show it. NULL is "". */
void page_clean(const struct page *page, struct strbuf *out, const char *text);
/* The same, cut to at most max columns, the cut shown by dots. */
void page_clean_cut(const struct page *page, struct strbuf *out, const char *text, size_t max);

/* Text on the open line as it is: short, never wrapped. */
void page_put(struct page *page, enum ink ink, const char *text);
/* Spaces up to a column; at least one, unless the line is still before or at it. */
void page_move(struct page *page, size_t column);
/* Text from where the line stands, wrapped at words; an empty line and further lines begin at column hang. */
void page_flow(struct page *page, size_t hang, const char *text);
/* One of several facts on a line, parted by dots; a line breaks between facts where it can. */
void page_fact(struct page *page, size_t hang, const char *text);
/* Text that ends with the line; on a line of its own where the open one has no room. */
void page_right(struct page *page, enum ink ink, const char *text);
/* A command ready to paste, on lines of its own. */
void page_command(struct page *page, size_t indent, const char *command);
/* Ends the line; on an empty line: leaves a blank one. */
void page_end_line(struct page *page);

#endif
