/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * left_out.h - lines of a text that say nothing of a machine under test, whatever they hold: messages of patches,
 * strings of sources, what a manual lists. Each kind is looked for once in a text, whatever is left out.
 *
 *	struct left_outs outs;
 *
 *	left_outs_begin(&outs, lines, nr, 0);
 *	while (i < nr) {
 *		size_t nr_out = left_outs_at(&outs, lines, nr, i);
 */
#pragma once

#include "import/dump/dump.h"

struct left_out {
	size_t begin, end;	/* lines [begin, end) */
};

enum { NR_LEFT_OUT_KINDS = 19 };

struct left_outs {
	struct left_out next[NR_LEFT_OUT_KINDS];
	bool has[NR_LEFT_OUT_KINDS];
};

/* Looks for the first ones from that line on. */
void left_outs_begin(struct left_outs *outs, const struct dump_line *lines, size_t nr, size_t from);

/* How many lines from that one on are left out; it never goes back. */
size_t left_outs_at(struct left_outs *outs, const struct dump_line *lines, size_t nr, size_t at);

/* Is any line? */
bool left_outs_has_any(const struct left_outs *outs);
