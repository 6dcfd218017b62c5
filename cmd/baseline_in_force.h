/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline_in_force.h - which baseline a machine is compared with: that of --baseline, else the machine's own, else
 * none.
 */
#pragma once

#include "cmd/opts.h"
#include "eval/baseline/baseline.h"
#include "eval/judge/report.h"

#define BASELINE_OF_MACHINE "/etc/gpudiag/baseline.json"
#define BASELINE_NONE_WORD "none"

struct baseline_in_force {
	const char *path;		/* --baseline, or NULL */
	bool another_is_meant;		/* --baseline-of-another */
	struct baseline *in_force;	/* NULL: none */
	struct baseline baseline;
	struct merge_unknown unknown;	/* keys of its snapshot */
	bool is_closed;			/* the machine has one that this user may not read */
};

#define BASELINE_OPTION_ROWS(of, baseline)                                                                             \
	OPTION_FILE("baseline", 0, "baseline file (gpudiag baseline); none: no baseline", of, baseline.path),          \
	OPTION_FLAG("baseline-of-another", 0, "also use another machine's baseline, by the GPUs' slots", of,           \
		    baseline.another_is_meant)

/*
 * The machine's own counts only where this machine is looked at, as its policy
 * does. One that this user may not read is told and not used; dies with status
 * 64 where a file cannot be used otherwise. *baseline, in which its options are,
 * stays where it is until baseline_in_force_release().
 */
void baseline_in_force(struct baseline_in_force *baseline, bool is_this_machine);
void baseline_in_force_release(struct baseline_in_force *baseline);

/* Dies with status 64 where the file cannot be used. "-" is standard input. */
void baseline_load(struct baseline *ret, const char *path, struct merge_unknown *unknown);

/* Dies with status 64 where standard input would have to be two files; paths may be NULL. */
void baseline_check_input(const char *command, const char *baseline_path, const char *snapshot_path,
			  const char *policy_path);

/* What the reader of the report should know of it: whose it is, what of it was not understood. */
void baseline_messages(const struct baseline_in_force *baseline, struct report *report);
