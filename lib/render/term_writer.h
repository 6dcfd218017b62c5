/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_writer.h - lines of bounded width for a terminal. Private to the text report.
 *
 * Whatever is put on a term, our words or the data's, comes out as valid
 * UTF-8 (or as ASCII) without anything that steers a terminal: control
 * characters and those that turn the direction of writing are shown as \x1b
 * or \u202e. Line feeds and tabs are spaces. A device whose name holds an
 * escape sequence paints nothing.
 *
 * No line is longer than `columns`; the one exception is a command that
 * cannot be broken and stay a command.
 */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "eval/findings/findings.h"
#include "render/render.h"

enum style { STYLE_PLAIN, STYLE_DIM, STYLE_PASS, STYLE_NOTE, STYLE_WARN, STYLE_FAIL, STYLE_UNKNOWN };
enum style style_of(enum outcome outcome);

struct term_writer {
	struct strbuf *out;
	size_t columns;
	size_t at;		/* columns used on the open line */
	bool colour, ascii;
};

void term_open(struct term_writer *term, struct strbuf *out, const struct render_options *options);

/* Adds text to out as this page would show it. NULL is "". */
void term_clean(const struct term_writer *term, struct strbuf *out, const char *text);
/* The same, cut to at most max columns, the cut shown by dots. */
void term_clean_cut(const struct term_writer *term, struct strbuf *out, const char *text, size_t max);

/* Text on the open line as it is: short, never wrapped. */
void term_put(struct term_writer *term, enum style style, const char *text);
/* Spaces up to a column; at least one, unless the line is still before or at it. */
void term_move(struct term_writer *term, size_t column);
/* Text from where the line stands, wrapped at words; an empty line and further lines begin at column hang. */
void term_flow(struct term_writer *term, size_t hang, const char *text);
/* One of several facts on a line, parted by dots; a line breaks between facts where it can. */
void term_fact(struct term_writer *term, size_t hang, const char *text);
/* Text that ends with the line; on a line of its own where the open one has no room. */
void term_right(struct term_writer *term, enum style style, const char *text);
/* A command ready to paste, on lines of its own. */
void term_command(struct term_writer *term, size_t indent, const char *command);
/* Ends the line; on an empty line: leaves a blank one. */
void term_end_line(struct term_writer *term);
