// SPDX-License-Identifier: GPL-2.0-or-later
/* decide.c - the verdict, the one sentence, and what to do. */
#include "base/compat.h"
#include "base/text.h"
#include "eval/causes.h"
#include "eval/exit_status.h"
#include "eval/subject.h"
#include "eval/summary.h"

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_PASS] = "pass",
		[VERDICT_WARN] = "warn",
		[VERDICT_FAIL] = "fail",
		[VERDICT_UNKNOWN] = "unknown",
	};

	return names[verdict];
}

static void count(struct report *report, bool *required_unknown)
{
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		report->nr_checks++;
		report->nr_skipped += result->outcome == OUTCOME_SKIP;
		report->nr_unknown += result->outcome == OUTCOME_UNKNOWN;
		*required_unknown |= result->required && result->outcome == OUTCOME_UNKNOWN;
	}
}

static size_t nr_judged(const struct report *report)
{
	return report->nr_checks - report->nr_skipped - report->nr_unknown;
}

static size_t nr_gpus_asleep(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++)
		nr += report->gpus[i].asleep;
	return nr;
}

/* There are GPUs to judge, and every one slept. */
static bool all_slept(const struct report *report)
{
	size_t nr_asleep = nr_gpus_asleep(report);

	return nr_asleep && nr_asleep == gpus_under_test(report->snapshot);
}

/*
 * A run that judged nothing has not passed, and neither has one whose GPUs all
 * slept, healthy as the rest may be: that one's exit status says that nothing
 * is wrong. A known fault outweighs what is not known, which outweighs a
 * warning: as the exit status has it.
 */
static void decide_verdict(struct report *report, bool required_unknown)
{
	enum outcome worst = report->nr_findings ? report->findings[0]->outcome : OUTCOME_PASS;

	if (worst == OUTCOME_FAIL)
		report->verdict = VERDICT_FAIL;
	else if (required_unknown || !nr_judged(report))
		report->verdict = VERDICT_UNKNOWN;
	else if (worst == OUTCOME_WARN)
		report->verdict = VERDICT_WARN;
	else if (all_slept(report))
		report->verdict = VERDICT_UNKNOWN;
	report->exit_status = exit_status_by(report, &(struct exit_rules){ .style = EXIT_STYLE_DEFAULT });
}

static const struct result *first_required_unknown(const struct report *report)
{
	for (size_t i = 0; i < report->nr_results; i++)
		if (report->results[i].required && report->results[i].outcome == OUTCOME_UNKNOWN)
			return &report->results[i];
	return NULL;
}

static const struct group *group_with(const struct report *report, enum finding_id id)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		if (report->groups[i].first->id == id)
			return &report->groups[i];
	return NULL;
}

/* What explains that work is slow on a node on which nothing is broken, or NULL. */
static const struct group *explanation(const struct report *report)
{
	static const enum finding_id ids[] = {
#define HEADLINE(id) id,
#include "eval/headlines.def"
#undef HEADLINE
	};
	const struct group *group = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(ids) && !group; i++)
		group = group_with(report, ids[i]);
	return group;
}

/* ", 1 of them asleep and not judged" */
static const char *asleep_words(struct report *report)
{
	size_t nr_asleep = nr_gpus_asleep(report);

	return nr_asleep ? arena_printf(&report->arena, ", %zu of them asleep and not judged", nr_asleep) : "";
}

static const char *asleep_headline(struct report *report)
{
	size_t nr = nr_gpus_asleep(report), judged = nr_judged(report);
	const char *who = nr == 1 ? "the GPU is" : arena_printf(&report->arena, "all %zu GPUs are", nr);

	return arena_printf(&report->arena, "Not judged: %s asleep, and looking would wake %s; nothing else is broken, "
			    "%zu check%s passed.", who, nr == 1 ? "it" : "them", judged, judged == 1 ? "" : "s");
}

/* What was looked at, for a node on which nothing is broken. */
static const char *healthy_headline(struct report *report)
{
	size_t nr_gpus = gpus_under_test(report->snapshot);
	size_t judged = nr_judged(report);
	const struct group *slow = explanation(report);

	/* One GPU by its short name: its place stands in the finding. */
	if (slow && slow->nr == 1)
		return arena_printf(&report->arena, "Nothing broken; %s %s.", slow->subjects, slow->first->title);
	if (slow)
		return arena_printf(&report->arena, "Nothing broken; %s", slow->sentence);
	if (nr_gpus)
		return arena_printf(&report->arena, "Nothing broken found: %zu GPU%s%s, %zu check%s passed.", nr_gpus,
				    nr_gpus == 1 ? "" : "s", asleep_words(report), judged, judged == 1 ? "" : "s");
	if (str_is(report->snapshot->host.virtualisation, "wsl"))
		return arena_printf(&report->arena, "Nothing broken found: no GPU is judged under WSL, %zu check%s passed.",
				    judged, judged == 1 ? "" : "s");
	return arena_printf(&report->arena, "Nothing broken found: no GPU here, %zu check%s passed.", judged,
			    judged == 1 ? "" : "s");
}

/* "No single cause: GPU 3 computes at …; it may be: GPU 3 is limited to 500 W …; GPU 3 is slowed for heat …." */
static const char *no_single_cause(struct report *report, const struct finding *effect)
{
	const char *sentence = group_of(report, effect)->sentence;
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "No single cause: %.*s. Possible:", (int)(strlen(sentence) - 1), sentence);
	for (size_t i = 0; i < effect->nr_possible; i++) {
		const struct finding *cause = effect->possible[i];

		strbuf_addstr(&text, i ? "; " : " ");
		if (cause->subject.kind != SUBJECT_NODE)
			strbuf_addf(&text, "%s ", cause->subject.name);
		strbuf_addstr(&text, cause->title);
	}
	strbuf_addch(&text, '.');
	return arena_strdup(&report->arena, text.buf);
}

/* The worst finding; where faults explain it, the first of them, which is what somebody has to mend. */
static const char *worst_sentence(struct report *report)
{
	const struct finding *cause = first_cause_of(report->groups[0].first);
	const struct finding *open = cause->nr_possible ? cause : NULL;

	/* Nothing failed: what several warnings may explain says more than the first of them. */
	for (size_t i = 0; !open && cause->outcome == OUTCOME_WARN && i < report->nr_findings; i++)
		if (report->findings[i]->outcome >= OUTCOME_WARN && report->findings[i]->nr_possible)
			open = report->findings[i];
	report->open = open;
	return open ? no_single_cause(report, open) : group_of(report, cause)->sentence;
}

static void decide_headline(struct report *report)
{
	const struct result *open;

	switch (report->verdict) {
	case VERDICT_FAIL:
	case VERDICT_WARN:
		report->headline = worst_sentence(report);
		break;
	case VERDICT_UNKNOWN:
		open = first_required_unknown(report);
		if (!open) {
			report->headline = nr_judged(report) ? asleep_headline(report) : "Nothing was judged.";
			break;
		}
		report->headline =
			arena_printf(&report->arena, "Not judged: %s%s%s (%s).", open->check->name,
				     open->subject.kind == SUBJECT_NODE ? "" : " of ",
				     open->subject.kind == SUBJECT_NODE ? "" : open->subject.name, open->reason);
		break;
	case VERDICT_PASS:
		report->headline = healthy_headline(report);
		break;
	}
}

/* What hangs in the kernel does not end when that is mended which it waits for: only a reboot ends it. */
static bool outlives_cause(const struct finding *finding)
{
	switch (finding->id) {
	case DRIVER_TASKS_STUCK:
	case PROBE_HEALTH_STUCK:
	case PROBE_HEALTH_GPU_STUCK:
		return true;
	default:
		return false;
	}
}

/*
 * One finding decides, by this order:
 *
 * 1. what nothing explains that is as bad goes before what something does,
 *    which asks for nothing: mending the cause mends it. A fail that only a
 *    warning explains still asks for its own action, and so does a task or
 *    a worker that hangs in the kernel, which outlives its cause;
 * 2. fail before warn: a warning never outbids a fault, whatever it asks for;
 * 3. the costlier action, by enum action: none < watch < fix-config <
 *    restart-app < restart-service < reset-gpu < reboot-node <
 *    drain-and-repair < replace < escalate. Who drains the node for a card
 *    has rebooted it by the way; the other way round the card stays broken;
 * 4. the earlier in the playbook, then the GPU of the lower number.
 *
 * No two findings are equal by it, so the same snapshot gives the same decision.
 */
static const struct finding *costliest(const struct report *report)
{
	const struct finding *worst = NULL;

	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		if (finding->outcome < OUTCOME_WARN || (worst && finding->outcome < worst->outcome))
			break;
		if (finding->caused_by && finding->caused_by->outcome >= finding->outcome && !outlives_cause(finding))
			continue;
		if (!worst || finding->def->action > worst->def->action)
			worst = finding;
	}
	return worst;
}

static const char *schedulable(const struct report *report, const struct finding *worst)
{
	/* GPUs that all sleep are no reason to keep work away, which wakes them. */
	if (report->verdict == VERDICT_UNKNOWN && report->exit_status)
		return "no";
	if (!worst || worst->outcome != OUTCOME_FAIL)
		return "yes";
	return worst->def->action == ACTION_RESET_GPU ? "after-reset" : "no";
}

/* One line that keeps those awake that slept, runs gpudiag and lets them sleep again. */
static const char *awake_command(struct report *report)
{
	STRBUF_AUTO files = STRBUF_INIT;

	for (size_t i = 0; i < report->nr_gpus; i++) {
		const char *key = str_or(report->gpus[i].gpu->key, "");
		struct pci_address address;

		/* Of a snapshot: it may be any text, and goes into a shell. */
		if (report->gpus[i].asleep && !parse_pci_address(key, &address))
			strbuf_addf(&files, " /sys/bus/pci/devices/%s/power/control", key);
	}
	return files.len ? arena_printf(&report->arena, "echo on | tee%s; gpudiag; echo auto | tee%s", files.buf, files.buf) :
			   NULL;
}

static void advise_to_wake(struct report *report)
{
	struct step *step = arena_alloc(&report->arena, sizeof(*step));

	*step = (struct step){
		.text = "To have it judged, look while a program uses it, or keep it awake for a run (root)",
		.command = awake_command(report),
	};
	report->decision.steps = step;
	report->decision.nr_steps = 1;
}

/* ---- what is left to use, and whose work is on what is not */

/* ", held by python3 (pid 18422, job 4711)": who loses work where unusable GPUs are reset or replaced. */
static void add_holders(struct report *report, struct strbuf *out)
{
	enum { MAX_NAMED = 3 };
	size_t nr = 0;

	for (size_t i = 0; i < report->holdings.nr; i++) {
		const struct holding *holding = &report->holdings.items[i];
		bool holds = false;

		for (size_t k = 0; k < report->decision.nr_unusable; k++)
			holds |= holding_has(holding, report->decision.unusable[k]);
		if (!holds || holder_is_idle(&holding->all) || nr++ >= MAX_NAMED)
			continue;
		strbuf_addf(out, "%s%s", nr == 1 ? ", held by " : ", ", holding_words(&report->arena, holding));
	}
	if (nr > MAX_NAMED)
		strbuf_addf(out, " and %zu more", nr - MAX_NAMED);
}

/* "GPUs 0-2 and 4-7 usable". Are there any in that state? */
static bool add_gpus_in(struct report *report, struct strbuf *out, enum gpu_state state, const char *word)
{
	size_t *indexes = NULL, nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++) {
		if (!report->gpus[i].under_test || report->gpus[i].state != state)
			continue;
		indexes = arena_grow(&report->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = report->gpus[i].index;
	}
	if (nr)
		strbuf_addf(out, "%s%s %s", out->len ? ", " : "", gpu_ranges(&report->arena, indexes, nr), word);
	return nr;
}

static void decide_gpus(struct report *report)
{
	static const struct {
		enum gpu_state state;
		const char *word;
	} parts[] = {
		{ GPU_USABLE, "usable" }, { GPU_SUSPECT, "suspect" }, { GPU_UNUSABLE, "unusable" },
		{ GPU_NOT_JUDGED, "not judged" },
	};
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (add_gpus_in(report, &text, parts[i].state, parts[i].word) && parts[i].state == GPU_UNUSABLE)
			add_holders(report, &text);
	report->decision.gpus = text.len ? arena_strdup(&report->arena, text.buf) : NULL;
}

static void decide_action(struct report *report)
{
	struct decision *decision = &report->decision;
	const struct finding *worst = costliest(report);

	decision->action = worst ? worst->def->action : ACTION_NONE;
	decision->schedulable = schedulable(report, worst);
	decision->finding = worst;
	if (worst) {
		decision->reason = group_of(report, worst)->sentence;
		decision->steps = worst->steps;
		decision->nr_steps = worst->nr_steps;
	} else {
		decision->reason = report->headline;
		if (report->verdict == VERDICT_UNKNOWN && all_slept(report))
			advise_to_wake(report);
	}
	for (size_t i = 0; i < report->nr_gpus; i++) {
		if (report->gpus[i].state != GPU_UNUSABLE)
			continue;
		decision->unusable = arena_grow(&report->arena, decision->unusable, decision->nr_unusable,
						sizeof(*decision->unusable));
		decision->unusable[decision->nr_unusable++] = str_or(report->gpus[i].gpu->key, "?");
	}
}

void report_decide(struct report *report)
{
	bool required_unknown = false;

	count(report, &required_unknown);
	decide_verdict(report, required_unknown);
	decide_headline(report);
	decide_action(report);
	decide_gpus(report);
}

void report_summarise(struct report *report)
{
	report_group(report);
	report_list_gpus(report);
	holdings_of(&report->arena, report->snapshot, &report->holdings);
	report_list_timings(report);
	report_stages(report);
	report_decide(report);
	if (report->policy->path)
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "judged by the policy %s, which %s", report->policy->path,
				      policy_in_words(&report->arena, report->policy)));
	if (bool_or(report->snapshot->run.redacted, false))
		strs_add(&report->arena, &report->messages,
			 "the snapshot is redacted: names, serial numbers, users and UUIDs are pseudonyms");
	if (report->snapshot->run.lock_folder.why)
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "no folder for locks (%s; GPUDIAG_RUNTIME_DIR can name one): another run that "
				      "measures at the same time goes unnoticed", report->snapshot->run.lock_folder.why));
	if (is_known(report->snapshot->run.interrupted))
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "interrupted by %s: what was not looked at is not judged",
				      str_or(report->snapshot->run.interrupted, "a signal")));
}
