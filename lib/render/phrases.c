// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/phrases.h"

#include <math.h>

#include "eval/facts/sources.h"
#include "eval/judge/subject.h"

enum { MAX_CITED_LINES = 4 };

bool finding_is_of(const struct finding *finding, const struct result *result)
{
	return finding->check == result->check && !strcmp(finding->subject.name, result->subject.name);
}

size_t phrase_nr_findings(const struct report *report, enum outcome outcome)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_findings; i++)
		nr += report->findings[i]->outcome == outcome;
	return nr;
}

double phrase_number(struct val_u64 value)
{
	return is_known(value) ? (double)u64_or(value, 0) : NAN;
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
	else if (decision->finding && decision->finding->id == GPU_VISIBLE_NO_TRACE)
		strbuf_addf(out, ", as %s", decision->reason);
	else if (decision->schedulable && !strcmp(decision->schedulable, "not-judged"))
		strbuf_addstr(out, "; whether it may take work cannot be told from dumps");
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

const char *phrase_source(struct arena *arena, const struct report *report, const struct evidence *evidence)
{
	uint32_t from = evidence->observed.head.from;
	const struct import_source *source = source_of(report->snapshot, from);

	if (!source)
		return evidence->field->source;
	/* A tree: which of its files, the field says. */
	if (!value_from_line(from))
		return arena_printf(arena, "%s, %s", str_or(source->file, "?"),
				    *evidence->field->source ? evidence->field->source : source_words(source));
	return arena_printf(arena, "%s:%u, %s", str_or(source->file, "?"), value_from_line(from), source_words(source));
}

/* The next line of the same source, of all that the evidence is from; 0: none. */
static uint32_t next_cited(const struct finding *finding, uint32_t source, uint32_t after)
{
	uint32_t next = 0;

	for (size_t i = 0; i < finding->evidence.nr; i++) {
		uint32_t from = finding->evidence.items[i].observed.head.from;

		if (value_from_source(from) == source && from > after && (!next || from < next))
			next = from;
	}
	return next;
}

static void add_cited(struct strbuf *out, const struct finding *finding, const struct import_source *source,
		      uint32_t number)
{
	uint32_t from = 0;
	size_t nr = 0;

	strbuf_addstr(out, str_or(source->file, "?"));
	while ((from = next_cited(finding, number, from)) && value_from_line(from) && nr++ < MAX_CITED_LINES)
		strbuf_addf(out, "%s%u", nr == 1 ? ":" : ", ", value_from_line(from));
	strbuf_addf(out, "%s (%s)", from ? " …" : "", source_words(source));
}

const char *phrase_cited(struct arena *arena, const struct report *report, const struct finding *finding)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t told[(MAX_SOURCES + 64) / 64] = { 0 };

	for (size_t i = 0; i < finding->evidence.nr; i++) {
		uint32_t from = finding->evidence.items[i].observed.head.from;
		const struct import_source *source = source_of(report->snapshot, from);
		unsigned number = value_from_source(from);

		if (!source || told[number / 64] >> number % 64 & 1)
			continue;
		told[number / 64] |= UINT64_C(1) << number % 64;
		strbuf_addstr(&text, text.len ? "; " : "");
		add_cited(&text, finding, source, number);
	}
	return text.len ? arena_strdup(arena, text.buf) : NULL;
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

const char *phrase_outcome_word(enum outcome outcome)
{
	return outcome == OUTCOME_FAIL ? "FAIL" : outcome == OUTCOME_WARN ? "WARN" : outcome_name(outcome);
}

const char *phrase_gate_word(enum gate_word word)
{
	static const char *const words[] = {
		[GATE_GO] = "GO", [GATE_NO_GO] = "NO-GO", [GATE_CANNOT_DECIDE] = "CANNOT DECIDE",
	};

	return words[word];
}

const char *phrase_gate_change(struct arena *arena, const struct gate_answer *gate)
{
	if (!gate->to_driver)
		return NULL;
	return arena_printf(arena, "Driver %s to %s%s%s%s",
			    gate->from_driver ? gate->from_driver : "(loaded version unknown)", gate->to_driver,
			    gate->direction ? " (" : "", gate->direction ? gate->direction : "",
			    gate->direction ? ")" : "");
}

static const char *counted(struct arena *arena, size_t nr, const char *word, const char *otherwise)
{
	return nr ? arena_printf(arena, "%zu %s", nr, word) : otherwise;
}

const char *phrase_gate_against(struct arena *arena, const struct gate_answer *gate)
{
	const struct gate_against *against = gate->against;

	if (!against)
		return NULL;
	return arena_printf(arena, "Since %s: %s, %s, %s", against->taken_at ? against->taken_at : "it was recorded",
			    counted(arena, against->nr_worse, "worse", "nothing worse"),
			    counted(arena, against->nr_better, "better", "nothing better"),
			    counted(arena, against->nr_other, "changed otherwise", "nothing else changed"));
}

const char *phrase_time(struct arena *arena, const char *stamp)
{
	if (strlen(stamp) < strlen("2026-11-20T15:02Z") || stamp[10] != 'T')
		return stamp;
	return arena_printf(arena, "%.10s %.5s UTC", stamp, stamp + 11);
}

const char *phrase_taken_at(struct arena *arena, const struct run *run)
{
	const char *words = phrase_time(arena, str_or(run->taken_at, ""));
	size_t len = strlen(words);

	if (!bool_or(run->zone_unknown, false) || len < strlen(" UTC"))
		return words;
	return arena_strndup(arena, words, len - strlen(" UTC"));
}

/* ---- which figures are printed: those of a test together, of many the lowest and the highest */

enum { ALL_OF_A_TEST = 4 };	/* of more subjects the lowest and the highest are printed */

struct told_rows {
	struct arena *arena;
	size_t nr;
	const struct report_timing **items;
};

static void add_range(struct strbuf *out, const struct report_timing *timing)
{
	STRBUF_AUTO high = STRBUF_INIT;
	const char *unit;

	unit_format(out, timing->unit, timing->p5);
	unit_format(&high, timing->unit, timing->p95);
	unit = strchr(high.buf, ' ');
	if (unit && out->len >= strlen(unit) && !strcmp(out->buf + out->len - strlen(unit), unit))
		strbuf_setlen(out, out->len - strlen(unit));
	strbuf_addf(out, "–%s", high.buf);
}

struct phrase_figures phrase_figures(struct arena *arena, const struct report_timing *timing)
{
	STRBUF_AUTO median = STRBUF_INIT;
	STRBUF_AUTO range = STRBUF_INIT;
	STRBUF_AUTO size = STRBUF_INIT;

	unit_format(&median, timing->unit, timing->median);
	add_range(&range, timing);
	if (timing->has_size)
		unit_format_u64(&size, UNIT_BYTES, timing->size_bytes);
	return (struct phrase_figures){
		.median = arena_strdup(arena, median.buf), .range = arena_strdup(arena, range.buf),
		.samples = arena_printf(arena, "%zu", timing->n), .size = arena_strdup(arena, size.buf),
	};
}

const char *phrase_timing_doubt(const struct report_timing *timing)
{
	if (timing->noisy)
		return "noisy";
	return bool_or(timing->timing->settled, true) ? "" : "not settled";
}

static void add(struct told_rows *rows, const struct report_timing *timing)
{
	rows->items = arena_grow(rows->arena, rows->items, rows->nr, sizeof(*rows->items));
	rows->items[rows->nr++] = timing;
}

static bool is_same_test(const struct report_timing *a, const struct report_timing *b)
{
	return !strcmp(a->key, b->key);
}

/* One of a sweep over sizes: "h2d-pinned/65536". A screen has no room for those. */
static bool is_of_sweep(const struct report_timing *timing)
{
	const char *suffix = strchr(timing->key, '/');

	return suffix && suffix[1] >= '0' && suffix[1] <= '9';
}

/* The rows of the test that timing `first` begins: all of a few, the lowest and the highest of many. */
static void add_test(struct told_rows *rows, const struct report *report, size_t first)
{
	const struct report_timing *timings = report->timings;
	size_t nr = 0, lowest = first, highest = first;

	for (size_t i = first; i < report->nr_timings; i++) {
		if (!is_same_test(&timings[i], &timings[first]))
			continue;
		nr++;
		lowest = timings[i].median < timings[lowest].median ? i : lowest;
		highest = timings[i].median > timings[highest].median ? i : highest;
	}
	for (size_t i = first; i < report->nr_timings; i++)
		if (is_same_test(&timings[i], &timings[first]) && (nr <= ALL_OF_A_TEST || i == lowest || i == highest))
			add(rows, &timings[i]);
}

const struct report_timing **phrase_timings(struct arena *arena, const struct report *report, size_t *nr)
{
	struct told_rows rows = { .arena = arena };

	for (size_t i = 0; i < report->nr_timings; i++) {
		size_t first = 0;

		while (!is_same_test(&report->timings[first], &report->timings[i]))
			first++;
		if (first == i && !is_of_sweep(&report->timings[i]))
			add_test(&rows, report, i);
	}
	*nr = rows.nr;
	return rows.items;
}

const char *phrase_timings_left_out(struct arena *arena, size_t nr)
{
	return arena_printf(arena, "%zu more, between lowest and highest of a test or of other sizes: "
				   "--format json has them all", nr);
}
