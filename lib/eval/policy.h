/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.h - how to judge: the thresholds in force and what else a team may
 * set, from policy.def, each with its default and where that comes from.
 *
 * A policy file is a JSON object, comments allowed, whose keys are those of
 * the table, as they stand there: {"swap.used_ratio": 0.5}. Keys are not taken
 * apart into objects inside objects: there is one way to write each, the one
 * that documents, reports and `grep` use. What a file does not name stays
 * built in.
 */
#ifndef GPUDIAG_EVAL_POLICY_H
#define GPUDIAG_EVAL_POLICY_H

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "snapshot/value.h"

/* The rows' numbers: POLICY_ROW_swap_used_ratio. */
enum {
#define POLICY(member, ...) POLICY_ROW_##member,
#define POLICY_BOOL(member, ...) POLICY_ROW_##member,
#define POLICY_PATTERNS(member, ...) POLICY_ROW_##member,
#define POLICY_CHECKS(member, ...) POLICY_ROW_##member,
#define POLICY_VERSION(member, ...) POLICY_ROW_##member,
#include "eval/policy.def"
#undef POLICY
#undef POLICY_BOOL
#undef POLICY_PATTERNS
#undef POLICY_CHECKS
#undef POLICY_VERSION
	NR_POLICY_ROWS
};

struct policy {
#define POLICY(member, ...) double member;
#define POLICY_BOOL(member, ...) bool member;
#define POLICY_PATTERNS(member, ...) struct strs member;
#define POLICY_CHECKS(member, ...) struct strs member;
#define POLICY_VERSION(member, ...) const char *member;	/* NULL: none */
#include "eval/policy.def"
#undef POLICY
#undef POLICY_BOOL
#undef POLICY_PATTERNS
#undef POLICY_CHECKS
#undef POLICY_VERSION
	const char *path;		/* file it was read from; NULL: all is built in */
	unsigned lines[NR_POLICY_ROWS];	/* of the file, where it sets the row; 0: built in */
};

enum policy_kind { POLICY_IS_NUMBER, POLICY_IS_BOOL, POLICY_IS_PATTERNS, POLICY_IS_CHECKS, POLICY_IS_VERSION };

struct policy_row {
	const char *key;		/* "transfer.warn_ratio" */
	enum policy_kind kind;
	enum unit unit;			/* of a number */
	double value;			/* built in, of a number; truth as 0 and 1; lists are empty, versions none */
	const char *source;
	const char *doc;
	size_t offset;			/* in struct policy */
};

extern const struct policy_row policy_rows[NR_POLICY_ROWS];
extern const struct policy policy_built_in;

/* "/etc/gpudiag/policy.json:14", where that row was set; "built in" where it was not. */
const char *policy_place(struct arena *arena, const struct policy *policy, unsigned row);

/* How many rows the file sets. */
size_t policy_nr_set(const struct policy *policy);

/* A row's value in this policy, as JSON. */
void policy_value_write(struct json_writer *w, const struct policy *policy, unsigned row);

/* The numbers a row may have: from min to max, which may be infinity. */
void policy_range(unsigned row, double *min, double *max);

/*
 * Reads the text of a policy file over what is built in. path is the file's
 * name for messages and reports; texts are kept in the arena. Checks are
 * those of the playbook. 0, or -EINVAL with *error filled.
 */
struct playbook;
int policy_parse(struct policy *ret, struct arena *arena, const struct playbook *playbook, const char *path,
		 const char *text, size_t len, struct json_error *error) MUST_CHECK;

#endif
