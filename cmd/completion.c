// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * completion.c - completions for shells, from the commands' option tables.
 *
 * All words stand in the script: a shell that completes starts no gpudiag on
 * a node that may be sick.
 */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "checks/playbook.h"
#include "cmd/delivery.h"
#include "render/render.h"

static const struct option_row help_row = { .name = "help", .letter = 'h', .help = "help" };

/* Calls on_row() for each option of a command, --help included. */
static void each_option(const struct command *command, void (*on_row)(struct strbuf *out, const struct command *command,
								      const struct option_row *row),
			struct strbuf *out)
{
	for (const struct option_row *row = command->options; row->name; row++)
		on_row(out, command, row);
	on_row(out, command, &help_row);
}

static void each_command(void (*on_command)(struct strbuf *out, const struct command *command), struct strbuf *out)
{
	for (const struct command *const *command = commands; *command; command++)
		if (!(*command)->hidden)
			on_command(out, *command);
}

static void command_word(struct strbuf *out, const struct command *command)
{
	strbuf_addf(out, " %s", command->name);
}

static bool is_list_of_checks(enum completion completion)
{
	return completion == COMPLETE_CHECKS || completion == COMPLETE_SELECTION;
}

/* The words an argument or operand can be, with a space before each. */
static void add_words(struct strbuf *out, enum completion completion, const char *const *words)
{
	if (completion == COMPLETE_WORDS || completion == COMPLETE_IDS)
		for (; words && *words; words++)
			strbuf_addf(out, " %s", *words);
	if (completion == COMPLETE_FORMAT)
		for (const struct format *format = formats; format->name; format++)
			strbuf_addf(out, " %s", format->name);
	if (completion == COMPLETE_COMMANDS)
		each_command(command_word, out);
	if (completion == COMPLETE_SELECTION)
		for (int i = 0; i < NR_STAGES; i++)
			strbuf_addf(out, " %s", stage_name((enum stage)i));
	if (is_list_of_checks(completion) || completion == COMPLETE_IDS)
		for (size_t i = 0; i < playbook.nr; i++)
			strbuf_addf(out, " %s", playbook.rows[i].check->name);
	if (completion == COMPLETE_IDS)
		for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++)
			strbuf_addf(out, " %s", finding_defs[id].name);
}

static void add_quoted(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_addch(out, *text);
}

/* ---- bash */

static void bash_option_name(struct strbuf *out, const struct command *command, const struct option_row *row)
{
	(void)command;
	strbuf_addf(out, " --%s", row->name);
	if (row->letter)
		strbuf_addf(out, " -%c", row->letter);
}

static void bash_argument(struct strbuf *out, const struct command *command, const struct option_row *row)
{
	if (!row->argument)
		return;
	strbuf_addf(out, "\t%s:--%s", command->name, row->name);
	if (row->letter)
		strbuf_addf(out, "|%s:-%c", command->name, row->letter);
	strbuf_addstr(out, ")");
	if (row->completion == COMPLETE_FILE)
		strbuf_addstr(out, " kind=file");
	else if (row->completion == COMPLETE_FOLDER)
		strbuf_addstr(out, " kind=folder");
	else if (is_list_of_checks(row->completion) || row->completion == COMPLETE_IDS)
		strbuf_addstr(out, " kind=list");
	else
		strbuf_addstr(out, " kind=word");
	strbuf_addstr(out, " words='");
	add_words(out, row->completion, row->words);
	strbuf_addstr(out, "' ;;\n");
}

static void bash_arguments(struct strbuf *out, const struct command *command)
{
	each_option(command, bash_argument, out);
}

static void bash_options(struct strbuf *out, const struct command *command)
{
	strbuf_addf(out, "\t%s) words='", command->name);
	each_option(command, bash_option_name, out);
	strbuf_addstr(out, "' ;;\n");
}

static void bash_operands(struct strbuf *out, const struct command *command)
{
	if (command->operand == COMPLETE_NOTHING)
		return;
	if (command->operand == COMPLETE_FILE) {
		strbuf_addf(out, "\t%s) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n", command->name);
		return;
	}
	strbuf_addf(out, "\t%s) words='", command->name);
	add_words(out, command->operand, command->operand_words);
	strbuf_addstr(out, "' ;;\n");
}

static void complete_bash(struct strbuf *out)
{
	strbuf_addstr(out,
		      "# bash completion for gpudiag, made by: gpudiag completion bash\n"
		      "_gpudiag()\n"
		      "{\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=run kind words=\n"
		      "\tlocal head=\n"
		      "\tCOMPREPLY=()\n"
		      "\t[[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
		      "\t[[ $cur == '=' ]] && { prev=${COMP_WORDS[COMP_CWORD-1]}; cur=; }\n"
		      "\t[[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]] && command=${COMP_WORDS[1]}\n"
		      "\tcase $command:$prev in\n");
	each_command(bash_arguments, out);
	strbuf_addstr(out,
		      "\tesac\n"
		      "\tcase $kind in\n"
		      "\tfile) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n"
		      "\tfolder) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;\n"
		      "\tlist) [[ $cur == *,* ]] && head=${cur%,*}, cur=${cur##*,} ;;\n"
		      "\tword) ;;\n"
		      "\t*)\n"
		      "\t\tif [[ $cur == -* ]]; then\n"
		      "\t\t\tcase $command in\n");
	each_command(bash_options, out);
	strbuf_addstr(out,
		      "\t\t\tesac\n"
		      "\t\telif [[ $COMP_CWORD -eq 1 ]]; then\n"
		      "\t\t\twords='");
	each_command(command_word, out);
	strbuf_addstr(out,
		      "'\n"
		      "\t\telse\n"
		      "\t\t\tcase $command in\n");
	each_command(bash_operands, out);
	strbuf_addstr(out,
		      "\t\t\tesac\n"
		      "\t\tfi ;;\n"
		      "\tesac\n"
		      "\tmapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$words\" -- \"$cur\")\n"
		      "}\n"
		      "complete -o filenames -F _gpudiag gpudiag\n");
}

/* ---- zsh */

/* In _arguments' words, ':' and brackets have a meaning. */
static void zsh_text(struct strbuf *out, const char *text)
{
	STRBUF_AUTO escaped = STRBUF_INIT;

	for (; *text; text++) {
		if (strchr(":[]\\", *text))
			strbuf_addch(&escaped, '\\');
		strbuf_addch(&escaped, *text);
	}
	add_quoted(out, escaped.buf);
}

static void zsh_values(struct strbuf *out, const char *what, enum completion completion, const char *const *words)
{
	zsh_text(out, what);
	if (completion == COMPLETE_FILE) {
		strbuf_addstr(out, ":_files");
	} else if (completion == COMPLETE_FOLDER) {
		strbuf_addstr(out, ":_files -/");
	} else if (is_list_of_checks(completion)) {
		strbuf_addstr(out, ":_values -s , check");
		add_words(out, completion, words);
	} else {
		strbuf_addstr(out, ":(");
		add_words(out, completion, words);
		strbuf_addstr(out, ")");
	}
}

static void zsh_option(struct strbuf *out, const struct command *command, const struct option_row *row)
{
	(void)command;
	for (int is_short = 0; is_short < (row->letter ? 2 : 1); is_short++) {
		if (is_short)
			strbuf_addf(out, "\t\t\t'*-%c", row->letter);
		else
			strbuf_addf(out, "\t\t\t'*--%s%s", row->name, row->argument ? "=" : "");
		strbuf_addch(out, '[');
		zsh_text(out, row->help);
		strbuf_addch(out, ']');
		if (row->argument) {
			strbuf_addch(out, ':');
			zsh_values(out, row->argument, row->completion, row->words);
		}
		strbuf_addstr(out, "' \\\n");
	}
}

static void zsh_command(struct strbuf *out, const struct command *command)
{
	strbuf_addf(out, "\t%s)\n\t\t_arguments \\\n", command->name);
	each_option(command, zsh_option, out);
	if (command->operand != COMPLETE_NOTHING) {
		strbuf_addstr(out, "\t\t\t'*:");
		zsh_values(out, "word", command->operand, command->operand_words);
		strbuf_addstr(out, "' ;;\n");
	} else {
		strbuf_addstr(out, "\t\t\t&& return ;;\n");
	}
}

static void zsh_summary(struct strbuf *out, const struct command *command)
{
	strbuf_addf(out, "\t\t'%s:", command->name);
	zsh_text(out, command->summary);
	strbuf_addstr(out, "'\n");
}

static void complete_zsh(struct strbuf *out)
{
	strbuf_addstr(out,
		      "#compdef gpudiag\n"
		      "# zsh completion for gpudiag, made by: gpudiag completion zsh\n"
		      "_gpudiag()\n"
		      "{\n"
		      "\tlocal command=run\n"
		      "\tlocal -a all=(\n");
	each_command(zsh_summary, out);
	strbuf_addstr(out,
		      "\t)\n"
		      "\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
		      "\t\t_describe command all\n"
		      "\t\treturn\n"
		      "\tfi\n"
		      "\tif [[ $words[2] != -* ]]; then\n"
		      "\t\tcommand=$words[2]\n"
		      "\t\tshift words\n"
		      "\t\t(( CURRENT-- ))\n"
		      "\tfi\n"
		      "\tcase $command in\n");
	each_command(zsh_command, out);
	strbuf_addstr(out,
		      "\tesac\n"
		      "}\n"
		      "if [[ $funcstack[1] == _gpudiag ]]; then\n"
		      "\t_gpudiag \"$@\"\n"
		      "else\n"
		      "\tcompdef _gpudiag gpudiag\n"
		      "fi\n");
}

/* ---- fish */

/* The run command may go without its name. */
static void fish_condition(struct strbuf *out, const struct command *command)
{
	if (command == commands[0])
		strbuf_addf(out, "-n '__fish_use_subcommand; or __fish_seen_subcommand_from %s'", command->name);
	else
		strbuf_addf(out, "-n '__fish_seen_subcommand_from %s'", command->name);
}

static void fish_option(struct strbuf *out, const struct command *command, const struct option_row *row)
{
	strbuf_addstr(out, "complete -c gpudiag ");
	fish_condition(out, command);
	strbuf_addf(out, " -l %s", row->name);
	if (row->letter)
		strbuf_addf(out, " -s %c", row->letter);
	if (row->completion == COMPLETE_FILE)
		strbuf_addstr(out, " -r -F");
	else if (row->completion == COMPLETE_FOLDER)
		strbuf_addstr(out, " -x -a '(__fish_complete_directories)'");
	else if (row->argument) {
		strbuf_addstr(out, is_list_of_checks(row->completion) ? " -x -a '(__fish_append ," : " -x -a '");
		add_words(out, row->completion, row->words);
		strbuf_addstr(out, is_list_of_checks(row->completion) ? ")'" : "'");
	}
	strbuf_addstr(out, " -d '");
	for (const char *at = row->help; *at; at++)
		strbuf_addf(out, *at == '\'' || *at == '\\' ? "\\%c" : "%c", *at);
	strbuf_addstr(out, "'\n");
}

static void fish_command(struct strbuf *out, const struct command *command)
{
	strbuf_addf(out, "complete -c gpudiag -n __fish_use_subcommand -a %s -d '", command->name);
	add_quoted(out, command->summary);
	strbuf_addstr(out, "'\n");
	each_option(command, fish_option, out);
	if (command->operand == COMPLETE_NOTHING)
		return;
	strbuf_addstr(out, "complete -c gpudiag ");
	fish_condition(out, command);
	if (command->operand == COMPLETE_FILE) {
		strbuf_addstr(out, " -F\n");
		return;
	}
	strbuf_addstr(out, " -a '");
	add_words(out, command->operand, command->operand_words);
	strbuf_addstr(out, "'\n");
}

static void complete_fish(struct strbuf *out)
{
	strbuf_addstr(out, "# fish completion for gpudiag, made by: gpudiag completion fish\n"
			   "complete -c gpudiag -f\n");
	each_command(fish_command, out);
}

/* ---- the command */

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

static int completion_main(int argc, char **argv)
{
	static void (*const complete[])(struct strbuf *out) = { complete_bash, complete_zsh, complete_fish };
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "completion" };
	STRBUF_AUTO text = STRBUF_INIT;

	options_take(&parser);
	if (parser.at + 1 != argc)
		die(EXIT_USAGE, "completion: name one shell: bash, zsh or fish");
	for (size_t i = 0; i < ARRAY_SIZE(complete); i++) {
		if (strcmp(argv[parser.at], shells[i]))
			continue;
		complete[i](&text);
		return deliver(text.buf, text.len);
	}
	die_no_such_word("completion", argv[parser.at], shells, ARRAY_SIZE(complete));
}

static const struct help_example examples[] = {
	{ "gpudiag completion bash > /etc/bash_completion.d/gpudiag", NULL },
	{ "gpudiag completion zsh > /usr/local/share/zsh/site-functions/_gpudiag", NULL },
	{ "gpudiag completion fish > ~/.config/fish/completions/gpudiag.fish", NULL },
	{ .command = NULL },
};

const struct command command_completion = {
	.name = "completion",
	.summary = "print shell completions: bash, zsh, fish",
	.usage = "completion bash|zsh|fish",
	.doc = "Print a completion script for commands, options, checks and findings.",
	.examples = examples,
	.options = no_options,
	.operand = COMPLETE_WORDS,
	.operand_words = shells,
	.main = completion_main,
};
