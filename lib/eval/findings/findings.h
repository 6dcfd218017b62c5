/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings.h - the vocabulary of judgement: outcomes, blame, actions, and
 * every finding there is, from findings.def, with the steps of steps.def.
 *
 * Finding ids are an interface: never renamed, reused or removed.
 */
#pragma once

#include <stdbool.h>

#include "base/compat.h"
#include "klog/catalogue.h"

/* In the order of what outweighs what in a verdict. */
enum outcome {
	OUTCOME_SKIP,		/* does not apply here, or not now */
	OUTCOME_PASS,
	OUTCOME_NOTE,		/* true and worth a line; moves no verdict */
	OUTCOME_UNKNOWN,	/* applies, could not be judged */
	OUTCOME_WARN,
	OUTCOME_FAIL,
	NR_OUTCOMES
};

enum blame {
	BLAME_NONE, BLAME_HARDWARE, BLAME_LINK, BLAME_THERMAL_POWER, BLAME_DRIVER, BLAME_CONFIG,
	BLAME_HOST, BLAME_APPLICATION, BLAME_TOOL,
	NR_BLAMES
};

/* In rising cost. */
enum action {
	ACTION_NONE, ACTION_WATCH, ACTION_FIX_CONFIG, ACTION_RESTART_APP, ACTION_RESTART_SERVICE, ACTION_RESET_GPU,
	ACTION_REBOOT_NODE, ACTION_DRAIN_AND_REPAIR, ACTION_REPLACE, ACTION_ESCALATE,
	NR_ACTIONS
};

/* Their names in JSON: "pass", "thermal-power", "drain-and-repair". */
const char *outcome_name(enum outcome outcome);
const char *blame_name(enum blame blame);
const char *action_name(enum action action);

enum finding_id {
	NO_FINDING,
#include "eval/findings/finding_ids.h"
	NR_FINDINGS
};

struct finding_def {
	const char *name;	/* "pcie-width.below-twins" */
	enum outcome outcome;
	enum action action;
	enum blame blame;
	const char *title;	/* template of the sentence, about its subject */
	const char *why;	/* template of what it means and how far the blame goes */
};

/* By id; [NO_FINDING] is empty. */
extern const struct finding_def finding_defs[NR_FINDINGS];
/* The finding of a row of the kernel log's catalogue. */
enum finding_id log_finding(enum klog_row_id row);
/* And back; KLOG_NO_ROW: it is of no row. */
enum klog_row_id log_row(enum finding_id id);
/* NO_FINDING where there is none of that name. */
enum finding_id finding_by_name(const char *name);

/* Why it may neither be graded down nor kept quiet, from fatal.def; NULL: it may. */
const char *finding_is_fatal(enum finding_id id);

/* A step to take: of a finding or of an action in general. */
struct step_def {
	enum finding_id finding;	/* NO_FINDING: for every finding with this action */
	enum action action;
	const char *text;		/* template */
	const char *command;		/* template of one line to paste, or NULL */
	bool disruptive;
	bool after_change;		/* has to wait for the other driver that the gate was asked about */
	const char *expect;		/* template: what it will show, and what that means; or NULL */
};
extern const struct step_def step_defs[];
extern const size_t nr_step_defs;

/*
 * Is it a step of this finding's own, or (own false) one for every finding
 * that asks for the same action? Those count only where it has none of its own.
 */
bool step_is_for(const struct step_def *step, enum finding_id finding, bool own);
