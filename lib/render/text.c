// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - the screen at 3 am: the sentence that names the cause, what to do,
 * the stages, what was not judged, the decision.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/screen.h"

enum {
	HANG = 6,		/* below "FAIL  " */
	MAX_NOTES = 8,
};

static const char *verdict_word(enum verdict verdict)
{
	static const char *const words[] = {
		[VERDICT_PASS] = "PASS", [VERDICT_WARN] = "WARN", [VERDICT_FAIL] = "FAIL",
		[VERDICT_UNKNOWN] = "UNKNOWN",
	};

	return words[verdict];
}

static enum ink verdict_ink(enum verdict verdict)
{
	static const enum ink inks[] = {
		[VERDICT_PASS] = INK_PASS, [VERDICT_WARN] = INK_WARN, [VERDICT_FAIL] = INK_FAIL,
		[VERDICT_UNKNOWN] = INK_UNKNOWN,
	};

	return inks[verdict];
}

/* The headline, unless the first of the faults says it anyway. */
static void put_headline(struct page *page, const struct report *report)
{
	const struct group *cause = screen_first_cause(report);
	const char *word = verdict_word(report->verdict);

	if (!report->headline || report->open || (cause && !strcmp(cause->sentence, report->headline)))
		return;
	page_put(page, verdict_ink(report->verdict), word);
	page_move(page, strlen(word) + 2);
	page_flow(page, strlen(word) + 2, report->headline);
	page_end_line(page);
	if (!cause)
		screen_steps(page, report->decision.steps, report->decision.nr_steps, true);
	page_end_line(page);
}

/* What is true and worth a line, beyond what the stages tell. */
static void put_notes(struct screen *screen)
{
	const struct report *report = screen->report;
	struct page *page = &screen->page;
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];

		if (group->first->outcome != OUTCOME_NOTE || screen_stages_tell(report, group) ||
		    screen->explained[i] || screen_is_to_do(report, group))
			continue;
		if (!nr)
			page_end_line(page);
		if (nr++ < MAX_NOTES)
			screen_short(page, INK_NOTE, "note", group);
	}
	if (nr <= MAX_NOTES)
		return;
	page_flow(page, HANG, arena_printf(&screen->arena, "and %zu more note%s: --format json has them all",
					   nr - MAX_NOTES, nr == MAX_NOTES + 1 ? "" : "s"));
	page_end_line(page);
}

static void put_messages(struct page *page, const struct report *report)
{
	if (report->messages.nr)
		page_end_line(page);
	for (size_t i = 0; i < report->messages.nr; i++) {
		page_put(page, INK_DIM, "run");
		page_move(page, HANG);
		page_flow(page, HANG, report->messages.v[i]);
		page_end_line(page);
	}
}

void render_text(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct screen screen = { .report = report };
	size_t after_stages;

	page_open(&screen.page, out, options);
	screen_head(&screen);
	page_end_line(&screen.page);
	if (report->gate)
		screen_gate(&screen);
	else
		put_headline(&screen.page, report);
	screen_causes(&screen);
	screen_to_do(&screen);
	screen_stages(&screen);
	after_stages = out->len;
	screen_timings(&screen);
	put_notes(&screen);
	screen_not_judged(&screen);
	put_messages(&screen.page, report);
	if (out->len > after_stages)
		page_end_line(&screen.page);
	screen_decision(&screen);
	arena_release(&screen.arena);
}
