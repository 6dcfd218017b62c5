// SPDX-License-Identifier: GPL-2.0-or-later
/* gate_baseline.c - a node beside what was recorded of it. */
#include "base/compat.h"
#include "eval/gate/gate_internal.h"

static const char *why_words(struct report *report, const struct difference *item)
{
	return item->why ? arena_printf(&report->arena, " (%s)", item->why) : "";
}

/* "GPU 3 (0000:5d:00.0): link_width was x16, and is x8" */
static const char *worse_sentence(struct report *report, const struct difference *item)
{
	const char *thing = item->thing ? item->thing : "node";

	if (!item->before)
		return arena_printf(&report->arena, "%s: %s was not there before: %s%s", thing, item->what,
				    item->after ? item->after : "?", why_words(report, item));
	if (!item->after)
		return arena_printf(&report->arena, "%s: %s is gone, which was %s%s", thing, item->what, item->before,
				    why_words(report, item));
	return arena_printf(&report->arena, "%s: %s was %s, and is %s%s", thing, item->what, item->before, item->after,
			    why_words(report, item));
}

/* A check that is not judged any more is open, and a finding that fails is a blocker: both stand there already. */
static bool is_told_otherwise(const struct difference *item)
{
	enum finding_id id = item->group == DIFF_VERDICT ? finding_by_name(item->what) : NO_FINDING;

	if (item->group != DIFF_VERDICT)
		return false;
	return id == NO_FINDING || !item->after || !strncmp(item->after, "fail", strlen("fail"));
}

struct gate_item *gate_add_worse(struct report *report, struct gate_item *items, size_t *nr, const struct diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++) {
		if (diff->items[i].weight != DIFF_WORSE || is_told_otherwise(&diff->items[i]))
			continue;
		items = arena_grow(&report->arena, items, *nr, sizeof(*items));
		items[(*nr)++] = (struct gate_item){ .sentence = worse_sentence(report, &diff->items[i]) };
	}
	return items;
}

void gate_compare_baseline(struct report *report, struct gate_answer *answer, struct gate_unknown_list *open,
		       const struct diff *diff)
{
	struct gate_against *against = arena_alloc(&report->arena, sizeof(*against));
	const char *taken_at = str_or(diff->before->run.taken_at, NULL);

	*against = (struct gate_against){
		.taken_at = taken_at ? arena_strdup(&report->arena, taken_at) : NULL,
		.same_machine = diff->same_machine, .machine_known = diff->machine_known,
		.nr_worse = diff->nr_worse, .nr_better = diff->nr_better,
		.nr_other = diff->nr - diff->nr_worse - diff->nr_better,
	};
	answer->against = against;
	if (diff->machine_known && !diff->same_machine)
		gate_add_unknown(open, (struct gate_unknown){
			.sentence = "the recorded state is of another machine",
			.mend = "Use --against with a file that --record wrote on this node",
		});
	else if (!diff->nr_compared)
		gate_add_unknown(open, (struct gate_unknown){ .sentence = "nothing could be compared with the recorded state" });
	for (size_t i = 0; i < diff->messages.nr; i++)
		strs_add(&report->arena, &report->messages, arena_strdup(&report->arena, diff->messages.v[i]));
}
