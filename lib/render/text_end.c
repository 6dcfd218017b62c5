// SPDX-License-Identifier: GPL-2.0-or-later
/* text_end.c - what could not be judged and why, and the line that decides. */
#include "base/compat.h"
#include "eval/unjudged.h"
#include "render/screen.h"
#include "render/told.h"

#define DOT " · "

enum {
	HANG = 6,
	DECISION_HANG = 10,	/* below "decision: " */
	MAX_INLINE = 1,		/* unjudged checks that fit on the decision line; more get a list */
};

void screen_not_judged(struct screen *screen)
{
	struct page *page = &screen->page;

	if (unjudged_count(screen->report) <= MAX_INLINE)
		return;
	page_end_line(page);
	page_put(page, INK_UNKNOWN, "not judged");
	page_end_line(page);
	for (size_t i = 0; i < screen->report->nr_results; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		if (!unjudged_begins(screen->report, i))
			continue;
		unjudged_add(&screen->arena, &text, screen->report, i);
		page_move(page, HANG);
		page_flow(page, HANG + 2, text.buf);
		page_end_line(page);
	}
}

/* ---- the decision */

static void add_counts(struct screen *screen, struct strbuf *out)
{
	const struct report *report = screen->report;
	size_t unjudged = unjudged_count(report);

	strbuf_addf(out, DOT "%zu check%s", report->nr_checks, report->nr_checks == 1 ? "" : "s");
	if (report->nr_skipped)
		strbuf_addf(out, ", %zu skipped", report->nr_skipped);
	if (report->nr_unknown)
		strbuf_addf(out, ", %zu not judged", report->nr_unknown);
	if (unjudged > MAX_INLINE)
		strbuf_addstr(out, " (above)");
	for (size_t i = 0; unjudged <= MAX_INLINE && i < report->nr_results; i++) {
		if (!unjudged_begins(report, i))
			continue;
		strbuf_addstr(out, " (");
		unjudged_add(&screen->arena, out, report, i);
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

	told_decision(&text, &screen->report->decision);
	strbuf_addf(&text, DOT "%s", gpus ? gpus : "no GPU under test");
	add_counts(screen, &text);
	if (is_known(run->elapsed_ms))
		add_elapsed(&text, u64_or(run->elapsed_ms, 0));
	page_put(&screen->page, INK_PLAIN, "decision: ");
	page_flow(&screen->page, DECISION_HANG, text.buf);
	page_end_line(&screen->page);
}
