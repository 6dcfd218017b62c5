// SPDX-License-Identifier: GPL-2.0-or-later
/* text_end.c - what could not be judged and why, and the line that decides. */
#include "base/compat.h"
#include "eval/summary/unanswered.h"
#include "eval/summary/unknown_groups.h"
#include "render/screen.h"
#include "render/phrases.h"
#include "snapshot/node.h"

#define DOT " · "

enum {
	HANG = 6,
	DECISION_HANG = 10,	/* below "decision: " */
	MAX_INLINE = 1,		/* unjudged checks that fit on the decision line; more get a list */
};

static void put_unjudged(struct term_writer *term, const char *text)
{
	term_move(term, HANG);
	term_flow(term, HANG + 2, text);
	term_end_line(term);
}

/* A fault that silenced a source is reported above with its reason; required checks each repeat it. */
static bool is_told_by_cause(const struct report *report, size_t at)
{
	return report->results[at].caused_by && !result_is_open(&report->results[at]) &&
	       unknown_group_begins(report, at);
}

static bool is_told_before(const struct report *report, size_t at, const struct check *check)
{
	for (size_t i = 0; i < at; i++)
		if (is_told_by_cause(report, i) && report->results[i].check == check &&
		    report->results[i].caused_by->id == report->results[at].caused_by->id)
			return true;
	return false;
}

/* "gpu-link, throttle-power, vram-headroom: by driver-tasks-stuck.in-driver", once, where the first of them stands. */
static void put_caused(struct screen *screen, size_t at)
{
	const struct report *report = screen->report;
	const struct finding *cause = report->results[at].caused_by;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (!is_told_by_cause(report, i) || result->caused_by->id != cause->id)
			continue;
		if (i < at)
			return;
		if (!is_told_before(report, i, result->check))
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", result->check->name);
	}
	strbuf_addf(&text, ": because of %s", cause->def->name);
	put_unjudged(&screen->term, text.buf);
}

/* What failed and moves nothing: a sensor, a call of an old driver. */
static void put_failed(struct screen *screen)
{
	const struct report *report = screen->report;
	bool any = false;

	for (size_t i = 0; i < report->nr_unanswered; i++) {
		const char *sentence = unanswered_sentence(&screen->arena, report, i);

		if (!sentence)
			continue;
		if (!any) {
			term_end_line(&screen->term);
			term_put(&screen->term, STYLE_UNKNOWN, "not answered");
			term_end_line(&screen->term);
		}
		any = true;
		put_unjudged(&screen->term, sentence);
	}
}

/* Of dumps: the checks by name. Why each is open is the same for all, that no dump tells what it needs. */
static void put_not_told(struct screen *screen)
{
	const struct report *report = screen->report;
	const struct check *last = NULL;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < report->nr_results; i++) {
		if (!result_has_unknown(&report->results[i]) || report->results[i].check == last)
			continue;
		last = report->results[i].check;
		strbuf_addf(&text, "%s%s", text.len ? ", " : "", last->name);
	}
	if (!text.len)
		return;
	term_end_line(&screen->term);
	term_put(&screen->term, STYLE_UNKNOWN, "not judged, as the dumps do not tell enough");
	term_end_line(&screen->term);
	put_unjudged(&screen->term, text.buf);
}

static void put_not_judged(struct screen *screen)
{
	const struct report *report = screen->report;

	if (is_imported(report->snapshot) && !bool_or(report->snapshot->request.gate, false)) {
		put_not_told(screen);
		return;
	}
	if (unknown_group_count(report) <= MAX_INLINE)
		return;
	term_end_line(&screen->term);
	term_put(&screen->term, STYLE_UNKNOWN, "not judged");
	term_end_line(&screen->term);
	for (size_t i = 0; i < report->nr_results; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		if (is_told_by_cause(report, i)) {
			put_caused(screen, i);
		} else if (unknown_group_begins(report, i)) {
			unknown_group_add(&screen->arena, &text, report, i);
			put_unjudged(&screen->term, text.buf);
		}
	}
}

void screen_not_judged(struct screen *screen)
{
	put_not_judged(screen);
	put_failed(screen);
}

/* ---- the decision */

static void add_counts(struct screen *screen, struct strbuf *out)
{
	const struct report *report = screen->report;
	size_t unjudged = unknown_group_count(report);

	strbuf_addf(out, DOT "%zu check%s", report->nr_checks, report->nr_checks == 1 ? "" : "s");
	if (report->nr_skipped)
		strbuf_addf(out, ", %zu skipped", report->nr_skipped);
	if (report->nr_unknown)
		strbuf_addf(out, ", %zu not judged", report->nr_unknown);
	if (unjudged > MAX_INLINE)
		strbuf_addstr(out, " (above)");
	for (size_t i = 0; unjudged <= MAX_INLINE && i < report->nr_results; i++) {
		if (!unknown_group_begins(report, i))
			continue;
		strbuf_addstr(out, " (");
		unknown_group_add(&screen->arena, out, report, i);
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

	phrase_decision(&text, &screen->report->decision);
	strbuf_addf(&text, DOT "%s", gpus ? gpus : "no GPU under test");
	add_counts(screen, &text);
	if (is_known(run->elapsed_ms))
		add_elapsed(&text, u64_or(run->elapsed_ms, 0));
	term_put(&screen->term, STYLE_PLAIN, "decision: ");
	term_flow(&screen->term, DECISION_HANG, text.buf);
	term_end_line(&screen->term);
}
