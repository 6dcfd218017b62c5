// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/timing_precondition.h"

static void eval(struct judgement *j)
{
	const struct known_answer *answer = &j->device->known_answer;

	if (!load_is_permitted(j))
		return;
	need(j, known_answer, answer, words_checked);
	if (need(j, known_answer, answer, words_wrong)) {
		need(j, known_answer, answer, first_wrong);
		need(j, known_answer, answer, expected);
		need(j, known_answer, answer, got);
		want(j, known_answer, answer, flipped);
		want(j, known_answer, answer, kernel);
		finding_add(j, KNOWN_ANSWER_WRONG);
	}
	question(j);
	need(j, known_answer, answer, words_checked);
	need(j, known_answer, answer, runs);
	if (need(j, known_answer, answer, words_unstable))
		finding_add(j, KNOWN_ANSWER_UNSTABLE);
}

const struct check check_known_answer = {
	.name = "known-answer",
	.title = "Known answer",
	.doc = "Do kernels with results known bit for bit return them, for integers and for rounding floats, and the "
	       "same each time? A wrong result is always a fail.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.level = "quick",
	.says = "all {words_checked} results correct",
	.may_emit = IDS(KNOWN_ANSWER_WRONG, KNOWN_ANSWER_UNSTABLE),
	.eval = eval,
};
