// SPDX-License-Identifier: GPL-2.0-or-later
/* schema.c - prints the JSON Schemas of what gpudiag writes. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/delivery.h"
#include "cmd/embedded.h"
#include "render/render.h"

static const char *const schemas[] = { "baseline", "bench", "diff", "events", "report", "snapshot", "topology", NULL };

static int schema_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "schema" };
	STRBUF_AUTO text = STRBUF_INIT;
	const char *which;

	options_take(&parser);
	if (parser.at + 1 != argc)
		die(EXIT_USAGE, "schema: name one: baseline, bench, diff, events, report, snapshot or topology");
	which = argv[parser.at];
	if (!strcmp(which, "snapshot"))
		render_snapshot_schema(&text);
	else if (!strcmp(which, "report"))
		strbuf_addstr(&text, embedded_man_report_schema_json);
	else if (!strcmp(which, "baseline"))
		strbuf_addstr(&text, embedded_man_baseline_schema_json);
	else if (!strcmp(which, "bench"))
		strbuf_addstr(&text, embedded_man_bench_schema_json);
	else if (!strcmp(which, "diff"))
		strbuf_addstr(&text, embedded_man_diff_schema_json);
	else if (!strcmp(which, "events"))
		strbuf_addstr(&text, embedded_man_events_schema_json);
	else if (!strcmp(which, "topology"))
		strbuf_addstr(&text, embedded_man_topology_schema_json);
	else
		die_no_such_word("schema", which, schemas, ARRAY_SIZE(schemas) - 1);
	return deliver(text.buf, text.len);
}

const struct command command_schema = {
	.name = "schema",
	.summary = "print the JSON Schema of a report, snapshot, baseline, bench, diff or log's events",
	.usage = "schema baseline|bench|diff|events|report|snapshot|topology",
	.doc = "Print the JSON Schema (draft 2020-12) of a report, a snapshot, a baseline, a bench, a diff or the events\n"
	       "of a kernel log.\n"
	       "Example: gpudiag schema report",
	.options = no_options,
	.operand = COMPLETE_WORDS,
	.operand_words = schemas,
	.main = schema_main,
};
