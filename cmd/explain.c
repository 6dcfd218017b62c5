// SPDX-License-Identifier: GPL-2.0-or-later
/* explain.c - what a check asks, what a finding means and what to do about it. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "cmd/delivery.h"
#include "cmd/explain.h"
#include "cmd/ids.h"
#include "cmd/terminal.h"
#include "eval/gate/gate.h"
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
		die(EXIT_USAGE, "explain: no known message in \"%.80s\"; lines of a kernel log: gpudiag logs", name);
	if (number)
		die(EXIT_USAGE, "explain: unknown id \"%s\"; for NVIDIA's Xid: gpudiag explain xid %s", name, number);
	die_no_such("explain: unknown id", name, &near, near ? 1 : 0, "see gpudiag list checks and list findings");
}

static void explain(struct explanation *to, const char *name)
{
	enum finding_id id = finding_by_name(name);

	if (id != NO_FINDING) {
		explain_finding(to, id);
		return;
	}
	for (size_t i = 0; i < playbook.nr; i++) {
		if (strcmp(playbook.rows[i].check->name, name))
			continue;
		explain_check(to, &playbook.rows[i]);
		return;
	}
	if (!explain_log_word(to, name) && !explain_message(to, name)) {
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
	return deliver(text.buf, text.len);
}

static const struct option_row options[] = {
	{ .name = NULL },
};

static int explain_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "explain" };
	struct explanation explanation = { .nr = 0 };
	int status;

	while (option_next(&parser) >= 0)
		;
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

const struct command command_explain = {
	.name = "explain",
	.summary = "explain a check, a finding or an Xid, and what to do",
	.usage = "explain ID|xid NUMBER|sxid NUMBER|\"MESSAGE\"...",
	.doc = "Explain a check (pcie-width) or a finding (pcie-width.below-twins), as named in reports and by gpudiag list;\n"
	       "xid 79 and sxid 20034: NVIDIA's numbers in a kernel log; GSP_RPC_TIMEOUT: NVIDIA's name of one. xid, sxid,\n"
	       "aer, amdgpu, intel or oom alone: list the events of that kind. An error message of Docker, CUDA, PyTorch or NCCL, in\n"
	       "quotes: what it means, and what to do.\n"
	       "Examples: gpudiag explain pcie-width.below-twins, gpudiag explain xid 79,\n"
	       "gpudiag explain 'Failed to initialize NVML: Unknown Error'",
	.options = options,
	.operand = COMPLETE_IDS,
	.operand_words = explain_log_words,
	.main = explain_main,
};
