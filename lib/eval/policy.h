/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.h - the thresholds in force, from policy.def: one row each with its
 * unit, default and where that comes from.
 */
#ifndef GPUDIAG_EVAL_POLICY_H
#define GPUDIAG_EVAL_POLICY_H

#include "base/compat.h"
#include "base/units.h"

struct policy {
#define POLICY(member, key, unit, value, source, doc) double member;
#include "eval/policy.def"
#undef POLICY
};

struct policy_row {
	const char *key;		/* "transfer.warn_ratio" */
	enum unit unit;
	double value;			/* built in */
	const char *source;
	const char *doc;
	size_t offset;			/* in struct policy */
};

extern const struct policy_row policy_rows[];
extern const size_t nr_policy_rows;
extern const struct policy policy_built_in;

#endif
