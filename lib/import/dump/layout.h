/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.h - how tools lay out what they print: sections by indentation, cells between bars. */
#pragma once

#include "import/dump/dump.h"

/* ---- sections, each indented further than the one it is in */

enum { LAYOUT_DEEPEST = 8 };

struct layout_place {
	size_t depth;
	size_t indents[LAYOUT_DEEPEST];
	const char *names[LAYOUT_DEEPEST];
};

/* Out of all sections that are indented so far or further. */
void layout_leave(struct layout_place *place, size_t indent);
/* The same, and into one; what is deeper than LAYOUT_DEEPEST is in the last. */
void layout_enter(struct layout_place *place, size_t indent, const char *name);
/* "ecc errors/volatile/dram", with a key behind the sections or, NULL, without. */
const char *layout_path(struct arena *arena, const struct layout_place *place, const char *key);
/* Did the paste keep the indentation? One blank is what is left of any where blanks were squeezed. */
bool layout_is_indented(const struct dump_part *part);

/* ---- words and cells of a line */

/* So much of a text, without the blanks around it. */
const char *layout_trimmed(struct arena *arena, const char *text, size_t len);
/* The words, `room` of them at the most: how many. */
size_t layout_words(struct arena *arena, const char *text, const char **ret, size_t room);

/* Those between the bars of a line, without the blanks around them: how many. What has no bar behind it is none. */
size_t layout_cells(struct arena *arena, const char *text, const char **ret, size_t room);
