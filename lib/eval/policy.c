// SPDX-License-Identifier: GPL-2.0-or-later
/* policy.c - policy.def as a table, and the policy that is built in. */
#include "base/compat.h"
#include "eval/policy.h"

#include <math.h>

const struct policy_row policy_rows[NR_POLICY_ROWS] = {
#define ROW(member_, kind_, key_, unit_, value_, source_, doc_) \
	[POLICY_ROW_##member_] = { \
		.key = key_, .kind = POLICY_IS_##kind_, .unit = UNIT_##unit_, .value = value_, \
		.source = source_, .doc = doc_, .offset = offsetof(struct policy, member_), \
	},
#define POLICY(member, key, unit, value, source, doc) ROW(member, NUMBER, key, unit, value, source, doc)
#define POLICY_BOOL(member, key, value, source, doc) ROW(member, BOOL, key, NONE, value, source, doc)
#define POLICY_PATTERNS(member, key, source, doc) ROW(member, PATTERNS, key, NONE, 0, source, doc)
#define POLICY_CHECKS(member, key, source, doc) ROW(member, CHECKS, key, NONE, 0, source, doc)
#define POLICY_VERSION(member, key, source, doc) ROW(member, VERSION, key, NONE, 0, source, doc)
#include "eval/policy.def"
#undef POLICY
#undef POLICY_BOOL
#undef POLICY_PATTERNS
#undef POLICY_CHECKS
#undef POLICY_VERSION
#undef ROW
};

const struct policy policy_built_in = {
#define POLICY(member, key, unit, value, source, doc) .member = value,
#define POLICY_BOOL(member, key, value, source, doc) .member = value,
#define POLICY_PATTERNS(...)
#define POLICY_CHECKS(...)
#define POLICY_VERSION(...)
#include "eval/policy.def"
#undef POLICY
#undef POLICY_BOOL
#undef POLICY_PATTERNS
#undef POLICY_CHECKS
#undef POLICY_VERSION
};

const char *policy_place(struct arena *arena, const struct policy *policy, unsigned row)
{
	if (!policy->path || !policy->lines[row])
		return "built in";
	return arena_printf(arena, "%s:%u", policy->path, policy->lines[row]);
}

size_t policy_nr_set(const struct policy *policy)
{
	size_t nr = 0;

	for (size_t i = 0; i < NR_POLICY_ROWS; i++)
		nr += policy->lines[i] != 0;
	return nr;
}

static void write_texts(struct json_writer *w, const struct strs *texts)
{
	json_array_begin(w);
	for (size_t i = 0; i < texts->nr; i++)
		json_put_str(w, texts->v[i]);
	json_array_end(w);
}

void policy_value_write(struct json_writer *w, const struct policy *policy, unsigned row)
{
	const void *member = (const char *)policy + policy_rows[row].offset;

	switch (policy_rows[row].kind) {
	case POLICY_IS_NUMBER:
		json_put_f64(w, *(const double *)member);
		break;
	case POLICY_IS_BOOL:
		json_put_bool(w, *(const bool *)member);
		break;
	case POLICY_IS_PATTERNS:
	case POLICY_IS_CHECKS:
		write_texts(w, member);
		break;
	case POLICY_IS_VERSION:
		json_put_str(w, *(const char *const *)member ? *(const char *const *)member : "");
		break;
	}
}

void policy_range(unsigned row, double *min, double *max)
{
	const struct policy_row *def = &policy_rows[row];

	*min = 0.0;
	*max = (double)INFINITY;
	if (def->unit == UNIT_PERCENT)
		*max = 100.0;
	if (def->unit == UNIT_RATIO && def->value <= 1.0)
		*max = 1.0;
	else if (def->unit == UNIT_RATIO)
		*min = 1.0;
}
