/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline.h - the parts of gpudiag baseline, for each other. */
#pragma once

#include "cmd/baseline_in_force.h"
#include "cmd/acquire.h"

enum { BASELINE_MAX_RUNS = 100 };

enum baseline_action { BASELINE_SAVE, BASELINE_SHOW, BASELINE_COMPARE };

struct baseline_options {
	struct acquisition acq;
	struct baseline_in_force baseline; /* of compare */
	enum baseline_action action;
	const char *file;		/* of show and compare; NULL: the machine's */
	const char *output_path;	/* of save; NULL: the machine's */
	const char *snapshots[BASELINE_MAX_RUNS];
	size_t nr_snapshots;
	size_t nr_runs;			/* 0: not said */
	bool even_with_findings, force, ascii;
};

/* baseline_options.c; both end with NULL. */
extern const char *const baseline_actions[];
extern const struct option_row baseline_option_rows[];
/* Reads the command line; ends the process where it is wrong. */
void baseline_take_options(struct baseline_options *ret, int argc, char **argv);

/* baseline_save.c: looks as often as was asked, and keeps what was seen. Returns the exit status. */
int baseline_save(struct baseline_options *asked, int argc, char **argv);
