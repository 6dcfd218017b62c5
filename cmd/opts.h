/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - option tables: one row makes the parser, the help and, later, the
 * completion.
 */
#ifndef GPUDIAG_CMD_OPTS_H
#define GPUDIAG_CMD_OPTS_H

#include <stdbool.h>

#include "base/strbuf.h"

struct option_row {
	const char *name;	/* long name without dashes */
	char letter;		/* short form, or 0 */
	const char *argument;	/* its name in the help, or NULL: takes none */
	const char *help;
	int id;			/* what option_next() returns */
};

struct option_parser {
	const struct option_row *rows;
	int argc;
	char **argv;
	int at;			/* after the last option: the first operand */
	const char *command;	/* for messages */
	/* of the option returned last */
	const char *argument;
	const struct option_row *row;
};

/*
 * The next option's id, or -1 when none is left ("--" ends them, operands may
 * not stand between options). GNU forms: --name=value, --name value, -ovalue,
 * -o value, any unambiguous beginning of a long name. Dies with status 64,
 * naming the nearest option, on one that does not exist.
 */
int option_next(struct option_parser *parser);

/* The options' part of a help text. */
void options_help(struct strbuf *out, const struct option_row *rows);

/* Whole numbers of arguments: dies with status 64 naming the option where it is none, or not within min and max. */
unsigned long option_number(const struct option_parser *parser, unsigned long min, unsigned long max);

/* The argument's place among nr words, or dies with status 64 naming them. */
size_t option_choice(const struct option_parser *parser, const char *const *words, size_t nr);

/* path, or dies with status 64 where it is empty. */
const char *option_path(const struct option_parser *parser, const char *path);

/* Dies with status 64: given is none of the words; names the nearest, or all. */
NORETURN void die_no_such_word(const char *what, const char *given, const char *const *words, size_t nr);

#endif
