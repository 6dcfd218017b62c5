// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/examine.h"

#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/load.h"

void examine_option(struct examination *examination, const struct option_parser *parser, int id)
{
	struct look *look = &examination->look;

	if (id == EXAMINE_SNAPSHOT)
		examination->snapshot_path = option_path(parser, parser->argument);
	else if (!outputs_option(&examination->outputs, parser, id) &&
		 !judging_option(&examination->judging, &look->policy_arena, parser, id))
		look_option(look, parser, id);
}

static void check_replay(const struct examination *examination)
{
	const char *command = examination->command;
	const struct look *look = &examination->look;

	if (look->root)
		die(EXIT_USAGE, "%s: --snapshot and --root are two different things to look at: give one", command);
	if (is_known(look->snapshot.request.driver_root))
		die(EXIT_USAGE, "%s: --snapshot and --driver-root: no library is asked about a snapshot", command);
	if (bool_or(look->snapshot.request.pid_is_self, false))
		die(EXIT_USAGE, "%s: --pid self: this run is in no snapshot; give the number of a process that is",
		    command);
	if (look->policy_path && !strcmp(examination->snapshot_path, "-") && !strcmp(look->policy_path, "-"))
		die(EXIT_USAGE, "%s: --snapshot and --policy cannot both be standard input", command);
}

void examine_settle(struct examination *examination, const struct option_parser *parser)
{
	if (parser->at < parser->argc)
		die(EXIT_USAGE, "%s: takes no \"%s\"; options begin with --", examination->command,
		    parser->argv[parser->at]);
	if (examination->snapshot_path)
		check_replay(examination);
	baseline_check_input(examination->command, &examination->judging, examination->snapshot_path,
			     examination->look.policy_path);
	outputs_settle(&examination->outputs);
	outputs_spare(&examination->outputs, examination->snapshot_path, "snapshot");
	outputs_spare(&examination->outputs, examination->look.policy_path, "");
	outputs_spare(&examination->outputs, examination->judging.baseline_path, "");
}

static void replace_list(struct strs *list, const struct strs *by, struct arena *arena)
{
	if (by->nr)
		*list = (struct strs){ .nr = 0 };
	for (size_t i = 0; i < by->nr; i++)
		strs_add(arena, list, by->v[i]);
}

/* What is asked now, in place of what was asked then. */
static void ask_again(struct request *request, const struct request *asked, struct arena *arena)
{
	replace_list(&request->only_checks, &asked->only_checks, arena);
	replace_list(&request->skip_checks, &asked->skip_checks, arena);
	replace_list(&request->gpus, &asked->gpus, arena);
	if (is_known(asked->expect_gpus))
		request->expect_gpus = asked->expect_gpus;
	if (is_known(asked->expect_model))
		request->expect_model = val_str(arena_strdup(arena, str_or(asked->expect_model, "")));
	if (is_known(asked->opencl_type))
		request->opencl_type = asked->opencl_type;
	if (is_known(asked->level)) {
		request->level = asked->level;
		request->level_given = asked->level_given;
	}
	if (is_known(asked->pid))
		request->pid = asked->pid;
	if (is_known(asked->gate))
		request->gate = asked->gate;
	if (is_known(asked->drained))
		request->drained = asked->drained;
	if (is_known(asked->to_driver))
		request->to_driver = val_str(arena_strdup(arena, str_or(asked->to_driver, "")));
}

static void read_snapshot(struct examination *examination)
{
	struct snapshot *snapshot = &examination->look.snapshot;
	struct snapshot given = *snapshot;	/* owns the texts of what is asked now */

	input_snapshot(examination->snapshot_path, snapshot, &examination->unknown);
	ask_again(&snapshot->request, &given.request, &snapshot->arena);
	if (given.request.gpus.nr)
		load_check_selectors(&examination->look);
	snapshot_release(&given);
}

void examine_look(struct examination *examination, int argc, char **argv)
{
	struct look *look = &examination->look;

	look_policy(look, examination->snapshot_path);
	baseline_in_force(&examination->baseline, &examination->judging, !examination->snapshot_path && !look->root);
	if (examination->snapshot_path)
		read_snapshot(examination);
	judging_require(&examination->judging, &look->snapshot.request, &look->policy_arena, &look->policy);
	outputs_open(&examination->outputs);
	if (!examination->snapshot_path)
		look_run(look, argc, argv);
}

/* What the reader should know of a snapshot that this program did not take. */
static void tell_origin(const struct examination *examination, struct report *report)
{
	const struct merge_unknown *unknown = &examination->unknown;
	const struct val_str tool = examination->look.snapshot.run.tool;

	if (unknown->nr)
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena,
				      "%zu key%s of the snapshot without a meaning to " TOOL " left out (first: \"%s\", line "
				      "%u)", unknown->nr, unknown->nr == 1 ? "" : "s", unknown->first,
				      unknown->first_line));
	if (examination->snapshot_path && !str_is(tool, TOOL))
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "the snapshot was taken by %s and judged by " TOOL,
				      str_or(tool, "an unknown version")));
}

void examine_judge_other(const struct examination *examination, struct snapshot *snapshot, struct report *ret)
{
	judge(ret, snapshot, &playbook,
	      &(struct basis){ .policy = &examination->look.policy, .baseline = examination->baseline.in_force });
}

void examine_judge(struct examination *examination, struct report *ret)
{
	examine_judge_other(examination, &examination->look.snapshot, ret);
	baseline_messages(&examination->baseline, ret);
	tell_origin(examination, ret);
}

int examine_end(struct examination *examination, struct report *report)
{
	int status = report->exit_status;
	int r = outputs_tell(&examination->outputs, report);

	if (examination->look.signal)
		status = EXIT_SIGNAL + examination->look.signal;
	report_release(report);
	baseline_in_force_release(&examination->baseline);
	look_release(&examination->look);
	return r ? r : status;
}
