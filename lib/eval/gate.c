// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/gate.h"

#include "base/strbuf.h"
#include "base/text.h"
#include "eval/subject.h"
#include "eval/unjudged.h"
#include "snapshot/modules.h"

enum { STATUS_GO = 0, STATUS_NO_GO = 2, STATUS_CANNOT_DECIDE = 3 };

const char *gate_word_name(enum gate_word word)
{
	static const char *const names[] = {
		[GATE_GO] = "go", [GATE_NO_GO] = "no-go", [GATE_CANNOT_DECIDE] = "cannot-decide",
	};

	return names[word];
}

/* ---- what weighs more than in a run */

static const struct gate_regrading regradings[] = {
	{ GPU_VISIBLE_ODD_COUNT, OUTCOME_FAIL,
	  "A gate passes no node that may lack a GPU: --expect-gpus says how many are right." },
	{ VRAM_HEALTH_REMAP_PENDING, OUTCOME_FAIL, "A gate wants the reset done before work comes." },
	{ VRAM_HEALTH_RETIREMENT_PENDING, OUTCOME_FAIL, "A gate wants the reset done before work comes." },
	{ VRAM_HEALTH_REPAIR_PENDING, OUTCOME_FAIL, "A gate wants the reset done before work comes." },
	{ VRAM_HOLDERS_DEAD, OUTCOME_FAIL, "A gate wants the reset done before work comes." },
	{ PCIE_ERRORS_UNCORRECTED_NOW, OUTCOME_FAIL,
	  "A gate sends no work over a link that fails while it is looked at." },
};

/* The kernel's log tells of a fault that only a reset or a reboot ends, which has not been. */
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
		.why = "A gate wants what the driver asks for done before work comes.",
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

		/* What a team graded itself is meant for the gate too; what the log has of days ago asks for nothing. */
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

/* What a gate alone asks is about the change. What warns has its steps where it stands anyway. */
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

/* The list of what was not judged, growing. */
struct open_list {
	struct arena *arena;
	struct gate_open *items;
	size_t nr;
};

static void add_open(struct open_list *list, struct gate_open open)
{
	list->items = arena_grow(list->arena, list->items, list->nr, sizeof(*list->items));
	list->items[list->nr++] = open;
}

static bool is_open(const struct result *result, bool strict)
{
	return result->outcome == OUTCOME_UNKNOWN && (result->required || strict);
}

/* "pcie-width of GPUs 3-7: link_width denied" */
static const char *open_sentence(struct report *report, size_t at)
{
	const struct result *result = &report->results[at];
	const char *subjects = unjudged_subjects(&report->arena, report, at);

	return arena_printf(&report->arena, "%s%s%s: %s", result->check->name, *subjects ? " of " : "", subjects,
			    unjudged_reason(result));
}

/* What would have it judged, by the check and by the reason. */
static const char *mend_of(const struct report *report, const struct result *result)
{
	const char *reason = result->reason ? result->reason : "";

	if (!strcmp(result->check->name, "gpu-visible") && is_known(report->snapshot->bus.gpus))
		return "Say how many GPUs belong here: --expect-gpus N (0: none), or in the policy or a baseline";
	if (strcasestr(reason, "denied") || strcasestr(reason, "not permitted") || strcasestr(reason, "needs root"))
		return "Run it as root";
	if (strcasestr(reason, "not root in the host's process namespace"))
		return "Run it as root on the host, or in a container that shares the host's processes";
	if (!strcmp(result->check->name, "gpu-drained") && is_known(report->snapshot->processes.seen))
		return "End what holds it, or ask again where the driver tells how much memory that has (nvidia-smi answers)";
	if (!strcmp(result->check->name, "target-driver") && strstr(reason, "the newest known is"))
		return "Ask a gpudiag that knows that branch, or go by NVIDIA's release notes of it";
	if (!strcmp(result->check->name, "klog-errors"))
		return "Run it where the journal of this boot is kept and can be read "
		       "(Storage=persistent in journald.conf); without one the log is whole again after a reboot";
	return NULL;
}

/* What must be judged was not even asked: that is the asker's doing, and the same for all of them. */
static void list_left_out(struct report *report, struct open_list *list)
{
	const struct strs *names = &report->left_out;
	bool by_skip = report->snapshot->request.skip_checks.nr, by_check = report->snapshot->request.only_checks.nr;
	const char *by = by_skip && by_check ? "--check, --skip" : by_skip ? "--skip" : "--check";
	STRBUF_AUTO words = STRBUF_INIT;

	if (!names->nr)
		return;
	for (size_t i = 0; i < names->nr; i++)
		strbuf_addf(&words, "%s%s", i ? ", " : "", names->v[i]);
	add_open(list, (struct gate_open){
		.sentence = arena_printf(&report->arena, "%zu required check%s left out (%s): %s", names->nr,
					 names->nr == 1 ? "" : "s", by, words.buf),
		.mend = "Ask the gate for them too; for a few checks alone there is gpudiag run",
	});
}

/* A GPU that sleeps may be sick: all that is known is that it is there. */
static void list_asleep(struct report *report, struct open_list *list)
{
	size_t *indexes = NULL, nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++) {
		if (!report->gpus[i].asleep || !report->gpus[i].under_test)
			continue;
		indexes = arena_grow(&report->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = report->gpus[i].index;
	}
	if (nr)
		add_open(list, (struct gate_open){
			.sentence = arena_printf(&report->arena, "%s asleep and not judged",
						 gpu_ranges(&report->arena, indexes, nr)),
			.mend = "Look while a program uses it, or wake it: --wake",
		});
}

static void list_open(struct report *report, bool strict, struct open_list *list)
{
	bool any_judged = false;

	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		any_judged |= result->outcome != OUTCOME_UNKNOWN && result->outcome != OUTCOME_SKIP;
		if (!is_open(result, strict) || !unjudged_begins(report, i))
			continue;
		add_open(list, (struct gate_open){
			.check = result->check->name, .sentence = open_sentence(report, i),
			.mend = mend_of(report, result),
		});
	}
	list_left_out(report, list);
	list_asleep(report, list);
	if (is_known(report->snapshot->run.interrupted))
		add_open(list, (struct gate_open){
			.sentence = "this run was interrupted before all was looked at",
		});
	if (!any_judged && !list->nr)
		add_open(list, (struct gate_open){ .sentence = "nothing was judged" });
}

/* ---- beside what was recorded */

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

static void tell_against(struct report *report, struct gate_answer *answer, struct open_list *open,
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
		add_open(open, (struct gate_open){
			.sentence = "what was recorded is of another machine",
			.mend = "Give --against what --record kept on this node",
		});
	else if (!diff->nr_compared)
		add_open(open, (struct gate_open){ .sentence = "nothing could be compared with what was recorded" });
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

static const char *go_reason(struct report *report, const struct gate_answer *answer)
{
	if (answer->nr_warnings)
		return arena_printf(&report->arena, "%zu warning%s, first: %s", answer->nr_warnings,
				    answer->nr_warnings == 1 ? "" : "s",
				    as_reason(report, answer->warnings[0].sentence));
	return as_reason(report, report->headline);
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

void gate_decide(struct report *report, bool strict, const struct diff *against)
{
	struct gate_answer *answer = arena_alloc(&report->arena, sizeof(*answer));
	struct open_list open = { .arena = &report->arena };
	struct gate_item *blockers;

	*answer = (struct gate_answer){ .word = GATE_GO };
	tell_direction(answer, report->snapshot);
	blockers = list_items(report, strict, true, &answer->nr_blockers);
	answer->warnings = list_items(report, strict, false, &answer->nr_warnings);
	list_open(report, strict, &open);
	if (against) {
		tell_against(report, answer, &open, against);
		if (!against->machine_known || against->same_machine)
			blockers = add_worse(report, blockers, &answer->nr_blockers, against);
	}
	answer->blockers = blockers;
	answer->open = open.items;
	answer->nr_open = open.nr;
	if (answer->nr_blockers) {
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
