// SPDX-License-Identifier: GPL-2.0-or-later
/* gate.c - go or no-go: may this node take work, or go to another driver? */
#include "base/compat.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "eval/gate.h"
#include "snapshot/under_test.h"

enum { GATE_TO_DRIVER = NR_EXAMINE_OPTIONS, GATE_RECORD, GATE_DRAINED };

static const struct option_row options[] = {
	{"to-driver", 0, "VERSION", "may this node go to that version of NVIDIA's driver, up or down?", GATE_TO_DRIVER,
	 COMPLETE_NOTHING, NULL},
	{"record", 0, "FILE", "keep what was seen, for --against afterwards", GATE_RECORD, COMPLETE_FILE, NULL},
	{"drained", 0, NULL, "nobody's work should be here: whoever holds a GPU is in the way (implied by --to-driver)",
	 GATE_DRAINED, COMPLETE_NOTHING, NULL},
	EXAMINE_OPTION_ROWS,
	{"require", 0, "ID,…", "checks that must be judged: unknown or skipped cannot decide", JUDGE_REQUIRE,
	 COMPLETE_CHECKS, NULL},
	{"strict", 0, NULL, "a warning is a no-go, and every check is required", JUDGE_STRICT, COMPLETE_NOTHING, NULL},
	BASELINE_OPTION_ROWS,
	OUTPUT_OPTION_ROWS("the answer and its reason in one line: --format line"),
	{.name = NULL},
};

static void set_to_driver(struct examination *gate, const struct option_parser *parser)
{
	struct snapshot *snapshot = &gate->look.snapshot;

	if (!version_valid(parser->argument))
		die(EXIT_USAGE, "--to-driver: \"%s\" is no version of NVIDIA's driver, as 580.95.05 is one",
		    parser->argument);
	snapshot->request.to_driver = val_str(arena_strdup(&snapshot->arena, parser->argument));
}

static void parse(struct examination *gate, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "gate" };
	const char *record = NULL;
	int id;

	gate->look.snapshot.request.gate = val_bool(true);
	while ((id = option_next(&parser)) >= 0) {
		if (id == GATE_TO_DRIVER)
			set_to_driver(gate, &parser);
		else if (id == GATE_DRAINED)
			gate->look.snapshot.request.drained = val_bool(true);
		else if (id == GATE_RECORD)
			record = option_path(&parser, parser.argument);
		else
			examine_option(gate, &parser, id);
	}
	examine_settle(gate, &parser);
	if (record)
		outputs_add(&gate->outputs, "--record", format_by_name("snapshot"), record);
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
		die(EXIT_USAGE, "--to-driver asks about NVIDIA's driver, and none of the GPUs here (%zu) is NVIDIA's", nr);
}

static int gate_main(int argc, char **argv)
{
	struct examination gate = { .command = "gate" };
	struct report report;

	parse(&gate, argc, argv);
	examine_look(&gate, argc, argv);
	check_vendor(&gate.look.snapshot);
	examine_judge(&gate, &report);
	gate_decide(&report, gate.judging.exit.strict);
	return examine_end(&gate, &report);
}

const struct command command_gate = {
	.name = "gate",
	.summary = "answers go or no-go: may this node take work, or go to another driver?",
	.usage = "gate [OPTIONS]",
	.doc = "Looks and judges as run does, asks what only a gate asks, and answers GO, NO-GO or CANNOT DECIDE with one\n"
	       "reason: before a node takes work, or with --to-driver before its driver is changed. It wants to know how\n"
	       "many GPUs belong here (--expect-gpus), and some checks judged that a run can do without. --record keeps\n"
	       "what was seen.\n"
	       "Exit status: 0 go, 2 no-go, 3 cannot decide; 64 usage or bad input, 70 gpudiag itself failed, 130 and 143\n"
	       "interrupted.",
	.options = options,
	.main = gate_main,
};
