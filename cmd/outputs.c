// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/outputs.h"

#include "cmd/cmd.h"

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

static void add(struct outputs *outputs, const char *option, const struct format *format, const char *path)
{
	if (outputs->nr == MAX_OUTPUTS)
		die(EXIT_USAGE, "%s: more than %d outputs", option, MAX_OUTPUTS);
	outputs->items[outputs->nr++] = (struct output){ .format = format, .path = path };
}

/* argument is FORMAT or FORMAT=FILE. */
static void add_format(struct outputs *outputs, const struct option_parser *parser, const char *argument)
{
	size_t len = strcspn(argument, "=");
	STRBUF_AUTO name = STRBUF_INIT;
	const struct format *format;

	strbuf_add(&name, argument, len);
	format = format_by_name(name.buf);
	if (!format)
		die_no_such_format(name.buf);
	add(outputs, "--format", format, argument[len] ? option_path(parser, argument + len + 1) : NULL);
}

void output_take_format(void *to, const struct option_parser *parser)
{
	add_format(to, parser, parser->argument);
}

void output_take_quiet(void *to, const struct option_parser *parser)
{
	add_format(to, parser, "line");
}

/* Two formats in one place: the one would be lost in a file, and behind the other on standard output. */
static void check_places(const struct outputs *outputs, const char *option)
{
	for (size_t i = 1; i < outputs->nr; i++)
		for (size_t k = 0; k < i; k++) {
			const char *one = outputs->items[k].path, *two = outputs->items[i].path;

			if (is_stdout(one) != is_stdout(two) ||
			    (!is_stdout(one) && strcmp(one, two) != 0 && !is_same_file(one, two)))
				continue;
			die(EXIT_USAGE,
			    "%s: %s and %s would go to the same place: name a file for one: --format %s=FILE",
			    option, outputs->items[k].format->name, outputs->items[i].format->name,
			    outputs->items[i].format->name);
		}
}

static bool has_compact(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->nr; i++)
		if (outputs->items[i].format->has_compact)
			return true;
	return false;
}

void outputs_settle(struct outputs *outputs)
{
	bool path_is_used = false;

	if (!outputs->nr)
		outputs->items[outputs->nr++].format = &formats[0];
	for (size_t i = 0; i < outputs->nr; i++) {
		if (outputs->items[i].path)
			continue;
		outputs->items[i].path = outputs->path;
		path_is_used = true;
	}
	check_places(outputs, "--format");
	if (outputs->compact && !has_compact(outputs))
		die(EXIT_USAGE, "--compact: nothing to shorten: add --format json");
	if (outputs->path && !path_is_used)
		die(EXIT_USAGE, "-o: every format already has a file");
}

void outputs_add(struct outputs *outputs, const char *option, const struct format *format, const char *path)
{
	add(outputs, option, format, path);
	check_places(outputs, option);
}

void outputs_spare(const struct outputs *outputs, const char *input, const char *kind)
{
	for (size_t i = 0; i < outputs->nr; i++)
		if (strcmp(outputs->items[i].format->name, kind) != 0)
			check_not_replaced(input, outputs->items[i].path);
}

void outputs_open(struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->nr; i++) {
		delivery_open(&outputs->items[i].to, outputs->items[i].path);
		outputs->items[i].to.target.is_for_others = outputs->items[i].format->is_for_others;
	}
}

/* All are rendered before the first is written, so that a full disk does not cost the others. */
int outputs_tell(struct outputs *outputs, const struct report *report)
{
	struct strbuf texts[MAX_OUTPUTS];
	bool waits[MAX_OUTPUTS] = { false };
	int status = 0;

	for (size_t i = 0; i < outputs->nr; i++) {
		struct render_options render =
			terminal_options(outputs->items[i].path, outputs->colour, outputs->ascii);

		render.compact = outputs->compact;
		texts[i] = (struct strbuf)STRBUF_INIT;
		outputs->items[i].format->render(&texts[i], report, &render);
		waits[i] = delivery_may_wait(&outputs->items[i].to);
	}
	/* What may wait for its reader for ever comes last. */
	for (int pass = 0; pass <= 1; pass++)
		for (size_t i = 0; i < outputs->nr; i++) {
			int r = 0;

			if (waits[i] == pass)
				r = delivery_put(&outputs->items[i].to, texts[i].buf, texts[i].len);
			if (r)
				status = r;
		}
	for (size_t i = 0; i < outputs->nr; i++)
		strbuf_release(&texts[i]);
	return status;
}
