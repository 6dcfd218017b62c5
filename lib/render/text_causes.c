// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_causes.c - the faults of a node, each with what it explains and what to do about it. What several of them may
 * explain stands above those.
 */
#include "base/compat.h"
#include "eval/causes/causes.h"
#include "render/phrases.h"
#include "render/screen.h"

enum {
	HANG = 6,		/* below "FAIL  " */
	STEP_HANG = 12,		/* below "      Next: " */
	EXPECT_HANG = STEP_HANG + 8,	/* below "expect: " */
	EXPLAINS_HANG = HANG + 10,	/* below "Explains: " */
	MAX_BLOCKS = 8,		/* findings printed in full */
	MAX_EXPLAINED = 4,	/* effects listed under their cause */
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
static bool is_first_cause(const struct report *report, const struct group *cause, const struct finding *finding)
{
	const struct finding *first = first_cause_of(finding);

	return first != finding && group_of(report, first) == cause;
}

const struct group *screen_first_cause(const struct report *report)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		if (is_cause(&report->groups[i]))
			return &report->groups[i];
	return NULL;
}

void screen_steps(struct term_writer *term, const struct step *steps, size_t nr, bool decides)
{
	for (size_t i = 0; i < nr; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		strbuf_addstr(&text, steps[i].text ? steps[i].text : "");
		if (steps[i].disruptive)
			strbuf_addstr(&text, " (disruptive)");
		term_move(term, HANG);
		term_put(term, STYLE_PLAIN, "Next: ");
		term_flow(term, STEP_HANG, text.buf);
		term_end_line(term);
		if (steps[i].command)
			term_command(term, STEP_HANG, steps[i].command);
		if (!decides || !steps[i].expect)
			continue;
		term_move(term, STEP_HANG);
		term_put(term, STYLE_DIM, "expect: ");
		term_flow(term, EXPECT_HANG, steps[i].expect);
		term_end_line(term);
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

		nr += by && (by == cause->first || is_first_cause(report, cause, by));
	}
	if (nr)
		strbuf_addf(out, "%s%zu check%s that could not be judged", out->len ? ", " : "", nr,
			    nr == 1 ? "" : "s");
}

/* Those in a stage's line, by their ids. */
static void add_told(struct strbuf *out, const struct report *report, const struct group *cause)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		if (is_first_cause(report, cause, report->groups[i].first) &&
		    screen_stages_tell(report, &report->groups[i]))
			strbuf_addf(out, "%s%s", out->len ? ", " : "", report->groups[i].first->def->name);
	if (out->len)
		strbuf_addstr(out, " (in the stages below)");
}

static void put_line(struct term_writer *term, const char *word, const char *text, const char *id)
{
	term_move(term, HANG);
	term_put(term, STYLE_PLAIN, word);
	term_move(term, EXPLAINS_HANG);
	term_flow(term, EXPLAINS_HANG, text);
	if (id)
		term_right(term, STYLE_DIM, id);
	term_end_line(term);
}

static void put_explained(struct screen *screen, const struct group *cause)
{
	const struct report *report = screen->report;
	const char *word = "Explains:";
	STRBUF_AUTO told = STRBUF_INIT;
	size_t nr = 0;

	add_told(&told, report, cause);
	add_unknown(&told, report, cause);
	if (told.len) {
		put_line(&screen->term, word, told.buf, NULL);
		word = "";
	}
	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];

		if (!is_first_cause(report, cause, group->first) || screen_stages_tell(report, group) ||
		    nr++ >= MAX_EXPLAINED)
			continue;
		put_line(&screen->term, word, short_sentence(&screen->arena, group), group->first->def->name);
		screen->explained[i] = true;
		word = "";
	}
	if (nr > MAX_EXPLAINED)
		put_line(&screen->term, "", arena_printf(&screen->arena, "and %zu more", nr - MAX_EXPLAINED), NULL);
}

/* ---- what several faults may explain */

static const struct finding *open_member(const struct report *report, const struct group *group)
{
	for (size_t i = 0; i < group->nr_members; i++)
		if (report->findings[group->members[i]]->nr_possible)
			return report->findings[group->members[i]];
	return NULL;
}

/* The block in which a possible cause stands. */
static const struct group *possible_group(const struct report *report, const struct finding *effect, size_t at)
{
	return group_of(report, first_cause_of(effect->possible[at]));
}

static bool may_explain(const struct report *report, const struct group *cause, const struct finding *effect)
{
	for (size_t i = 0; i < effect->nr_possible; i++)
		if (possible_group(report, effect, i) == cause)
			return true;
	return false;
}


/* Whose steps are the decision's has a block of its own. */
static bool is_open_alike(const struct report *report, const struct finding *effect, const struct group *other)
{
	const struct finding *open = open_member(report, other);

	if (!open || !is_cause(other) || group_of(report, effect) == other ||
	    open->nr_possible != effect->nr_possible ||
	    (report->decision.finding && group_of(report, report->decision.finding) == other))
		return false;
	for (size_t i = 0; i < open->nr_possible; i++)
		if (!may_explain(report, possible_group(report, open, i), effect))
			return false;
	return true;
}

/* ---- the faults */

enum role { ALONE, OPEN, POSSIBLE };

/* What was printed; each is printed once. */
struct telling {
	struct screen *screen;
	bool *told;		/* by group */
	size_t nr;
	/* causes for which several may be the reason, few where there are thousands of faults */
	size_t nr_open;
	const struct group **open;
};

static bool *told_of(struct telling *telling, const struct group *group)
{
	return &telling->told[group - telling->screen->report->groups];
}

static void list_open(struct telling *telling)
{
	const struct report *report = telling->screen->report;

	telling->open = arena_alloc(&telling->screen->arena, report->nr_groups * sizeof(const struct group *));
	for (size_t i = 0; i < report->nr_groups; i++)
		if (is_cause(&report->groups[i]) && open_member(report, &report->groups[i]))
			telling->open[telling->nr_open++] = &report->groups[i];
}

/* The first that this one may explain, or NULL. */
static const struct group *open_group_by(const struct telling *telling, const struct group *cause)
{
	const struct report *report = telling->screen->report;

	for (size_t i = 0; i < telling->nr_open; i++)
		if (may_explain(report, cause, open_member(report, telling->open[i])))
			return telling->open[i];
	return NULL;
}

/* A warning may be what made something fail. */
static enum outcome worst_of(const struct report *report, const struct group *cause)
{
	enum outcome worst = cause->first->outcome;

	for (size_t i = 0; i < report->nr_findings; i++)
		if (report->findings[i]->outcome > worst && is_first_cause(report, cause, report->findings[i]))
			worst = report->findings[i]->outcome;
	return worst;
}

/* Is what this group explains what the decision is about? */
static bool decides_for_effect(const struct report *report, const struct group *cause)
{
	const struct finding *decides = report->decision.finding;

	return decides && decides->nr_steps && is_first_cause(report, cause, decides);
}

/* Below what is open: what the same causes may explain too, and those that stand further up. */
static void put_open(struct telling *telling, const struct group *group)
{
	struct screen *screen = telling->screen;
	const struct report *report = screen->report;
	const struct finding *effect = open_member(report, group);
	const char *word = "Also:";

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *other = &report->groups[i];

		if (*told_of(telling, other) || !is_open_alike(report, effect, other))
			continue;
		*told_of(telling, other) = true;
		put_line(&screen->term, word, short_sentence(&screen->arena, other), other->first->def->name);
		word = "";
	}
	word = "Possible:";
	for (size_t i = 0; i < effect->nr_possible; i++) {
		const struct group *cause = possible_group(report, effect, i);

		if (!*told_of(telling, cause))
			continue;
		put_line(&screen->term, word, short_sentence(&screen->arena, cause), cause->first->def->name);
		word = "";
	}
}

void screen_cited(struct screen *screen, const struct finding *finding)
{
	const char *cited = phrase_cited(&screen->arena, screen->report, finding);

	if (!cited)
		return;
	term_move(&screen->term, HANG);
	term_put(&screen->term, STYLE_DIM, "Seen in ");
	term_flow(&screen->term, HANG + strlen("Seen in "), cited);
	term_end_line(&screen->term);
}

static void put_block(struct telling *telling, const struct group *group, enum role role)
{
	static const char *const words[] = { [OPEN] = "No single cause: ", [POSSIBLE] = "Possible: " };
	struct screen *screen = telling->screen;
	const struct report *report = screen->report;
	const struct finding *finding = group->first;
	struct term_writer *term = &screen->term;
	enum outcome worst = worst_of(report, group);

	term_put(term, style_of(worst), fault_word(worst));
	term_move(term, HANG);
	if (words[role])
		term_put(term, STYLE_PLAIN, words[role]);
	term_flow(term, HANG, group->sentence);
	if (finding->why) {
		term_end_line(term);
		term_flow(term, HANG, finding->why);
	}
	if (!screen_stages_tell_id(report, finding))
		term_right(term, STYLE_DIM, finding->def->name);
	term_end_line(term);
	screen_cited(screen, finding);
	put_explained(screen, group);
	if (role == OPEN)
		put_open(telling, group);
	if (decides_for_effect(report, group))
		screen_steps(term, report->decision.steps, report->decision.nr_steps, true);
	else
		screen_steps(term, finding->steps, finding->nr_steps, finding->steps == report->decision.steps);
	term_end_line(term);
}

void screen_short(struct term_writer *term, enum style style, const char *word, const struct group *group)
{
	term_put(term, style, word);
	term_move(term, HANG);
	term_flow(term, HANG, group->sentence);
	term_right(term, STYLE_DIM, group->first->def->name);
	term_end_line(term);
}

static void tell(struct telling *telling, const struct group *group, enum role role)
{
	enum outcome outcome = group->first->outcome;

	if (*told_of(telling, group))
		return;
	*told_of(telling, group) = true;
	if (telling->nr++ < MAX_BLOCKS)
		put_block(telling, group, role);
	else
		screen_short(&telling->screen->term, style_of(outcome), fault_word(outcome), group);
}

/* What is open, then what it may come from. */
static void tell_open(struct telling *telling, const struct group *group)
{
	const struct report *report = telling->screen->report;
	const struct finding *effect = open_member(report, group);

	tell(telling, group, OPEN);
	for (size_t i = 0; i < effect->nr_possible; i++)
		tell(telling, possible_group(report, effect, i), POSSIBLE);
}

void screen_causes(struct screen *screen)
{
	const struct report *report = screen->report;
	struct telling telling = {
		.screen = screen, .told = arena_alloc(&screen->arena, report->nr_groups * sizeof(*telling.told)),
	};

	screen->explained = arena_alloc(&screen->arena, report->nr_groups * sizeof(*screen->explained));
	list_open(&telling);
	/* The headline is about it. */
	if (report->open)
		tell_open(&telling, group_of(report, report->open));
	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct group *group = &report->groups[i];
		const struct group *open = open_member(report, group) ? group : open_group_by(&telling, group);

		if (!is_cause(group) || *told_of(&telling, group))
			continue;
		if (open)
			tell_open(&telling, open);
		else
			tell(&telling, group, ALONE);
	}
	if (telling.nr > MAX_BLOCKS)
		term_end_line(&screen->term);
}
