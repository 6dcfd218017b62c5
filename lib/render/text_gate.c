// SPDX-License-Identifier: GPL-2.0-or-later
/* text_gate.c - the answer of a gate: one line with its reason, and what would have to be known where it has none. */
#include "base/compat.h"
#include "eval/gate.h"
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
					   "not known", gate->to_driver, gate->direction ? " (" : "",
					   gate->direction ? gate->direction : "", gate->direction ? ")" : ""));
	page_end_line(page);
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
		if (!open->mend)
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
	put_open(screen, gate);
	page_end_line(page);
}
