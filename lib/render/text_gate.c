// SPDX-License-Identifier: GPL-2.0-or-later
/* text_gate.c - the answer of a gate: one line with its reason, and what would have to be known where it has none. */
#include "base/compat.h"
#include "eval/gate/gate.h"
#include "render/phrases.h"
#include "render/screen.h"

enum { HANG = 6, MEND_HANG = 12 };

static const enum style inks[] = {
	[GATE_GO] = STYLE_PASS, [GATE_NO_GO] = STYLE_FAIL, [GATE_CANNOT_DECIDE] = STYLE_UNKNOWN,
};

static void put_line(struct screen *screen, const char *text)
{
	if (!text)
		return;
	term_move(&screen->term, HANG);
	term_flow(&screen->term, HANG, text);
	term_end_line(&screen->term);
}

/* What got worse stands in no finding's block. */
static void put_worse(struct screen *screen, const struct gate_answer *gate)
{
	for (size_t i = 0; i < gate->nr_blockers; i++) {
		if (gate->blockers[i].finding)
			continue;
		term_move(&screen->term, HANG);
		term_put(&screen->term, STYLE_FAIL, "Worse: ");
		term_flow(&screen->term, MEND_HANG, gate->blockers[i].sentence);
		term_end_line(&screen->term);
	}
}

/* What mends several stands once, below the last of them. */
static bool is_recovered_later(const struct gate_answer *gate, size_t at)
{
	for (size_t i = at + 1; i < gate->nr_open; i++)
		if (gate->open[i].mend && !strcmp(gate->open[i].mend, gate->open[at].mend))
			return true;
	return false;
}

/* One that is the reason stands there already. */
static void put_open(struct screen *screen, const struct gate_answer *gate)
{
	struct term_writer *term = &screen->term;

	for (size_t i = 0; i < gate->nr_open; i++) {
		const struct gate_unknown *open = &gate->open[i];

		if (i || gate->word != GATE_CANNOT_DECIDE) {
			term_move(term, HANG);
			term_put(term, STYLE_UNKNOWN, "Open: ");
			term_flow(term, MEND_HANG, open->sentence);
			term_end_line(term);
		}
		if (!open->mend || is_recovered_later(gate, i))
			continue;
		term_move(term, HANG);
		term_put(term, STYLE_PLAIN, "Next: ");
		term_flow(term, MEND_HANG, open->mend);
		term_end_line(term);
	}
}

void screen_gate(struct screen *screen)
{
	const struct gate_answer *gate = screen->report->gate;
	struct term_writer *term = &screen->term;
	const char *word = phrase_gate_word(gate->word);

	term_put(term, inks[gate->word], word);
	term_put(term, STYLE_PLAIN, ": ");
	term_flow(term, HANG, gate->reason);
	term_end_line(term);
	put_line(screen, phrase_gate_change(&screen->arena, gate));
	put_line(screen, phrase_gate_against(&screen->arena, gate));
	put_worse(screen, gate);
	put_open(screen, gate);
	term_end_line(term);
}

void screen_to_do(struct screen *screen)
{
	const struct gate_answer *gate = screen->report->gate;
	struct term_writer *term = &screen->term;

	for (size_t i = 0; gate && i < gate->nr_to_do; i++) {
		const struct gate_item *item = &gate->to_do[i];

		term_put(term, STYLE_NOTE, "note");
		term_move(term, HANG);
		term_flow(term, HANG, item->sentence);
		term_right(term, STYLE_DIM, item->finding);
		term_end_line(term);
		screen_steps(term, item->steps, item->nr_steps, false);
		term_end_line(term);
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
