/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap.h - lines that a terminal broke at its width. */
#pragma once

#include "import/dump/dump.h"

/*
 * Puts the pieces of lines together where the text shows that they are such; a line that goes on has its first number.
 * What may as well be lines of one length stays.
 */
void wrap_undo(struct arena *arena, struct dump_line *lines, size_t *nr);
