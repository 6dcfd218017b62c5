/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - the parts of the text report, in the order they stand on the screen. Private to text*.c. */
#pragma once

#include "base/arena.h"
#include "render/term_writer.h"

struct screen {
	struct term_writer term;
	const struct report *report;
	bool *explained;	/* by group: told below the fault that explains it */
	struct arena arena;	/* for words made on the way */
};

/* text_head.c: who, where, when, and what is under test. */
void screen_head(struct screen *screen);
/*
 * text_gate.c: the answer of a gate, in place of the headline; and below the
 * faults, what has to be done with the change.
 */
void screen_gate(struct screen *screen);
void screen_to_do(struct screen *screen);
/* Is it told there? */
bool screen_is_to_do(const struct report *report, const struct group *group);
/* text_causes.c: each fault, what it explains, what to do; not what others explain. */
void screen_causes(struct screen *screen);
const struct group *screen_first_cause(const struct report *report);
/* What to expect of a step stands below those of the decision alone: the screen is one. */
void screen_steps(struct term_writer *term, const struct step *steps, size_t nr, bool decides);
/* A finding on one line: the word, the sentence, the id at the end of the line. */
/* A line that says where dumps told a finding; nothing where none did. */
void screen_cited(struct screen *screen, const struct finding *finding);
void screen_short(struct term_writer *term, enum style style, const char *word, const struct group *group);
/* text_stages.c */
void screen_stages(struct screen *screen);
/* Does its stage's line tell this finding's id; this group, which is the first of its finding? */
bool screen_stages_tell_id(const struct report *report, const struct finding *finding);
bool screen_stages_tell(const struct report *report, const struct group *group);
/* A table under the stages, where something was measured. */
void screen_timings(struct screen *screen);
/* text_end.c: what could not be judged, and the line that decides. */
void screen_not_judged(struct screen *screen);
void screen_decision(struct screen *screen);
