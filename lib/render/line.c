// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line.c - one line where there is something to do, and nothing where there is not: for cron, hooks and loops over
 * nodes.
 */
#include "base/compat.h"
#include "eval/gate/gate.h"
#include "render/formats.h"
#include "render/term_writer.h"

/* A gate is asked for its answer, whatever that is. */
static void put_gate(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	STRBUF_AUTO line = STRBUF_INIT;

	strbuf_addf(&line, "%s: %s", gate_word_name(report->gate->word), report->gate->reason);
	render_clean(out, line.buf, options->ascii);
	strbuf_addch(out, '\n');
}

void render_line(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	STRBUF_AUTO line = STRBUF_INIT;

	if (report->gate) {
		put_gate(out, report, options);
		return;
	}
	if (report->verdict == VERDICT_PASS && !report->exit_status)
		return;
	strbuf_addf(&line, "%s: %s decision: %s", verdict_name(report->verdict), report->headline,
		    action_name(report->decision.action));
	if (strcmp(report->decision.schedulable, "yes") != 0)
		strbuf_addf(&line, ", schedulable: %s", report->decision.schedulable);
	/* One that is out of use is not the whole node: who may go on, and whose work is lost. */
	if (report->decision.nr_unusable)
		strbuf_addf(&line, "; %s", report->decision.gpus);
	render_clean(out, line.buf, options->ascii);
	strbuf_addch(out, '\n');
}
