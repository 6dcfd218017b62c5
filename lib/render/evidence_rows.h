/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence_rows.h - the evidence of a finding as rows of a table: what several
 * GPUs have alike stands once. Private to lib/render.
 */
#pragma once

#include "base/arena.h"
#include "eval/judge/report.h"

enum { MAX_EVIDENCE_MEMBERS = 16 };	/* GPUs of one finding whose evidence is listed */

/* Texts as they were collected: nothing is escaped. None is NULL but of. */
struct evidence_row {
	const char *what;		/* the field's name */
	const char *of;			/* which thing, or NULL */
	const char *observed, *expected, *source;
	size_t nr_gpus, gpus[MAX_EVIDENCE_MEMBERS];
};

struct evidence_rows {
	struct arena *arena;
	bool of_several;		/* GPUs: each row names its own by evidence_row_gpus() */
	size_t nr;
	struct evidence_row *items;
	size_t left_out;		/* members beyond those listed */
};

/* Made on the arena. */
void evidence_rows_of(struct arena *arena, const struct report *report, const struct group *group,
		      struct evidence_rows *ret);

/* "GPUs 0-2 and 4-7"; "" where the finding is of one. */
const char *evidence_row_gpus(const struct evidence_rows *rows, const struct evidence_row *row);
