// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/told.h"

#include "snapshot/snapshot.h"

bool finding_is_of(const struct finding *finding, const struct result *result)
{
	return finding->check == result->check && !strcmp(finding->subject.name, result->subject.name);
}

static bool is_told_alike(const struct finding *a, const struct finding *b)
{
	return a->id == b->id && a->outcome == b->outcome && !strcmp(a->why ? a->why : "", b->why ? b->why : "");
}

/*
 * A group keeps its first alone. Others have its words, or those that differ
 * in what one subject alone says: then it is the last group of that kind that
 * begins before them and tells several.
 */
bool finding_is_in(const struct report *report, const struct group *group, const struct finding *finding)
{
	const struct group *best = NULL;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *each = &report->groups[i];

		if (each->first == finding)
			return each == group;
		if (each->nr < 2 || !is_told_alike(each->first, finding))
			continue;
		if (!best || strcmp(best->first->title, finding->title) != 0)
			best = each;
	}
	return best == group;
}

bool group_is_symptom(const struct group *group)
{
	return group->first->outcome >= OUTCOME_WARN && group->first->caused_by;
}

void told_decision(struct strbuf *out, const struct decision *decision)
{
	strbuf_addstr(out, action_name(decision->action));
	if (decision->schedulable && !strcmp(decision->schedulable, "no"))
		strbuf_addstr(out, ", not schedulable");
	else if (decision->schedulable && !strcmp(decision->schedulable, "after-reset"))
		strbuf_addstr(out, ", schedulable after a reset");
}

void told_verdict(struct strbuf *out, const struct report *report)
{
	strbuf_addf(out, "%s Decision: ", report->headline);
	told_decision(out, &report->decision);
	if (report->decision.nr_unusable)
		strbuf_addf(out, "; %s", report->decision.gpus);
}

void told_what(struct strbuf *out, const struct evidence *evidence)
{
	strbuf_addstr(out, evidence->field->name);
	if (evidence->of)
		strbuf_addf(out, " of %s", evidence->of);
}

void told_observed(struct strbuf *out, const struct evidence *evidence)
{
	value_format(out, evidence->field, &evidence->observed);
}

void told_expected(struct strbuf *out, const struct evidence *evidence)
{
	if (evidence->expected.head.state != VAL_UNSET)
		value_format(out, evidence->field, &evidence->expected);
}
