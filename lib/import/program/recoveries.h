/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recoveries.h - events of a health monitor that are over: the same check of the same node says later that the GPU is
 * well, or that all are.
 */
#pragma once

#include "import/dump/dump.h"
#include "import/dump/xid_report.h"

struct recovery {
	const char *check, *node;	/* NULL: not told */
	/* of one form, so that it sorts; NULL: not told, or events stand as they were said */
	const char *time;
	const struct dump_line *line;
	struct xid_report gpu;		/* none named: all are well */
};

struct recoveries {
	struct recovery *v;
	size_t nr;
};

/* Does it name a GPU? */
bool recovery_names_gpu(const struct xid_report *gpu);

/* Of those of one check of one GPU the latest stays. */
void recoveries_add(struct arena *arena, struct recoveries *to, const struct recovery *recovery);

/* Is an event, in the same words, over? */
bool recoveries_end(const struct recoveries *recoveries, const struct recovery *event);
