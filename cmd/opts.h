/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - option tables: one row makes the parser, the help and the
 * completion, and says where the argument is kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "snapshot/value.h"

/* What an argument or operand can be, for the shell that completes it. */
enum completion {
	COMPLETE_NOTHING,	/* a number, a pattern, or no argument at all */
	COMPLETE_WORDS,		/* one of the row's words */
	COMPLETE_FILE,
	COMPLETE_FOLDER,
	COMPLETE_FORMAT,	/* FORMAT or FORMAT=FILE */
	COMPLETE_CHECKS,	/* checks, separated by commas */
	COMPLETE_SELECTION,	/* the same, and stages */
	COMPLETE_COMMANDS,
	COMPLETE_IDS,		/* checks and findings */
};

struct option_parser;

struct option_row {
	const char *name;	/* long name without dashes */
	char letter;		/* short form, or 0 */
	const char *argument;	/* its name in the help, or NULL: takes none */
	const char *help;
	enum completion completion;
	const char *const *words; /* of COMPLETE_WORDS, the default first where there is one; ends with NULL */
	uint64_t least_ms, most_ms; /* of option_take_val_ms() */
	bool repeats;		/* several add up; otherwise two that differ are refused, as one would be lost */
	void (*take)(void *to, const struct option_parser *parser);
	size_t at;		/* to, from where parser->into begins */
};

enum { MAX_OPTION_ROWS = 64 };

struct option_parser {
	const struct option_row *rows;
	int argc;
	char **argv;
	void *into;		/* the command's struct, in which the rows' places are */
	int at;			/* after the last option: the first operand */
	const char *command;	/* for messages */
	const char *instead;	/* said of an option that there is not: "; a report: gpudiag run …"; NULL: nothing */
	const struct option_row *first;	/* of all that were read */
	const char *given[MAX_OPTION_ROWS];	/* by row: its last argument, "" where it takes none; NULL: not given */
	/* of the option being taken */
	const char *argument;
	const struct option_row *row;
};

/* The place of a member, which has to be of the type that the option's function takes. */
#define OPTION_PLACE(type, of, member) _Generic(&((of *)0)->member, type *: offsetof(of, member))

/* Rows, by what is kept: what its own function makes of it, true, a path, a word's place, and the same as values. */
#define OPTION_TAKE(name_, letter_, argument_, help_, completion_, take_, of, member)                                  \
	{ .name = name_, .letter = letter_, .argument = argument_, .help = help_, .completion = completion_,           \
	  .take = take_, .at = offsetof(of, member) }
/* The same, of which several add up. */
#define OPTION_LIST(name_, letter_, argument_, help_, completion_, take_, of, member)                                  \
	{ .name = name_, .letter = letter_, .argument = argument_, .help = help_, .completion = completion_,           \
	  .take = take_, .at = offsetof(of, member), .repeats = true }
#define OPTION_FLAG(name_, letter_, help_, of, member)                                                                 \
	{ .name = name_, .letter = letter_, .help = help_, .take = option_take_flag,                                   \
	  .at = OPTION_PLACE(bool, of, member) }
#define OPTION_FILE(name_, letter_, help_, of, member)                                                                 \
	{ .name = name_, .letter = letter_, .argument = "FILE", .help = help_, .completion = COMPLETE_FILE,            \
	  .take = option_take_path, .at = OPTION_PLACE(const char *, of, member) }
#define OPTION_FOLDER(name_, help_, of, member)                                                                        \
	{ .name = name_, .argument = "DIR", .help = help_, .completion = COMPLETE_FOLDER,                              \
	  .take = option_take_path, .at = OPTION_PLACE(const char *, of, member) }
#define OPTION_CHOICE(name_, letter_, argument_, help_, words_, of, member)                                            \
	{ .name = name_, .letter = letter_, .argument = argument_, .help = help_, .completion = COMPLETE_WORDS,        \
	  .words = words_, .take = option_take_choice, .at = OPTION_PLACE(unsigned, of, member) }
#define OPTION_VAL_FLAG(name_, help_, of, member)                                                                      \
	{ .name = name_, .help = help_, .take = option_take_val_flag, .at = OPTION_PLACE(struct val_bool, of, member) }
#define OPTION_VAL_FOLDER(name_, help_, of, member)                                                                    \
	{ .name = name_, .argument = "DIR", .help = help_, .completion = COMPLETE_FOLDER,                              \
	  .take = option_take_val_path, .at = OPTION_PLACE(struct val_str, of, member) }
#define OPTION_VAL_CHOICE(name_, argument_, help_, words_, of, member)                                                 \
	{ .name = name_, .argument = argument_, .help = help_, .completion = COMPLETE_WORDS, .words = words_,          \
	  .take = option_take_val_choice, .at = OPTION_PLACE(struct val_str, of, member) }
#define OPTION_VAL_MS(name_, help_, least_ms_, most_ms_, of, member)                                                   \
	{ .name = name_, .argument = "TIME", .help = help_, .least_ms = least_ms_, .most_ms = most_ms_,                \
	  .take = option_take_val_ms, .at = OPTION_PLACE(struct val_u64, of, member) }

void option_take_flag(void *to, const struct option_parser *parser);
void option_take_path(void *to, const struct option_parser *parser);
void option_take_choice(void *to, const struct option_parser *parser);
void option_take_val_flag(void *to, const struct option_parser *parser);
void option_take_val_path(void *to, const struct option_parser *parser);
void option_take_val_choice(void *to, const struct option_parser *parser);
void option_take_val_ms(void *to, const struct option_parser *parser);

/* Of a command without options. */
extern const struct option_row no_options[];

/*
 * Takes the options up to the first operand ("--" ends them, too). GNU forms:
 * --name=value, --name value, -ovalue, -o value, any unambiguous beginning of a
 * long name. Dies with status 64, naming the nearest option, on one that does
 * not exist, and on one given twice with two arguments.
 */
void options_take(struct option_parser *parser);

/*
 * The same of a command whose operands may stand before the options and after them: puts those there are into ret,
 * which has room for `most`. Dies with status 64 on one more; only: in that message, "one list at a time".
 */
void options_take_with_operands(struct option_parser *parser, const char **ret, size_t most, const char *only);

/* Was that option among those taken? */
bool option_given(const struct option_parser *parser, const char *name);

/* The options' part of a help text. */
void options_help(struct strbuf *out, const struct option_row *rows);

/* The name of a run of many nodes: letters, digits and "._:-", dies with status 64 on another. */
enum { MAX_RUN_ID_BYTES = 64 };
const char *option_run_id(const struct option_parser *parser);

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
