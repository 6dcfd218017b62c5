/* SPDX-License-Identifier: GPL-2.0-or-later */
/* examine.h - looks or reads a snapshot, judges, tells: what `run` and `gate` share. */
#ifndef GPUDIAG_CMD_EXAMINE_H
#define GPUDIAG_CMD_EXAMINE_H

#include "cmd/baseline_in_force.h"
#include "cmd/judging.h"
#include "cmd/look.h"
#include "cmd/outputs.h"

struct examination {
	const char *command;		/* "run", for messages */
	struct look look;
	struct judging_options judging;
	struct outputs outputs;
	struct baseline_in_force baseline;
	const char *snapshot_path;	/* --snapshot, or NULL: this machine or --root */
	struct merge_unknown unknown;	/* keys of that snapshot */
};

enum { EXAMINE_SNAPSHOT = NR_LOOK_OPTIONS, NR_EXAMINE_OPTIONS };

/* What to look at, and which checks to ask; those that say how to judge and what to tell are other rows. */
#define EXAMINE_OPTION_ROWS                                                                                            \
	LOOK_OPTION_ROWS, {"check", 0, "ID,…", "only these checks", LOOK_CHECK, COMPLETE_CHECKS, NULL},                \
		{"skip", 0, "ID,…", "all checks but these", LOOK_SKIP, COMPLETE_CHECKS, NULL},                         \
		{"expect-gpus", 0, "N[:MODEL]", "how many GPUs belong here, and which; 0 makes none a pass",           \
		 LOOK_EXPECT_GPUS, COMPLETE_NOTHING, NULL},                                                            \
	{                                                                                                              \
		"snapshot", 0, "FILE", "judge a saved snapshot instead of this machine; - is standard input",          \
			EXAMINE_SNAPSHOT, COMPLETE_FILE, NULL                                                          \
	}

/* Takes one of these, of JUDGE_OPTION_ROWS or of OUTPUT_OPTION_ROWS. */
void examine_option(struct examination *examination, const struct option_parser *parser, int id);

/* Once all options are read: dies with status 64 where two contradict each other. */
void examine_settle(struct examination *examination, const struct option_parser *parser);

/*
 * Finds the policy in force, and looks at the machine or reads the snapshot:
 * that is judged as it was asked for then, but for what is asked now.
 */
void examine_look(struct examination *examination, int argc, char **argv);

void examine_judge(struct examination *examination, struct report *ret);

/* Another snapshot by the same basis; that one stays the caller's. */
void examine_judge_other(const struct examination *examination, struct snapshot *snapshot, struct report *ret);

/* Tells, releases both, and returns the exit status: the report's, unless a signal or a full disk outweighs it. */
int examine_end(struct examination *examination, struct report *report);

#endif
