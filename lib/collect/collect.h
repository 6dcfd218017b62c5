/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.h - runs the probes phase by phase in workers, and merges what they
 * say into a snapshot. What calls a library has a worker of its own; those
 * that read files share some.
 */
#pragma once

#include "probe/probe.h"

struct collect_options {
	const struct root *root;
	const struct probe *const *probes;	/* as probe.h has them; NULL: all there are */
	const volatile int *cancel;	/* becomes non-zero when the run is interrupted */
	unsigned timeout_ms;		/* of the whole collection; 0: none but the workers' own */
	bool places_only;		/* as probe.h has it */
	/* Is this probe to be run at all? NULL: every probe. */
	bool (*wanted)(const struct probe *probe, void *data);
	/* Why a worker may not be started, as a phrase with static or arena life; NULL: it may. */
	const char *(*refuse)(const struct snapshot *snapshot, const struct probe *probe, const char *target,
			      struct arena *arena, void *data);
	/*
	 * Are this probe's workers to be started one at a time, after all others of their phase, and none after one
	 * that did not answer? So where one device may hang whoever asks, and the rest are to be asked with care. NULL:
	 * never.
	 */
	bool (*serially)(const struct snapshot *snapshot, const struct probe *probe, void *data);
	/*
	 * The hidden command's own function, for workers that read files and need no process as new; NULL: each is
	 * started.
	 */
	int (*worker_main)(int argc, char **argv);
	/* A phase begins: for a progress line. NULL: nobody wants to know. */
	void (*progress)(const char *what, void *data);
	/* Called about once a second while workers run. NULL: not at all. */
	void (*second)(void *data);
	void *data;			/* the callers' */
};

/*
 * Fills probes[] and whatever the probes found; run and request are the
 * caller's, set before: targets depend on them. Always returns, within the
 * workers' deadlines.
 */
void collect(struct snapshot *snapshot, const struct collect_options *options);
