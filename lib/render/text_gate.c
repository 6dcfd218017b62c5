// SPDX-License-Identifier: GPL-2.0-or-later
/* text_gate.c - the answer of a gate: one line with its reason, and what would have to be known where it has none. */
#include "base/compat.h"
#include "eval/gate/gate.h"
#include "render/screen.h"

enum { HANG = 6, MEND_HANG = 12 };

static const char *const words[] = {
	[GATE_GO] = "GO", [GATE_NO_GO] = "NO-GO", [GATE_CANNOT_DECIDE] = "CANNOT DECIDE",
};

static const enum ink inks[] = {
	[GATE_GO] = INK_PASS, [GATE_NO_GO] = INK_FAIL, [GATE_CANNOT_DECIDE] = INK_UNKNOWN,
};

/* "driver 550.54.14 to 580.95.05 (up)" */
static void put_change(struct screen *screen, const struct gate_answer *gate)
{
	struct page *page = &screen->page;

	if (!gate->to_driver)
		return;
	page_move(page, HANG);
	page_flow(page, HANG, arena_printf(&screen->arena, "Driver %s to %s%s%s%s", gate->from_driver ? gate->from_driver :
					   "(which is loaded is not known)", gate->to_driver, gate->direction ? " (" : "",
					   gate->direction ? gate->direction : "", gate->direction ? ")" : ""));
	page_end_line(page);
}

static const char *counted(struct screen *screen, size_t nr, const char *word, const char *otherwise)
{
	return nr ? arena_printf(&screen->arena, "%zu %s", nr, word) : otherwise;
}

/* "Since 2026-11-22T05:00:00.000Z: nothing worse, 2 better, 14 other changes" */
static void put_against(struct screen *screen, const struct gate_answer *gate)
{
	const struct gate_against *against = gate->against;

	if (!against)
		return;
	page_move(&screen->page, HANG);
	page_flow(&screen->page, HANG,
		  arena_printf(&screen->arena, "Since %s: %s, %s, %s", against->taken_at ? against->taken_at : "it was recorded",
			       counted(screen, against->nr_worse, "worse", "nothing worse"),
			       counted(screen, against->nr_better, "better", "nothing better"),
			       counted(screen, against->nr_other, "changed otherwise", "nothing else changed")));
	page_end_line(&screen->page);
}

/* What got worse stands in no finding's block. */
static void put_worse(struct screen *screen, const struct gate_answer *gate)
{
	for (size_t i = 0; i < gate->nr_blockers; i++) {
		if (gate->blockers[i].finding)
			continue;
		page_move(&screen->page, HANG);
		page_put(&screen->page, INK_FAIL, "Worse: ");
		page_flow(&screen->page, MEND_HANG, gate->blockers[i].sentence);
		page_end_line(&screen->page);
	}
}

/* What mends several stands once, below the last of them. */
static bool is_mended_below(const struct gate_answer *gate, size_t at)
{
	for (size_t i = at + 1; i < gate->nr_open; i++)
		if (gate->open[i].mend && !strcmp(gate->open[i].mend, gate->open[at].mend))
			return true;
	return false;
}

/* One that is the reason stands there already. */
static void put_open(struct screen *screen, const struct gate_answer *gate)
{
	struct page *page = &screen->page;

	for (size_t i = 0; i < gate->nr_open; i++) {
		const struct gate_open *open = &gate->open[i];

		if (i || gate->word != GATE_CANNOT_DECIDE) {
			page_move(page, HANG);
			page_put(page, INK_UNKNOWN, "Open: ");
			page_flow(page, MEND_HANG, open->sentence);
			page_end_line(page);
		}
		if (!open->mend || is_mended_below(gate, i))
			continue;
		page_move(page, HANG);
		page_put(page, INK_PLAIN, "Next: ");
		page_flow(page, MEND_HANG, open->mend);
		page_end_line(page);
	}
}

void screen_gate(struct screen *screen)
{
	const struct gate_answer *gate = screen->report->gate;
	struct page *page = &screen->page;
	const char *word = words[gate->word];

	page_put(page, inks[gate->word], word);
	page_put(page, INK_PLAIN, ": ");
	page_flow(page, HANG, gate->reason);
	page_end_line(page);
	put_change(screen, gate);
	put_against(screen, gate);
	put_worse(screen, gate);
	put_open(screen, gate);
	page_end_line(page);
}

void screen_to_do(struct screen *screen)
{
	const struct gate_answer *gate = screen->report->gate;
	struct page *page = &screen->page;

	for (size_t i = 0; gate && i < gate->nr_to_do; i++) {
		const struct gate_item *item = &gate->to_do[i];

		page_put(page, INK_NOTE, "note");
		page_move(page, HANG);
		page_flow(page, HANG, item->sentence);
		page_right(page, INK_DIM, item->finding);
		page_end_line(page);
		screen_steps(page, item->steps, item->nr_steps, false);
		page_end_line(page);
	}
}

bool screen_is_to_do(const struct report *report, const struct group *group)
{
	const struct gate_answer *gate = report->gate;

	for (size_t i = 0; gate && i < gate->nr_to_do; i++)
		if (gate->to_do[i].sentence == group->sentence)
			return true;
	return false;
}
