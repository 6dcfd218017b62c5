// SPDX-License-Identifier: GPL-2.0-or-later
/* run.c - the playbook: acq, judge, tell. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/judge_run.h"

struct run_options { struct judge_run run; };

static const struct option_row options[] = {
	JUDGE_RUN_OPTION_ROWS(struct run_options, run),
	REQUIRE_OPTION_ROW("required checks: unknown or skipped gives exit status 3", struct run_options, run),
	OPTION_LIST("fail-on", 0, "WHAT,…", "what gives exit status 2: fail (default), warn, none, checks, findings",
		    COMPLETE_IDS, judge_run_take_fail_on, struct run_options, run),
	OPTION_CHOICE("exit", 0, "STYLE", "default; bool: 0 or 1; npd: 0 healthy, 1 a problem, 2 unknown",
		      judge_exit_styles, struct run_options, run.exit.style),
	STRICT_OPTION_ROW("a warning counts as a failure, and every check as required", struct run_options, run),
	BASELINE_OPTION_ROWS(struct run_options, run.baseline),
	OUTPUT_OPTION_ROWS("print nothing if all is well, otherwise one line (--format line)", struct run_options,
			   run.outputs),
	{ .name = NULL },
};

static int run_main(int argc, char **argv)
{
	struct run_options asked = { .run = { .command = "run" } };
	struct judge_run *run = &asked.run;
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = &asked, .command = "run" };
	struct report report;

	options_take(&parser);
	judge_run_settle(run, &parser);
	judge_run_acquire(run, argc, argv);
	judge_run_judge(run, &report);
	judge_run_exit_status(run, &report);
	return judge_run_end(run, &report);
}

static const struct help_example examples[] = {
	{ "gpudiag", "this node: verdict, cause, next step" },
	{ "gpudiag --expect-gpus 8:H100", "fail where one of eight H100 is missing" },
	{ "gpudiag --level deep --gpu 3", "load GPU 3 for minutes: memory, heat, errors" },
	{ "gpudiag -f markdown -o report.md", "for the ticket" },
	{ "gpudiag --import nvidia-bug-report.log.gz", "judge what was collected on another node" },
	{ .command = NULL },
};

const struct command command_run = {
	.name = "run",
	.summary = "check this node: verdict, cause and next step (the default)",
	.usage = "[run] [OPTIONS]",
	.doc = "Check this machine's GPUs, drivers, links, memory and speed in a fixed order, and print a verdict, the "
	       "cause and the next step. Read-only: no load on a GPU in use, no reset.\n"
	       "Exit status: 0 pass, 1 warn, 2 fail, 3 unknown (a required check could not be judged, or a source "
	       "failed), 64 usage or bad input, 70 internal error, 130 and 143 interrupted.",
	.examples = examples,
	.options = options,
	.main = run_main,
};
