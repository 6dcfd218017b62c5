// SPDX-License-Identifier: GPL-2.0-or-later
/* explain.c - what a check asks, what a finding means and what to do about it. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <unistd.h>

#include "checks/playbook.h"
#include "cmd/explain.h"
#include "cmd/ids.h"
#include "cmd/terminal.h"
#include "eval/gate.h"
#include "render/render.h"

/* What the sentence begins with in a report, and its template leaves out. */
static const char *subject_of(enum finding_id id)
{
	for (size_t i = 0; i < playbook.nr; i++) {
		const struct check *check = playbook.rows[i].check;

		for (const enum finding_id *emitted = check->may_emit; *emitted != NO_FINDING; emitted++)
			if (*emitted == id && (check->per == SUBJECT_GPU || check->per == SUBJECT_OCL_DEVICE))
				return "{gpu} ";
	}
	return "";
}

static void explain_steps(struct strbuf *out, enum finding_id id)
{
	bool any = false;

	for (int own = 1; own >= 0 && !any; own--) {
		for (size_t i = 0; i < nr_step_defs; i++) {
			const struct step_def *step = &step_defs[i];

			if (!step_is_for(step, id, own))
				continue;
			strbuf_addstr(out, any ? "        " : "next    ");
			render_template(out, step->text);
			strbuf_addstr(out, step->disruptive ? " (disruptive)\n" : "\n");
			if (step->command)
				strbuf_addf(out, "          %s\n", step->command);
			if (step->expect) {
				strbuf_addstr(out, "          expect: ");
				render_template(out, step->expect);
				strbuf_addch(out, '\n');
			}
			any = true;
		}
	}
}

void explain_finding(struct strbuf *out, enum finding_id id)
{
	const struct finding_def *def = &finding_defs[id];
	const struct gate_regrading *regrading = gate_regrading_of(id);
	enum klog_row_id row = log_row(id);

	strbuf_addf(out, "%s\n", def->name);
	if (row != KLOG_NO_ROW) {
		explain_row(out, row);
	} else {
		strbuf_addf(out, "says    %s", subject_of(id));
		render_template(out, def->title);
		strbuf_addstr(out, "\nmeans   ");
		render_template(out, def->why);
	}
	strbuf_addf(out, "\ncounts  %s; asks for: %s; blame: %s\n", outcome_name(def->outcome), action_name(def->action),
		    blame_name(def->blame));
	if (regrading)
		strbuf_addf(out, "        in gpudiag gate %s: %s\n", outcome_name(regrading->outcome), regrading->why);
	explain_causes(out, &id, 1);
	explain_steps(out, id);
}

static void explain_check(struct strbuf *out, const struct playbook_row *row)
{
	const struct check *check = row->check;
	bool said = false;
	size_t rows = 0, nr = 0;

	strbuf_addf(out, "%s: %s\n", check->name, check->title);
	strbuf_addf(out, "stage   %d %s%s%s\n", (int)row->stage + 1, stage_name(row->stage), playbook_row_words(row),
		    row->required ? ": unknown makes the exit status 3" : "");
	strbuf_addf(out, "asks    %s\n", check->doc);
	for (const enum finding_id *id = check->may_emit; *id != NO_FINDING; id++, nr++) {
		if (log_row(*id) != KLOG_NO_ROW) {
			rows++;
			continue;
		}
		strbuf_addf(out, "%s%s (%s)\n", said ? "        " : "finds   ", finding_defs[*id].name,
			    outcome_name(finding_defs[*id].outcome));
		said = true;
	}
	if (rows)
		strbuf_addf(out, "%sone for each of the %zu rows of the kernel log's catalogue: gpudiag explain xid, sxid, "
				 "aer, amdgpu ...\n",
			    said ? "        " : "finds   ", rows);
	explain_causes(out, check->may_emit, nr);
}

/* "79", "xid79" and "xid-79" are how people say it: what to type is told, rather than the nearest name. */
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
	const char **names = all_ids(IDS_OF_CHECKS | IDS_OF_FINDINGS, explain_log_words, &nr);

	if (number)
		die(EXIT_USAGE, "explain: nothing is called \"%s\"; an Xid of NVIDIA's: gpudiag explain xid %s", name, number);
	die_no_such("explain: nothing is called", name, names, nr, "see gpudiag list checks and list findings");
}

static void explain(struct strbuf *out, const char *name)
{
	enum finding_id id = finding_by_name(name);

	if (id != NO_FINDING) {
		explain_finding(out, id);
		return;
	}
	for (size_t i = 0; i < playbook.nr; i++) {
		if (strcmp(playbook.rows[i].check->name, name))
			continue;
		explain_check(out, &playbook.rows[i]);
		return;
	}
	if (!explain_log_word(out, name))
		die_unknown(name);
}

/* For a reader wrapped; for a program each fact is one line. */
static int tell(const struct strbuf *text)
{
	const struct render_options options = terminal_options(NULL, COLOUR_NEVER, false);
	STRBUF_AUTO wrapped = STRBUF_INIT;

	if (!isatty(STDOUT_FILENO))
		return deliver(NULL, text->buf, text->len);
	render_wrapped(&wrapped, text->buf, &options);
	return deliver(NULL, wrapped.buf, wrapped.len);
}

static const struct option_row options[] = {
	{ .name = NULL },
};

static int explain_main(int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "explain" };
	STRBUF_AUTO text = STRBUF_INIT;

	while (option_next(&parser) >= 0)
		;
	if (parser.at >= argc)
		die(EXIT_USAGE, "explain: name a check or a finding, as in gpudiag explain pcie-width.below-twins");
	for (int i = parser.at, taken; i < argc; i += taken) {
		if (i > parser.at)
			strbuf_addch(&text, '\n');
		taken = explain_log_numbers(&text, argc - i, argv + i);
		if (taken)
			continue;
		explain(&text, argv[i]);
		taken = 1;
	}
	return tell(&text);
}

const struct command command_explain = {
	.name = "explain",
	.summary = "says what a check asks, or what a finding means and what to do",
	.usage = "explain ID|xid NUMBER|sxid NUMBER...",
	.doc = "ID is a check (pcie-width) or a finding (pcie-width.below-twins), as reports name them and as\n"
	       "gpudiag list prints them. xid 79 and sxid 20034 are NVIDIA's numbers in a kernel log, GSP_RPC_TIMEOUT\n"
	       "what NVIDIA calls one; xid, sxid, aer, amdgpu, intel or oom alone lists what a log may tell of it.",
	.options = options,
	.operand = COMPLETE_IDS,
	.operand_words = explain_log_words,
	.main = explain_main,
};
