/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - how to write what somebody may be looking at. */
#pragma once

#include "cmd/opts.h"
#include "render/render.h"

/* The words of --color. */
enum terminal_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
extern const char *const terminal_colours[];

/* Where a struct `of` keeps them. */
#define TERMINAL_OPTION_ROWS(of, colour, ascii)                                                                        \
	OPTION_CHOICE("color", 0, "WHEN", "auto (default), always or never", terminal_colours, of, colour),            \
	OPTION_FLAG("ascii", 0, "ASCII only", of, ascii)

/*
 * The columns of the terminal that what goes to path is read on, or what the environment variable COLUMNS says of it;
 * 0: it goes to a file or a pipe, or the terminal does not tell.
 */
unsigned terminal_columns(const char *path);

/*
 * For what goes to path, NULL or "-" being standard output: on a terminal as wide as that is, within reason; elsewhere
 * the same bytes on every machine.
 */
struct render_options terminal_options(const char *path, enum terminal_colour colour, bool ascii);
