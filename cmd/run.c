// SPDX-License-Identifier: GPL-2.0-or-later
/* run.c - the playbook: acq, judge, tell. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/judge_run.h"

static const struct option_row options[] = {
	JUDGE_RUN_OPTION_ROWS,
	JUDGE_OPTION_ROWS,
	BASELINE_OPTION_ROWS,
	OUTPUT_OPTION_ROWS("print nothing if all is well, otherwise one line (--format line)"),
	{.name = NULL},
};

static int run_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "run" };
	struct judge_run run = { .command = "run" };
	struct report report;
	int id;

	while ((id = option_next(&parser)) >= 0)
		judge_run_option(&run, &parser, id);
	judge_run_settle(&run, &parser);
	judge_run_acquire(&run, argc, argv);
	judge_run_judge(&run, &report);
	judging_exit_status(&run.judging, &report);
	return judge_run_end(&run, &report);
}

const struct command command_run = {
	.name = "run",
	.summary = "check this node: verdict, cause and next step (the default)",
	.usage = "[run] [OPTIONS]",
	.doc = "Check this machine's GPUs, drivers, links, memory and speed in a fixed order, and print a verdict, the cause\n"
	       "and the next step. Read-only: no load on a GPU in use, no reset.\n"
	       "Exit status: 0 pass, 1 warn, 2 fail, 3 unknown (a required check could not be judged, or a source failed),\n"
	       "64 usage or bad input, 70 internal error, 130 and 143 interrupted.\n"
	       "Examples: gpudiag, gpudiag --expect-gpus 8:H100, gpudiag --format markdown -o report.md",
	.options = options,
	.main = run_main,
};
