/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_run.h - looks or reads a snapshot, judges, tells: what `run` and `gate` share. */
#pragma once

#include "cmd/baseline_in_force.h"
#include "cmd/judging.h"
#include "cmd/acquire.h"
#include "cmd/outputs.h"

struct judge_run {
	const char *command;		/* "run", for messages */
	struct acquisition acq;
	struct judging_options judging;
	struct outputs outputs;
	struct baseline_in_force baseline;
	const char *snapshot_path;	/* --snapshot, or NULL: this machine or --root */
	struct merge_unknown unknown;	/* keys of that snapshot */
};

enum { JUDGE_RUN_SNAPSHOT = NR_ACQUIRE_OPTIONS, NR_JUDGE_RUN_OPTIONS };

/* What to look at, and which checks to ask; those that say how to judge and what to tell are other rows. */
#define JUDGE_RUN_OPTION_ROWS                                                                                            \
	ACQUIRE_OPTION_ROWS, {"check", 0, "ID,…", "only these checks", ACQUIRE_CHECK, COMPLETE_CHECKS, NULL},                \
		{"skip", 0, "ID,…", "all checks but these", ACQUIRE_SKIP, COMPLETE_CHECKS, NULL},                         \
		{"expect-gpus", 0, "N[:MODEL]", "expected GPUs and model; 0: no GPU is a pass",           \
		 ACQUIRE_EXPECT_GPUS, COMPLETE_NOTHING, NULL},                                                            \
	{                                                                                                              \
		"snapshot", 0, "FILE", "check a saved snapshot instead of this machine; -: standard input",          \
			JUDGE_RUN_SNAPSHOT, COMPLETE_FILE, NULL                                                          \
	}

/* Takes one of these, of JUDGE_OPTION_ROWS or of OUTPUT_OPTION_ROWS. */
void judge_run_option(struct judge_run *run, const struct option_parser *parser, int id);

/* Once all options are read: dies with status 64 where two contradict each other. */
void judge_run_settle(struct judge_run *run, const struct option_parser *parser);

/*
 * Finds the policy in force, and looks at the machine or reads the snapshot:
 * that is judged as it was asked for then, but for what is asked now.
 */
void judge_run_acquire(struct judge_run *run, int argc, char **argv);

void judge_run_judge(struct judge_run *run, struct report *ret);

/* Another snapshot by the same basis; that one stays the caller's. */
void judge_run_judge_other(const struct judge_run *run, struct snapshot *snapshot, struct report *ret);

/* Tells, releases both, and returns the exit status: the report's, unless a signal or a full disk outweighs it. */
int judge_run_end(struct judge_run *run, struct report *report);
