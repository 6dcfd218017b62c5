// SPDX-License-Identifier: GPL-2.0-or-later
/* text_stages.c - the playbook, a line for each stage in which something ran. */
#include "base/compat.h"
#include "render/screen.h"
#include "render/told.h"

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

static void put_outcome(struct page *page, enum outcome outcome, bool caused)
{
	const char *word = outcome == OUTCOME_FAIL ? "FAIL" : outcome_name(outcome);

	page_put(page, ink_of(outcome), caused ? "caused" : word);
}

static void put_detail(struct screen *screen, const struct report_stage *stage, const struct finding *symptom)
{
	if (symptom)
		page_right(&screen->page, INK_DIM,
			   arena_printf(&screen->arena, "by %s", symptom->caused_by->def->name));
	else if (stage->detail)
		page_right(&screen->page, INK_DIM, stage->detail);
}

static void put_stage(struct screen *screen, enum stage number)
{
	const struct report_stage *stage = &screen->report->stages[number];
	const struct finding *symptom = told_symptom(screen->report, number);
	struct page *page = &screen->page;

	page_put(page, INK_PLAIN, arena_printf(&screen->arena, "%2d", (int)number + 1));
	page_move(page, NAME_COLUMN);
	page_put(page, INK_PLAIN, stage_name(number));
	page_move(page, OUTCOME_COLUMN);
	put_outcome(page, stage->outcome, symptom);
	page_move(page, SUMMARY_COLUMN);
	page_flow(page, SUMMARY_COLUMN, told_stage(screen->report, number));
	put_detail(screen, stage, symptom);
	page_end_line(page);
}

void screen_stages(struct screen *screen)
{
	for (int stage = 0; stage < NR_STAGES; stage++)
		if (screen->report->stages[stage].any)
			put_stage(screen, (enum stage)stage);
}
