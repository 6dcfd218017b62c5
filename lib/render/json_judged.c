// SPDX-License-Identifier: GPL-2.0-or-later
/* json_judged.c - results and findings of the JSON report. */
#include "base/compat.h"
#include "eval/summary/unanswered.h"
#include "eval/summary/unknown_groups.h"
#include "render/json_internal.h"
#include "render/phrases.h"

/* A value that is not known is null, and "unknown" beside it says why. */
static void put_evidence(struct json_writer *w, const struct report *report, const struct evidence *evidence)
{
	struct arena arena = { 0 };

	json_object_begin(w);
	json_str(w, "what", evidence->field->name);
	json_str(w, "of", evidence->of);
	json_value(w, "observed", evidence->field, &evidence->observed);
	json_value(w, "expected", evidence->field, &evidence->expected);
	json_str(w, "unit", unit_symbol(evidence->field->unit));
	json_str(w, "source", phrase_source(&arena, report, evidence));
	arena_release(&arena);
	if (!is_known(evidence->observed.head)) {
		STRBUF_AUTO reason = STRBUF_INIT;

		value_format(&reason, evidence->field, &evidence->observed);
		json_str(w, "unknown", reason.buf);
	}
	json_object_end(w);
}

static void put_evidence_list(struct json_writer *w, const struct report *report, const struct evidence_list *list)
{
	json_array_member(w, "evidence");
	for (size_t i = 0; i < list->nr; i++)
		if (!list->items[i].is_phrase)
			put_evidence(w, report, &list->items[i]);
	json_array_end(w);
}

static void put_check(struct json_writer *w, const struct report *report, const struct result *result)
{
	json_object_begin(w);
	json_str(w, "check", result->check->name);
	json_str(w, "stage", stage_name(result->stage));
	json_subject(w, &result->subject);
	json_bool_member(w, "required", result->required);
	json_str(w, "result", outcome_name(result->outcome));
	json_str(w, "reason", result->reason);
	if (result->failure)
		json_str(w, "failure", result->failure);
	put_evidence_list(w, report, &result->evidence);
	json_object_end(w);
}

static bool is_plain(const struct result *result)
{
	return !result->failure && (result->outcome == OUTCOME_PASS || result->outcome == OUTCOME_SKIP);
}

/* How many that is so of, by their checks, whose results stand together. */
static void put_left_out(struct json_writer *w, const char *key, const struct report *report, enum outcome outcome)
{
	json_object_member(w, key);
	for (size_t i = 0, nr = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		nr += is_plain(result) && result->outcome == outcome;
		if (i + 1 < report->nr_results && report->results[i + 1].check == result->check)
			continue;
		if (nr)
			json_u64_member(w, result->check->name, nr);
		nr = 0;
	}
	json_object_end(w);
}

void json_checks(struct json_writer *w, const struct report *report, bool is_compact)
{
	json_array_member(w, "checks");
	for (size_t i = 0; i < report->nr_results; i++)
		if (!is_compact || !is_plain(&report->results[i]))
			put_check(w, report, &report->results[i]);
	json_array_end(w);
	if (!is_compact)
		return;
	json_object_member(w, "left_out");
	put_left_out(w, "pass", report, OUTCOME_PASS);
	put_left_out(w, "skip", report, OUTCOME_SKIP);
	json_object_end(w);
}

/* The cause's finding id; several GPUs may have it, so its key says which one. */
static void put_cause(struct json_writer *w, const struct finding *cause)
{
	json_str(w, "caused_by", cause ? cause->def->name : NULL);
	json_str(w, "caused_by_key", cause ? cause->key : NULL);
}

static void put_keys(struct json_writer *w, const char *name, const struct finding *const *findings, size_t nr)
{
	json_array_member(w, name);
	for (size_t i = 0; i < nr; i++)
		json_put_str(w, findings[i]->key);
	json_array_end(w);
}

/* Of what it is the cause itself, not by way of another. */
static void put_explained(struct json_writer *w, const struct report *report, const struct finding *cause)
{
	json_array_member(w, "explains");
	for (size_t i = 0; i < report->nr_findings; i++)
		if (report->findings[i]->caused_by == cause)
			json_put_str(w, report->findings[i]->key);
	json_array_end(w);
}

void json_findings(struct json_writer *w, const struct report *report)
{
	struct arena arena = { 0 };

	json_array_member(w, "findings");
	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		json_object_begin(w);
		json_str(w, "id", finding->def->name);
		json_str(w, "key", finding->key);
		json_str(w, "check", finding->check->name);
		json_str(w, "stage", stage_name(finding->stage));
		json_subject(w, &finding->subject);
		json_str(w, "outcome", outcome_name(finding->outcome));
		json_grade(w, finding);
		json_str(w, "action", action_name(finding->def->action));
		json_str(w, "blame", blame_name(finding->blame));
		json_str(w, "title", finding->title);
		json_str(w, "sentence", phrase_sentence(&arena, finding));
		json_str(w, "why", finding->why);
		json_steps(w, "next", finding->steps, finding->nr_steps);
		put_evidence_list(w, report, &finding->evidence);
		put_cause(w, finding->caused_by);
		put_explained(w, report, finding);
		put_keys(w, "possible_causes", finding->possible, finding->nr_possible);
		json_object_end(w);
	}
	json_array_end(w);
	arena_release(&arena);
}

void json_unknown(struct json_writer *w, const struct report *report)
{
	json_array_member(w, "unknown");
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (!result_has_unknown(result))
			continue;
		json_object_begin(w);
		json_str(w, "check", result->check->name);
		json_str(w, "stage", stage_name(result->stage));
		json_subject(w, &result->subject);
		json_bool_member(w, "required", result->required);
		json_str(w, "reason", unknown_group_reason(result));
		json_bool_member(w, "failed_to_answer", result->failure != NULL);
		put_cause(w, result->caused_by);
		json_object_end(w);
	}
	json_array_end(w);
}

void json_unanswered(struct json_writer *w, const struct report *report)
{
	json_array_member(w, "unanswered");
	for (size_t i = 0; i < report->nr_unanswered; i++) {
		const struct unanswered *unanswered = &report->unanswered[i];
		bool weighs = unanswered->kind == UNKNOWN_BY_FAILURE && !unanswered->quiet && !unanswered->told_by;

		json_object_begin(w);
		json_str(w, "gpu", unanswered->gpu ? str_or(unanswered->gpu->key, NULL) : NULL);
		json_str(w, "state", val_state_name(unanswered->state));
		json_str(w, "why", unanswered->why);
		json_str(w, "check", weighs ? unanswered->check : NULL);
		json_str(w, "quiet", unanswered->quiet ? unanswered->quiet->place : NULL);
		json_texts(w, "values", unanswered->values, unanswered->nr_values);
		json_object_end(w);
	}
	json_array_end(w);
}
