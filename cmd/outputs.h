/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outputs.h - which formats a report is told in, and where each goes: of run and gate. */
#pragma once

#include "cmd/delivery.h"
#include "cmd/opts.h"
#include "cmd/terminal.h"
#include "render/render.h"

enum { MAX_OUTPUTS = 16 };

struct outputs {
	struct output { const struct format *format; const char *path; struct delivery to; } items[MAX_OUTPUTS];
	size_t nr;
	const char *path;	/* -o: of those without a place of their own */
	enum terminal_colour colour;
	bool ascii;
	bool compact;			/* of JSON: without what passed */
};

/* Where a struct `of` has its outputs; quiet: what the command says of it. */
void output_take_format(void *outputs, const struct option_parser *parser);
void output_take_quiet(void *outputs, const struct option_parser *parser);
#define OUTPUT_OPTION_ROWS(quiet, of, outputs)                                                                         \
	OPTION_LIST("format", 'f', "FORMAT[=FILE]",                                                                    \
		    "text (default), line, short, json, jsonl, snapshot, markdown, html, svg, junit, github, nagios, "          \
		    "prometheus",                                                                                      \
		    COMPLETE_FORMAT, output_take_format, of, outputs),                                                 \
	{ .name = "quiet", .letter = 'q', .help = quiet, .take = output_take_quiet, .at = offsetof(of, outputs) },     \
	OPTION_FILE("output", 'o', "write to that file instead of standard output", of, outputs.path),                 \
	OPTION_FLAG("compact", 0, "with --format json: without what passed or was skipped", of, outputs.compact),       \
	TERMINAL_OPTION_ROWS(of, outputs.colour, outputs.ascii)

/*
 * Once all options are read: text where no format was asked for, and -o for what has no file of its own. Dies with
 * status 64 where two would go to the same place.
 */
void outputs_settle(struct outputs *outputs);

/*
 * One more beside those that were asked for, once they are settled. option is who asks. Dies with status 64 where
 * another goes to the same place.
 */
void outputs_add(struct outputs *outputs, const char *option, const struct format *format, const char *path);

/*
 * Dies with status 64 where one of them would replace that file, which is read, by another kind of document; input may
 * be NULL. kind: the name of the format that the file is of, "" where there is no such format.
 */
void outputs_spare(const struct outputs *outputs, const char *input, const char *kind);

/* Opens them all, before anything is measured: dies with status 64 where one cannot be written. */
void outputs_open(struct outputs *outputs);

/* Renders and writes them all, once they are open. 0, or the exit status where one could not be written. */
int outputs_tell(struct outputs *outputs, const struct report *report);
