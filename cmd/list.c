// SPDX-License-Identifier: GPL-2.0-or-later
/* list.c - what gpudiag knows: its checks, findings, probes and formats. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text.h"
#include "checks/playbook.h"
#include "probe/probe.h"
#include "render/render.h"

static void list_checks(struct strbuf *out)
{
	for (size_t i = 0; i < playbook.nr; i++) {
		const struct playbook_row *row = &playbook.rows[i];

		strbuf_addf(out, "%2d %-10s %-20s %s%s\n", (int)row->stage + 1, stage_name(row->stage),
			    row->check->name, row->check->title, row->required ? " (required)" : "");
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

static const struct option_row options[] = {
	{ .name = NULL },
};

static const char *const lists_there_are[] = { "checks", "findings", "probes", "formats", NULL };

static int list_main(int argc, char **argv)
{
	static void (*const lists[])(struct strbuf *out) = { list_checks, list_findings, list_probes, list_formats };
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "list" };
	STRBUF_AUTO text = STRBUF_INIT;

	while (option_next(&parser) >= 0)
		;
	if (parser.at + 1 != argc)
		die(EXIT_USAGE, "list: name one: checks, findings, probes or formats");
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strcmp(argv[parser.at], lists_there_are[i]))
			continue;
		lists[i](&text);
		return deliver(NULL, text.buf, text.len);
	}
	die_no_such_word("list", argv[parser.at], lists_there_are, ARRAY_SIZE(lists));
}

const struct command command_list = {
	.name = "list",
	.summary = "lists what it knows: checks, findings, probes, formats",
	.usage = "list checks|findings|probes|formats",
	.doc = "Lists the checks in the order of the playbook, the findings they may raise (with outcome, action and\n"
	       "blame), the probes that look, or the formats of a report.",
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = lists_there_are,
	.main = list_main,
};
