/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd.h - the commands. Each parses its options, calls lib and chooses the
 * exit status; none holds facts or logic. This is the one place that prints
 * errors and ends the process.
 *
 * To add one: a file here with its struct command, a row in main.c, a page in
 * man/. Help and option parsing come from its option table.
 */
#pragma once

#include "base/compat.h"
#include "cmd/opts.h"

/* Exit statuses beside a run's 0 to 3 (sysexits' numbers for usage and software; the shell's for signals). */
enum {
	EXIT_PLUGIN_UNKNOWN = 3,	/* of the two below, to a monitoring system */
	EXIT_USAGE = 64,	/* usage, or an input file that cannot be used */
	EXIT_INTERNAL = 70,	/* gpudiag itself failed: a full disk, no memory */
	EXIT_CANNOT_RUN = 126,	/* as shells say it: another program could not be run, */
	EXIT_NO_COMMAND = 127,	/* or was not found */
	EXIT_SIGNAL = 128,	/* plus the signal's number: interrupted */
};

struct help_example {
	const char *command;
	const char *what;		/* it does, where it does not speak for itself; or NULL */
};

struct command {
	const char *name;
	const char *summary;		/* for the list of commands */
	const char *usage;		/* "run [options]" */
	const char *doc;		/* paragraphs for --help, a line each */
	const struct help_example *examples;	/* ends with a NULL command */
	const struct option_row *options;	/* ends with a NULL name */
	enum completion operand;		/* what it takes beside options */
	const char *const *operand_words;	/* of COMPLETE_WORDS; ends with NULL */
	int (*main)(int argc, char **argv);	/* argv[0] is the command's name */
	bool hidden;
};

extern const struct command command_run, command_gate, command_collect, command_import, command_bench, command_baseline,
	command_diff, command_fleet, command_list, command_topology, command_watch, command_explain, command_policy,
	command_logs, command_schema, command_completion, command_integrate, command_demo, command_help,
	command_version, command_probe_worker;
/* All commands in the order of the help; ends with NULL. */
extern const struct command *const commands[];

#define TOOL "gpudiag " GPUDIAG_VERSION

/* The command of that name, or dies with status 64 naming the nearest. */
enum { MAX_COMMANDS = 32 };
const struct command *command_by_name(const char *name);

/* help.c, version.c: print, and return the exit status. */
int help_on_program(void);
int help_on_command(const struct command *command);
int version_print(void);

/* "gpudiag: …" on standard error. */
void complain(const char *format, ...) PRINTF_LIKE(1, 2);
/*
 * From here on die() is for a monitoring system: one line on standard output, and the exit status that means unknown,
 * as those of usage and of internal errors mean nothing to it.
 */
void complain_as_plugin(void);
/* The same as complain(), then exits. */
NORETURN void die(int status, const char *format, ...) PRINTF_LIKE(2, 3);
