// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_finding.c - one finding, or row of the kernel log's catalogue: what it says, whom it blames, what to do. */
#include "base/compat.h"
#include "cmd/explain.h"

#include "checks/playbook.h"
#include "eval/gate/gate.h"
#include "klog/nvidia.h"

static const char *age_words(enum klog_age age)
{
	switch (age) {
	case KLOG_AGE_FAULT: return "counts until the driver is reloaded or the device reset, at most 72 h";
	case KLOG_AGE_APPLICATION: return "as a fault; against the device only from several programs";
	case KLOG_AGE_HOST: return "counts until the next boot, at most 72 h";
	}
	return "";
}

/* Of a row of the kernel log's catalogue, from "says" to "source". */
static void explain_row(struct explanation *to, enum klog_row_id id)
{
	const struct klog_row *row = &klog_rows[id];
	char number[16] = "";

	if (klog_row_xid(id) >= 0)
		snprintf(number, sizeof(number), " %d", klog_row_xid(id));
	explain_fact(to, "says", "%s%s", row->age == KLOG_AGE_HOST ? "" : "{device} ", explained_template(to, row->title));
	explain_fact(to, "means", "%s", explained_template(to, row->why));
	explain_fact(to, "log", "%s%s%s%s; %s; %s", klog_kind_name(row->kind), number, *row->mnemonic ? ", " : "",
		     row->mnemonic, klog_severity_name(row->severity), age_words(row->age));
	explain_fact(to, "source", "%s", row->source);
}

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

static void explain_steps(struct explanation *to, enum finding_id id)
{
	bool any = false;

	for (int own = 1; own >= 0 && !any; own--) {
		for (size_t i = 0; i < nr_step_defs; i++) {
			const struct step_def *step = &step_defs[i];

			if (!step_is_for(step, id, own))
				continue;
			explain_fact(to, "next", "%s%s", explained_template(to, step->text),
				     step->disruptive ? " (disruptive)" : "");
			if (step->command)
				explain_below(to, EXPLAINED_COMMAND, step->command);
			if (step->expect)
				explain_below(to, EXPLAINED_EXPECT, explained_template(to, step->expect));
			any = true;
		}
	}
}

void explain_finding(struct explanation *to, enum finding_id id)
{
	const struct finding_def *def = &finding_defs[id];
	const struct gate_regrading *regrading = gate_regrading_of(id);
	enum klog_row_id row = log_row(id);

	explain_head(to, "%s", def->name);
	if (row != KLOG_NO_ROW) {
		explain_row(to, row);
	} else {
		explain_fact(to, "says", "%s%s", subject_of(id), explained_template(to, def->title));
		explain_fact(to, "means", "%s", explained_template(to, def->why));
	}
	explain_fact(to, "counts", "%s; action: %s; blame: %s", outcome_name(def->outcome), action_name(def->action),
		     blame_name(def->blame));
	if (regrading)
		explain_fact(to, "counts", "in gpudiag gate %s: %s", outcome_name(regrading->outcome), regrading->why);
	explain_causes(to, &id, 1);
	explain_steps(to, id);
}
