// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - finds the command and starts it. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <malloc.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/inherited_signals.h"
#include "sys/write_file.h"

const struct command *const commands[] = {
	&command_run,
	&command_gate,
	&command_collect,
	&command_import,
	&command_bench,
	&command_diff, &command_fleet,
	&command_list, &command_topology,
	&command_watch,
	&command_explain,
	&command_logs,
	&command_baseline,
	&command_policy,
	&command_schema,
	&command_integrate,
	&command_demo,
	&command_completion,
	&command_help, &command_version,
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

/*
 * A short run takes memory and gives it back many times. Each time that goes to the kernel costs more than what it is
 * for, in virtual machines above all.
 */
static void keep_memory(void)
{
	mallopt(M_TOP_PAD, 256 << 10);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_MMAP_THRESHOLD, 2 << 20);
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* Is that argument --format in full or a beginning of it that no other option has, with or without a value? */
static bool is_format_option(const char *argument)
{
	size_t len = strcspn(argument, "=");

	return len >= strlen("--fo") && len <= strlen("--format") && !strncmp(argument, "--format", len);
}

/*
 * Does a monitoring system call it as a plugin? It reads one line of standard output and the exit statuses 0 to 3; what
 * was typed wrong is no exception, and may stand before --format.
 */
static bool is_plugin(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i] && strcmp(argv[i], "--"); i++) {
		const char *next = argv[i + 1] ? argv[i + 1] : "";
		const char *value = NULL;

		if (!strncmp(argv[i], "-f", 2))
			value = argv[i][2] ? argv[i] + 2 : next;
		else if (is_format_option(argv[i]))
			value = strchr(argv[i], '=') ? strchr(argv[i], '=') + 1 : next;
		if (value && !strcmp(value, "nagios"))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	static char default_command[] = "run";
	const struct command *command = &command_run;

	alloc_failed = out_of_memory;
	keep_memory();
	inherited_signals_ignore();
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return help_on_program();
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
		return version_print();
	if (argc > 1 && argv[1][0] != '-') {
		command = command_by_name(argv[1]);
		argc--;
		argv++;
	}
	if (command == &command_run)
		argv[0] = default_command;	/* also where it was not named: the report says what was run */
	if (!command->hidden && asks_for_help(argc, argv))
		return help_on_command(command);
	if ((command == &command_run || command == &command_gate) && is_plugin(argc, argv))
		complain_as_plugin();
	return command->main(argc, argv);
}
