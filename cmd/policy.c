// SPDX-License-Identifier: GPL-2.0-or-later
/* policy.c - prints the thresholds in force, as a policy file. */
#include "base/compat.h"
#include "cmd/cmd.h"
#include "cmd/delivery.h"
#include "cmd/policy_in_force.h"
#include "render/render.h"
#include "sys/clock.h"

enum { OPT_DEFAULT, OPT_POLICY, OPT_CHECK };

static const struct option_row options[] = {
	{ "default", 0, NULL, "print the built-in policy", OPT_DEFAULT, COMPLETE_NOTHING, NULL },
	{ "policy", 0, "FILE", "print that file's policy, with built-in defaults", OPT_POLICY, COMPLETE_FILE, NULL },
	{ "check", 0, "FILE", "check that file, and print every error", OPT_CHECK, COMPLETE_FILE, NULL },
	{ .name = NULL },
};

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
	return deliver(text.buf, text.len);
}

static int policy_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "policy" };
	struct arena arena = { .blocks = NULL };
	const char *path = NULL, *checked = NULL;
	int id, status;

	while ((id = option_next(&parser)) >= 0) {
		const char *given = id == OPT_DEFAULT ? POLICY_BUILT_IN_WORD : option_path(&parser, parser.argument);

		if (checked || (id == OPT_CHECK && path))
			die(EXIT_USAGE, "policy: --check takes one file and no other option");
		if (path && strcmp(path, given) != 0)
			die(EXIT_USAGE, "policy: print one policy at a time: --default or --policy FILE");
		if (id == OPT_CHECK)
			checked = given;
		else
			path = given;
	}
	if (parser.at < argc)
		die(EXIT_USAGE, "policy: unexpected argument \"%s\": use --check FILE or --policy FILE",
		    argv[parser.at]);
	status = checked ? check_file(&arena, checked) : print_policy(&arena, path);
	arena_release(&arena);
	return status;
}

const struct command command_policy = {
	.name = "policy",
	.summary = "print the thresholds in force, their meaning and source",
	.usage = "policy [OPTIONS]",
	.doc = "Print everything that a policy file may set, as JSON with comments: value, meaning, unit, default and its\n"
	       "source. The output is itself a policy file. " POLICY_OF_MACHINE " is used if it exists,\n"
	       "otherwise the built-in policy.\n"
	       "Examples: gpudiag policy > policy.json, gpudiag policy --check policy.json",
	.options = options,
	.main = policy_main,
};
