// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * junit.c - the report as the XML that CI systems read test results from: a
 * suite for each stage, a case for each check and what it was asked about.
 *
 * JUnit knows passed, failed, broken (error) and skipped:
 *	fail		failure
 *	warn		failure of type "warning" where the report has an exit
 *			status but 0; a report that ends as 0 fails no case, and the
 *			warning stands in the output of one that passed
 *	unknown		error where the check is required or something failed to answer, else skipped
 *	skip		skipped
 *	note		passed, and the note in its output
 * A report that ends as anything but 0 has a case that is not passed: where no
 * check makes one, the decision itself is a case.
 *
 * The elements are those that Jenkins' and Maven Surefire's readers share;
 * tests/cli/junit.xsd states them. Only what took time of its own has a time: a
 * check judges what was seen already.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/phrases.h"
#include "render/xml.h"

#include "base/text.h"
#include "eval/summary/unknown_groups.h"

enum kind { KIND_PASSED, KIND_FAILURE, KIND_ERROR, KIND_SKIPPED, NR_KINDS };

struct counts {
	size_t nr, of[NR_KINDS];
};

struct junit {
	struct strbuf *out;
	const struct report *report;
	bool ascii;
	struct arena arena;
};

static enum kind kind_of(const struct report *report, const struct result *result)
{
	switch (result->outcome) {
	case OUTCOME_FAIL:
		return KIND_FAILURE;
	case OUTCOME_WARN:
		return report->exit_status ? KIND_FAILURE : KIND_PASSED;
	case OUTCOME_UNKNOWN:
		return result_is_open(result) ? KIND_ERROR : KIND_SKIPPED;
	case OUTCOME_SKIP:
		return KIND_SKIPPED;
	default:
		return KIND_PASSED;
	}
}

/* Of a stage; NR_STAGES: of all. */
static struct counts count(const struct report *report, int stage)
{
	struct counts counts = { 0 };

	for (size_t i = 0; i < report->nr_results; i++) {
		if (stage != NR_STAGES && (int)report->results[i].stage != stage)
			continue;
		counts.nr++;
		counts.of[kind_of(report, &report->results[i])]++;
	}
	return counts;
}

/* ---- what a case says */

static void put_line(struct junit *junit, const char *text)
{
	xml_text(junit->out, text, junit->ascii);
	strbuf_addch(junit->out, '\n');
}

static void put_evidence(struct junit *junit, const struct evidence *evidence)
{
	const char *source = phrase_source(&junit->arena, junit->report, evidence);
	STRBUF_AUTO line = STRBUF_INIT;

	strbuf_addstr(&line, "Evidence: ");
	phrase_what(&line, evidence);
	strbuf_addstr(&line, ": ");
	phrase_observed(&line, evidence);
	if (evidence->expected.head.state != VAL_UNSET) {
		strbuf_addstr(&line, ", expected ");
		phrase_expected(&line, evidence);
	}
	if (*source)
		strbuf_addf(&line, " (%s)", source);
	put_line(junit, line.buf);
}

static void put_step(struct junit *junit, const struct step *step)
{
	put_line(junit, arena_printf(&junit->arena, "Next: %s", phrase_step(&junit->arena, step)));
	if (step->command)
		put_line(junit, arena_printf(&junit->arena, "    %s", step->command));
	if (step->expect)
		put_line(junit, arena_printf(&junit->arena, "    Expect: %s", step->expect));
}

static void put_finding(struct junit *junit, const struct finding *finding)
{
	put_line(junit, arena_printf(&junit->arena, "%s: %s: %s", outcome_name(finding->outcome), finding->def->name,
				     phrase_sentence(&junit->arena, finding)));
	if (finding->why && *finding->why)
		put_line(junit, finding->why);
	if (finding->caused_by)
		put_line(junit, arena_printf(&junit->arena, "Explained by %s of %s.", finding->caused_by->def->name,
					     finding->caused_by->subject.name));
	else
		for (size_t i = 0; i < finding->nr_steps; i++)
			put_step(junit, &finding->steps[i]);
	for (size_t i = 0; i < finding->evidence.nr; i++)
		if (!finding->evidence.items[i].is_phrase)
			put_evidence(junit, &finding->evidence.items[i]);
}

/* The worst comes first: findings are sorted. */
static const struct finding *first_finding(const struct report *report, const struct result *result)
{
	for (size_t i = 0; i < report->nr_findings; i++)
		if (finding_is_of(report->findings[i], result))
			return report->findings[i];
	return NULL;
}

static void put_findings(struct junit *junit, const struct result *result)
{
	for (size_t i = 0; i < junit->report->nr_findings; i++)
		if (finding_is_of(junit->report->findings[i], result))
			put_finding(junit, junit->report->findings[i]);
}

/* "pcie-width.below-twins: GPU 3 (0000:5d:00.0) runs x8 of x16, its twins x16." */
static const char *failure_message(struct junit *junit, const struct result *result)
{
	const struct finding *finding = first_finding(junit->report, result);

	if (!finding)
		return result->check->title;
	return arena_printf(&junit->arena, "%s: %s", finding->def->name, phrase_sentence(&junit->arena, finding));
}

static void put_failure(struct junit *junit, const struct result *result)
{
	strbuf_addstr(junit->out, "      <failure");
	xml_attribute(junit->out, "message", failure_message(junit, result), junit->ascii);
	xml_attribute(junit->out, "type", result->outcome == OUTCOME_WARN ? "warning" : "failure", true);
	strbuf_addch(junit->out, '>');
	put_findings(junit, result);
	strbuf_addstr(junit->out, "</failure>\n");
}

static void put_not_passed(struct junit *junit, const char *element, const char *type, const char *message)
{
	strbuf_addf(junit->out, "      <%s", element);
	xml_attribute(junit->out, "message", message, junit->ascii);
	xml_attribute(junit->out, "type", type, true);
	strbuf_addstr(junit->out, "/>\n");
}

static const char *not_judged(struct junit *junit, const struct result *result)
{
	return arena_printf(&junit->arena, "not judged: %s", unknown_group_reason(result));
}

static void put_outcome(struct junit *junit, const struct result *result)
{
	switch (kind_of(junit->report, result)) {
	case KIND_FAILURE:
		put_failure(junit, result);
		break;
	case KIND_ERROR:
		put_not_passed(junit, "error", "unknown", not_judged(junit, result));
		break;
	case KIND_SKIPPED:
		put_not_passed(junit, "skipped", NULL,
			       result->outcome == OUTCOME_UNKNOWN ? not_judged(junit, result)
								  : unknown_group_reason(result));
		break;
	default:
		strbuf_addstr(junit->out, "      <system-out>");
		put_findings(junit, result);
		strbuf_addstr(junit->out, "</system-out>\n");
		break;
	}
}

/* ---- cases, suites */

/* Milliseconds as seconds. */
static void put_time(struct strbuf *out, struct val_u64 elapsed_ms)
{
	unsigned long long ms = u64_or(elapsed_ms, 0);

	if (is_known(elapsed_ms))
		strbuf_addf(out, " time=\"%llu.%03llu\"", ms / 1000, ms % 1000);
}

static void put_case(struct junit *junit, const struct result *result)
{
	const char *stage = stage_name(result->stage);
	bool is_silent = kind_of(junit->report, result) == KIND_PASSED && !first_finding(junit->report, result);

	strbuf_addf(junit->out, "    <testcase classname=\"gpudiag.%s.%s\"", stage, result->check->name);
	xml_attribute(junit->out, "name", result->subject.name, junit->ascii);
	if (result->subject.probe)
		put_time(junit->out, result->subject.probe->elapsed_ms);
	if (is_silent) {
		strbuf_addstr(junit->out, "/>\n");
		return;
	}
	strbuf_addstr(junit->out, ">\n");
	put_outcome(junit, result);
	strbuf_addstr(junit->out, "    </testcase>\n");
}

static void put_property(struct junit *junit, const char *name, const char *value)
{
	if (!value)
		return;
	strbuf_addf(junit->out, "      <property name=\"%s\"", name);
	xml_attribute(junit->out, "value", value, junit->ascii);
	strbuf_addstr(junit->out, "/>\n");
}

/* Each suite has them, as viewers show one at a time. */
static void put_properties(struct junit *junit)
{
	const struct report *report = junit->report;
	const struct host *host = &report->snapshot->host;

	strbuf_addstr(junit->out, "    <properties>\n");
	put_property(junit, "host", str_or(host->name, NULL));
	put_property(junit, "product", str_or(host->product, NULL));
	put_property(junit, "machine_serial", str_or(host->machine_serial, NULL));
	put_property(junit, "kernel", str_or(host->kernel, NULL));
	put_property(junit, "gpus", phrase_models(&junit->arena, report));
	put_property(junit, "driver", phrase_drivers(&junit->arena, report));
	put_property(junit, "verdict", verdict_name(report->verdict));
	put_property(junit, "headline", report->headline);
	if (report->gate)
		put_property(junit, "gate", phrase_answer(&junit->arena, report));
	put_property(junit, "decision", action_name(report->decision.action));
	put_property(junit, "schedulable", report->decision.schedulable);
	put_property(junit, "exit_status", arena_printf(&junit->arena, "%d", report->exit_status));
	put_property(junit, "tool", str_or(report->snapshot->run.tool, NULL));
	strbuf_addstr(junit->out, "    </properties>\n");
}

static void put_counts(struct junit *junit, const struct counts *counts)
{
	strbuf_addf(junit->out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", counts->nr,
		    counts->of[KIND_FAILURE], counts->of[KIND_ERROR], counts->of[KIND_SKIPPED]);
}

static void begin_suite(struct junit *junit, const char *name, const struct counts *counts)
{
	const struct snapshot *snapshot = junit->report->snapshot;
	int64_t seconds;

	strbuf_addf(junit->out, "  <testsuite name=\"gpudiag.%s\"", name);
	put_counts(junit, counts);
	if (!parse_rfc3339(str_or(snapshot->run.taken_at, ""), &seconds))
		xml_attribute(junit->out, "timestamp", str_or(snapshot->run.taken_at, NULL), true);
	xml_attribute(junit->out, "hostname", str_or(snapshot->host.name, NULL), junit->ascii);
	strbuf_addstr(junit->out, ">\n");
	put_properties(junit);
}

static void put_stage(struct junit *junit, enum stage stage)
{
	struct counts counts = count(junit->report, (int)stage);

	if (!counts.nr)
		return;
	begin_suite(junit, stage_name(stage), &counts);
	for (size_t i = 0; i < junit->report->nr_results; i++)
		if (junit->report->results[i].stage == stage)
			put_case(junit, &junit->report->results[i]);
	strbuf_addstr(junit->out, "  </testsuite>\n");
}

static void put_decision(struct junit *junit, const struct counts *counts)
{
	begin_suite(junit, "decision", counts);
	strbuf_addstr(junit->out, "    <testcase classname=\"gpudiag.decision\" name=\"node\">\n");
	put_not_passed(junit, "error", "decision", phrase_answer(&junit->arena, junit->report));
	strbuf_addstr(junit->out, "    </testcase>\n  </testsuite>\n");
}

void render_junit(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct junit junit = { .out = out, .report = report, .ascii = options->ascii };
	struct counts counts = count(report, NR_STAGES), decision = { .nr = 1, .of[KIND_ERROR] = 1 };
	bool needs_decision = report->exit_status && !counts.of[KIND_FAILURE] && !counts.of[KIND_ERROR];

	if (needs_decision) {
		counts.nr++;
		counts.of[KIND_ERROR]++;
	}
	strbuf_addstr(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpudiag\"");
	put_counts(&junit, &counts);
	put_time(out, report->snapshot->run.elapsed_ms);
	strbuf_addstr(out, ">\n");
	for (int stage = 0; stage < NR_STAGES; stage++)
		put_stage(&junit, (enum stage)stage);
	if (needs_decision)
		put_decision(&junit, &decision);
	strbuf_addstr(out, "</testsuites>\n");
	arena_release(&junit.arena);
}
