// SPDX-License-Identifier: GPL-2.0-or-later
/* run.c - the playbook: acq, judge, tell. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/judge_run.h"

static const struct option_row options[] = {
	JUDGE_RUN_OPTION_ROWS,
	JUDGE_OPTION_ROWS,
	BASELINE_OPTION_ROWS,
	OUTPUT_OPTION_ROWS("say nothing where there is nothing to do, else one line: --format line"),
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
	.summary = "walks the playbook and tells what is wrong and what to do (the default)",
	.usage = "[run] [OPTIONS]",
	.doc = "Looks at this machine's GPUs, their drivers, links, memory and speed, in a fixed order, and ends in one\n"
	       "sentence, a verdict and a next step. Reads only; loads no GPU that somebody uses; resets nothing.\n"
	       "Exit status: 0 pass, 1 warn, 2 fail, 3 a required check could not be judged, or what a pass\n"
	       "stands on failed to answer; 64 usage or bad input,\n"
	       "70 gpudiag itself failed, 130 and 143 interrupted.",
	.options = options,
	.main = run_main,
};
