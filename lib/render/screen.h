/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - the parts of the text report, in the order they stand on the screen. Private to text*.c. */
#ifndef GPUDIAG_RENDER_SCREEN_H
#define GPUDIAG_RENDER_SCREEN_H

#include "base/arena.h"
#include "render/page.h"

struct screen {
	struct page page;
	const struct report *report;
	struct arena arena;	/* for words made on the way */
};

/* text_head.c: who, where, when, and what is under test. */
void screen_head(struct screen *screen);
/* text_gate.c: the answer of a gate, in place of the headline. */
void screen_gate(struct screen *screen);
/* text_stages.c */
void screen_stages(struct screen *screen);
/* text_timings.c: a table under the stages, where something was measured. */
void screen_timings(struct screen *screen);
/* text_end.c: what could not be judged, and the line that decides. */
void screen_not_judged(struct screen *screen);
void screen_decision(struct screen *screen);

#endif
