/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fence.h - "```" and "~~~" around a block of code. */
#pragma once

#include "import/dump/dump.h"

/* The one that was seen last. */
struct fence {
	size_t at, indent;
	bool is_open;
};

/* "```", "```console", "``` text title=x"; not "```[   12.345678] nvidia", as chats have it. */
bool fence_is(const char *text);

/* Behind one that a line of the block was put to; of "```NVRM: …```" the one at its end is cut off. */
const char *fence_past_glued(char *text);

/*
 * Line i is one, which stood in the text as `raw`: in an item of a list the block is indented as its fences are, and so
 * it is moved back when the second is there. Fences are told in their order.
 */
void fence_next(struct fence *fence, struct dump_line *lines, size_t i, const char *raw);
