// SPDX-License-Identifier: GPL-2.0-or-later
/* list.c - lists the GPUs of this node; checks, findings, probes and formats; NVIDIA's Xids. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/acquire.h"
#include "cmd/delivery.h"
#include "cmd/input.h"
#include "cmd/pager.h"
#include "cmd/terminal.h"
#include "probe/probe.h"
#include "render/render.h"

static void list_checks(struct strbuf *out)
{
	for (size_t i = 0; i < playbook.nr; i++) {
		const struct playbook_row *row = &playbook.rows[i];

		strbuf_addf(out, "%2d %-10s %-20s %s%s\n", (int)row->stage + 1, stage_name(row->stage),
			    row->check->name, row->check->title, playbook_row_words(row));
	}
}

static void list_findings(struct strbuf *out)
{
	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++)
		strbuf_addf(out, "%-32s %-5s %-17s %s\n", finding_defs[id].name, outcome_name(finding_defs[id].outcome),
			    action_name(finding_defs[id].action), blame_name(finding_defs[id].blame));
}

static void list_probes(struct strbuf *out)
{
	for (const struct probe *const *probe = probes; *probe; probe++)
		strbuf_addf(out, "%-12s %-8s %s\n", (*probe)->name, probe_touches_name((*probe)->touches),
			    (*probe)->help);
}

static void list_formats(struct strbuf *out)
{
	for (const struct format *format = formats; format->name; format++)
		strbuf_addf(out, "%-10s %s\n", format->name, format->help);
}

static void list_xids(struct strbuf *out)
{
	int width = 0;

	for (int row = KLOG_NO_ROW + 1; row < NR_KLOG_ROWS; row++)
		if (klog_row_xid((enum klog_row_id)row) >= 0 && (int)strlen(klog_rows[row].mnemonic) > width)
			width = (int)strlen(klog_rows[row].mnemonic);
	for (int row = KLOG_NO_ROW + 1; row < NR_KLOG_ROWS; row++) {
		const struct finding_def *def = &finding_defs[log_finding((enum klog_row_id)row)];

		if (klog_row_xid((enum klog_row_id)row) < 0)
			continue;
		strbuf_addf(out, "%3d %-*s %-5s %-8s %-16s %-13s ", klog_row_xid((enum klog_row_id)row), width,
			    klog_rows[row].mnemonic, outcome_name(def->outcome),
			    klog_severity_name(klog_rows[row].severity), action_name(def->action),
			    blame_name(def->blame));
		render_template(out, klog_rows[row].title);
		strbuf_addch(out, '\n');
	}
}

/* ---- GPUs, of which this machine has to be asked */

enum { EXIT_NO_LIST = 3, WIDE = 240 };

struct list {
	struct acquisition acq;
	const char *snapshot_path;
	const struct option_row *given;	/* the first option; NULL: none */
};

static const struct option_row options[] = {
	OPTION_FILE("snapshot", 0, "gpus: those of that snapshot instead of this machine; -: standard input",
		    struct list, snapshot_path),
	OPTION_FOLDER("root", "gpus: those of a recorded /sys and /proc tree", struct list, acq.root),
	READ_OPTION_ROWS("gpus: ", struct list, acq),
	{ .name = NULL },
};

/*
 * A quick look: no OpenCL, no window, no load, of devices only what a GPU is. One check stands for the vendor's
 * library.
 */
static void look(struct list *list, int argc, char **argv)
{
	static const char *const files[] = { "host", "system", "pci", "device-nodes", "gpu-files", NULL };
	static const char *const files_for_permit[] = { "processes", "kernel-log", NULL };
	struct request *request = &list->acq.snapshot.request;

	list->acq.files = files;
	list->acq.files_for_permit = files_for_permit;
	request->level = val_str("read");
	request->window_ms = val_u64(0);
	strs_add(&list->acq.snapshot.arena, &request->only_checks, "twins-differ");
	acquire_policy(&list->acq, false);
	acquire_run(&list->acq, argc, argv);
}

/* A source that hangs or crashes is named; the lines only have the values it left unknown. */
static void complain_of_failures(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_probes; i++) {
		const struct probe_run *run = &snapshot->probes[i];

		if (str_is(run->outcome, "timeout") || str_is(run->outcome, "stuck") ||
		    str_is(run->outcome, "crashed") || str_is(run->outcome, "garbled"))
			complain("%s%s%s: %s, in %s", str_or(run->probe, "?"), is_known(run->target) ? " " : "",
				 str_or(run->target, ""), str_or(run->outcome, ""), str_or(run->call, "its start"));
	}
}

static int list_gpus(struct list *list, int argc, char **argv)
{
	struct render_options how = terminal_options(NULL, COLOUR_NEVER, false);
	struct merge_unknown unknown = { .nr = 0 };
	struct snapshot *snapshot = &list->acq.snapshot;
	STRBUF_AUTO text = STRBUF_INIT;
	int status;

	if (list->snapshot_path && list->acq.root)
		die(EXIT_USAGE, "list: --snapshot and --root cannot be used together");
	if (list->snapshot_path) {
		snapshot_release(snapshot);
		input_snapshot(list->snapshot_path, snapshot, &unknown);
	} else {
		look(list, argc, argv);
	}
	complain_of_failures(snapshot);
	/* Lines that a program splits: none is cut or broken. */
	how.columns = WIDE;
	if (snapshot->nr_gpus)
		render_gpu_list(&text, snapshot, &how);
	else if (is_known(snapshot->bus.gpus))
		complain("no GPU on the PCI bus");
	else
		complain("the PCI bus could not be read: %s",
			 snapshot->bus.gpus.why ? snapshot->bus.gpus.why : "not collected");
	status = deliver(text.buf, text.len);
	if (!status && list->acq.signal)
		status = EXIT_SIGNAL + list->acq.signal;
	if (!status && !is_known(snapshot->bus.gpus))
		status = EXIT_NO_LIST;
	acquire_release(&list->acq);
	return status;
}

/* ---- */

static const char *const lists_there_are[] = { "gpus", "checks", "findings", "probes", "formats", "xids", NULL };

static const char *parse(struct list *ret, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = ret, .command = "list" };
	const char *word = NULL;

	options_take_with_operands(&parser, &word, 1, "one list at a time");
	ret->given = parser.first;
	if (!word)
		die(EXIT_USAGE, "list: name one: gpus, checks, findings, probes, formats or xids");
	return word;
}

static int list_main(int argc, char **argv)
{
	static void (*const lists[])(struct strbuf * out) = { NULL,	   list_checks,	 list_findings,
							      list_probes, list_formats, list_xids };
	struct list list = { .given = NULL };
	const char *word = parse(&list, argc, argv);
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(word, lists_there_are[i]))
			continue;
		if (!lists[i])
			return list_gpus(&list, argc, argv);
		if (list.given)
			die(EXIT_USAGE, "list: --%s is an option of \"list gpus\"", list.given->name);
		lists[i](&text);
		return page_lines(text.buf, text.len);
	}
	die_no_such_word("list", word, lists_there_are, ARRAY_SIZE(lists));
}

static const struct help_example examples[] = {
	{ "gpudiag list gpus", "the GPUs of this node" },
	{ "gpudiag list findings", "all that a report may say" },
	{ .command = NULL },
};

const struct command command_list = {
	.name = "list",
	.summary = "list GPUs; checks, findings, probes, formats or xids",
	.usage = "list gpus|checks|findings|probes|formats|xids [OPTIONS]",
	.doc = "List the GPUs of this node (number, address, name, UUID, serial number, driver; no load, nothing is "
	       "judged), the checks in the playbook's order, the findings (with outcome, action and blame), the probes, "
	       "the report formats, or the Xids of NVIDIA's driver (number, mnemonic, outcome, severity, action, blame, "
	       "text).\n"
	       "Exit status: 0, 3 if the PCI bus could not be read, 64 usage or bad input, 130 and 143 interrupted.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = lists_there_are,
	.main = list_main,
};
