/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg_text.h - how much room a text takes in a drawing, where no font is at hand to ask. Private to lib/render. */
#pragma once

#include "base/arena.h"
#include "snapshot/snapshot.h"

/* Of text that was cleaned: characters, those that may be twice as wide counted as two. */
size_t svg_text_columns(const char *clean);

/* Adds the lines of a text, cleaned and at most so many columns long: broken at blanks, else within a word. */
void svg_text_wrap(struct arena *arena, const char *text, size_t columns, bool ascii, struct strs *ret);
