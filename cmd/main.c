// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - finds the command and starts it. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <unistd.h>

#include "base/alloc.h"
#include "cmd/delivery.h"
#include "cmd/inherited_signals.h"
#include "render/render.h"

const struct command *const commands[] = {
	&command_run,
	&command_gate,
	&command_collect,
	&command_bench,
	&command_diff,
	&command_list, &command_topology,
	&command_watch,
	&command_explain,
	&command_logs,
	&command_baseline,
	&command_policy,
	&command_schema,
	&command_completion,
	&command_probe_worker,
	NULL,
};

static void out_of_memory(size_t size_bytes)
{
	char text[96];
	int len = snprintf(text, sizeof(text), "gpudiag: out of memory (%zu bytes)\n", size_bytes);

	if (write_all(STDERR_FILENO, text, (size_t)len))
		_exit(EXIT_INTERNAL);
	_exit(EXIT_INTERNAL);
}

static void usage(struct strbuf *out)
{
	strbuf_addstr(out, "gpudiag: find what is wrong with the GPUs of this node, and what to do next\n\n"
			   "usage: gpudiag [COMMAND] [OPTIONS]     (no command: run)\n\n");
	for (const struct command *const *command = commands; *command; command++)
		if (!(*command)->hidden)
			strbuf_addf(out, "  %-10s %s\n", (*command)->name, (*command)->summary);
	strbuf_addstr(out, "\nHelp on a command: gpudiag COMMAND --help. Manual: gpudiag(1).\n"
			   "  -h, --help     this text\n"
			   "  -V, --version  the version\n");
}

static int print(const struct strbuf *text)
{
	return deliver(text->buf, text->len);
}

static const struct command *find_command(const char *name)
{
	for (const struct command *const *command = commands; *command; command++)
		if (!strcmp((*command)->name, name))
			return *command;
	return NULL;
}

NORETURN static void die_unknown_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];
	size_t nr = 0;

	for (const struct command *const *command = commands; *command; command++)
		if (!(*command)->hidden)
			names[nr++] = (*command)->name;
	die_no_such("unknown command", name, names, nr, "see gpudiag --help");
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int command_help(const struct command *command)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "usage: gpudiag %s\n\n%s\n\n", command->usage, command->doc);
	options_help(&text, command->options);
	strbuf_addstr(&text, "  -h, --help                  this text\n");
	return print(&text);
}

int main(int argc, char **argv)
{
	static char default_command[] = "run";
	const struct command *command = &command_run;
	STRBUF_AUTO text = STRBUF_INIT;

	alloc_failed = out_of_memory;
	inherited_signals_ignore();
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))) {
		usage(&text);
		return print(&text);
	}
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		strbuf_addstr(&text, TOOL "\n");
		return print(&text);
	}
	if (argc > 1 && argv[1][0] != '-') {
		command = find_command(argv[1]);
		if (!command)
			die_unknown_command(argv[1]);
		argc--;
		argv++;
	}
	if (command == &command_run)
		argv[0] = default_command;	/* also where it was not named: the report says what was run */
	if (!command->hidden && asks_for_help(argc, argv))
		return command_help(command);
	return command->main(argc, argv);
}
