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

/* What a container was not given, the same of several things told once. */
struct diff_loss_row {
	const struct container_loss *first;
	const char *things;	/* "GPUs 0-1 and 4-7", "/dev/nvidia-uvm" */
};
size_t diff_loss_rows(struct arena *arena, const struct container_diff *container, struct diff_loss_row **ret);

/* "Nothing was lost on the way into the container (docker)", or what the rows below it are. */
void diff_put_container_head(struct strbuf *out, const struct container_diff *container);
/* "Not compared, as one side does not tell it: CPUs, memlock limit"; nothing where all was. */
void diff_put_not_compared(struct strbuf *out, const struct container_diff *container);

/* "Hardware", the head of a group. */
const char *diff_group_title(enum diff_group group);
