/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judging.h - one check on one subject under way: private to the engine and the judgement functions. */
#pragma once

#include "base/strbuf.h"
#include "eval/judge/report.h"

struct judging {
	struct arena *arena;
	const struct check *check;
	const struct subject *subject;
	enum stage stage;
	const char *about;

	struct evidence *evidence;	/* of the whole judgement */
	size_t nr_evidence;
	size_t question_start;		/* where this question's evidence begins */
	bool question_open;		/* a needed value of it is missing */
	enum blame blame;		/* whom its evidence points to; BLAME_NONE: the finding's own row counts */
	const char *blame_why;
	const char *adds;		/* question_adds() */

	size_t nr_known;
	bool any_open;
	struct strbuf open_reasons;
	const char *last_words;		/* that open_reasons ends in; NULL: empty */
	const struct field *last_field;	/* that they name last, where it is of a thing; or NULL */
	const char *skip_reason, *unknown_reason;
	const char *failure;		/* that weighs whatever passes; or NULL */

	struct finding **findings;
	size_t nr_findings;
};

/* Judges one subject and gives its result; findings are in judging->findings. */
void judging_run(struct judging *judging, struct judgement *j, struct result *ret);

/* Fills the steps of a finding from steps.def. */
void finding_fill_steps(struct arena *arena, struct finding *finding);

/* The finding's key: machine, GPU, finding and, where there may be several, which; hashed. */
void finding_fill_key(const struct snapshot *snapshot, struct finding *finding, const char *which);
