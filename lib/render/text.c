// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - the screen at 3 am: the sentence that names the cause, what to do,
 * the stages, what was not judged, the decision.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/phrases.h"
#include "render/screen.h"

enum {
	HANG = 6,		/* below "FAIL  " */
	MAX_NOTES = 8,
};

static enum style verdict_ink(enum verdict verdict)
{
	static const enum style inks[] = {
		[VERDICT_PASS] = STYLE_PASS, [VERDICT_WARN] = STYLE_WARN, [VERDICT_FAIL] = STYLE_FAIL,
		[VERDICT_UNKNOWN] = STYLE_UNKNOWN,
	};

	return inks[verdict];
}

/* The headline, unless the first of the faults says it anyway. */
static void put_headline(struct term_writer *term, const struct report *report)
{
	const struct group *cause = screen_first_cause(report);
	const char *word = phrase_verdict_word(report->verdict);

	if (!report->headline || report->open || (cause && !strcmp(cause->sentence, report->headline)))
		return;
	term_put(term, verdict_ink(report->verdict), word);
	term_move(term, strlen(word) + 2);
	term_flow(term, strlen(word) + 2, report->headline);
	term_end_line(term);
	if (report->no_gpu) {
		term_move(term, HANG);
		term_flow(term, HANG, report->no_gpu->why);
		term_end_line(term);
	}
	if (report->no_gpu)
		screen_steps(term, report->no_gpu->steps, report->no_gpu->nr_steps, true);
	else if (!cause)
		screen_steps(term, report->decision.steps, report->decision.nr_steps, true);
	term_end_line(term);
}

/* Of a note of a program's error: the lines of its text that may say more than the one in its title. */
static void put_other_lines(struct screen *screen, const struct finding *finding)
{
	struct term_writer *term = &screen->term;

	for (size_t i = 0; i < finding->evidence.nr; i++) {
		const struct evidence *evidence = &finding->evidence.items[i];

		if (evidence->field != &record_error_line.fields[FIELD_error_line_text])
			continue;
		term_move(term, HANG);
		term_put(term, STYLE_DIM, "Also: ");
		term_flow(term, HANG + strlen("Also: "),
			  arena_printf(&screen->arena, "\"%s\"", str_or(evidence->observed.str, "")));
		term_end_line(term);
	}
}

/* What is true and worth a line, beyond what the stages tell. */
static void put_notes(struct screen *screen)
{
	const struct report *report = screen->report;
	struct term_writer *term = &screen->term;
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];

		if (group->first->outcome != OUTCOME_NOTE || screen_stages_tell(report, group) ||
		    screen->explained[i] || screen_is_to_do(report, group) || group->first == report->no_gpu)
			continue;
		if (!nr)
			term_end_line(term);
		if (nr++ >= MAX_NOTES)
			continue;
		screen_short(term, STYLE_NOTE, "note", group);
		screen_cited(screen, group->first);
		put_other_lines(screen, group->first);
	}
	if (nr <= MAX_NOTES)
		return;
	term_flow(term, HANG, arena_printf(&screen->arena, "and %zu more note%s: --format json has them all",
					   nr - MAX_NOTES, nr == MAX_NOTES + 1 ? "" : "s"));
	term_end_line(term);
}

static void put_messages(struct term_writer *term, const struct report *report)
{
	if (report->messages.nr)
		term_end_line(term);
	for (size_t i = 0; i < report->messages.nr; i++) {
		term_put(term, STYLE_DIM, "run");
		term_move(term, HANG);
		term_flow(term, HANG, report->messages.v[i]);
		term_end_line(term);
	}
}

void render_text(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct screen screen = { .report = report };
	size_t after_stages;

	term_open(&screen.term, out, options);
	screen_head(&screen);
	term_end_line(&screen.term);
	if (report->gate)
		screen_gate(&screen);
	else
		put_headline(&screen.term, report);
	screen_causes(&screen);
	screen_to_do(&screen);
	screen_stages(&screen);
	after_stages = out->len;
	screen_timings(&screen);
	put_notes(&screen);
	screen_not_judged(&screen);
	put_messages(&screen.term, report);
	if (out->len > after_stages)
		term_end_line(&screen.term);
	screen_decision(&screen);
	arena_release(&screen.arena);
}
