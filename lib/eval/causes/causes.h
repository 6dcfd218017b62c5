/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causes.h - which finding explains another one.
 *
 * What an other finding explains is a symptom: it keeps its outcome, and what
 * is to be done is the cause's. A cause may have a cause itself; the first of
 * such a chain is what the report opens with. No chain runs in a circle: what
 * would close one is no cause. The rules are a table (causes.def): beginnings
 * of ids, and what must be true of both beyond being of one GPU, or of the
 * node. Where numbers can tell, they must: what is slower than its cause makes
 * it has a second one, says so, and stays a finding of its own. Where several
 * warnings of different kinds fit and none better than the others, none is the
 * cause: they are named as possible.
 */
#pragma once

#include "eval/causes/cause_arithmetic.h"

enum cause_kind {
	CAUSE_LINK, CAUSE_NUMA, CAUSE_MEMORY, CAUSE_HEAT, CAUSE_POWER, CAUSE_CLOCKS, CAUSE_TENANTS, CAUSE_GPU_MEMORY,
	CAUSE_LOST, CAUSE_HANG, CAUSE_VERSIONS,
};

enum cause_place { CAUSE_PLACE_SAME, CAUSE_PLACE_ANY };

struct cause_rule {
	const char *effects, *causes;	/* beginnings of ids, parted by spaces */
	enum outcome least;		/* of the cause */
	enum cause_place place;
	cause_fits_fn *fits;
	enum cause_kind kind;
};
extern const struct cause_rule cause_rules[];
extern const size_t nr_cause_rules;

/* Sets caused_by and possible causes of the findings, and adds to why where there is a second cause. */
void causes_find(struct arena *arena, const struct snapshot *snapshot, struct finding **findings, size_t nr);

/* Sets caused_by of the results that are unknown for what a finding says. */
void causes_find_unknown(struct result *results, size_t nr_results, struct finding **findings, size_t nr);

/* The first of its chain of causes that is a fault; itself where it has none. */
const struct finding *first_cause_of(const struct finding *finding);
