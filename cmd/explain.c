// SPDX-License-Identifier: GPL-2.0-or-later
/* explain.c - what a check asks, what a finding means and what to do about it. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/explain.h"
#include "cmd/ids.h"
#include "cmd/pager.h"
#include "cmd/terminal.h"
#include "eval/gate/gate.h"
#include "eval/message/message.h"
#include "render/render.h"

static void explain_check(struct explanation *to, const struct playbook_row *row)
{
	const struct check *check = row->check;
	size_t rows = 0, nr = 0;

	explain_head(to, "%s: %s", check->name, check->title);
	explain_fact(to, "stage", "%d %s%s%s", (int)row->stage + 1, stage_name(row->stage), playbook_row_words(row),
		     row->required ? ": unknown makes the exit status 3" : "");
	explain_fact(to, "asks", "%s", check->doc);
	for (const enum finding_id *id = check->may_emit; *id != NO_FINDING; id++, nr++) {
		if (log_row(*id) != KLOG_NO_ROW)
			rows++;
		else
			explain_fact(to, "finds", "%s (%s)", finding_defs[*id].name,
				     outcome_name(finding_defs[*id].outcome));
	}
	if (rows)
		explain_fact(to, "finds", "one for each of the %zu rows of the kernel log's catalogue: "
			     "gpudiag explain xid, sxid, aer, amdgpu ...", rows);
	explain_causes(to, check->may_emit, nr);
}

enum { MAX_MESSAGES = 3 };

static void explain_one(struct explanation *to, const struct message *message)
{
	const struct message_step *step;

	explain_head(to, "\"%s\": %s", message->literal, message->title);
	explain_fact(to, "means", "%s", message->why);
	for (size_t i = 0; (step = message_step(message, i)); i++) {
		explain_fact(to, "next", "%s", step->text);
		if (step->command)
			explain_below(to, EXPLAINED_COMMAND, step->command);
	}
	explain_fact(to, "source", "%s", message->source);
}

/* A message of a container runtime, of CUDA or of a framework. false: none is in the text. */
static bool explain_message(struct explanation *to, const char *text)
{
	const struct message *found[MAX_MESSAGES];
	size_t nr = messages_in(text, found, MAX_MESSAGES);

	for (size_t i = 0; i < nr; i++) {
		if (i)
			explain_gap(to);
		explain_one(to, found[i]);
	}
	return nr;
}

/* "79", "xid79" and "xid-79" are common forms: the right one is printed, not the nearest name. */
static const char *number_of_xid(const char *name)
{
	const char *number = name;

	if (!strncasecmp(number, "xid", 3))
		number += 3;
	number += *number == '-' || *number == '_';
	return *number && strspn(number, "0123456789") == strlen(number) ? number : NULL;
}

NORETURN static void die_unknown(const char *name)
{
	const char *number = number_of_xid(name);
	size_t nr;
	const char **names = all_ids(IDS_OF_CHECKS | IDS_OF_FINDINGS, explain_log_words, &nr), *near;

	near = nearest_word(name, names, nr);
	free(names);
	if (strpbrk(name, " \n"))
		die(EXIT_USAGE, "explain: no known message in \"%.80s\"; a whole kernel log: gpudiag logs FILE", name);
	if (number)
		die(EXIT_USAGE, "explain: unknown id \"%s\"; for NVIDIA's Xid: gpudiag explain xid %s", name, number);
	die_no_such("explain: unknown id", name, &near, near ? 1 : 0, "see gpudiag list checks and list findings");
}

/* "Xid 79" as one word. */
static bool explain_quoted_number(struct explanation *to, const char *text)
{
	size_t len = strcspn(text, " ");
	char word[8], number[16], *words[2] = { word, number };

	if (!text[len] || len >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	snprintf(number, sizeof(number), "%s", text + len + strspn(text + len, " "));
	return explain_log_numbers(to, 2, words) == 2;
}

static void explain(struct explanation *to, const char *name)
{
	const struct playbook_row *row = playbook_row_by_name(&playbook, name);
	enum finding_id id = finding_by_name(name);

	if (id != NO_FINDING) {
		explain_finding(to, id);
		return;
	}
	if (row) {
		explain_check(to, row);
	} else if (!explain_log_word(to, name) && !explain_message(to, name) && !explain_quoted_number(to, name) &&
		   !explain_log_lines(to, name)) {
		explanation_release(to);
		die_unknown(name);
	}
}

/* For a reader wrapped; for a program each fact is one line. */
static int tell(const struct explanation *explanation)
{
	const struct render_options options = terminal_options(NULL, COLOUR_NEVER, false);
	STRBUF_AUTO text = STRBUF_INIT;

	if (isatty(STDOUT_FILENO))
		render_explanation_wrapped(&text, explanation, &options);
	else
		render_explanation(&text, explanation);
	return page(text.buf, text.len);
}

static int explain_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = no_options, .argc = argc, .argv = argv, .command = "explain" };
	struct explanation explanation = { .nr = 0 };
	int status;

	options_take(&parser);
	if (parser.at >= argc)
		die(EXIT_USAGE, "explain: name a check or a finding, e.g. gpudiag explain pcie-width.below-twins");
	for (int i = parser.at, taken; i < argc; i += taken) {
		if (i > parser.at)
			explain_gap(&explanation);
		taken = explain_log_numbers(&explanation, argc - i, argv + i);
		if (taken)
			continue;
		explain(&explanation, argv[i]);
		taken = 1;
	}
	status = tell(&explanation);
	explanation_release(&explanation);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag explain pcie-width.below-twins", "a finding of a report" },
	{ "gpudiag explain xid 79", "a number in the kernel log" },
	{ "gpudiag explain 'Failed to initialize NVML: Unknown Error'", NULL },
	{ .command = NULL },
};

const struct command command_explain = {
	.name = "explain",
	.summary = "explain a check, a finding or an Xid, and what to do",
	.usage = "explain ID|xid NUMBER|sxid NUMBER|\"MESSAGE\"...",
	.doc = "Explain a check (pcie-width) or a finding (pcie-width.below-twins), as named in reports and by gpudiag "
	       "list; xid 79 and sxid 20034: NVIDIA's numbers in a kernel log; GSP_RPC_TIMEOUT: NVIDIA's name of one. "
	       "xid, sxid, aer, amdgpu, intel or oom alone: list the events of that kind. A line of a kernel log, or an "
	       "error message of Docker, CUDA, PyTorch or NCCL, in quotes: what it means, and what to do.",
	.examples = examples,
	.options = no_options,
	.operand = COMPLETE_IDS,
	.operand_words = explain_log_words,
	.main = explain_main,
};
