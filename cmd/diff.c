// SPDX-License-Identifier: GPL-2.0-or-later
/* diff.c - compares two files: snapshots or dumps, which are judged first, or JSON reports. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "checks/playbook.h"
#include "cmd/delivery.h"
#include "cmd/input.h"
#include "cmd/pager.h"
#include "cmd/policy_in_force.h"
#include "cmd/terminal.h"
#include "eval/diff/diff_side.h"
#include "render/diff.h"

/* Beside 0: nothing got worse. As a gate's. */
enum { EXIT_WORSE = 2, EXIT_NOT_COMPARABLE = 3 };

static const char *const format_words[] = { "text", "json", "markdown", "html", NULL };

struct diff_options {
	unsigned format;
	const char *output_path, *policy_path;
	enum terminal_colour colour;
	bool ascii;
	const char *paths[2];
};

static const struct option_row options[] = {
	OPTION_CHOICE("format", 'f', "FORMAT", "text (default), json, markdown or html", format_words,
		      struct diff_options, format),
	OPTION_FILE("output", 'o', "write to that file instead of standard output", struct diff_options, output_path),
	OPTION_FILE("policy", 0, "policy for judging snapshots (default: built-in)", struct diff_options, policy_path),
	TERMINAL_OPTION_ROWS(struct diff_options, colour, ascii),
	{ .name = NULL },
};

/* A file and what became of it. Zeroed is empty. */
struct given {
	struct snapshot snapshot;
	struct report report;
	bool is_judged;
	struct diff_side side;
	struct merge_unknown unknown;
};

/* Files may stand before the options and after them. */
static void parse(struct diff_options *diff, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .into = diff, .command = "diff" };
	size_t nr = 0;

	do {
		options_take(&parser);
		if (parser.at < argc && nr < ARRAY_SIZE(diff->paths))
			diff->paths[nr++] = option_path(&parser, argv[parser.at++]);
		else if (parser.at < argc)
			die(EXIT_USAGE, "diff: compares two files, \"%s\" is a third", argv[parser.at]);
	} while (parser.at < argc);
	if (nr < ARRAY_SIZE(diff->paths))
		die(EXIT_USAGE, "diff: name two files: snapshots or JSON reports");
	if (!strcmp(diff->paths[0], "-") && !strcmp(diff->paths[1], "-"))
		die(EXIT_USAGE, "diff: standard input can be one file, not two");
	for (size_t i = 0; i < nr; i++)
		check_not_replaced(diff->paths[i], diff->output_path);
	check_not_replaced(diff->policy_path, diff->output_path);
}

static bool is_snapshot(const struct json_doc *doc)
{
	const cJSON *schema = json_member(doc->root, "schema");

	return schema && cJSON_IsString(schema) && !strcmp(schema->valuestring, SNAPSHOT_SCHEMA);
}

static void judge_given(struct given *given, const struct policy *policy)
{
	judge(&given->report, &given->snapshot, &playbook, &(struct judge_inputs){ .policy = policy });
	given->is_judged = true;
	diff_side_of_report(&given->side, &given->report);
}

static void load_document(struct given *given, const char *name, const struct strbuf *text, const struct policy *policy)
{
	const struct merge_options merge = { .unknown = &given->unknown };
	struct json_error error = { .line = 0 };
	struct json_doc doc;

	if (json_parse(text->buf, text->len, 0, &doc, &error))
		die_input(name, &error);
	if (is_snapshot(&doc)) {
		if (snapshot_merge(&given->snapshot, &doc, doc.root, &merge, &error))
			die_input(name, &error);
		judge_given(given, policy);
	} else if (diff_side_of_document(&given->side, &doc, &error)) {
		die_input(name, &error);
	}
	json_release(&doc);
}

static void load(struct given *given, const char *path, const struct policy *policy)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *name;

	if (input_dump(path, &given->snapshot, &text, &name))
		judge_given(given, policy);
	else
		load_document(given, name, &text, policy);
}

static void release(struct given *given)
{
	diff_side_release(&given->side);
	if (given->is_judged)
		report_release(&given->report);
	snapshot_release(&given->snapshot);
}

static void say_what_was_given(struct diff *diff, const struct given *given)
{
	for (int i = 0; i < 2; i++)
		if (given[i].unknown.nr)
			strs_add(&diff->arena, &diff->messages,
				 arena_printf(&diff->arena,
					      "%zu unknown key%s of the %s file ignored by " TOOL " (first: \"%s\")",
					      given[i].unknown.nr, given[i].unknown.nr == 1 ? "" : "s",
					      i ? "second" : "first", given[i].unknown.first));
	if (given[0].is_judged != given[1].is_judged)
		strs_add(&diff->arena, &diff->messages,
			 "a snapshot and a report: only what a report holds is compared, "
			 "and their policies may differ");
}

static int tell(const struct diff_options *options_given, struct delivery *to, const struct diff *diff)
{
	struct render_options render = terminal_options(options_given->output_path, options_given->colour,
							options_given->ascii);
	STRBUF_AUTO text = STRBUF_INIT;
	int status;

	diff_formats[options_given->format].render(&text, diff, &render);
	status = page_delivery(to, text.buf, text.len);
	if (status)
		return status;
	if (!diff->nr_compared)
		return EXIT_NOT_COMPARABLE;
	return diff->is_worse ? EXIT_WORSE : 0;
}

static int diff_main(int argc, char **argv)
{
	struct diff_options asked = { .format = 0 };
	struct given given[2] = { { .is_judged = false } };
	struct arena arena = { .blocks = NULL };
	struct delivery to;
	struct policy policy;
	struct diff diff;
	int status;

	parse(&asked, argc, argv);
	delivery_open(&to, asked.output_path);
	policy_in_force(&policy, &arena, asked.policy_path, false);
	for (int i = 0; i < 2; i++)
		load(&given[i], asked.paths[i], &policy);
	diff_sides(&diff, &given[0].side, &given[1].side);
	say_what_was_given(&diff, given);
	status = tell(&asked, &to, &diff);
	diff_release(&diff);
	for (int i = 0; i < 2; i++)
		release(&given[i]);
	arena_release(&arena);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag diff before.json after.json", "what changed, and what got worse" },
	{ "gpudiag diff last-week.log.gz today.log.gz", "the same of two bug reports" },
	{ .command = NULL },
};

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two snapshots or reports: what changed, what got worse",
	.usage = "diff [OPTIONS] BEFORE AFTER",
	.doc = "Compare two snapshots (gpudiag collect) or JSON reports (gpudiag run --format json): hardware, "
	       "firmware, driver, kernel, settings, health, timings and verdict. Snapshots are judged first, both with "
	       "one policy. A bug report or other dump (gpudiag import) may stand for a snapshot. -: standard input.\n"
	       "Exit status: 0 nothing worse, 2 something worse, 3 nothing in common.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_FILE,
	.main = diff_main,
};
