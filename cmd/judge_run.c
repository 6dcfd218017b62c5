// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/judge_run.h"

#include <unistd.h>

#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/ids.h"
#include "cmd/input.h"
#include "eval/judge/selection.h"

const char *const judge_exit_styles[] = {
	[EXIT_STYLE_DEFAULT] = "default", [EXIT_STYLE_BOOL] = "bool", [EXIT_STYLE_NPD] = "npd", NULL,
};

void judge_run_take_require(void *to, const struct option_parser *parser)
{
	struct judge_run *run = to;

	option_ids(parser, IDS_OF_CHECKS, NULL, &run->acq.policy_arena, &run->require);
}

void judge_run_take_import(void *to, const struct option_parser *parser)
{
	struct judge_run *run = to;

	strs_add(&run->acq.policy_arena, &run->imports, parser->argument);
}

/* The words among the given that are levels; the rest are names. */
void judge_run_take_fail_on(void *to, const struct option_parser *parser)
{
	static const char *const levels[] = { "fail", "warn", "none", NULL };
	struct judge_run *run = to;
	struct exit_rules *rules = &run->exit;
	struct strs words = { .nr = 0 };

	option_ids(parser, IDS_OF_CHECKS | IDS_OF_FINDINGS, levels, &run->acq.policy_arena, &words);
	rules->has_fail_on = true;
	for (size_t i = 0; i < words.nr; i++) {
		if (!strcmp(words.v[i], "fail"))
			rules->fail_on.failures = true;
		else if (!strcmp(words.v[i], "warn"))
			rules->fail_on.warnings = true;
		else if (strcmp(words.v[i], "none") != 0)
			strs_add(&run->acq.policy_arena, &rules->fail_on.names, words.v[i]);
	}
}

static void check_replay(const struct judge_run *run)
{
	const char *command = run->command;
	const struct acquisition *acq = &run->acq;

	if (acq->root)
		die(EXIT_USAGE, "%s: --snapshot and --root cannot be used together", command);
	if (is_known(acq->snapshot.request.driver_root))
		die(EXIT_USAGE, "%s: --driver-root cannot be used with --snapshot: no library is called for a snapshot",
		    command);
	if (bool_or(acq->snapshot.request.pid_is_self, false))
		die(EXIT_USAGE, "%s: --pid self: this run is not in the snapshot; name a process that is",
		    command);
	if (acq->policy_path && !strcmp(run->snapshot_path, "-") && !strcmp(acq->policy_path, "-"))
		die(EXIT_USAGE, "%s: --snapshot and --policy cannot both be standard input", command);
}

/* Options that say what to measure and how: a snapshot holds what was measured then. */
static void tell_ineffective(const struct judge_run *run, const struct option_parser *parser)
{
	static const char *const names[] = {
		"level", "window", "timeout", "even-if-busy", "touch-hung", "wake", "seconds", "size", "numa",
		"together",
		"python", "framework", "storage", "collective", "memory-share", "sustain",
	};
	STRBUF_AUTO list = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (option_given(parser, names[i]))
			strbuf_addf(&list, "%s--%s", list.len ? ", " : "", names[i]);
	if (list.len)
		complain("%s: with --snapshot nothing is measured, so these change no value: %s", run->command,
			 list.buf);
}

NORETURN static void die_unexpected(const char *command, const char *argument)
{
	if (!access(argument, F_OK))
		die(EXIT_USAGE, "%s: unexpected argument \"%s\"; output of other tools is given with --import %s, a snapshot "
		    "with --snapshot", command, argument, argument);
	die(EXIT_USAGE, "%s: unexpected argument \"%s\"; options begin with --", command, argument);
}

void judge_run_settle(struct judge_run *run, const struct option_parser *parser)
{
	if (parser->at < parser->argc)
		die_unexpected(run->command, parser->argv[parser->at]);
	if (run->imports.nr && run->snapshot_path)
		die(EXIT_USAGE, "%s: --snapshot and --import cannot be used together", run->command);
	if (run->imports.nr)
		run->snapshot_path = run->imports.v[0];
	if (run->snapshot_path) {
		check_replay(run);
		tell_ineffective(run, parser);
	}
	baseline_check_input(run->command, run->baseline.path, run->snapshot_path, run->acq.policy_path);
	outputs_settle(&run->outputs);
	outputs_spare(&run->outputs, run->snapshot_path, "snapshot");
	outputs_spare(&run->outputs, run->acq.policy_path, "");
	outputs_spare(&run->outputs, run->baseline.path, "");
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
	if (is_known(asked->run_id))
		request->run_id = val_str(arena_strdup(arena, str_or(asked->run_id, "")));
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

static void read_snapshot(struct judge_run *run)
{
	struct snapshot *snapshot = &run->acq.snapshot;
	struct snapshot given = *snapshot;	/* owns the texts of what is asked now */
	struct import_account account;

	if (run->imports.nr)
		input_dumps(&run->imports, snapshot, &account);
	else
		input_snapshot(run->snapshot_path, snapshot, &run->unknown);
	ask_again(&snapshot->request, &given.request, &snapshot->arena);
	if (given.request.gpus.nr)
		load_check_selectors(&run->acq);
	snapshot_release(&given);
}

/* Adds what is required to the policy. */
static void require_checks(struct judge_run *run)
{
	const struct request *request = &run->acq.snapshot.request;

	for (size_t i = 0; i < run->require.nr; i++) {
		const char *name = run->require.v[i];
		const struct playbook_row *row = playbook_row_by_name(&playbook, name);

		if (row && !row_is_selected(request, row))
			die(EXIT_USAGE, "--require: %s is %s", name, row->gate_only && !bool_or(request->gate, false) ?
			    "a check of gpudiag gate only" : "excluded by --check or --skip");
		strs_add(&run->acq.policy_arena, &run->acq.policy.require, name);
	}
}

void judge_run_acquire(struct judge_run *run, int argc, char **argv)
{
	struct acquisition *acq = &run->acq;

	acquire_policy(acq, run->snapshot_path);
	baseline_in_force(&run->baseline, !run->snapshot_path && !acq->root);
	if (run->snapshot_path)
		read_snapshot(run);
	require_checks(run);
	outputs_open(&run->outputs);
	if (!run->snapshot_path)
		acquire_run(acq, argc, argv);
}

/* What the reader should know of a snapshot that this program did not take. */
static void tell_origin(const struct judge_run *run, struct report *report)
{
	const char *unknown = input_unknown_words(&report->arena, &run->unknown, "the snapshot");
	const struct val_str tool = run->acq.snapshot.run.tool;

	if (unknown)
		strs_add(&report->arena, &report->messages, unknown);
	if (run->snapshot_path && !str_is(tool, TOOL))
		strs_add(&report->arena, &report->messages,
			 arena_printf(&report->arena, "snapshot taken by %s, judged by " TOOL,
				      str_or(tool, "an unknown version")));
}

void judge_run_judge_other(const struct judge_run *run, struct snapshot *snapshot, struct report *ret)
{
	judge(ret, snapshot, &playbook,
	      &(struct judge_inputs){ .policy = &run->acq.policy, .baseline = run->baseline.in_force });
}

void judge_run_judge(struct judge_run *run, struct report *ret)
{
	judge_run_judge_other(run, &run->acq.snapshot, ret);
	baseline_messages(&run->baseline, ret);
	tell_origin(run, ret);
}

void judge_run_exit_status(const struct judge_run *run, struct report *report)
{
	const struct exit_rules *rules = &run->exit;
	int by_default = report->exit_status;

	report->exit_status = exit_status_by(report, rules);
	if (report->exit_status == by_default)
		return;
	strs_add(&report->arena, &report->messages,
		 arena_printf(&report->arena, "exit status %d by%s%s%s%s; by the verdict alone %d", report->exit_status,
			      rules->strict ? " --strict" : "", rules->has_fail_on ? " --fail-on" : "",
			      rules->style == EXIT_STYLE_DEFAULT ? "" : " --exit ",
			      rules->style == EXIT_STYLE_DEFAULT ? "" : judge_exit_styles[rules->style], by_default));
}

int judge_run_end(struct judge_run *run, struct report *report)
{
	int status = report->exit_status;
	int r = outputs_tell(&run->outputs, report);

	if (run->acq.signal)
		status = EXIT_SIGNAL + run->acq.signal;
	report_release(report);
	baseline_in_force_release(&run->baseline);
	acquire_release(&run->acq);
	return r ? r : status;
}
