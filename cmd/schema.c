// SPDX-License-Identifier: GPL-2.0-or-later
/* schema.c - prints the JSON Schemas of what gpudiag writes. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/embedded.h"
#include "cmd/pager.h"
#include "render/render.h"

static const char *const schemas[] = {
	"baseline", "bench", "diff", "events", "fleet", "report", "snapshot", "topology", "watch", NULL,
};
/* The snapshot's is made from the tables of its records. */
static const char *const texts[] = {
	embedded_man_baseline_schema_json, embedded_man_bench_schema_json, embedded_man_diff_schema_json,
	embedded_man_events_schema_json, embedded_man_fleet_schema_json, embedded_man_report_schema_json, NULL,
	embedded_man_topology_schema_json, embedded_man_watch_schema_json,
};

static int schema_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "schema" };
	STRBUF_AUTO text = STRBUF_INIT;
	size_t at = 0;

	options_take(&parser);
	if (parser.at + 1 != argc)
		die(EXIT_USAGE,
		    "schema: name one: baseline, bench, diff, events, fleet, report, snapshot, topology or watch");
	while (schemas[at] && strcmp(schemas[at], argv[parser.at]) != 0)
		at++;
	if (!schemas[at])
		die_no_such_word("schema", argv[parser.at], schemas, ARRAY_SIZE(schemas) - 1);
	if (texts[at])
		strbuf_addstr(&text, texts[at]);
	else
		render_snapshot_schema(&text);
	return page(text.buf, text.len);
}

static const struct help_example examples[] = {
	{ "gpudiag schema report", "what gpudiag -f json prints" },
	{ .command = NULL },
};

const struct command command_schema = {
	.name = "schema",
	.summary = "print the JSON Schema of a report, snapshot, baseline, bench, diff or log's events",
	.usage = "schema baseline|bench|diff|events|fleet|report|snapshot|topology|watch",
	.doc = "Print the JSON Schema (draft 2020-12) of a report, a snapshot, a baseline, a bench, a diff, the events "
	       "of a kernel log, a watch, or a fleet.",
	.examples = examples,
	.options = no_options,
	.operand = COMPLETE_WORDS,
	.operand_words = schemas,
	.main = schema_main,
};
