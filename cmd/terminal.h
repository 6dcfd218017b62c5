/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - how to write what somebody may be looking at. */
#pragma once

#include "render/render.h"

/* The words of --color. */
enum terminal_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
extern const char *const terminal_colours[];

/* For what goes to path, NULL or "-" being standard output. */
struct render_options terminal_options(const char *path, enum terminal_colour colour, bool ascii);
