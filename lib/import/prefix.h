/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/dump.h"

/* Takes off what stands before each line of a tool's output. Of outputs of several nodes in one text nothing is. */
void dump_strip_prefixes(struct arena *arena, struct dump_line *lines, size_t nr);
