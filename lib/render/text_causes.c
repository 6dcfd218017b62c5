// SPDX-License-Identifier: GPL-2.0-or-later
/* text_causes.c - the faults of a node, each with what it explains and what to do about it. */
#include "base/compat.h"
#include "eval/causes.h"
#include "render/screen.h"

enum {
	HANG = 6,		/* below "FAIL  " */
	STEP_HANG = 12,		/* below "      Next: " */
	EXPECT_HANG = STEP_HANG + 8,	/* below "expect: " */
	EXPLAINS_HANG = HANG + 10,	/* below "Explains: " */
	MAX_BLOCKS = 8,		/* findings told in full */
	MAX_EXPLAINED = 4,	/* effects told under their cause */
};

static const char *fault_word(enum outcome outcome)
{
	return outcome == OUTCOME_FAIL ? "FAIL" : "WARN";
}

/* A fault of its own, not the symptom of another one. */
static bool is_cause(const struct group *group)
{
	return group->first->outcome >= OUTCOME_WARN && first_cause_of(group->first) == group->first;
}

/* Is what came first, of all that explains this finding, that group? */
static bool is_first_cause(const struct group *cause, const struct finding *finding)
{
	const struct finding *first = first_cause_of(finding);

	return first != finding && first->id == cause->first->id && first->why && cause->first->why &&
	       !strcmp(first->why, cause->first->why);
}

const struct group *screen_first_cause(const struct report *report)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		if (is_cause(&report->groups[i]))
			return &report->groups[i];
	return NULL;
}

void screen_steps(struct page *page, const struct step *steps, size_t nr, bool decides)
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
		if (!decides || !steps[i].expect)
			continue;
		page_move(page, STEP_HANG);
		page_put(page, INK_DIM, "expect: ");
		page_flow(page, EXPECT_HANG, steps[i].expect);
		page_end_line(page);
	}
}

/* ---- what a fault explains */

/* As the stages' lines have it: the address stands in the finding's own block, where it has one. */
static const char *short_sentence(struct arena *arena, const struct group *group)
{
	if (group->nr == 1 && group->first->subject.gpu)
		return arena_printf(arena, "%s %s", group->subjects, group->first->title);
	return arena_strndup(arena, group->sentence, strlen(group->sentence) - 1);
}

/* ", 12 checks that could not be judged" */
static void add_unknown(struct strbuf *out, const struct report *report, const struct group *cause)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_results; i++) {
		const struct finding *by = report->results[i].caused_by;

		nr += by && (by == cause->first || is_first_cause(cause, by));
	}
	if (nr)
		strbuf_addf(out, "%s%zu check%s that could not be judged", out->len ? ", " : "", nr, nr == 1 ? "" : "s");
}

/* Those that a stage's line tells, by their ids. */
static void add_told(struct strbuf *out, const struct report *report, const struct group *cause)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		if (is_first_cause(cause, report->groups[i].first) && screen_stages_tell(report, &report->groups[i]))
			strbuf_addf(out, "%s%s", out->len ? ", " : "", report->groups[i].first->def->name);
}

static void put_explained_line(struct page *page, bool *first, const char *text, const char *id)
{
	page_move(page, HANG);
	page_put(page, INK_PLAIN, *first ? "Explains:" : "");
	page_move(page, EXPLAINS_HANG);
	page_flow(page, EXPLAINS_HANG, text);
	if (id)
		page_right(page, INK_DIM, id);
	page_end_line(page);
	*first = false;
}

static void put_explained(struct screen *screen, const struct group *cause)
{
	const struct report *report = screen->report;
	STRBUF_AUTO told = STRBUF_INIT;
	bool first = true;
	size_t nr = 0;

	add_told(&told, report, cause);
	add_unknown(&told, report, cause);
	if (told.len)
		put_explained_line(&screen->page, &first, told.buf, NULL);
	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];

		if (!is_first_cause(cause, group->first) || screen_stages_tell(report, group) || nr++ >= MAX_EXPLAINED)
			continue;
		put_explained_line(&screen->page, &first, short_sentence(&screen->arena, group), group->first->def->name);
	}
	if (nr > MAX_EXPLAINED)
		put_explained_line(&screen->page, &first,
				   arena_printf(&screen->arena, "and %zu more", nr - MAX_EXPLAINED), NULL);
}

/* ---- the faults */

/* A warning may be what made something fail. */
static enum outcome worst_of(const struct report *report, const struct group *cause)
{
	enum outcome worst = cause->first->outcome;

	for (size_t i = 0; i < report->nr_findings; i++)
		if (report->findings[i]->outcome > worst && is_first_cause(cause, report->findings[i]))
			worst = report->findings[i]->outcome;
	return worst;
}

/* Is what this group explains what the decision is about? */
static bool decides_for_effect(const struct report *report, const struct group *cause)
{
	const struct finding *decides = report->decision.finding;

	return decides && decides->nr_steps && is_first_cause(cause, decides);
}

static void put_block(struct screen *screen, const struct group *group)
{
	const struct report *report = screen->report;
	const struct finding *finding = group->first;
	struct page *page = &screen->page;
	enum outcome worst = worst_of(report, group);

	page_put(page, ink_of(worst), fault_word(worst));
	page_move(page, HANG);
	page_flow(page, HANG, group->sentence);
	if (finding->why) {
		page_end_line(page);
		page_flow(page, HANG, finding->why);
	}
	if (!screen_stages_tell_id(report, finding))
		page_right(page, INK_DIM, finding->def->name);
	page_end_line(page);
	put_explained(screen, group);
	if (decides_for_effect(report, group))
		screen_steps(page, report->decision.steps, report->decision.nr_steps, true);
	else
		screen_steps(page, finding->steps, finding->nr_steps, finding->steps == report->decision.steps);
	page_end_line(page);
}

void screen_short(struct page *page, enum ink ink, const char *word, const struct group *group)
{
	page_put(page, ink, word);
	page_move(page, HANG);
	page_flow(page, HANG, group->sentence);
	page_right(page, INK_DIM, group->first->def->name);
	page_end_line(page);
}

void screen_causes(struct screen *screen)
{
	const struct report *report = screen->report;
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];
		enum outcome outcome = group->first->outcome;

		if (!is_cause(group))
			continue;
		if (nr++ < MAX_BLOCKS)
			put_block(screen, group);
		else
			screen_short(&screen->page, ink_of(outcome), fault_word(outcome), group);
	}
	if (nr > MAX_BLOCKS)
		page_end_line(&screen->page);
}
