/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - what a source of ticks is, for gpudiag watch: opened once, read again and again.
 *
 * A source runs in a worker process of its own (`gpudiag probe--worker sample-host`), as what it calls may hang or
 * crash. It is told by its environment what to watch, says before each call that may hang what it is about to do
 * (sample_step()), and fills its part of a tick. Of a call that may hang nothing else is promised: the parent goes on
 * without it (collect/live.h).
 */
#pragma once

#include "probe/probe.h"

/* Where it says what it is doing: a page that the parent can read while the worker hangs. A frame each would cost more. */
struct sample_page {
	char call[120];
	char gpu[32];			/* the GPU it is asking, by address; "" none */
};

struct sample_env {
	const struct root *root;
	struct sample_page *page;	/* shared with the parent; never NULL */
	uint64_t interval_ns;		/* between two ticks */
};
void sample_step(struct sample_env *env, const char *call, const char *gpu);

struct sample_source {
	const char *name;		/* "sample-host" */
	const char *help;
	enum probe_touches touches;
	const char *const *provides;	/* paths of record tick that it may write; ends with NULL */
	unsigned open_ms;		/* how long it may take to open: a driver may have to wake its GPUs */
	/* Is there anything for it to read, on the node of this sealed snapshot? */
	bool (*applies)(const struct snapshot *sealed);
	/* What its worker is told, as NAME=value; skip: GPUs that it hung at and that are left out this time. */
	void (*environment)(const struct snapshot *sealed, const struct strs *skip, struct arena *arena,
			    struct strs *ret);
	/* In the worker. NULL, with the reason in why: it cannot be had. */
	void *(*open)(struct sample_env *env, char why[256]);
	/* Adds its part to *ret, with texts in ret->arena. */
	void (*read)(void *own, struct tick *ret);
	void (*close)(void *own);
};

/* All sources; ends with NULL. In collect/sample_table.c, which links against all of them. */
extern const struct sample_source *const sample_sources[];
const struct sample_source *sample_source_by_name(const char *name);
