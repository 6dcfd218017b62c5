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
	STEP_HANG = 12,		/* below "      Next: " */
	MAX_BLOCKS = 8,		/* findings told in full */
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

static const char *fault_word(enum outcome outcome)
{
	return outcome == OUTCOME_FAIL ? "FAIL" : "WARN";
}

/* A fault of its own, not the symptom of another one. */
static bool is_cause(const struct group *group)
{
	return group->first->outcome >= OUTCOME_WARN && !group->first->caused_by;
}

static bool is_symptom(const struct group *group)
{
	return group->first->outcome >= OUTCOME_WARN && group->first->caused_by;
}

static const struct group *first_cause(const struct report *report)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		if (is_cause(&report->groups[i]))
			return &report->groups[i];
	return NULL;
}

static void put_steps(struct page *page, const struct step *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		strbuf_addstr(&text, steps[i].text ? steps[i].text : "");
		if (steps[i].disruptive)
			strbuf_addstr(&text, " (disruptive)");
		page_move(page, HANG);
		page_put(page, INK_PLAIN, "Next: ");
		page_flow(page, STEP_HANG, text.buf);
		page_end_line(page);
		if (steps[i].command)
			page_command(page, STEP_HANG, steps[i].command);
	}
}

/* The headline, unless the first finding says it anyway. */
static void put_headline(struct page *page, const struct report *report)
{
	const struct group *cause = first_cause(report);
	const char *word = verdict_word(report->verdict);

	if (!report->headline || (cause && !strcmp(cause->sentence, report->headline)))
		return;
	page_put(page, verdict_ink(report->verdict), word);
	page_move(page, strlen(word) + 2);
	page_flow(page, strlen(word) + 2, report->headline);
	page_end_line(page);
	if (!cause)
		put_steps(page, report->decision.steps, report->decision.nr_steps);
	page_end_line(page);
}

static bool id_stands_in_stages(const struct report *report, const struct finding *finding)
{
	const char *detail = report->stages[finding->stage].detail;

	return report->stages[finding->stage].any && detail && !strcmp(detail, finding->def->name);
}

/* Does the stage's line tell this group? It tells the first of its finding. */
static bool stands_in_stages(const struct report *report, const struct group *group)
{
	for (const struct group *earlier = report->groups; earlier < group; earlier++)
		if (earlier->first->id == group->first->id)
			return false;
	return id_stands_in_stages(report, group->first);
}

static void put_block(struct page *page, const struct report *report, const struct group *group)
{
	const struct finding *finding = group->first;

	page_put(page, ink_of(finding->outcome), fault_word(finding->outcome));
	page_move(page, HANG);
	page_flow(page, HANG, group->sentence);
	if (finding->why) {
		page_end_line(page);
		page_flow(page, HANG, finding->why);
	}
	if (!id_stands_in_stages(report, finding))
		page_right(page, INK_DIM, finding->def->name);
	page_end_line(page);
	put_steps(page, finding->steps, finding->nr_steps);
	page_end_line(page);
}

/* A finding on one line: the word, the sentence, the id at the end of the line. */
static void put_short(struct page *page, enum ink ink, const char *word, const struct group *group)
{
	page_put(page, ink, word);
	page_move(page, HANG);
	page_flow(page, HANG, group->sentence);
	page_right(page, INK_DIM, group->first->def->name);
	page_end_line(page);
}

static void put_causes(struct page *page, const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];
		enum outcome outcome = group->first->outcome;

		if (!is_cause(group))
			continue;
		if (nr++ < MAX_BLOCKS)
			put_block(page, report, group);
		else
			put_short(page, ink_of(outcome), fault_word(outcome), group);
	}
	if (nr > MAX_BLOCKS)
		page_end_line(page);
}

/* What another finding explains, without steps of its own; not what a stage's line tells already. */
static void put_symptoms(struct screen *screen)
{
	const struct report *report = screen->report;
	struct page *page = &screen->page;
	bool any = false;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct finding *finding = report->groups[i].first;

		if (!is_symptom(&report->groups[i]) || stands_in_stages(report, &report->groups[i]))
			continue;
		page_put(page, ink_of(finding->outcome), "caused");
		page_move(page, HANG + 2);
		page_flow(page, HANG + 2, report->groups[i].sentence);
		page_right(page, INK_DIM, arena_printf(&screen->arena, "by %s", finding->caused_by->def->name));
		page_end_line(page);
		any = true;
	}
	if (any)
		page_end_line(page);
}

/* What is true and worth a line, beyond what the stages tell. */
static void put_notes(struct screen *screen)
{
	const struct report *report = screen->report;
	struct page *page = &screen->page;
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++) {
		if (report->groups[i].first->outcome != OUTCOME_NOTE || stands_in_stages(report, &report->groups[i]))
			continue;
		if (!nr)
			page_end_line(page);
		if (nr++ < MAX_NOTES)
			put_short(page, INK_NOTE, "note", &report->groups[i]);
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
	put_causes(&screen.page, report);
	put_symptoms(&screen);
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
