// SPDX-License-Identifier: GPL-2.0-or-later
/* text_end.c - what could not be judged and why, and the line that decides. */
#include "base/compat.h"
#include "render/screen.h"

#include "eval/subject.h"

#define DOT " · "

enum {
	HANG = 6,
	DECISION_HANG = 10,	/* below "decision: " */
	MAX_INLINE = 1,		/* unjudged checks that fit on the decision line; more get a list */
};

/* ---- what was not judged, told once for all subjects that share check and reason */

static bool tell_alike(const struct result *a, const struct result *b)
{
	return a->outcome == OUTCOME_UNKNOWN && b->outcome == OUTCOME_UNKNOWN && a->check == b->check &&
	       !strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "");
}

/* Unknown, and the first to say so. */
static bool begins_unjudged(const struct report *report, size_t at)
{
	if (report->results[at].outcome != OUTCOME_UNKNOWN)
		return false;
	for (size_t i = 0; i < at; i++)
		if (tell_alike(&report->results[i], &report->results[at]))
			return false;
	return true;
}

static size_t count_unjudged(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_results; i++)
		nr += begins_unjudged(report, i);
	return nr;
}

/* The GPUs among those that tell what `at` tells. Results come by check and GPU, so indexes rise. */
static const char *alike_gpus(struct screen *screen, size_t at)
{
	const struct report *report = screen->report;
	size_t *indexes = NULL, nr = 0;

	for (size_t i = at; i < report->nr_results; i++) {
		const struct subject *subject = &report->results[i].subject;

		if (!subject->gpu || !tell_alike(&report->results[i], &report->results[at]))
			continue;
		if (nr && indexes[nr - 1] >= subject->gpu_index)
			continue;	/* two OpenCL drivers show the same GPU */
		indexes = arena_grow(&screen->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = subject->gpu_index;
	}
	return nr ? gpu_ranges(&screen->arena, indexes, nr) : NULL;
}

/* ", GPUs 0-7", ", opencl:a.icd:0, opencl:b.icd:0"; nothing for the node. */
static void add_subjects(struct screen *screen, struct strbuf *out, size_t at)
{
	const struct report *report = screen->report;
	const char *gpus = alike_gpus(screen, at);

	if (gpus)
		strbuf_addf(out, ", %s", gpus);
	for (size_t i = at; i < report->nr_results; i++) {
		const struct subject *subject = &report->results[i].subject;

		if (subject->gpu || subject->kind == SUBJECT_NODE)
			continue;
		if (tell_alike(&report->results[i], &report->results[at]))
			strbuf_addf(out, ", %s", subject->name);
	}
}

/* "pcie-width, GPUs 0-7: link_width_able denied: EACCES". */
static void add_unjudged(struct screen *screen, struct strbuf *out, size_t at)
{
	const struct result *result = &screen->report->results[at];

	strbuf_addstr(out, result->check->name);
	add_subjects(screen, out, at);
	if (result->required)
		strbuf_addstr(out, ", required");
	strbuf_addf(out, ": %s", result->reason ? result->reason : "no reason given");
}

void screen_not_judged(struct screen *screen)
{
	struct page *page = &screen->page;

	if (count_unjudged(screen->report) <= MAX_INLINE)
		return;
	page_end_line(page);
	page_put(page, INK_UNKNOWN, "not judged");
	page_end_line(page);
	for (size_t i = 0; i < screen->report->nr_results; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		if (!begins_unjudged(screen->report, i))
			continue;
		add_unjudged(screen, &text, i);
		page_move(page, HANG);
		page_flow(page, HANG + 2, text.buf);
		page_end_line(page);
	}
}

/* ---- the decision */

static void add_action(struct strbuf *out, const struct decision *decision)
{
	strbuf_addstr(out, action_name(decision->action));
	if (decision->schedulable && !strcmp(decision->schedulable, "no"))
		strbuf_addstr(out, ", not schedulable");
	else if (decision->schedulable && !strcmp(decision->schedulable, "after-reset"))
		strbuf_addstr(out, ", schedulable after a reset");
}

static void add_counts(struct screen *screen, struct strbuf *out)
{
	const struct report *report = screen->report;
	size_t unjudged = count_unjudged(report);

	strbuf_addf(out, DOT "%zu check%s", report->nr_checks, report->nr_checks == 1 ? "" : "s");
	if (report->nr_skipped)
		strbuf_addf(out, ", %zu skipped", report->nr_skipped);
	if (report->nr_unknown)
		strbuf_addf(out, ", %zu not judged", report->nr_unknown);
	if (unjudged > MAX_INLINE)
		strbuf_addstr(out, " (above)");
	for (size_t i = 0; unjudged <= MAX_INLINE && i < report->nr_results; i++) {
		if (!begins_unjudged(report, i))
			continue;
		strbuf_addstr(out, " (");
		add_unjudged(screen, out, i);
		strbuf_addch(out, ')');
	}
}

/* Two digits are enough: "3.2 s", "240 ms". */
static void add_elapsed(struct strbuf *out, uint64_t elapsed_ms)
{
	uint64_t step = elapsed_ms >= 1000 ? 100 : 10;

	if (elapsed_ms >= 100)
		elapsed_ms = (elapsed_ms + step / 2) / step * step;
	strbuf_addstr(out, DOT);
	unit_format_u64(out, UNIT_MS, elapsed_ms);
}

void screen_decision(struct screen *screen)
{
	const struct run *run = &screen->report->snapshot->run;
	const char *gpus = screen->report->decision.gpus;
	STRBUF_AUTO text = STRBUF_INIT;

	add_action(&text, &screen->report->decision);
	strbuf_addf(&text, DOT "%s", gpus ? gpus : "no GPU under test");
	add_counts(screen, &text);
	if (is_known(run->elapsed_ms))
		add_elapsed(&text, u64_or(run->elapsed_ms, 0));
	page_put(&screen->page, INK_PLAIN, "decision: ");
	page_flow(&screen->page, DECISION_HANG, text.buf);
	page_end_line(&screen->page);
}
