// SPDX-License-Identifier: GPL-2.0-or-later
/* help.c - the command that tells of the others. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "cmd/pager.h"
#include "cmd/terminal.h"
#include "render/lines.h"

static void usage(struct strbuf *out)
{
	strbuf_addstr(out, "gpudiag: find what is wrong with the GPUs of this node, and what to do next\n\n"
			   "usage: gpudiag [COMMAND] [OPTIONS]     (no command: run)\n\n");
	for (const struct command *const *command = commands; *command; command++)
		if (!(*command)->hidden)
			strbuf_addf(out, "  %-10s %s\n", (*command)->name, (*command)->summary);
	strbuf_addstr(out, "\nHelp on a command: gpudiag help COMMAND. Manual: gpudiag(1).\n"
			   "  -h, --help     this text\n"
			   "  -V, --version  version, commit and libraries\n");
}

/* The same page on every machine, but where a terminal has another width. */
static int tell(const struct strbuf *text)
{
	const struct render_options options = terminal_options(NULL, COLOUR_NEVER, false);
	STRBUF_AUTO wrapped = STRBUF_INIT;

	render_lines(&wrapped, text->buf, &options);
	return page(wrapped.buf, wrapped.len);
}

int help_on_program(void)
{
	STRBUF_AUTO text = STRBUF_INIT;

	usage(&text);
	return tell(&text);
}

static void examples(struct strbuf *out, const struct help_example *rows)
{
	int width = 0;

	strbuf_addstr(out, "\nExamples:\n");
	for (const struct help_example *row = rows; row->command; row++)
		if (row->what && (int)strlen(row->command) > width)
			width = (int)strlen(row->command);
	for (const struct help_example *row = rows; row->command; row++)
		if (row->what)
			strbuf_addf(out, "  %-*s  %s\n", width, row->command, row->what);
		else
			strbuf_addf(out, "  %s\n", row->command);
}

int help_on_command(const struct command *command)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "usage: gpudiag %s\n\n%s\n\n", command->usage, command->doc);
	options_help(&text, command->options);
	strbuf_addstr(&text, "  -h, --help                  this text\n");
	if (command->examples)
		examples(&text, command->examples);
	return tell(&text);
}

const struct command *command_by_name(const char *name)
{
	const char *names[MAX_COMMANDS];
	size_t nr = 0;

	for (const struct command *const *command = commands; *command; command++) {
		if (!strcmp((*command)->name, name))
			return *command;
		if (!(*command)->hidden && nr < ARRAY_SIZE(names))
			names[nr++] = (*command)->name;
	}
	die_no_such("unknown command", name, names, nr, "see gpudiag --help");
}

static int help_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "help" };

	options_take(&parser);
	if (parser.at + 1 < argc)
		die(EXIT_USAGE, "help: unexpected argument \"%s\": one command at a time", argv[parser.at + 1]);
	return parser.at < argc ? help_on_command(command_by_name(argv[parser.at])) : help_on_program();
}

static const struct help_example help_examples[] = {
	{ "gpudiag help gate", "the options of gpudiag gate" },
	{ .command = NULL },
};

const struct command command_help = {
	.name = "help",
	.summary = "print the help of gpudiag, or of one command",
	.usage = "help [COMMAND]",
	.doc = "Print all commands, or the options of one: the same as gpudiag COMMAND --help.",
	.examples = help_examples,
	.options = no_options,
	.operand = COMPLETE_COMMANDS,
	.main = help_main,
};
