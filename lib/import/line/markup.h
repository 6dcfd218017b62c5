/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup.h - tags of a page around what was pasted into it: <pre><code>, <details>, <summary>. */
#pragma once

#include <stdbool.h>

/*
 * Of a line, what stands between the tags it begins and ends with; false: it has none. Tags of XML that a tool prints,
 * and what it says in angle brackets, stay.
 */
bool markup_inside(const char **at, const char **end);

/* Has the tag that a line begins with this word in its class, as <div class="answer accepted-answer"> has "answer"? */
bool markup_has_class(const char *at, const char *end, const char *word);
