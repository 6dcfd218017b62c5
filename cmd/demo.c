// SPDX-License-Identifier: GPL-2.0-or-later
/* demo.c - recorded nodes that the binary brings along, judged as on the node: for whoever has no sick GPU at hand. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text_edit.h"
#include "cmd/delivery.h"
#include "cmd/embedded.h"
#include "cmd/judge_run.h"
#include "cmd/pager.h"
#include "cmd/policy_in_force.h"

/* A row for each: NAME(its word, what is wrong with it, the script that makes it of the healthy one). */
#define DEMOS(NAME)                                                                                                    \
	NAME("narrow-link", "one of eight PCIe links at x8, and the slow copies that it explains",                     \
	     embedded_cmd_demo_narrow_link_ed)                                                                         \
	NAME("xid-79", "a GPU that has fallen off the bus", embedded_cmd_demo_xid_79_ed)                               \
	NAME("hung-driver", "a task stuck in the driver, which is then not called", embedded_cmd_demo_hung_driver_ed)  \
	NAME("starved-loader", "nothing broken, GPUs that wait for one thread of their job",                           \
	     embedded_cmd_demo_starved_loader_ed)                                                                      \
	NAME("starved-storage", "nothing broken, GPUs that wait for a disk", embedded_cmd_demo_starved_storage_ed)     \
	NAME("healthy", "the same node without a fault", "")

static const char *const names[] = {
#define NAME(name, what, edits) name,
	DEMOS(NAME)
#undef NAME
	NULL,
};

static const struct demo {
	const char *what, *edits;
} demos[] = {
#define NAME(name, what, edits) { what, edits },
	DEMOS(NAME)
#undef NAME
};

struct demo_options { struct outputs outputs; };

static const struct option_row options[] = {
	OUTPUT_OPTION_ROWS("print nothing if all is well, otherwise one line (--format line)", struct demo_options,
			   outputs),
	{ .name = NULL },
};

static size_t demo_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(demos); i++)
		if (!strcmp(names[i], name))
			return i;
	die_no_such_word("demo", name, names, ARRAY_SIZE(demos));
}

/* The name; NULL: none. */
static const char *parse(struct demo_options *ret, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = ret, .command = "demo" };
	const char *name = NULL;

	options_take_with_operands(&parser, &name, 1, "one demo at a time");
	outputs_settle(&ret->outputs);
	return name;
}

static void load(struct snapshot *ret, size_t at)
{
	struct merge_unknown unknown = { .nr = 0 };
	struct json_error error = { .line = 0 };
	STRBUF_AUTO text = STRBUF_INIT;

	if (text_edit(&text, embedded_cmd_demo_healthy_json, demos[at].edits) ||
	    snapshot_load(ret, text.buf, text.len, &unknown, &error) || unknown.nr)
		die(EXIT_INTERNAL, "demo: the recorded node %s is damaged: line %u: %s", names[at], error.line,
		    *error.what ? error.what : "not as this version writes it");
	ret->run.tool = val_str(TOOL);
}

/* ---- what stands around a report on standard output */

static bool is_shown(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->nr; i++)
		if (is_stdout(outputs->items[i].path) && outputs->items[i].format == format_by_name("text"))
			return true;
	return false;
}

static int put_heading(size_t at, const struct report *report)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(
		&text,
		"gpudiag demo %s: %s\n"
		"A recorded node, judged as by gpudiag run there, with exit status %d.\nNothing of this machine is read.\n\n",
		names[at], demos[at].what, report->exit_status);
	return print_lines(text.buf, text.len);
}

static int put_end(size_t at)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, "\nTry next\n");
	for (size_t i = 0; i < ARRAY_SIZE(demos); i++)
		if (i != at)
			strbuf_addf(&text, "  gpudiag demo %-16s %s\n", names[i], demos[i].what);
	strbuf_addf(&text,
		    "  gpudiag demo %s -f json       the report for programs; also markdown, html, junit, nagios\n"
		    "  gpudiag demo %s -f snapshot | gpudiag run --snapshot - --check link\n"
		    "  gpudiag                       this node\n",
		    names[at], names[at]);
	return print_lines(text.buf, text.len);
}

static int show(size_t at, struct demo_options *asked)
{
	struct judge_run run = { .command = "demo", .outputs = asked->outputs };
	struct report report;
	bool shown = is_shown(&run.outputs);
	int status, judged;

	load(&run.acq.snapshot, at);
	/* Not by this machine's policy or baseline: whoever tries it sees what the manual shows. */
	policy_in_force(&run.acq.policy, &run.acq.policy_arena, NULL, false);
	outputs_open(&run.outputs);
	judge_run_judge(&run, &report);
	strs_add(&report.arena, &report.messages,
		 arena_printf(&report.arena, "a recorded node, not this one: gpudiag demo %s", names[at]));
	judged = report.exit_status;
	status = shown ? put_heading(at, &report) : 0;
	if (status)
		return status;
	status = judge_run_end(&run, &report);
	/* A demo is no judgement of this node. */
	if (status == judged)
		status = shown ? put_end(at) : 0;
	return status;
}

static int demo_main(int argc, char **argv)
{
	struct demo_options asked = { .outputs = { .nr = 0 } };
	const char *name = parse(&asked, argc, argv);

	return show(name ? demo_by_name(name) : 0, &asked);
}

static const struct help_example examples[] = {
	{ "gpudiag demo", "the first recorded node" },
	{ "gpudiag demo xid-79 -f json", "another, for programs" },
	{ "gpudiag demo narrow-link -f snapshot > node.json", "a node to try commands with" },
	{ .command = NULL },
};

const struct command command_demo = {
	.name = "demo",
	.summary = "show what gpudiag finds, on recorded nodes",
	.usage = "demo [NAME] [OPTIONS]",
	.doc = "Judge a recorded node that is built into gpudiag, and print its report. Nothing of this machine is "
	       "read. Without NAME: the first, and a list of the others. --format snapshot prints the node itself, to "
	       "try with.\n"
	       "Exit status: 0; the report has the one that gpudiag run has on that node.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = names,
	.main = demo_main,
};
