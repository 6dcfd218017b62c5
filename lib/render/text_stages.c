// SPDX-License-Identifier: GPL-2.0-or-later
/* text_stages.c - the playbook, a line for each stage in which something ran. */
#include "base/compat.h"
#include "render/screen.h"
#include "render/phrases.h"

enum {
	NAME_COLUMN = 3,
	OUTCOME_COLUMN = 14,
	SUMMARY_COLUMN = 23,
};

bool screen_stages_tell_id(const struct report *report, const struct finding *finding)
{
	const char *detail = report->stages[finding->stage].detail;

	return report->stages[finding->stage].any && detail && !strcmp(detail, finding->def->name);
}

bool screen_stages_tell(const struct report *report, const struct group *group)
{
	for (const struct group *earlier = report->groups; earlier < group; earlier++)
		if (earlier->first->id == group->first->id)
			return false;
	return screen_stages_tell_id(report, group->first);
}

static void put_outcome(struct term_writer *term, enum outcome outcome, bool caused)
{
	const char *word = outcome == OUTCOME_FAIL ? "FAIL" : outcome_name(outcome);

	term_put(term, style_of(outcome), caused ? "caused" : word);
}

static void put_detail(struct screen *screen, const struct report_stage *stage, const struct finding *symptom)
{
	if (symptom)
		term_right(&screen->term, STYLE_DIM,
			   arena_printf(&screen->arena, "by %s", symptom->caused_by->def->name));
	else if (stage->detail)
		term_right(&screen->term, STYLE_DIM, stage->detail);
}

static void put_stage(struct screen *screen, enum stage number)
{
	const struct report_stage *stage = &screen->report->stages[number];
	const struct finding *symptom = phrase_symptom(screen->report, number);
	struct term_writer *term = &screen->term;

	term_put(term, STYLE_PLAIN, arena_printf(&screen->arena, "%2d", (int)number + 1));
	term_move(term, NAME_COLUMN);
	term_put(term, STYLE_PLAIN, stage_name(number));
	term_move(term, OUTCOME_COLUMN);
	put_outcome(term, stage->outcome, symptom);
	term_move(term, SUMMARY_COLUMN);
	term_flow(term, SUMMARY_COLUMN, phrase_stage(screen->report, number));
	put_detail(screen, stage, symptom);
	term_end_line(term);
}

void screen_stages(struct screen *screen)
{
	for (int stage = 0; stage < NR_STAGES; stage++)
		if (screen->report->stages[stage].any)
			put_stage(screen, (enum stage)stage);
}
