/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error_weight.h - which of several lines about an error says most of it, and where in a long one it does. Pure. */
#pragma once

#include <stddef.h>

#include "base/arena.h"

enum error_weight {
	ERROR_SAYS_LITTLE,	/* a heading, a person's sentence, a frame of a backtrace, the bare end of a program */
	ERROR_SAYS_WHAT,
	ERROR_SAYS_WHY,		/* with a number, a place in a source, or what it failed by */
};

enum error_weight error_weight(const char *text);

/*
 * From where on so many characters of a line tell the most of it: its beginning, or where its last reason stands that
 * would be cut off.
 */
const char *error_piece(const char *text, size_t most);

enum { ERROR_MOST_SAID = 200 };	/* characters of a line that are told */

/* So much of a line as is told of it, in the arena: that piece, behind a mark where it is not the beginning. */
const char *error_said(struct arena *arena, const char *text);
