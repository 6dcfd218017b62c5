// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/judge/regrade.h"

/* "pcie-width.below-able of 0000:5d:00.0 on gpu-17*" */
static const char *entry_in_words(struct arena *arena, const struct policy_quiet *quiet)
{
	return arena_printf(arena, "%s%s%s%s%s", quiet->finding, quiet->gpu ? " of " : "", quiet->gpu ? quiet->gpu : "",
			    quiet->node ? " on " : "", quiet->node ? quiet->node : "");
}

static void eval(struct judgement *j)
{
	const struct policy *policy = j->policy;
	const char *now;
	size_t nr = 0;

	if (!policy->nr_quiets) {
		skip_check(j, "the quiet list is empty");
		return;
	}
	now = need(j, run, &j->snapshot->run, taken_at);
	for (size_t i = 0; i < policy->nr_quiets; i++) {
		const struct policy_quiet *quiet = &policy->quiets[i];
		const char *entry;

		if (!quiet_is_of_node(j->snapshot, quiet))
			continue;
		nr++;
		if (!quiet_is_over(quiet, now))
			continue;
		question(j);
		need(j, run, &j->snapshot->run, taken_at);
		entry = derive_str(j, "entry", entry_in_words(j->arena, quiet), "the policy in force");
		derive_str(j, "until", quiet->until, "the policy in force");
		derive_str(j, "quiet_reason", quiet->reason, "the policy in force");
		derive_str(j, "quiet_by", quiet->place, "the policy in force");
		finding_add_of(j, QUIET_LIST_EXPIRED, entry);
	}
	if (nr)
		derive(j, "quiet_entries", UNIT_COUNT, (double)nr, "the policy in force");
	else
		skip_check(j, "the quiet list has no entry for this node");
}

const struct check check_quiet_list = {
	.name = "quiet-list",
	.title = "Quiet list",
	.doc = "Has an entry of the policy's quiet list for this node expired? Its finding then counts again. The "
	       "date of the run counts, in UTC.",
	.per = SUBJECT_NODE,
	.says = "quiet list: {quiet_entries}, none expired",
	.may_emit = IDS(QUIET_LIST_EXPIRED),
	.eval = eval,
};
