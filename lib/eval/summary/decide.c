// SPDX-License-Identifier: GPL-2.0-or-later
/* decide.c - what to do with the node, and what is left to use of it. */
#include "base/compat.h"
#include "base/text.h"
#include "eval/facts/holders.h"
#include "eval/judge/field_words.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "eval/summary/summary.h"
#include "eval/summary/unanswered.h"
#include "snapshot/node.h"

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
	/* What dumps do not tell may be what speaks against it. */
	if (is_imported(report->snapshot) && (!worst || worst->outcome != OUTCOME_FAIL))
		return "not-judged";
	/* A head node may do its work. */
	if (report->no_gpu)
		return "not-judged";
	/* GPUs that all sleep are no reason to keep work away, which wakes them. */
	if (report->verdict == VERDICT_UNKNOWN && report->exit_status)
		return "no";
	if (!worst || worst->outcome != OUTCOME_FAIL)
		return "yes";
	return worst->def->action == ACTION_RESET_GPU ? "after-reset" : "no";
}

static void advise_to_wake(struct report *report)
{
	struct step *step = arena_alloc(&report->arena, sizeof(*step));

	*step = (struct step){
		.text = "Wake it for a run",
		.command = "gpudiag --wake",
		.expect = "the same report with it judged; afterwards it suspends itself again",
	};
	report->decision.steps = step;
	report->decision.nr_steps = 1;
}

/* What failed to answer, asked for by whoever reads this, in the words of its own tool. */
static const char *asking_command(struct report *report, const struct unanswered *failed)
{
	const char *key = failed->gpu ? str_or(failed->gpu->key, "") : "";
	struct pci_address address;

	if (!failed->gpu && gpus_bound_to(report->snapshot, "nvidia"))
		return "nvidia-smi; dmesg -T | grep -iE 'nvrm|xid' | tail -20";
	/* Of a snapshot: it may be any text, and goes into a shell. */
	if (!failed->gpu || parse_pci_address(key, &address))
		return NULL;
	if (gpu_vendor(failed->gpu) == VENDOR_NVIDIA)
		return arena_printf(&report->arena, "nvidia-smi -q -i %s; dmesg -T | grep -iE 'nvrm|xid' | tail -20",
				    key);
	return arena_printf(&report->arena, "dmesg -T | grep %s | tail -20", key);
}

static void advise_to_ask(struct report *report)
{
	const struct unanswered *failed = unanswered_first_failure(report);
	struct step *step;

	if (!failed)
		return;
	step = arena_alloc(&report->arena, sizeof(*step));
	*step = (struct step){
		.text = arena_printf(&report->arena, "Query %s%s manually, then run gpudiag again",
				     field_words(&report->arena, failed->first),
				     failed->gpu ? arena_printf(&report->arena, " of GPU %zu", failed->gpu_index) : ""),
		.command = asking_command(report, failed),
		.expect = "the same error: drain the node and reset or reboot; no error both times: it has passed",
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

	for (size_t i = 0; i < report->nr_holdings; i++) {
		const struct holding *holding = &report->holdings[i];
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

/* A dump does not prove that a GPU works. */
static const char *word_of(const struct report *report, enum gpu_state state, const char *word)
{
	return state == GPU_USABLE && is_imported(report->snapshot) ? "without a fault in the dumps" : word;
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
		if (add_gpus_in(report, &text, parts[i].state, word_of(report, parts[i].state, parts[i].word)) &&
		    parts[i].state == GPU_UNUSABLE)
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
	} else if (report->maintenance && report->verdict == VERDICT_UNKNOWN) {
		decision->finding = report->maintenance;
		decision->action = report->maintenance->def->action;
		decision->reason = report->headline;
		decision->steps = report->maintenance->steps;
		decision->nr_steps = report->maintenance->nr_steps;
	} else if (report->no_gpu) {
		decision->finding = report->no_gpu;
		decision->reason = "it is unknown whether a GPU belongs here";
		decision->steps = report->no_gpu->steps;
		decision->nr_steps = report->no_gpu->nr_steps;
	} else {
		decision->reason = report->headline;
		if (report->verdict == VERDICT_UNKNOWN && report_all_slept(report) && !is_imported(report->snapshot))
			advise_to_wake(report);
		else if (report->verdict == VERDICT_UNKNOWN)
			advise_to_ask(report);
		if (report->hindrance && !decision->nr_steps) {
			decision->steps = report->hindrance->steps;
			decision->nr_steps = report->hindrance->nr_steps;
		}
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
	decide_action(report);
	decide_gpus(report);
}
