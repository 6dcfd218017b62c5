// SPDX-License-Identifier: GPL-2.0-or-later
/* gate.c - the answer, what stands in its way, and what is to be done with a change of the driver. */
#include "base/compat.h"
#include "eval/gate/gate_internal.h"

#include "base/text.h"
#include "eval/judge/subject.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

enum { STATUS_GO = 0, STATUS_NO_GO = 2, STATUS_CANNOT_DECIDE = 3 };

const char *gate_word_name(enum gate_word word)
{
	static const char *const names[] = {
		[GATE_GO] = "go", [GATE_NO_GO] = "no-go", [GATE_CANNOT_DECIDE] = "cannot-decide",
	};

	return names[word];
}

/* ---- the lists */

static bool is_blocker(const struct finding *finding, bool strict)
{
	return finding->outcome == OUTCOME_FAIL || (strict && finding->outcome == OUTCOME_WARN);
}

static struct gate_item item_of(const struct group *group)
{
	return (struct gate_item){
		.finding = group->first->def->name, .sentence = group->sentence,
		.nr_steps = group->first->nr_steps, .steps = group->first->steps,
	};
}

/* The findings that block, or those that warn and do not; what a blocker explains is no reason of its own. */
static struct gate_item *list_items(struct report *report, bool strict, bool want_blockers, size_t *ret_nr)
{
	struct gate_item *items = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct finding *finding = report->groups[i].first;

		if (finding->outcome < OUTCOME_WARN || is_blocker(finding, strict) != want_blockers ||
		    (finding->caused_by && is_blocker(finding->caused_by, strict)))
			continue;
		items = arena_grow(&report->arena, items, nr, sizeof(*items));
		items[nr++] = item_of(&report->groups[i]);
	}
	*ret_nr = nr;
	return items;
}

static bool is_of_gate_alone(const struct report *report, const struct check *check)
{
	for (size_t i = 0; i < report->nr_results; i++)
		if (report->results[i].check == check)
			return report->results[i].gate_only;
	return false;
}

/* What can be looked at first, then what is disruptive, then what waits for the change. */
enum { LOOK, DO, AFTER, NR_TURNS };

static int turn_of_step(const struct step *step)
{
	return step->after_change ? AFTER : step->disruptive ? DO : LOOK;
}

/* That of the last of its steps. */
static int turn_of(const struct finding *finding)
{
	int turn = LOOK;

	for (size_t i = 0; i < finding->nr_steps; i++)
		if (turn_of_step(&finding->steps[i]) > turn)
			turn = turn_of_step(&finding->steps[i]);
	return turn;
}

/* Findings of gate-only checks are about the change. Warnings have their steps beside them. */
static void list_to_do(struct report *report, struct gate_answer *answer)
{
	struct gate_item *items = NULL;

	for (int turn = LOOK; turn < NR_TURNS; turn++) {
		for (size_t i = 0; i < report->nr_groups; i++) {
			const struct finding *finding = report->groups[i].first;

			if (finding->outcome != OUTCOME_NOTE || !finding->nr_steps ||
			    turn_of(finding) != turn || !is_of_gate_alone(report, finding->check))
				continue;
			items = arena_grow(&report->arena, items, answer->nr_to_do, sizeof(*items));
			items[answer->nr_to_do++] = item_of(&report->groups[i]);
		}
	}
	answer->to_do = items;
}

/* ---- a node beside what was recorded of it */

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

/* Adds to the blockers what got worse; returns the list, grown. */
static struct gate_item *add_worse(struct report *report, struct gate_item *items, size_t *nr, const struct diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++) {
		if (diff->items[i].weight != DIFF_WORSE || is_told_otherwise(&diff->items[i]))
			continue;
		items = arena_grow(&report->arena, items, *nr, sizeof(*items));
		items[(*nr)++] = (struct gate_item){ .sentence = worse_sentence(report, &diff->items[i]) };
	}
	return items;
}

/* Fills answer->against, and adds what keeps the two from being compared. */
static void compare_baseline(struct report *report, struct gate_answer *answer, struct gate_unknown_list *open,
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
		gate_add_unknown(
			open, (struct gate_unknown){ .sentence = "nothing could be compared with the recorded state" });
	for (size_t i = 0; i < diff->messages.nr; i++)
		strs_add(&report->arena, &report->messages, arena_strdup(&report->arena, diff->messages.v[i]));
}

/* ---- the answer */

/* The sentence of a finding ends in a full stop, that of a reason in none. */
static const char *as_reason(struct report *report, const char *sentence)
{
	size_t len = strlen(sentence);

	return arena_strndup(&report->arena, sentence, len && sentence[len - 1] == '.' ? len - 1 : len);
}

/* Where the report has a fault for its headline, that is the cause, which may stand further down among the findings. */
static const char *blocker_reason(struct report *report, const struct gate_answer *answer)
{
	if (answer->blockers[0].finding && report->verdict == VERDICT_FAIL)
		return as_reason(report, report->headline);
	return as_reason(report, answer->blockers[0].sentence);
}

/* Did a kernel with known results run on it, right or wrong? */
static bool has_computed(const struct report *report, const struct gpu *gpu)
{
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (result->subject.gpu == gpu && !strcmp(result->check->name, "known-answer") &&
		    result->outcome != OUTCOME_SKIP && result->outcome != OUTCOME_UNKNOWN)
			return true;
	}
	return false;
}

/* "; no compute test on GPUs 0-7": they may go all the same, as OpenCL is absent on many healthy nodes. */
static const char *not_computed(struct report *report)
{
	const struct snapshot *snapshot = report->snapshot;
	size_t *indexes = NULL, nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++) {
		const struct gpu *gpu = report->gpus[i].gpu;

		if (gpu_role(snapshot, gpu) != GPU_ROLE_GPU || !gpu_is_selected(snapshot, gpu) ||
		    has_computed(report, gpu))
			continue;
		indexes = arena_grow(&report->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = report->gpus[i].index;
	}
	return nr ? arena_printf(&report->arena, "; no compute test on %s", gpu_ranges(&report->arena, indexes, nr))
		  : "";
}

static const char *go_reason(struct report *report, const struct gate_answer *answer)
{
	const char *computed = not_computed(report);

	if (answer->nr_warnings)
		return arena_printf(&report->arena, "%zu warning%s, first: %s%s", answer->nr_warnings,
				    answer->nr_warnings == 1 ? "" : "s",
				    as_reason(report, answer->warnings[0].sentence), computed);
	return arena_printf(&report->arena, "%s%s", as_reason(report, report->headline), computed);
}

static void tell_direction(struct gate_answer *answer, const struct snapshot *snapshot)
{
	const struct module *nvidia = nvidia_module(snapshot);
	int order;

	answer->to_driver = str_or(snapshot->request.to_driver, NULL);
	answer->from_driver = nvidia ? str_or(nvidia->version, NULL) : NULL;
	if (!answer->to_driver || !answer->from_driver)
		return;
	order = version_compare(answer->to_driver, answer->from_driver);
	answer->direction = order > 0 ? "up" : order < 0 ? "down" : "same";
}

/* During maintenance the outcome is open: failures are reported and do not decide. */
static void list_maintenance(struct report *report, struct gate_unknown_list *list)
{
	if (report->maintenance)
		gate_add_unknown(list, (struct gate_unknown){
			.sentence = arena_printf(list->arena, "maintenance under way: %s", report->maintenance->title),
			.mend = "Wait until it has finished, then run gate again",
		});
}

void gate_decide(struct report *report, bool strict, const struct diff *against)
{
	struct gate_answer *answer = arena_alloc(&report->arena, sizeof(*answer));
	struct gate_unknown_list open = { .arena = &report->arena };
	struct gate_item *blockers;

	*answer = (struct gate_answer){ .word = GATE_GO };
	tell_direction(answer, report->snapshot);
	blockers = list_items(report, strict, true, &answer->nr_blockers);
	answer->warnings = list_items(report, strict, false, &answer->nr_warnings);
	list_maintenance(report, &open);
	gate_list_unknown(report, strict, &open);
	if (against) {
		compare_baseline(report, answer, &open, against);
		if (!against->machine_known || against->same_machine)
			blockers = add_worse(report, blockers, &answer->nr_blockers, against);
	}
	answer->blockers = blockers;
	answer->open = open.items;
	answer->nr_open = open.nr;
	if (answer->nr_blockers && !report->maintenance) {
		answer->word = GATE_NO_GO;
		answer->reason = blocker_reason(report, answer);
		report->exit_status = STATUS_NO_GO;
	} else if (answer->nr_open) {
		answer->word = GATE_CANNOT_DECIDE;
		answer->reason = answer->open[0].sentence;
		report->exit_status = STATUS_CANNOT_DECIDE;
	} else {
		answer->reason = go_reason(report, answer);
		if (answer->to_driver)
			list_to_do(report, answer);
		report->exit_status = STATUS_GO;
	}
	report->gate = answer;
}

/* ---- what weighs more in a gate than in a run */

static const struct gate_regrading regradings[] = {
	{ GPU_VISIBLE_ODD_COUNT, OUTCOME_FAIL,
	  "A gate does not pass a node that may lack a GPU; set the count with --expect-gpus." },
	{ VRAM_HEALTH_REMAP_PENDING, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ VRAM_HEALTH_RETIREMENT_PENDING, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ VRAM_HEALTH_REPAIR_PENDING, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ VRAM_HOLDERS_DEAD, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ PCIE_ERRORS_UNCORRECTED_NOW, OUTCOME_FAIL,
	  "A gate does not pass a link that fails during the run." },
};

/* The kernel log has a fault that only a reset or reboot ends, and there was none since. */
static bool log_asks_for_reset(enum finding_id id)
{
	const struct finding_def *def = &finding_defs[id];

	return log_row(id) != KLOG_NO_ROW && def->outcome == OUTCOME_WARN &&
	       (def->action == ACTION_RESET_GPU || def->action == ACTION_REBOOT_NODE);
}

const struct gate_regrading *gate_regrading_of(enum finding_id id)
{
	static const struct gate_regrading of_log = {
		.id = NO_FINDING, .outcome = OUTCOME_FAIL,
		.why = "A gate requires the driver's recovery action before new jobs.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(regradings); i++)
		if (regradings[i].id == id)
			return &regradings[i];
	return log_asks_for_reset(id) ? &of_log : NULL;
}

void gate_regrade(struct arena *arena, const struct snapshot *snapshot, struct finding *const *findings, size_t nr,
		  struct result *result)
{
	if (!bool_or(snapshot->request.gate, false))
		return;
	for (size_t i = 0; i < nr; i++) {
		const struct gate_regrading *regrading = gate_regrading_of(findings[i]->id);

		/* The policy's own regrades hold for the gate too; events of days ago need no action. */
		if (!regrading || findings[i]->outcome >= regrading->outcome || findings[i]->regraded ||
		    findings[i]->quiet || (regrading->id == NO_FINDING && findings[i]->outcome != OUTCOME_WARN))
			continue;
		findings[i]->outcome = regrading->outcome;
		findings[i]->why = arena_printf(arena, "%s %s", findings[i]->why, regrading->why);
		if (result->outcome < regrading->outcome)
			result->outcome = regrading->outcome;
	}
}

bool gate_wants_judged(const struct snapshot *snapshot, const struct check *check)
{
	return bool_or(snapshot->request.gate, false) && !strcmp(check->name, "gpu-visible");
}
