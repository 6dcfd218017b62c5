// SPDX-License-Identifier: GPL-2.0-or-later
/* policy.c - prints the thresholds in force, as a policy file. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/delivery.h"
#include "cmd/pager.h"
#include "cmd/policy_in_force.h"
#include "render/render.h"
#include "sys/clock.h"

/* The file is in order all the same: the exit status does not tell of them. */
static void warn_of_doubts(struct arena *arena, const struct policy *policy, const char *name)
{
	struct policy_errors doubts;
	char today[32];

	clock_time_of_day(today);
	today[strlen("2026-12-31")] = '\0';
	policy_warn(arena, policy, today, &doubts);
	for (size_t i = 0; i < doubts.nr; i++)
		complain("%s:%u: warning: %s", name, doubts.items[i].line, doubts.items[i].what);
}

static int check_file(struct arena *arena, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO clean = STRBUF_INIT;
	struct policy policy;
	const char *name = policy_read(&policy, arena, path);

	warn_of_doubts(arena, &policy, name);
	strbuf_addf(&text, "%s: in order, %s", name, policy_in_words(arena, &policy));
	render_clean(&clean, text.buf, false);
	strbuf_addch(&clean, '\n');
	return deliver(clean.buf, clean.len);
}

static int print_policy(struct arena *arena, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct policy policy;

	policy_in_force(&policy, arena, path, true);
	render_policy(&text, &policy);
	return page(text.buf, text.len);
}

struct asked {
	const char *path, *checked;
};

static void take_option(void *to, const struct option_parser *parser)
{
	struct asked *asked = to;
	bool is_check = !strcmp(parser->row->name, "check");
	const char *given = parser->argument ? option_path(parser, parser->argument) : POLICY_BUILT_IN_WORD;

	if (asked->checked || (is_check && asked->path))
		die(EXIT_USAGE, "policy: --check takes one file and no other option");
	if (asked->path && strcmp(asked->path, given) != 0)
		die(EXIT_USAGE, "policy: print one policy at a time: --default or --policy FILE");
	*(is_check ? &asked->checked : &asked->path) = given;
}

static const struct option_row options[] = {
	{ .name = "default", .help = "print the built-in policy", .take = take_option },
	{ .name = "policy", .argument = "FILE", .help = "print that file's policy, with built-in defaults",
	  .completion = COMPLETE_FILE, .take = take_option },
	{ .name = "check", .argument = "FILE", .help = "check that file, and print every error",
	  .completion = COMPLETE_FILE, .take = take_option },
	{ .name = NULL },
};

static int policy_main(int argc, char **argv)
{
	struct asked asked = { .path = NULL };
	struct option_parser parser = {
		.rows = options, .argc = argc, .argv = argv, .into = &asked, .command = "policy"
	};
	struct arena arena = { .blocks = NULL };
	int status;

	options_take(&parser);
	if (parser.at < argc)
		die(EXIT_USAGE, "policy: unexpected argument \"%s\": use --check FILE or --policy FILE",
		    argv[parser.at]);
	status = asked.checked ? check_file(&arena, asked.checked) : print_policy(&arena, asked.path);
	arena_release(&arena);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag policy > policy.json", "all thresholds, to be changed" },
	{ "gpudiag policy --check policy.json", "is the file in order?" },
	{ .command = NULL },
};

const struct command command_policy = {
	.name = "policy",
	.summary = "print the thresholds in force, their meaning and source",
	.usage = "policy [OPTIONS]",
	.doc = "Print everything that a policy file may set, as JSON with comments: value, meaning, unit, default and "
	       "its source. The output is itself a policy file. " POLICY_OF_MACHINE
	       " is used if it exists, otherwise the "
	       "built-in policy.",
	.examples = examples,
	.options = options,
	.main = policy_main,
};
