// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/opts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/text.h"
#include "cmd/cmd.h"

enum { HELP_COLUMN = 30 };

const struct option_row no_options[] = { { .name = NULL } };

static size_t count_rows(const struct option_row *rows)
{
	size_t nr = 0;

	while (rows[nr].name)
		nr++;
	return nr;
}

static const char *said_instead(const struct option_parser *parser)
{
	return parser->instead ? parser->instead : "";
}

NORETURN static void die_unknown(const struct option_parser *parser, const char *given, size_t len)
{
	size_t nr = count_rows(parser->rows);
	const char **names = xcalloc(nr, sizeof(*names));
	struct arena arena = { .blocks = NULL };	/* ends with the process */

	for (size_t i = 0; i < nr; i++)
		names[i] = arena_printf(&arena, "--%s", parser->rows[i].name);
	die_no_such(arena_printf(&arena, "%s: unknown option", parser->command),
		    arena_printf(&arena, "--%.*s", (int)len, given), names, nr,
		    arena_printf(&arena, "see gpudiag %s --help%s", parser->command, said_instead(parser)));
}

static const struct option_row *find_long(const struct option_parser *parser, const char *given, size_t len)
{
	const struct option_row *found = NULL;

	for (const struct option_row *row = parser->rows; row->name; row++) {
		if (strncmp(row->name, given, len))
			continue;
		if (strlen(row->name) == len)
			return row;
		if (found)
			die(EXIT_USAGE, "%s: ambiguous option \"--%.*s\": --%s or --%s", parser->command, (int)len,
			    given, found->name, row->name);
		found = row;
	}
	if (!found)
		die_unknown(parser, given, len);
	return found;
}

static const char *take_next(struct option_parser *parser)
{
	if (parser->at >= parser->argc)
		die(EXIT_USAGE, "%s: --%s needs %s", parser->command, parser->row->name, parser->row->argument);
	return parser->argv[parser->at++];
}

static void parse_long(struct option_parser *parser, const char *given)
{
	size_t len = strcspn(given, "=");

	parser->row = find_long(parser, given, len);
	parser->argument = given[len] ? given + len + 1 : NULL;
	if (!parser->row->argument && parser->argument)
		die(EXIT_USAGE, "%s: --%s takes no value", parser->command, parser->row->name);
	if (parser->row->argument && !parser->argument)
		parser->argument = take_next(parser);
}

static void parse_short(struct option_parser *parser, const char *given)
{
	for (const struct option_row *row = parser->rows; row->name; row++) {
		if (!row->letter || row->letter != given[0])
			continue;
		parser->row = row;
		parser->argument = NULL;
		if (!row->argument && given[1])
			die(EXIT_USAGE, "%s: -%c takes no value: write \"-%c -%s\"", parser->command, row->letter,
			    row->letter, given + 1);
		if (row->argument)
			parser->argument = given[1] ? given + 1 : take_next(parser);
		return;
	}
	die(EXIT_USAGE, "%s: unknown option \"-%c\"; see gpudiag %s --help%s", parser->command, given[0], parser->command,
	    said_instead(parser));
}

static void remember(struct option_parser *parser)
{
	const struct option_row *row = parser->row;
	const char **given = &parser->given[row - parser->rows];

	if (*given && row->argument && !row->repeats && strcmp(*given, parser->argument) != 0)
		die(EXIT_USAGE, "%s: --%s is given twice, with \"%s\" and \"%s\": name one", parser->command, row->name,
		    *given, parser->argument);
	*given = row->argument ? parser->argument : "";
}

bool option_given(const struct option_parser *parser, const char *name)
{
	for (const struct option_row *row = parser->rows; row->name; row++)
		if (!strcmp(row->name, name))
			return parser->given[row - parser->rows];
	return false;
}

void options_take(struct option_parser *parser)
{
	if (count_rows(parser->rows) > MAX_OPTION_ROWS)
		die(EXIT_INTERNAL, "%s: more than %d options", parser->command, MAX_OPTION_ROWS);
	if (!parser->at)
		parser->at = 1;
	while (parser->at < parser->argc) {
		const char *given = parser->argv[parser->at];

		if (given[0] != '-' || !given[1])
			return;
		parser->at++;
		if (!strcmp(given, "--"))
			return;
		if (given[1] == '-')
			parse_long(parser, given + 2);
		else
			parse_short(parser, given + 1);
		remember(parser);
		parser->first = parser->first ? parser->first : parser->row;
		parser->row->take((char *)parser->into + parser->row->at, parser);
	}
}

void options_take_with_operands(struct option_parser *parser, const char **ret, size_t most, const char *only)
{
	size_t nr = 0;

	do {
		options_take(parser);
		if (parser->at == parser->argc)
			return;
		if (nr == most)
			die(EXIT_USAGE, "%s: unexpected argument \"%s\": %s", parser->command, parser->argv[parser->at],
			    only);
		ret[nr++] = parser->argv[parser->at];
	} while (++parser->at < parser->argc);
}

void options_help(struct strbuf *out, const struct option_row *rows)
{
	for (const struct option_row *row = rows; row->name; row++) {
		size_t begin = out->len, used;

		if (row->letter)
			strbuf_addf(out, "  -%c, --%s", row->letter, row->name);
		else
			strbuf_addf(out, "      --%s", row->name);
		if (row->argument)
			strbuf_addf(out, " %s", row->argument);
		used = utf8_columns(out->buf + begin);
		if (used >= HELP_COLUMN) {
			strbuf_addch(out, '\n');
			used = 0;
		}
		strbuf_addchars(out, ' ', HELP_COLUMN - used);
		strbuf_addf(out, "%s\n", row->help);
	}
}

const char *option_run_id(const struct option_parser *parser)
{
	const char *id = parser->argument;
	size_t len = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-");

	if (!len || id[len] || len > MAX_RUN_ID_BYTES)
		die(EXIT_USAGE, "%s: --run-id: \"%s\" is not 1 to %d letters, digits or ._:-", parser->command, id,
		    MAX_RUN_ID_BYTES);
	return id;
}

uint64_t option_duration_ms(const struct option_parser *parser, uint64_t min_ms, uint64_t max_ms)
{
	const uint64_t hour_ms = 3600000, minute_ms = 60000;
	bool is_in_hours = max_ms >= hour_ms;
	uint64_t ms;

	if (parse_duration_ms(parser->argument, &ms) || ms < min_ms || ms > max_ms)
		die(EXIT_USAGE, "%s: --%s: invalid time \"%s\": use %llu%s to %llu %s, e.g. 2, 1.5s or 500ms",
		    parser->command, parser->row->name, parser->argument, (unsigned long long)min_ms,
		    min_ms ? "ms" : "", (unsigned long long)(max_ms / (is_in_hours ? hour_ms : minute_ms)),
		    is_in_hours ? "h" : "min");
	return ms;
}

void die_no_such(const char *what, const char *given, const char *const *words, size_t nr, const char *advice)
{
	const char *near = nearest_word(given, words, nr);

	if (near)
		die(EXIT_USAGE, "%s \"%s\" (did you mean \"%s\"?); %s", what, given, near, advice);
	die(EXIT_USAGE, "%s \"%s\"; %s", what, given, advice);
}

void die_no_such_word(const char *what, const char *given, const char *const *words, size_t nr)
{
	STRBUF_AUTO begin = STRBUF_INIT;
	STRBUF_AUTO list = STRBUF_INIT;

	strbuf_addf(&begin, "%s: unknown value", what);
	strbuf_addstr(&list, "use ");
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&list, "%s%s", !i ? "" : i + 1 == nr ? " or " : ", ", words[i]);
	die_no_such(begin.buf, given, words, nr, list.buf);
}

size_t option_choice(const struct option_parser *parser)
{
	const char *const *words = parser->row->words;
	STRBUF_AUTO what = STRBUF_INIT;
	size_t nr;

	for (nr = 0; words[nr]; nr++)
		if (!strcmp(parser->argument, words[nr]))
			return nr;
	strbuf_addf(&what, "--%s", parser->row->name);
	die_no_such_word(what.buf, parser->argument, words, nr);
}

const char *option_path(const struct option_parser *parser, const char *path)
{
	if (!*path)
		die(EXIT_USAGE, "%s: --%s: empty file name", parser->command, parser->row->name);
	return path;
}

/* ---- what is kept */

void option_take_flag(void *to, const struct option_parser *parser)
{
	(void)parser;
	*(bool *)to = true;
}

void option_take_path(void *to, const struct option_parser *parser)
{
	*(const char **)to = option_path(parser, parser->argument);
}

void option_take_choice(void *to, const struct option_parser *parser)
{
	*(unsigned *)to = (unsigned)option_choice(parser);
}

void option_take_val_flag(void *to, const struct option_parser *parser)
{
	(void)parser;
	*(struct val_bool *)to = val_bool(true);
}

void option_take_val_path(void *to, const struct option_parser *parser)
{
	*(struct val_str *)to = val_str(option_path(parser, parser->argument));
}

void option_take_val_choice(void *to, const struct option_parser *parser)
{
	*(struct val_str *)to = val_str(parser->row->words[option_choice(parser)]);
}

void option_take_val_ms(void *to, const struct option_parser *parser)
{
	*(struct val_u64 *)to = val_u64(option_duration_ms(parser, parser->row->least_ms, parser->row->most_ms));
}
