/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch_series.h - a recording of gpudiag watch, JSON Lines: what the node is and how it is judged in its first line,
 * then a tick in each. A live watch writes its ticks as lines and reads them back, so that a replay judges the same
 * bytes.
 */
#pragma once

#include "base/arena.h"
#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

struct series {
	const char *name;		/* for messages */
	unsigned long line;		/* number of the line that was read last */
	struct snapshot sealed;
	struct policy policy;
	struct arena arena;		/* texts of the policy */
	uint64_t pid;			/* whose GPUs are judged; 0: all */
	uint64_t ticks, last_ns;
	struct merge_unknown unknown;	/* keys that this version does not know */
	char first_unknown[80];
	size_t nr_strangers;		/* GPUs of ticks that the snapshot does not have */
	char first_stranger[80];
};

/* The first line of the recording of a node, and the line of a tick, each with its line feed. */
void series_write_begin(struct strbuf *out, const struct snapshot *sealed, const struct policy *policy, uint64_t pid);
void series_write_tick(struct strbuf *out, const struct tick *tick);

/*
 * Reads the first line. policy: in place of the recorded one, or NULL; without either the built-in one holds. 0, or
 * -EINVAL with *error filled.
 */
int series_begin(struct series *series, const char *line, size_t len, const struct policy *policy,
		 struct json_error *error) MUST_CHECK;

/* What holds on this node: the series' policy with what it says of the node's name. */
const struct policy *series_policy(struct series *series);

/* Reads the line of a tick; where it has no time, it came a second after the one before. tick_release() frees it. */
int series_tick(struct series *series, const char *line, size_t len, struct tick *ret,
		struct json_error *error) MUST_CHECK;

void series_release(struct series *series);
