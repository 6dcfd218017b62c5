/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit_status.h - what a report comes to as the exit status of a program, by
 * the options that say so. They move neither the verdict nor the decision.
 *
 * By default 2 is a failure, 3 a required check that could not be judged (or
 * nothing judged at all), 1 a warning, 0 none of these; 2 outweighs 3, and 3
 * outweighs 1. On top of that:
 *
 *	strict		a warning counts as a failure, every check as required,
 *			and a verdict that is unknown is 3
 *	fail_on		what makes the status 2, instead of any failure. A warning
 *			or failure that is not meant is still 1: nothing that
 *			a person should act on ever ends as 0.
 *	EXIT_STYLE_BOOL	0 stays 0, anything else is 1
 *	EXIT_STYLE_NPD	0 in order, 1 a problem, 2 not known: as the custom
 *			plugins of node-problem-detector are read
 *
 * These two styles have no status for "something, but not what was meant":
 * with them, a fail_on that was given says what a problem is, and a warning or
 * failure it does not mean is none.
 */
#pragma once

#include "eval/judge/report.h"

enum exit_style { EXIT_STYLE_DEFAULT, EXIT_STYLE_BOOL, EXIT_STYLE_NPD };

/* Zeroed: as by default. */
struct exit_rules {
	enum exit_style style;
	bool strict;
	bool has_fail_on;	/* fail_on was given; otherwise it is any failure */
	struct {
		bool failures, warnings;	/* any of them; a warning includes the failures */
		struct strs names;	/* of checks: their warnings and failures; of findings: whatever they count */
	} fail_on;
};

int exit_status_by(const struct report *report, const struct exit_rules *rules);
