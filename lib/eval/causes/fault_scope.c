// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/causes/fault_scope.h"
#include "eval/judge/finding_evidence.h"

/* One of two may have it by chance; of three, one is the odd one out. */
enum { LEAST_FOR_ALL = 2, LEAST_FOR_ONE = 3 };

static const struct row {
	const char *ids, *all, *one, *step;
} rows[] = {
#define CARD_OR_NODE(ids_, all_, one_, step_) { .ids = ids_, .all = all_, .one = one_, .step = step_ },
#include "eval/causes/fault_scope.def"
#undef CARD_OR_NODE
};

static bool is_of(const struct row *row, const struct finding *finding)
{
	return finding->outcome >= OUTCOME_WARN && finding->subject.gpu && id_listed(finding, row->ids);
}

/*
 * GPUs on which that check came to a verdict. Results of a check come together, each GPU once or, by device, in a row.
 */
static size_t nr_judged(const struct check *check, const struct result *results, size_t nr_results)
{
	const struct gpu *last = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < nr_results; i++) {
		const struct result *result = &results[i];

		if (result->check != check || !result->subject.gpu || result->subject.gpu == last ||
		    result->outcome == OUTCOME_SKIP || result->outcome == OUTCOME_UNKNOWN)
			continue;
		last = result->subject.gpu;
		nr++;
	}
	return nr;
}

/* GPUs that have it, each once. */
static size_t nr_with(const struct row *row, struct finding **findings, size_t nr_findings)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_findings; i++) {
		bool again = false;

		for (size_t k = 0; k < i && is_of(row, findings[i]); k++)
			again |= is_of(row, findings[k]) && findings[k]->subject.gpu == findings[i]->subject.gpu;
		nr += is_of(row, findings[i]) && !again;
	}
	return nr;
}

/* What is to be looked at is not this card: the steps that look stay, and one for what they share ends them. */
static void replace_steps(struct arena *arena, const struct row *row, struct finding *finding)
{
	struct step *steps = arena_alloc(arena, (finding->nr_steps + 1) * sizeof(*steps));
	size_t nr = 0;

	for (size_t i = 0; i < finding->nr_steps; i++)
		if (!finding->steps[i].disruptive)
			steps[nr++] = finding->steps[i];
	steps[nr++] = (struct step){ .text = row->step, .disruptive = true };
	finding->steps = steps;
	finding->nr_steps = nr;
}

static void tell(struct arena *arena, const struct row *row, struct finding *finding, size_t with, size_t judged)
{
	if (with >= LEAST_FOR_ALL && with == judged) {
		finding->why = arena_printf(arena, "%s All %zu GPUs %s it: suspect %s", finding->why, with,
					    id_begins(finding, "throttle-") ? "at work have" : "have", row->all);
		if (row->step)
			replace_steps(arena, row, finding);
	} else if (with == 1 && judged >= LEAST_FOR_ONE && row->one) {
		finding->why = arena_printf(arena, "%s The other %zu do not have it: suspect %s", finding->why,
					    judged - 1, row->one);
	}
}

void fault_scope(struct arena *arena, const struct result *results, size_t nr_results, struct finding **findings,
		  size_t nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t with = nr_with(&rows[i], findings, nr), judged = 0;

		for (size_t k = 0; with && k < nr; k++) {
			if (!is_of(&rows[i], findings[k]))
				continue;
			if (!judged)
				judged = nr_judged(findings[k]->check, results, nr_results);
			tell(arena, &rows[i], findings[k], with, judged);
		}
	}
}
