// SPDX-License-Identifier: GPL-2.0-or-later
/* run.c - the playbook: look, judge, tell. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <unistd.h>

#include "base/json.h"
#include "checks/playbook.h"
#include "cmd/input.h"
#include "cmd/judging.h"
#include "cmd/look.h"
#include "cmd/terminal.h"
#include "render/render.h"

enum { OPT_FORMAT = NR_LOOK_OPTIONS, OPT_OUTPUT, OPT_SNAPSHOT, OPT_COLOR, OPT_ASCII, OPT_QUIET };

static const struct option_row options[] = {
	LOOK_OPTION_ROWS,
	{"check", 0, "ID,…", "only these checks", LOOK_CHECK, COMPLETE_CHECKS, NULL},
	{"skip", 0, "ID,…", "all checks but these", LOOK_SKIP, COMPLETE_CHECKS, NULL},
	{"expect-gpus", 0, "N[:MODEL]", "how many GPUs belong here, and which; 0 makes none a pass", LOOK_EXPECT_GPUS,
	 COMPLETE_NOTHING, NULL},
	{"snapshot", 0, "FILE", "judge a saved snapshot instead of this machine; - is standard input", OPT_SNAPSHOT,
	 COMPLETE_FILE, NULL},
	JUDGE_OPTION_ROWS,
	{"format", 'f', "FORMAT[=FILE]",
	 "text (default), line, json, snapshot, markdown, junit, github, nagios; may be repeated", OPT_FORMAT,
	 COMPLETE_FORMAT, NULL},
	{"quiet", 'q', NULL, "say nothing where there is nothing to do, else one line: --format line", OPT_QUIET,
	 COMPLETE_NOTHING, NULL},
	{"output", 'o', "FILE", "write there what would go to standard output", OPT_OUTPUT, COMPLETE_FILE, NULL},
	{"color", 0, "WHEN", "auto (default), always or never", OPT_COLOR, COMPLETE_WORDS, terminal_colours},
	{"ascii", 0, NULL, "no character beyond ASCII", OPT_ASCII, COMPLETE_NOTHING, NULL},
	{.name = NULL},
};

enum { MAX_OUTPUTS = 16 };

struct run_options {
	struct look look;
	struct judging_options judging;
	const char *snapshot_path;
	const char *output_path;
	struct { const struct format *format; const char *path; } outputs[MAX_OUTPUTS];
	size_t nr_outputs;
	enum terminal_colour colour;
	bool ascii;
};

NORETURN static void die_no_such_format(const char *given)
{
	const char *names[MAX_OUTPUTS];
	size_t nr = 0;

	while (formats[nr].name && nr < ARRAY_SIZE(names)) {
		names[nr] = formats[nr].name;
		nr++;
	}
	die_no_such_word("--format", given, names, nr);
}

/* argument is FORMAT or FORMAT=FILE. */
static void add_output(struct run_options *run, const struct option_parser *parser, const char *argument)
{
	size_t len = strcspn(argument, "=");
	STRBUF_AUTO name = STRBUF_INIT;
	const struct format *format;

	strbuf_add(&name, argument, len);
	format = format_by_name(name.buf);
	if (!format)
		die_no_such_format(name.buf);
	if (run->nr_outputs == MAX_OUTPUTS)
		die(EXIT_USAGE, "--format: more than %d outputs", MAX_OUTPUTS);
	run->outputs[run->nr_outputs].format = format;
	run->outputs[run->nr_outputs++].path =
		argument[len] ? option_path(parser, argument + len + 1) : NULL;
}

/* Two formats in one place: the one would be lost in a file, and behind the other on standard output. */
static void check_places(const struct run_options *run)
{
	for (size_t i = 1; i < run->nr_outputs; i++)
		for (size_t k = 0; k < i; k++) {
			const char *one = run->outputs[k].path, *two = run->outputs[i].path;

			if (is_stdout(one) != is_stdout(two) || (!is_stdout(one) && strcmp(one, two) != 0))
				continue;
			die(EXIT_USAGE,
			    "--format: %s and %s would go to the same place: give one a file, as in --format %s=FILE",
			    run->outputs[k].format->name, run->outputs[i].format->name, run->outputs[i].format->name);
		}
}

/* What has no file of its own goes to -o or standard output. */
static void check_outputs(struct run_options *run)
{
	bool output_is_used = false;

	if (!run->nr_outputs)
		run->outputs[run->nr_outputs++].format = &formats[0];
	for (size_t i = 0; i < run->nr_outputs; i++) {
		if (run->outputs[i].path)
			continue;
		run->outputs[i].path = run->output_path;
		output_is_used = true;
	}
	check_places(run);
	if (run->output_path && !output_is_used)
		die(EXIT_USAGE, "-o: every format has a file of its own already");
}

static void parse(struct run_options *run, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "run" };
	int id;

	while ((id = option_next(&parser)) >= 0) {
		switch (id) {
		case OPT_FORMAT:
			add_output(run, &parser, parser.argument);
			break;
		case OPT_QUIET:
			add_output(run, &parser, "line");
			break;
		case OPT_OUTPUT:
			run->output_path = option_path(&parser, parser.argument);
			break;
		case OPT_SNAPSHOT:
			run->snapshot_path = option_path(&parser, parser.argument);
			break;
		case OPT_COLOR:
			run->colour = (enum terminal_colour)option_choice(&parser);
			break;
		case OPT_ASCII:
			run->ascii = true;
			break;
		default:
			if (!judging_option(&run->judging, &run->look.policy_arena, &parser, id))
				look_option(&run->look, &parser, id);
			break;
		}
	}
	if (parser.at < argc)
		die(EXIT_USAGE, "run: takes no \"%s\"; options begin with --", argv[parser.at]);
	if (run->snapshot_path && run->look.root)
		die(EXIT_USAGE, "run: --snapshot and --root are two different things to look at: give one");
	if (run->snapshot_path && is_known(run->look.snapshot.request.driver_root))
		die(EXIT_USAGE, "run: --snapshot and --driver-root: no library is asked about a snapshot");
	if (run->snapshot_path && bool_or(run->look.snapshot.request.pid_is_self, false))
		die(EXIT_USAGE, "run: --pid self: this run is in no snapshot; give the number of a process that is");
	if (run->snapshot_path && run->look.policy_path && !strcmp(run->snapshot_path, "-") &&
	    !strcmp(run->look.policy_path, "-"))
		die(EXIT_USAGE, "run: --snapshot and --policy cannot both be standard input");
	check_outputs(run);
}

/* All are rendered before the first is written, so that a full disk does not cost the others. */
static int tell(const struct run_options *run, const struct report *report)
{
	struct strbuf texts[MAX_OUTPUTS];
	int status = 0;

	for (size_t i = 0; i < run->nr_outputs; i++) {
		struct render_options render = terminal_options(run->outputs[i].path, run->colour, run->ascii);

		texts[i] = (struct strbuf)STRBUF_INIT;
		run->outputs[i].format->render(&texts[i], report, &render);
	}
	for (int to_stdout = 0; to_stdout <= 1; to_stdout++) {
		/* Files first: standard output may wait for its reader for ever, and a signal ends that. */
		if (to_stdout)
			look_release_signals();
		for (size_t i = 0; i < run->nr_outputs; i++) {
			int r = 0;

			if (is_stdout(run->outputs[i].path) == to_stdout)
				r = deliver(run->outputs[i].path, texts[i].buf, texts[i].len);
			if (r)
				status = r;
		}
	}
	for (size_t i = 0; i < run->nr_outputs; i++)
		strbuf_release(&texts[i]);
	return status;
}

/* A replay is judged as it was asked for then, but for what is asked now. */
static void load(struct run_options *run, struct merge_unknown *unknown)
{
	struct request asked = run->look.snapshot.request, *request;
	struct snapshot given = run->look.snapshot;	/* owns the texts of what is asked now */

	input_snapshot(run->snapshot_path, &run->look.snapshot, unknown);
	request = &run->look.snapshot.request;
	if (asked.only_checks.nr)
		request->only_checks = (struct strs){ .nr = 0 };
	for (size_t i = 0; i < asked.only_checks.nr; i++)
		strs_add(&run->look.snapshot.arena, &request->only_checks, asked.only_checks.v[i]);
	if (asked.skip_checks.nr)
		request->skip_checks = (struct strs){ .nr = 0 };
	for (size_t i = 0; i < asked.skip_checks.nr; i++)
		strs_add(&run->look.snapshot.arena, &request->skip_checks, asked.skip_checks.v[i]);
	if (is_known(asked.expect_gpus))
		request->expect_gpus = asked.expect_gpus;
	if (is_known(asked.expect_model))
		request->expect_model =
			val_str(arena_strdup(&run->look.snapshot.arena, str_or(asked.expect_model, "")));
	if (is_known(asked.opencl_type))
		request->opencl_type = asked.opencl_type;
	if (is_known(asked.level))
		request->level = asked.level;
	if (is_known(asked.pid))
		request->pid = asked.pid;
	snapshot_release(&given);
}

static int run_main(int argc, char **argv)
{
	struct run_options run = { .colour = 0 };
	struct merge_unknown unknown = { .nr = 0 };
	struct report report;
	int status, r;

	parse(&run, argc, argv);
	look_policy(&run.look, run.snapshot_path);
	if (run.snapshot_path)
		load(&run, &unknown);
	judging_require(&run.judging, &run.look.snapshot.request, &run.look.policy_arena, &run.look.policy);
	if (!run.snapshot_path)
		look_run(&run.look, argc, argv);
	judge(&report, &run.look.snapshot, &playbook, &(struct basis){ .policy = &run.look.policy });
	judging_exit_status(&run.judging, &report);
	if (unknown.nr)
		strs_add(&report.arena, &report.messages,
			 arena_printf(&report.arena,
				      "%zu key%s of the snapshot unknown to " TOOL " left out (first: \"%s\", line %u)",
				      unknown.nr, unknown.nr == 1 ? "" : "s", unknown.first, unknown.first_line));
	if (run.snapshot_path && !str_is(run.look.snapshot.run.tool, TOOL))
		strs_add(&report.arena, &report.messages,
			 arena_printf(&report.arena, "the snapshot was taken by %s and judged by " TOOL,
				      str_or(run.look.snapshot.run.tool, "an unknown version")));
	status = report.exit_status;
	if (run.look.signal)
		status = EXIT_SIGNAL + run.look.signal;
	r = tell(&run, &report);
	report_release(&report);
	look_release(&run.look);
	return r ? r : status;
}

const struct command command_run = {
	.name = "run",
	.summary = "walks the playbook and tells what is wrong and what to do (the default)",
	.usage = "[run] [OPTIONS]",
	.doc = "Looks at this machine's GPUs, their drivers, links, memory and speed, in a fixed order, and ends in one\n"
	       "sentence, a verdict and a next step. Reads only; loads no GPU that somebody uses; resets nothing.\n"
	       "Exit status: 0 pass, 1 warn, 2 fail, 3 a required check could not be judged; 64 usage or bad input,\n"
	       "70 gpudiag itself failed, 130 and 143 interrupted.",
	.options = options,
	.main = run_main,
};
