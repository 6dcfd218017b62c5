/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/dump/dump.h"

/*
 * Does a tool's output begin there, or a line of a kernel log: "[  123.456789] nvidia …", "Nov  4 12:00:01 node kernel:
 * …"?
 */
bool prefix_ends_before_tool(const struct dump_line *lines, size_t nr);
bool prefix_ends_before_kernel(const char *text);

/* Takes off what stands before each line of a tool's output. Of outputs of several nodes in one text nothing is. */
void dump_strip_prefixes(struct arena *arena, struct dump_line *lines, size_t nr);
