// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet.c - many nodes: who must not get work, who is slower than its kind, what they share, who did not answer. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "base/text.h"
#include "cmd/delivery.h"
#include "cmd/fleet_read.h"
#include "cmd/pager.h"
#include "cmd/policy_in_force.h"
#include "cmd/terminal.h"
#include "render/fleet.h"

#define HOUR_MS UINT64_C(3600000)
#define MAX_AGE_MS (24 * HOUR_MS)
#define MOST_AGE_MS (UINT64_C(1000) * 24 * HOUR_MS)

static const char *const format_words[] = { "text", "json", "markdown", "html", "csv", "sql", NULL };
static const char *const pick_words[] = { "bad", "good", "missing", NULL };

/* What may be given more than once. */
struct given {
	struct arena arena;
	struct strs groups, paths, history;
};

struct fleet_options {
	unsigned format, pick;		/* pick: 0 none, else the fleet_pick + 1 */
	const char *output_path, *policy_path, *expect, *run_id;
	enum terminal_colour colour;
	bool ascii;
	uint64_t max_age_ms, allow_missing;
	struct given given;
};

static void take_expect(void *to, const struct option_parser *parser)
{
	*(const char **)to = parser->argument;
}

static void take_run_id(void *to, const struct option_parser *parser)
{
	*(const char **)to = option_run_id(parser);
}

static void take_allow_missing(void *to, const struct option_parser *parser)
{
	uint64_t *allowed = to;

	if (parse_u64(parser->argument, allowed) || *allowed > UINT32_MAX)
		die(EXIT_USAGE, "fleet: --allow-missing: \"%s\" is no number of nodes", parser->argument);
}

static void take_max_age(void *to, const struct option_parser *parser)
{
	*(uint64_t *)to = option_duration_ms(parser, 0, MOST_AGE_MS);
}

static void take_group(void *to, const struct option_parser *parser)
{
	struct given *given = to;

	strs_add(&given->arena, &given->groups, parser->argument);
}

static void take_history(void *to, const struct option_parser *parser)
{
	struct given *given = to;

	strs_add(&given->arena, &given->history, parser->argument);
}

static void take_pick(void *to, const struct option_parser *parser)
{
	*(unsigned *)to = (unsigned)option_choice(parser) + 1;
}

static const struct option_row options[] = {
	OPTION_TAKE("expect", 0, "WHO", "nodes that should answer: a number, a file of names, or gpu[001-128]", COMPLETE_FILE,
		    take_expect, struct fleet_options, expect),
	OPTION_LIST("group", 0, "NAME=FILE",
		    "where nodes stand, repeatable: rack=FILE, lines \"gpu001 r7\" or what kubectl or scontrol prints",
		    COMPLETE_NOTHING, take_group, struct fleet_options, given),
	OPTION_LIST("history", 0, "PATH", "older reports, repeatable: which cards are worse than they were", COMPLETE_FILE,
		    take_history, struct fleet_options, given),
	OPTION_TAKE("run-id", 0, "ID", "reports of that run alone judge (gpudiag run --run-id), others are history",
		    COMPLETE_NOTHING, take_run_id, struct fleet_options, run_id),
	OPTION_TAKE("max-age", 0, "TIME", "a node whose last report is so much older than the others' did not answer (24h)",
		    COMPLETE_NOTHING, take_max_age, struct fleet_options, max_age_ms),
	OPTION_TAKE("allow-missing", 0, "N", "exit 3 only if more than N nodes did not answer", COMPLETE_NOTHING,
		    take_allow_missing, struct fleet_options, allow_missing),
	{ .name = "nodes", .argument = "WHICH", .help = "print only a list of nodes: bad, good or missing",
	  .completion = COMPLETE_WORDS, .words = pick_words, .take = take_pick,
	  .at = offsetof(struct fleet_options, pick) },
	OPTION_FILE("policy", 0, "limits from that file (gpudiag policy); built-in: defaults", struct fleet_options,
		    policy_path),
	OPTION_CHOICE("format", 'f', "FORMAT", "text (default), json, markdown, html, csv or sql", format_words,
		      struct fleet_options, format),
	OPTION_FILE("output", 'o', "write to that file instead of standard output", struct fleet_options, output_path),
	TERMINAL_OPTION_ROWS(struct fleet_options, colour, ascii),
	{ .name = NULL },
};

static void parse(struct fleet_options *asked, int argc, char **argv)
{
	struct option_parser parser = {
		.rows = options, .argc = argc, .argv = argv, .into = asked, .command = "fleet"
	};
	size_t nr_stdin = 0;

	do {
		options_take(&parser);
		if (parser.at < argc)
			strs_add(&asked->given.arena, &asked->given.paths, option_path(&parser, argv[parser.at++]));
	} while (parser.at < argc);
	if (!asked->given.paths.nr)
		die(EXIT_USAGE, "fleet: name reports: files, folders, or - for standard input");
	if (asked->pick && asked->format)
		die(EXIT_USAGE, "fleet: --nodes prints a list of nodes, and has no --format");
	for (size_t i = 0; i < asked->given.paths.nr; i++) {
		check_not_replaced(asked->given.paths.v[i], asked->output_path);
		nr_stdin += !strcmp(asked->given.paths.v[i], "-");
	}
	if (nr_stdin + (asked->expect && !strcmp(asked->expect, "-")) > 1)
		die(EXIT_USAGE, "fleet: standard input can be one of its files, not two");
}

static void read_all(const struct fleet_options *asked, struct fleet *fleet, const struct policy *policy)
{
	fleet->is_history = true;
	for (size_t i = 0; i < asked->given.history.nr; i++)
		fleet_read(fleet, asked->given.history.v[i], policy);
	fleet->is_history = false;
	for (size_t i = 0; i < asked->given.paths.nr; i++)
		fleet_read(fleet, asked->given.paths.v[i], policy);
	if (asked->expect)
		fleet_read_expected(fleet, asked->expect);
	for (size_t i = 0; i < asked->given.groups.nr; i++)
		fleet_read_label(fleet, asked->given.groups.v[i]);
}

static int tell(const struct fleet_options *asked, struct delivery *to, const struct fleet *fleet)
{
	struct render_options how = terminal_options(asked->output_path, asked->colour, asked->ascii);
	STRBUF_AUTO text = STRBUF_INIT;
	int status;

	if (asked->pick) {
		render_fleet_nodes(&text, fleet, (enum fleet_pick)(asked->pick - 1));
		status = delivery_put(to, text.buf, text.len);
	} else {
		fleet_formats[asked->format].render(&text, fleet, &how);
		status = page_delivery(to, text.buf, text.len);
	}
	return status ? status : fleet->exit_status;
}

static int fleet_main(int argc, char **argv)
{
	struct fleet_options asked = { .max_age_ms = MAX_AGE_MS };
	struct fleet fleet = { .nr_records = 0 };
	struct fleet_rules rules;
	struct policy policy;
	struct delivery to;
	int status;

	parse(&asked, argc, argv);
	delivery_open(&to, asked.output_path);
	policy_in_force(&policy, &asked.given.arena, asked.policy_path, false);
	read_all(&asked, &fleet, &policy);
	rules = (struct fleet_rules){ .policy = &policy, .max_age_ms = (int64_t)asked.max_age_ms,
				      .allow_missing = (uint32_t)asked.allow_missing, .run_id = asked.run_id };
	fleet_judge(&fleet, &rules);
	status = tell(&asked, &to, &fleet);
	fleet_release(&fleet);
	arena_release(&asked.given.arena);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag fleet reports/", "all reports of a folder" },
	{ "gpudiag fleet --expect 'gpu[001-128]' --group rack=racks.txt reports/",
	  "and who is missing, and what they share" },
	{ "gpudiag fleet --history last-month/ reports/", "and which cards are worse than they were" },
	{ "gpudiag fleet -", "of a pipe, as from clush or srun" },
	{ "gpudiag fleet --nodes bad reports/", "for the --exclude= of a job" },
	{ .command = NULL },
};

const struct command command_fleet = {
	.name = "fleet",
	.summary = "many nodes: who is bad, who is slower than its kind, what they share, who is missing",
	.usage = "fleet [OPTIONS] REPORT|SNAPSHOT|FOLDER|-…",
	.doc = "Judge the reports of many nodes together: which nodes must not get work, which GPUs are out of line with "
	       "others of their model, firmware, driver and settings, what those have in common (node, slot, rack, batch "
	       "of cards), and which nodes did not answer. Reports are those of gpudiag run -f jsonl or -f json, or "
	       "snapshots, one a file or one a line, labelled by a launcher or not. Of several of one node the newest "
	       "counts.\n"
	       "Exit status: 0 all good and all there, 1 warnings or GPUs out of line, worse than before or set otherwise, "
	       "2 nodes that must not get work, 3 nodes that did not answer or could not be judged, reports that could "
	       "not be read.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_FILE,
	.main = fleet_main,
};
