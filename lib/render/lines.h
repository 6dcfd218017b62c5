/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - text whose lines are made already, lists and help, on a page of some width. */
#pragma once

#include "base/strbuf.h"
#include "render/render.h"
#include "render/term_writer.h"

/*
 * One line, without its end. What does not fit goes on below its last column, which two blanks or more begin; where
 * less than a third of the page is left there, the whole column stands below the others.
 */
void term_line(struct term_writer *term, const char *line);

/* All lines of text. */
void render_lines(struct strbuf *out, const char *text, const struct render_options *options);
