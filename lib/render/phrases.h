/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phrases.h - what formats for tickets and for other programs tell alike. Private to lib/render. */
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "eval/gate/gate.h"

/* Was the finding raised by that result's check, about its subject? */
bool finding_is_of(const struct finding *finding, const struct result *result);

/* How many findings are of that outcome. */
size_t phrase_nr_findings(const struct report *report, enum outcome outcome);

/* For a figure of a monitor; NAN where it is not known. */
double phrase_number(struct val_u64 value);

/* "GPU 3 (0000:5d:00.0, slot 4) runs x8 of x16, its twins x16." */
const char *phrase_sentence(struct arena *arena, const struct finding *finding);

/* "Drain the node (disruptive)" */
const char *phrase_step(struct arena *arena, const struct step *step);

/* A fault that another one explains: it asks for no step of its own. */
bool group_is_symptom(const struct group *group);

/* The finding another one explains, when it and all that is as bad in this stage are so explained; else NULL. */
const struct finding *phrase_symptom(const struct report *report, enum stage stage);

/* What a stage's line says: its summary, or why nothing of it was asked. */
const char *phrase_stage(const struct report *report, enum stage stage);

/* "PASS": what a report for people begins with. */
const char *phrase_verdict_word(enum verdict verdict);

/* "FAIL", "WARN" of what asks for something; the rest as in JSON: "note". */
const char *phrase_outcome_word(enum outcome outcome);

/* "NO-GO": what the answer of a gate begins with. */
const char *phrase_gate_word(enum gate_word word);

/* "Driver 550.54.14 to 580.95.05 (up)"; NULL: it was not asked about another one. */
const char *phrase_gate_change(struct arena *arena, const struct gate_answer *gate);
/* "Since 2026-11-22T05:00:00.000Z: nothing worse, 2 better, 14 changed otherwise"; NULL: nothing recorded was given. */
const char *phrase_gate_against(struct arena *arena, const struct gate_answer *gate);

/* "2026-11-20 15:02 UTC" of "2026-11-20T15:02:07.123Z"; other texts as they are. */
const char *phrase_time(struct arena *arena, const char *stamp);
/* The same of a run, "" where it is not told; without "UTC" where the zone is not known. */
const char *phrase_taken_at(struct arena *arena, const struct run *run);

/* "drain-and-repair, not schedulable" */
void phrase_decision(struct strbuf *out, const struct decision *decision);

/* "no-go: GPU 3 … runs x8 of x16", where the report answers a gate; else its headline. */
const char *phrase_answer(struct arena *arena, const struct report *report);

/* The answer, and of a run the decision: "GPU 3 … runs x8. Decision: drain-and-repair, not schedulable". */
void phrase_verdict(struct strbuf *out, const struct report *report);

/* "nvidia 550.54.14", "amdgpu, nvidia 550.54.14": those of the GPUs under test; NULL: none is bound to one. */
const char *phrase_drivers(struct arena *arena, const struct report *report);

/* What is under test: "8 × NVIDIA H100 80GB HBM3"; NULL: no GPU. */
const char *phrase_models(struct arena *arena, const struct report *report);

/* As evidence is read: what it is, and of what; what was seen, or why that is not known; what should have been. */
void phrase_what(struct strbuf *out, const struct evidence *evidence);
void phrase_observed(struct strbuf *out, const struct evidence *evidence);
/* "" where nothing was expected. */
void phrase_expected(struct strbuf *out, const struct evidence *evidence);
/* Where it was read: "/sys/…", "smi.txt:143, nvidia-smi -q"; may be "". */
const char *phrase_source(struct arena *arena, const struct report *report, const struct evidence *evidence);
/* "bug-report.log:8123, 8130 (nvidia-smi -q)": the lines of dumps that a finding rests on, or NULL. */
const char *phrase_cited(struct arena *arena, const struct report *report, const struct finding *finding);

/* Those that a person is told, nr of them: by test, so that twins stand together, and none of a sweep over sizes. */
const struct report_timing **phrase_timings(struct arena *arena, const struct report *report, size_t *nr);
/* The figures of one as a row of a table has them; on the arena. */
struct phrase_figures {
	const char *median;
	const char *range;	/* p5 to p95, "12.1–12.4 GB/s": the unit said once where it is the same */
	const char *samples;
	const char *size;	/* "" where it has none */
};
struct phrase_figures phrase_figures(struct arena *arena, const struct report_timing *timing);
/* What speaks against the figure: "noisy", "not settled"; "" for nothing. */
const char *phrase_timing_doubt(const struct report_timing *timing);
/* "47 more, …", for those that are not told. */
const char *phrase_timings_left_out(struct arena *arena, size_t nr);
