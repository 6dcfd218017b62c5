/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_rows.h - differences as people read them: the same of several things told once. Private to lib/render. */
#pragma once

#include "render/diff.h"

struct diff_row {
	const struct difference *first;
	const char *things;	/* "GPUs 0-7", "module nvidia, module nvidia_uvm and 4 more" */
};

struct diff_rows {
	struct arena arena;
	size_t nr;
	struct diff_row *rows;	/* in the order of the differences; in a group the worse come first */
};

void diff_rows_make(struct diff_rows *ret, const struct diff *diff);
void diff_rows_release(struct diff_rows *rows);

/* "x16 → x8", "none → present": what was, and what is. */
void diff_put_change(struct strbuf *out, const struct difference *difference);

/* "node01, 2026-11-20T15:02:07.123Z": who and when one side is. */
void diff_put_side(struct strbuf *out, const struct snapshot *snapshot);

/* "2 got worse, 1 better, 14 changed", or that nothing did. */
void diff_put_sum(struct strbuf *out, const struct diff *diff);

/* "Hardware", the head of a group. */
const char *diff_group_title(enum diff_group group);
