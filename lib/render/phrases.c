// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/phrases.h"

#include "eval/gate/gate.h"
#include "eval/judge/subject.h"

bool finding_is_of(const struct finding *finding, const struct result *result)
{
	return finding->check == result->check && !strcmp(finding->subject.name, result->subject.name);
}

const char *phrase_sentence(struct arena *arena, const struct finding *finding)
{
	const char *label = subject_label(arena, &finding->subject);

	return arena_printf(arena, "%s%s%s.", label, *label ? " " : "", finding->title);
}

const char *phrase_step(struct arena *arena, const struct step *step)
{
	return arena_printf(arena, "%s%s", step->text ? step->text : "", step->disruptive ? " (disruptive)" : "");
}

bool group_is_symptom(const struct group *group)
{
	return group->first->outcome >= OUTCOME_WARN && group->first->caused_by;
}

const struct finding *phrase_symptom(const struct report *report, enum stage stage)
{
	const struct finding *symptom = NULL;

	if (report->stages[stage].outcome < OUTCOME_WARN)
		return NULL;
	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		if (finding->stage != stage || finding->outcome != report->stages[stage].outcome)
			continue;
		if (!finding->caused_by)
			return NULL;
		if (!symptom)
			symptom = finding;
	}
	return symptom;
}

const char *phrase_stage(const struct report *report, enum stage stage)
{
	const char *summary = report->stages[stage].summary;

	if (summary && *summary)
		return summary;
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (report->stages[stage].outcome == OUTCOME_SKIP && result->stage == stage &&
		    result->outcome == OUTCOME_SKIP && result->reason)
			return result->reason;
	}
	return "";
}

void phrase_decision(struct strbuf *out, const struct decision *decision)
{
	strbuf_addstr(out, action_name(decision->action));
	if (decision->schedulable && !strcmp(decision->schedulable, "no"))
		strbuf_addstr(out, ", not schedulable");
	else if (decision->schedulable && !strcmp(decision->schedulable, "after-reset"))
		strbuf_addstr(out, ", schedulable after a reset");
}

const char *phrase_answer(struct arena *arena, const struct report *report)
{
	if (!report->gate)
		return report->headline;
	return arena_printf(arena, "%s: %s", gate_word_name(report->gate->word), report->gate->reason);
}

void phrase_verdict(struct strbuf *out, const struct report *report)
{
	struct arena arena = { 0 };

	strbuf_addstr(out, phrase_answer(&arena, report));
	arena_release(&arena);
	if (report->gate)
		return;
	strbuf_addstr(out, " Decision: ");
	phrase_decision(out, &report->decision);
	if (report->decision.nr_unusable)
		strbuf_addf(out, "; %s", report->decision.gpus);
}

/* Which of the GPUs under test is the first of its model, or of its driver, and how many there are like it. */
static const char *model_of(const struct report_gpu *gpu)
{
	return gpu->model;
}

static const char *driver_of(const struct report_gpu *gpu)
{
	return str_or(gpu->gpu->pci.driver, "");
}

static size_t nr_alike(const struct report *report, size_t at, const char *(*name_of)(const struct report_gpu *))
{
	const char *name = name_of(&report->gpus[at]);
	size_t nr = 0;

	if (!report->gpus[at].under_test || !*name)
		return 0;
	for (size_t i = 0; i < report->nr_gpus; i++) {
		if (!report->gpus[i].under_test || strcmp(name_of(&report->gpus[i]), name) != 0)
			continue;
		if (i < at)
			return 0;
		nr++;
	}
	return nr;
}

const char *phrase_models(struct arena *arena, const struct report *report)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < report->nr_gpus; i++) {
		size_t nr = nr_alike(report, i, model_of);

		if (nr)
			strbuf_addf(&text, "%s%zu × %s", text.len ? ", " : "", nr, report->gpus[i].model);
	}
	return text.len ? arena_strdup(arena, text.buf) : NULL;
}

const char *phrase_drivers(struct arena *arena, const struct report *report)
{
	const struct snapshot *snapshot = report->snapshot;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < report->nr_gpus; i++) {
		const char *driver = driver_of(&report->gpus[i]);

		if (!nr_alike(report, i, driver_of))
			continue;
		strbuf_addf(&text, "%s%s", text.len ? ", " : "", driver);
		for (size_t k = 0; k < snapshot->nr_modules; k++)
			if (str_is(snapshot->modules[k].key, driver) && is_known(snapshot->modules[k].version))
				strbuf_addf(&text, " %s", str_or(snapshot->modules[k].version, ""));
	}
	return text.len ? arena_strdup(arena, text.buf) : NULL;
}

void phrase_what(struct strbuf *out, const struct evidence *evidence)
{
	strbuf_addstr(out, evidence->field->name);
	if (evidence->of)
		strbuf_addf(out, " of %s", evidence->of);
}

void phrase_observed(struct strbuf *out, const struct evidence *evidence)
{
	value_format(out, evidence->field, &evidence->observed);
}

void phrase_expected(struct strbuf *out, const struct evidence *evidence)
{
	if (evidence->expected.head.state != VAL_UNSET)
		value_format(out, evidence->field, &evidence->expected);
}

const char *phrase_verdict_word(enum verdict verdict)
{
	static const char *const words[] = {
		[VERDICT_PASS] = "PASS", [VERDICT_WARN] = "WARN", [VERDICT_FAIL] = "FAIL",
		[VERDICT_UNKNOWN] = "UNKNOWN",
	};

	return words[verdict];
}
