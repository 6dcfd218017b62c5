/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - one answer out of a report: may this node take work, or go to
 * another driver?
 *
 * Go: nothing keeps it, and what must be judged was. No-go: a finding that
 * fails, or something got worse than it was. Cannot decide: no such reason, and
 * a check that is required was not judged, or nobody said how many GPUs belong
 * here: seven of eight must not pass. Nor is anything decided while somebody
 * works on a GPU driver, whatever fails meanwhile.
 */
#pragma once

#include "eval/diff/diff.h"

enum gate_word { GATE_GO, GATE_NO_GO, GATE_CANNOT_DECIDE };
/* "go", "no-go", "cannot-decide": the names in JSON. */
const char *gate_word_name(enum gate_word word);

/* What stands in the way, or is worth a warning. */
struct gate_item {
	const char *finding;		/* its id; NULL: a difference to what was recorded */
	const char *sentence;
	size_t nr_steps;
	const struct step *steps;
};

/* What must be judged and was not. */
struct gate_unknown {
	const char *check;		/* NULL: of no single one */
	const char *sentence;
	const char *mend;		/* what would decide it; NULL: not known */
};

/* How it is beside what was recorded. */
struct gate_against {
	const char *taken_at;		/* when that was; NULL: not known */
	bool same_machine, machine_known;
	size_t nr_worse, nr_better, nr_other;
};

struct gate_answer {
	enum gate_word word;
	const char *reason;		/* one sentence */
	const char *from_driver;	/* the one that is loaded; NULL: not known */
	const char *to_driver;		/* the version given; NULL: none */
	const char *direction;		/* "up", "down", "same"; NULL: none, or not known */
	size_t nr_blockers, nr_warnings, nr_to_do, nr_open;
	const struct gate_item *blockers, *warnings;	/* worst first */
	/*
	 * Of a go to another driver: notes with steps, which somebody has to do with the change; what stops nobody
	 * first.
	 */
	const struct gate_item *to_do;
	const struct gate_unknown *open;
	const struct gate_against *against;	/* NULL: nothing recorded was given */
};

/*
 * Gives the report its answer, and the exit status that goes with it: 0 go,
 * 2 no-go, 3 cannot decide. strict: a warning is a blocker, and every check
 * required. against: from what was recorded to this report, or NULL; what got
 * worse is a blocker. It may be released afterwards.
 */
void gate_decide(struct report *report, bool strict, const struct diff *against);

/* What a finding counts for in a gate, where it weighs more there than in a run. */
struct gate_regrading {
	enum finding_id id;		/* NO_FINDING: of a row of the kernel log's catalogue */
	enum outcome outcome;
	const char *why;		/* one sentence */
};
const struct gate_regrading *gate_regrading_of(enum finding_id id);

/*
 * In a gate some findings weigh more than in a run, as what is pending must be
 * done before work comes: gives them and the result their outcome. Does nothing
 * where the snapshot's request is none of a gate.
 */
void gate_regrade(struct arena *arena, const struct snapshot *snapshot, struct finding *const *findings, size_t nr,
		  struct result *result);

/* Must this check be judged in a gate, a skip being no answer either? */
bool gate_wants_judged(const struct snapshot *snapshot, const struct check *check);
