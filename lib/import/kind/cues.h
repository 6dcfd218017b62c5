/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cues.h - which kinds of dumps a line may begin one of: found in one pass over it, before any kind is asked. */
#pragma once

#include "import/dump/dump.h"

_Static_assert(NR_DUMP_KINDS <= 64, "a set of kinds is one word");

/* Bit DUMP_… of each kind whose begins() may say yes of a line with that text. */
uint64_t dump_cues(const char *text);

/* Does a line by itself begin one of these kinds, or go on with it? */
bool dump_line_begins(const char *text, const enum dump_kind *kinds, size_t nr);
