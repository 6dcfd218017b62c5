// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/permit.h"

static void eval(struct judgement *j)
{
	const struct known_answer *answer = &j->device->known_answer;
	const char *refused = permit_load(j->arena, j->snapshot, j->policy, j->log, j->device);

	if (refused) {
		skip_check(j, refused);
		return;
	}
	need(j, known_answer, answer, words_checked);
	if (need(j, known_answer, answer, words_wrong)) {
		need(j, known_answer, answer, first_wrong);
		need(j, known_answer, answer, expected);
		need(j, known_answer, answer, got);
		finding_add(j, KNOWN_ANSWER_WRONG);
	}
}

const struct check check_known_answer = {
	.name = "known-answer",
	.title = "Known answer",
	.doc = "Does a kernel whose result is known bit for bit give that result? Wrong is always a fail.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.says = "{words_checked} known answers right",
	.may_emit = IDS(KNOWN_ANSWER_WRONG),
	.eval = eval,
};
