/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_run.h - looks or reads a snapshot, judges, tells: what `run` and `gate` share. */
#pragma once

#include "cmd/baseline_in_force.h"
#include "cmd/acquire.h"
#include "cmd/outputs.h"
#include "eval/summary/exit_status.h"

struct judge_run {
	const char *command;		/* "run", for messages */
	struct acquisition acq;
	/* How to judge: no part of the snapshot's request, so whoever replays one says it again. */
	struct strs require;		/* --require */
	struct exit_rules exit;		/* --fail-on, --exit, --strict */
	struct outputs outputs;
	struct baseline_in_force baseline;
	const char *snapshot_path;	/* --snapshot, or NULL: this machine or --root; the first file of --import */
	struct strs imports;		/* --import: files of other tools' output */
	struct merge_unknown unknown;	/* keys of that snapshot */
};

extern const char *const judge_exit_styles[];
void judge_run_take_require(void *run, const struct option_parser *parser);
void judge_run_take_import(void *run, const struct option_parser *parser);
void judge_run_take_fail_on(void *run, const struct option_parser *parser);

/* Where a struct `of` has its judge_run: what to look at, and which checks to ask. */
#define JUDGE_RUN_OPTION_ROWS(of, run)                                                                                 \
	ACQUIRE_OPTION_ROWS(of, run.acq),                                                                              \
	OPTION_LIST("check", 0, "ID,…", "only these checks: names, stages (link) or patterns ('pcie-*')", COMPLETE_SELECTION, acquire_take_check, of, run.acq),        \
	OPTION_LIST("skip", 0, "ID,…", "all checks but these: names, stages or patterns", COMPLETE_SELECTION, acquire_take_skip, of, run.acq),       \
	EXPECT_GPUS_OPTION_ROW(of, run.acq),                                                                           \
	OPTION_FILE("snapshot", 0, "check a saved snapshot instead of this machine; -: standard input", of,            \
		    run.snapshot_path),                                                                                \
	OPTION_LIST("import", 0, "FILE", "check what other tools printed, repeatable: nvidia-smi, kernel logs; -: stdin",  \
		    COMPLETE_FILE, judge_run_take_import, of, run)

/* How to judge; the commands' words for what that means differ. */
#define REQUIRE_OPTION_ROW(help, of, run)                                                                              \
	OPTION_LIST("require", 0, "ID,…", help, COMPLETE_CHECKS, judge_run_take_require, of, run)
#define STRICT_OPTION_ROW(help, of, run) OPTION_FLAG("strict", 0, help, of, run.exit.strict)

/* Once all options are read: dies with status 64 where two contradict each other. */
void judge_run_settle(struct judge_run *run, const struct option_parser *parser);

/*
 * Finds the policy in force, and looks at the machine or reads the snapshot:
 * that is judged as it was asked for then, but for what is asked now. Dies with
 * status 64 where a check that is required is left out.
 */
void judge_run_acquire(struct judge_run *run, int argc, char **argv);

void judge_run_judge(struct judge_run *run, struct report *ret);

/* Another snapshot by the same basis; that one stays the caller's. */
void judge_run_judge_other(const struct judge_run *run, struct snapshot *snapshot, struct report *ret);

/* Gives the report its exit status, with a message where it is another than by default. */
void judge_run_exit_status(const struct judge_run *run, struct report *report);

/* Tells, releases both, and returns the exit status: the report's, unless a signal or a full disk outweighs it. */
int judge_run_end(struct judge_run *run, struct report *report);
