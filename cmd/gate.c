// SPDX-License-Identifier: GPL-2.0-or-later
/* gate.c - go or no-go: may this node take work, or go to another driver? */
#include "base/compat.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/judge_run.h"
#include "cmd/input.h"
#include "eval/gate/gate.h"
#include "snapshot/under_test.h"

struct gate {
	struct judge_run run;
	const char *record_path, *against_path;
	struct snapshot against;	/* what was recorded; its request is asked as this one's */
	struct merge_unknown unknown;
};

static void take_to_driver(void *to, const struct option_parser *parser)
{
	struct snapshot *snapshot = &((struct gate *)to)->run.acq.snapshot;

	if (!version_valid(parser->argument))
		die(EXIT_USAGE, "--to-driver: \"%s\" is not a version of NVIDIA's driver, e.g. 580.95.05",
		    parser->argument);
	snapshot->request.to_driver = val_str(arena_strdup(&snapshot->arena, parser->argument));
}

static const struct option_row options[] = {
	{ .name = "to-driver",
	  .argument = "VERSION",
	  .take = take_to_driver,
	  .help = "may this node change to that version of NVIDIA's driver, up or down?" },
	OPTION_FILE("record", 0, "save the present state, for --against later", struct gate, record_path),
	OPTION_FILE("against", 0, "compare with --record's file: no-go if anything got worse", struct gate,
		    against_path),
	OPTION_VAL_FLAG("drained", "no job should use a GPU: any GPU process is a no-go (implied by --to-driver)",
			struct gate, run.acq.snapshot.request.drained),
	JUDGE_RUN_OPTION_ROWS(struct gate, run),
	REQUIRE_OPTION_ROW("required checks: unknown or skipped gives cannot decide", struct gate, run),
	STRICT_OPTION_ROW("a warning is a no-go, and every check is required", struct gate, run),
	BASELINE_OPTION_ROWS(struct gate, run.baseline),
	OUTPUT_OPTION_ROWS("the answer and its reason in one line: --format line", struct gate, run.outputs),
	{ .name = NULL },
};

static void check_against(const struct gate *gate)
{
	const struct judge_run *run = &gate->run;

	if (strcmp(gate->against_path, "-") != 0)
		return;
	if (run->snapshot_path && !strcmp(run->snapshot_path, "-"))
		die(EXIT_USAGE, "gate: --against and --snapshot cannot both be standard input");
	if (run->acq.policy_path && !strcmp(run->acq.policy_path, "-"))
		die(EXIT_USAGE, "gate: --against and --policy cannot both be standard input");
}

static void parse(struct gate *gate, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = gate, .command = "gate" };
	struct judge_run *run = &gate->run;

	run->acq.snapshot.request.gate = val_bool(true);
	options_take(&parser);
	judge_run_settle(run, &parser);
	if (gate->against_path)
		check_against(gate);
	if (gate->record_path)
		outputs_add(&run->outputs, "--record", format_by_name("snapshot"), gate->record_path);
	outputs_spare(&run->outputs, gate->against_path, "snapshot");
}

/* How many GPUs belong here, who recorded it may have said. */
static void read_against(struct gate *gate)
{
	struct request *asked = &gate->run.acq.snapshot.request, *then = &gate->against.request;

	input_snapshot(gate->against_path, &gate->against, &gate->unknown);
	if (is_known(asked->expect_gpus))
		return;
	asked->expect_gpus = then->expect_gpus;
	if (!is_known(asked->expect_model) && is_known(then->expect_model))
		asked->expect_model = val_str(arena_strdup(&gate->run.acq.snapshot.arena,
							   str_or(then->expect_model, "")));
}

/* Where all that is here is of other makers, the question is a mistake. */
static void check_vendor(const struct snapshot *snapshot)
{
	size_t nr = 0;

	if (!is_known(snapshot->request.to_driver) || !is_known(snapshot->bus.gpus))
		return;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		if (!gpu_is_under_test(snapshot, &snapshot->gpus[i]))
			continue;
		if (!is_known(snapshot->gpus[i].pci.vendor_id) || str_is(snapshot->gpus[i].pci.vendor_id, "0x10de"))
			return;
		nr++;
	}
	if (nr)
		die(EXIT_USAGE, "--to-driver is for NVIDIA's driver: none of the %zu GPUs here is from NVIDIA", nr);
}

/* The recorded one is judged by the same basis, and asked the same. */
static void decide(struct gate *gate, struct report *report)
{
	const struct request *asked = &gate->run.acq.snapshot.request;
	bool strict = gate->run.exit.strict;
	struct request *then = &gate->against.request;
	struct report before;
	struct diff diff;

	if (!gate->against_path) {
		gate_decide(report, strict, NULL);
		return;
	}
	then->gate = asked->gate;
	then->drained = asked->drained;
	then->to_driver = asked->to_driver;
	then->expect_gpus = asked->expect_gpus;
	then->expect_model = asked->expect_model;
	then->only_checks = asked->only_checks;
	then->skip_checks = asked->skip_checks;
	then->gpus = asked->gpus;
	judge_run_judge_other(&gate->run, &gate->against, &before);
	diff_reports(&diff, &before, report);
	gate_decide(report, strict, &diff);
	diff_release(&diff);
	report_release(&before);
	snapshot_release(&gate->against);
}

static int gate_main(int argc, char **argv)
{
	struct gate gate = { .run = { .command = "gate" } };
	struct judge_run *run = &gate.run;
	struct report report;

	parse(&gate, argc, argv);
	if (gate.against_path)
		read_against(&gate);
	judge_run_acquire(run, argc, argv);
	check_vendor(&run->acq.snapshot);
	judge_run_judge(run, &report);
	decide(&gate, &report);
	return judge_run_end(run, &report);
}

static const struct help_example examples[] = {
	{ "gpudiag gate --expect-gpus 8", "may this node get jobs?" },
	{ "gpudiag gate --expect-gpus 8 --to-driver 580.95.05", "may the driver be changed?" },
	{ "gpudiag gate --expect-gpus 8 --record before.json", "keep the state before a change" },
	{ "gpudiag gate --expect-gpus 8 --against before.json", "and compare after it" },
	{ .command = NULL },
};

const struct command command_gate = {
	.name = "gate",
	.summary = "go or no-go before jobs start or before a driver change",
	.usage = "gate [OPTIONS]",
	.doc = "Check as run does, with some more checks, and answer GO, NO-GO or CANNOT DECIDE with one reason: before "
	       "a node gets jobs, or with --to-driver before a driver change. It needs the expected number of GPUs "
	       "(--expect-gpus). --record saves the state before, --against compares with it afterwards.\n"
	       "Exit status: 0 go, 2 no-go, 3 cannot decide, 64 usage or bad input, 70 internal error, 130 and 143 "
	       "interrupted.",
	.examples = examples,
	.options = options,
	.main = gate_main,
};
