/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - option tables: one row makes the parser, the help and the
 * completion.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* What an argument or operand can be, for the shell that completes it. */
enum completion {
	COMPLETE_NOTHING,	/* a number, a pattern, or no argument at all */
	COMPLETE_WORDS,		/* one of the row's words */
	COMPLETE_FILE,
	COMPLETE_FOLDER,
	COMPLETE_FORMAT,	/* FORMAT or FORMAT=FILE */
	COMPLETE_CHECKS,	/* checks, separated by commas */
	COMPLETE_IDS,		/* checks and findings */
};

struct option_row {
	const char *name;	/* long name without dashes */
	char letter;		/* short form, or 0 */
	const char *argument;	/* its name in the help, or NULL: takes none */
	const char *help;
	int id;			/* what option_next() returns */
	enum completion completion;
	const char *const *words; /* of COMPLETE_WORDS, the default first where there is one; ends with NULL */
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

/* The argument as a time; dies with status 64 naming the option where it is none, or not within min and max. */
uint64_t option_duration_ms(const struct option_parser *parser, uint64_t min_ms, uint64_t max_ms);

/* The argument's place among the row's words, or dies with status 64 naming them. */
size_t option_choice(const struct option_parser *parser);

/* path, or dies with status 64 where it is empty. */
const char *option_path(const struct option_parser *parser, const char *path);

/*
 * Dies with status 64: given is none of the words. "WHAT "GIVEN" (did you mean
 * "NEAREST"?); ADVICE", the part in brackets where one is near.
 */
NORETURN void die_no_such(const char *what, const char *given, const char *const *words, size_t nr,
			  const char *advice);

/* The same where the words are few: the advice names them all. */
NORETURN void die_no_such_word(const char *what, const char *given, const char *const *words, size_t nr);
