// SPDX-License-Identifier: GPL-2.0-or-later
/* stages.c - the eleven lines of a report: each stage's outcome and what it has to say. */
#include "base/compat.h"
#include "eval/judge/regrade.h"
#include "eval/judge/subject.h"
#include "eval/summary/summary.h"
#include "snapshot/node.h"

const char *stage_name(enum stage stage)
{
	static const char *const names[NR_STAGES] = {
		[STAGE_DEVICE] = "device",     [STAGE_VERSIONS] = "versions", [STAGE_LINK] = "link",
		[STAGE_THROTTLE] = "throttle", [STAGE_VRAM] = "vram",	      [STAGE_SWAP] = "swap",
		[STAGE_NUMA] = "numa",	       [STAGE_TIMING] = "timing",     [STAGE_INTEGRITY] = "integrity",
		[STAGE_FEED] = "feed",	       [STAGE_STACK] = "stack",
	};

	return names[stage];
}

/* The stage's worst group, which is its first: groups are sorted so. Of equals the one that no other explains. */
static const struct group *worst_group(const struct report *report, enum stage stage)
{
	const struct group *worst = NULL;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];

		if (group->first->stage != stage || (worst && group->first->outcome < worst->first->outcome))
			continue;
		if (!worst || (worst->first->caused_by && !group->first->caused_by))
			worst = group;
	}
	return worst;
}

static const char *group_line(struct arena *arena, const struct group *group)
{
	/* The sentence carries the address; a line of the table has room for the short name only. */
	const struct finding *finding = group->first;
	const char *grade = finding_grade_words(arena, finding);

	if (group->nr == 1 && (finding->subject.kind == SUBJECT_GPU || finding->subject.kind == SUBJECT_OCL_DEVICE))
		return arena_printf(arena, "%s %s%s%s%s", group->subjects, finding->title, grade ? " (" : "",
				    grade ? grade : "", grade ? ")" : "");
	return arena_strndup(arena, group->sentence, strlen(group->sentence) - 1);
}

/* One check's results, from this one on. */
struct passes {
	size_t nr, passed;
	/* without the node, where of a check about the node and its GPUs it was skipped */
	size_t asked;
	const char *reason;		/* of those that passed, where all say the same; else NULL */
};

static struct passes passes_from(const struct report *report, size_t first)
{
	struct passes passes = { .nr = 0 };

	for (size_t i = first; i < report->nr_results && report->results[i].check == report->results[first].check;
	     i++) {
		const struct result *result = &report->results[i];

		passes.nr++;
		passes.asked += result->outcome != OUTCOME_SKIP || result->subject.kind != SUBJECT_NODE;
		if (result->outcome != OUTCOME_PASS)
			continue;
		if (!passes.passed++)
			passes.reason = result->reason;
		else if (passes.reason && (!result->reason || strcmp(passes.reason, result->reason)))
			passes.reason = NULL;
	}
	return passes;
}

/* A title goes on in a list: "Network card near the GPU" begins small, "PCIe", "GPU" and "OpenCL" do not. */
static void add_title(struct strbuf *out, const char *title)
{
	size_t word = strcspn(title, " ");
	bool is_name = word < 2;

	for (size_t i = 1; i < word; i++)
		is_name |= title[i] < 'a' || title[i] > 'z';
	strbuf_addch(out, is_name || *title < 'A' || *title > 'Z' ? *title : (char)(*title - 'A' + 'a'));
	strbuf_addstr(out, title + 1);
}

/* "all 8 ok", "3 of 4 ok". */
static void add_count(struct strbuf *out, const struct passes *passes)
{
	if (passes->passed == passes->asked)
		strbuf_addf(out, ": all %zu ok", passes->asked);
	else
		strbuf_addf(out, ": %zu of %zu ok", passes->passed, passes->asked);
}

/*
 * "link x16" if that holds for every subject, with how many where not all pass; "PCIe link width: all 8 ok" otherwise.
 */
static void add_passes(struct strbuf *out, const struct report *report, enum stage stage)
{
	struct passes passes;

	for (size_t i = 0; i < report->nr_results; i += passes.nr) {
		passes = passes_from(report, i);
		if (report->results[i].stage != stage || !passes.passed)
			continue;
		if (out->len)
			strbuf_addstr(out, ", ");
		if (passes.reason)
			strbuf_addstr(out, passes.reason);
		else
			add_title(out, report->results[i].check->title);
		if (!passes.reason && passes.asked > 1)
			add_count(out, &passes);
		else if (!passes.reason)
			strbuf_addstr(out, " ok");
		else if (passes.passed < passes.asked)
			strbuf_addf(out, " (%zu of %zu)", passes.passed, passes.asked);
	}
}

/* With the check's name where something could not be judged: a missing value means little without who wanted it. */
static const char *first_reason(struct report *report, enum stage stage, enum outcome outcome)
{
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (result->stage != stage || result->outcome != outcome || !result->reason)
			continue;
		if (outcome == OUTCOME_UNKNOWN)
			return arena_printf(&report->arena, "%s: %s", result->check->name, result->reason);
		return result->reason;
	}
	return "";
}

static bool was_judged(const struct result *result)
{
	return result->outcome != OUTCOME_UNKNOWN && result->outcome != OUTCOME_SKIP;
}

static bool is_judged_at_all(const struct report *report, enum stage stage)
{
	for (size_t i = 0; i < report->nr_results; i++)
		if (report->results[i].stage == stage && was_judged(&report->results[i]))
			return true;
	return false;
}

static void summarise_stage(struct report *report, enum stage stage)
{
	struct report_stage *line = &report->stages[stage];
	const struct group *group = worst_group(report, stage);
	/* Of dumps a stage is what could be judged of it; the rest no dump told. */
	bool has_only_told = is_imported(report->snapshot) && is_judged_at_all(report, stage);
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (result->stage != stage || (has_only_told && !was_judged(result) && !result_is_open(result)))
			continue;
		if (!line->any || result->outcome > line->outcome)
			line->outcome = result->outcome;
		line->any = true;
	}
	if (!line->any) {
		line->summary = "no check was run";
		return;
	}
	if (group && (line->outcome == group->first->outcome)) {
		line->detail = group->first->def->name;
		line->summary = group_line(&report->arena, group);
		return;
	}
	add_passes(&text, report, stage);
	if (line->outcome == OUTCOME_UNKNOWN || line->outcome == OUTCOME_SKIP) {
		strbuf_reset(&text);
		strbuf_addstr(&text, is_imported(report->snapshot) && line->outcome == OUTCOME_UNKNOWN ?
			      "not in these dumps" : first_reason(report, stage, line->outcome));
	}
	line->summary = arena_strdup(&report->arena, text.buf);
}

void report_stages(struct report *report)
{
	for (int stage = 0; stage < NR_STAGES; stage++) {
		report->stages[stage].summary = "";
		summarise_stage(report, (enum stage)stage);
	}
}
