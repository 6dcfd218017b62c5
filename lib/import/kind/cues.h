/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cues.h - which kinds of dumps a line may begin one of: found in one pass over it, before any kind is asked. */
#pragma once

#include "import/dump/dump.h"

enum { KINDS_A_WORD = 64, DUMP_KINDS_WORDS = (NR_DUMP_KINDS + KINDS_A_WORD - 1) / KINDS_A_WORD };

/* A set of kinds, a bit each. */
struct dump_kinds {
	uint64_t words[DUMP_KINDS_WORDS];
};

static inline void dump_kinds_add(struct dump_kinds *kinds, enum dump_kind kind)
{
	kinds->words[kind / KINDS_A_WORD] |= UINT64_C(1) << kind % KINDS_A_WORD;
}

static inline bool dump_kinds_has(const struct dump_kinds *kinds, enum dump_kind kind)
{
	return kinds->words[kind / KINDS_A_WORD] >> kind % KINDS_A_WORD & 1;
}

/* Takes out the first in the order of source.def; false: the set is empty. */
static inline bool dump_kinds_take(struct dump_kinds *kinds, enum dump_kind *ret)
{
	for (size_t i = 0; i < DUMP_KINDS_WORDS; i++) {
		if (!kinds->words[i])
			continue;
		*ret = (enum dump_kind)(i * KINDS_A_WORD + (size_t)__builtin_ctzll(kinds->words[i]));
		kinds->words[i] &= kinds->words[i] - 1;
		return true;
	}
	return false;
}

/* The kinds whose begins() may say yes of a line with that text. */
struct dump_kinds dump_cues(const char *text);
/* Is there any? */
bool dump_has_cue(const char *text);

/* Does a line by itself begin one of these kinds, or go on with it? */
bool dump_line_begins(const char *text, const enum dump_kind *kinds, size_t nr);
