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
 *
 * Beside them stand the parts of policy_parts: "models" and "nodes", which set
 * the same keys for some GPUs and some machines, "regrade" and "quiet". What
 * holds for one GPU is policy_resolve()'s: built in, then the file, then the
 * models that its GPU is of, then the nodes that the machine is, each in the
 * order of the file; what is said later wins. Required checks and regrades add up.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/units.h"
#include "eval/findings/findings.h"
#include "snapshot/value.h"

/* The rows' numbers: POLICY_ROW_swap_used_ratio. */
enum {
#define POLICY(member, ...) POLICY_ROW_##member,
#define POLICY_BOOL(member, ...) POLICY_ROW_##member,
#define POLICY_PATTERNS(member, ...) POLICY_ROW_##member,
#define POLICY_CHECKS(member, ...) POLICY_ROW_##member,
#define POLICY_PATHS(member, ...) POLICY_ROW_##member,
#define POLICY_VERSION(member, ...) POLICY_ROW_##member,
#define POLICY_WISH(member, ...) POLICY_ROW_##member,
#include "eval/policy/policy.def"
	NR_POLICY_ROWS
};

struct policy;

/* "models" and "nodes": what holds for GPUs of a model, and for machines of a name. */
struct policy_override {
	bool is_of_models;
	const char *pattern;		/* of the model's name in reports, or of the host's; case does not count */
	unsigned line;
	const struct policy *set;	/* its values are those of the rows with a line; the rest of it says nothing */
};

/* "regrade": a finding with another outcome than its own. */
struct policy_regrade {
	enum finding_id finding;
	enum outcome outcome;		/* note, warn or fail */
	unsigned line;
	const char *place;		/* "policy.json:14" */
};

#define QUIET_VALUE "unknown:"

/* "quiet": known findings that are reported as notes, until a date. */
struct policy_quiet {
	/* Its id; the name of a check: all of that check's; or "unknown:ecc_enabled": a value that fails to answer. */
	const char *finding;
	/* pattern of a serial number, UUID or PCI address; NULL: all, and what is of no GPU */
	const char *gpu;
	const char *node;		/* pattern of the host's name; NULL: all */
	const char *until;		/* the last day, "2026-12-31", in UTC */
	const char *reason;
	unsigned line;
	const char *place;
};

struct policy {
#define POLICY(member, ...) double member;
#define POLICY_BOOL(member, ...) bool member;
#define POLICY_PATTERNS(member, ...) struct strs member;
#define POLICY_CHECKS(member, ...) struct strs member;
#define POLICY_PATHS(member, ...) struct strs member;
#define POLICY_VERSION(member, ...) const char *member;	/* NULL: none */
#define POLICY_WISH(member, ...) struct val_u64 member;
#include "eval/policy/policy.def"
	const char *path;		/* file it was read from; NULL: all is built in */
	unsigned lines[NR_POLICY_ROWS];	/* of the file, where it sets the row; 0: built in */

	/* Each in the order of the file. */
	size_t nr_overrides;
	const struct policy_override *overrides;
	size_t nr_regrades;
	const struct policy_regrade *regrades;
	size_t nr_quiets;
	const struct policy_quiet *quiets;
};

enum policy_kind {
	POLICY_IS_NUMBER, POLICY_IS_BOOL, POLICY_IS_PATTERNS, POLICY_IS_CHECKS, POLICY_IS_PATHS, POLICY_IS_VERSION,
	POLICY_IS_WISH,
};

struct policy_row {
	const char *key;		/* "transfer.warn_ratio" */
	enum policy_kind kind;
	enum unit unit;			/* of a number */
	/* built in, of a number; truth as 0 and 1; lists are empty, versions and wishes none */
	double value;
	const char *source;
	const char *doc;
	size_t offset;			/* in struct policy */
};

extern const struct policy_row policy_rows[NR_POLICY_ROWS];
extern const struct policy policy_built_in;

/* "/etc/gpudiag/policy.json:14", where that row was set; "built in" where it was not. */
const char *policy_origin(struct arena *arena, const struct policy *policy, unsigned row);

/* How many rows the file sets, those of its overrides not counted. */
size_t policy_nr_set(const struct policy *policy);

/* "sets 3 of 90 values, 2 overrides, 1 regrade, 4 quiet entries": what there is of it. */
const char *policy_in_words(struct arena *arena, const struct policy *policy);

/* A row's value in this policy, as JSON. */
void policy_value_write(struct json_writer *w, const struct policy *policy, unsigned row);

/* The numbers a row may have: from min to max, which may be infinity. */
void policy_range(unsigned row, double *min, double *max);

/* Is it compared with things of the whole machine, so that no GPU's model can change it? */
bool policy_row_is_of_node(unsigned row);

/* The parts of a policy file that are objects of their own, for messages and manuals. */
struct policy_part {
	const char *key;		/* "models" */
	const char *form;		/* "{ PATTERN: { KEY: VALUE, … }, … }" */
	const char *doc;
};
enum { POLICY_PART_MODELS, POLICY_PART_NODES, POLICY_PART_REGRADE, POLICY_PART_QUIET, NR_POLICY_PARTS };
extern const struct policy_part policy_parts[NR_POLICY_PARTS];

/*
 * What holds on the host of that name (NULL: not known) for a GPU of that
 * model (NULL: for the machine itself). The policy itself where nothing of it
 * says more, else a copy in the arena.
 */
const struct policy *policy_resolve(struct arena *arena, const struct policy *policy, const char *host,
				    const char *model);

/* Does a pattern of an override or of the quiet list mean that name? */
bool policy_matches(const char *pattern, const char *name);

/* What is wrong with a file, in its order; line 0: no line of it. */
struct policy_error {
	unsigned line;
	const char *what;
};
struct policy_errors {
	size_t nr;
	struct policy_error *items;
};

/*
 * Reads the text of a policy file over what is built in. path is the file's
 * name for messages and reports; texts are kept in the arena. checks are
 * the names that a check may have. 0, or -EINVAL with all that is wrong in *errors.
 */
int policy_parse(struct policy *ret, struct arena *arena, const struct strs *checks, const char *path,
		 const char *text, size_t len, struct policy_errors *errors) MUST_CHECK;

/* Is its last day over at that time, as in run.taken_at? */
bool quiet_is_over(const struct policy_quiet *quiet, const char *taken_at);

/*
 * What a policy that was read says and hardly means, in the order of its lines: quiet entries whose last day is before
 * today ("2026-12-31", in UTC), numbers that only fit another unit. It holds as it stands: this is for who wrote it.
 */
void policy_warn(struct arena *arena, const struct policy *policy, const char *today, struct policy_errors *ret);
