// SPDX-License-Identifier: GPL-2.0-or-later
/* list.c - lists checks, findings, probes and formats, and NVIDIA's Xids. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/delivery.h"
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
			    klog_severity_name(klog_rows[row].severity), action_name(def->action), blame_name(def->blame));
		render_template(out, klog_rows[row].title);
		strbuf_addch(out, '\n');
	}
}

static const struct option_row options[] = {
	{ .name = NULL },
};

static const char *const lists_there_are[] = { "checks", "findings", "probes", "formats", "xids", NULL };

static int list_main(int argc, char **argv)
{
	static void (*const lists[])(struct strbuf *out) = { list_checks, list_findings, list_probes, list_formats,
							   list_xids };
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "list" };
	STRBUF_AUTO text = STRBUF_INIT;

	while (option_next(&parser) >= 0)
		;
	if (parser.at + 1 != argc)
		die(EXIT_USAGE, "list: name one: checks, findings, probes, formats or xids");
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(argv[parser.at], lists_there_are[i]))
			continue;
		lists[i](&text);
		return deliver(text.buf, text.len);
	}
	die_no_such_word("list", argv[parser.at], lists_there_are, ARRAY_SIZE(lists));
}

const struct command command_list = {
	.name = "list",
	.summary = "list checks, findings, probes, formats or xids",
	.usage = "list checks|findings|probes|formats|xids",
	.doc = "List the checks in the playbook's order, the findings (with outcome, action and blame), the probes, the\n"
	       "report formats, or the Xids of NVIDIA's driver (number, mnemonic, outcome, severity, action, blame, text).\n"
	       "Example: gpudiag list findings",
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = lists_there_are,
	.main = list_main,
};
