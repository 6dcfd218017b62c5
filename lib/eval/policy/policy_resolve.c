// SPDX-License-Identifier: GPL-2.0-or-later
/* policy_resolve.c - which of a policy's values hold for this machine, and for one of its GPUs. */
#include "base/compat.h"
#include "eval/policy/policy_reading.h"

#include "base/strbuf.h"
#include "base/text.h"

static void add_lowered(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		strbuf_addch(out, *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text);
}

bool policy_matches(const char *pattern, const char *name)
{
	STRBUF_AUTO low_pattern = STRBUF_INIT;
	STRBUF_AUTO low_name = STRBUF_INIT;

	add_lowered(&low_pattern, pattern);
	add_lowered(&low_name, name);
	return glob_match(low_pattern.buf, low_name.buf);
}

static size_t member_bytes(enum policy_kind kind)
{
	switch (kind) {
	case POLICY_IS_NUMBER:
		return sizeof(double);
	case POLICY_IS_BOOL:
		return sizeof(bool);
	case POLICY_IS_VERSION:
		return sizeof(const char *);
	case POLICY_IS_WISH:
		return sizeof(struct val_u64);
	default:
		return sizeof(struct strs);
	}
}

static struct strs joined(struct arena *arena, const struct strs *a, const struct strs *b)
{
	struct strs all = { .nr = 0, .v = arena_alloc(arena, (a->nr + b->nr + 1) * sizeof(*all.v)) };

	for (size_t i = 0; i < a->nr; i++)
		all.v[all.nr++] = a->v[i];
	for (size_t i = 0; i < b->nr; i++)
		all.v[all.nr++] = b->v[i];
	return all;
}

static void add_regrades(struct arena *arena, struct policy *policy, const struct policy *set)
{
	struct policy_regrade *all;

	if (!set->nr_regrades)
		return;
	all = arena_alloc(arena, (policy->nr_regrades + set->nr_regrades) * sizeof(*all));
	if (policy->nr_regrades)
		memcpy(all, policy->regrades, policy->nr_regrades * sizeof(*all));
	memcpy(all + policy->nr_regrades, set->regrades, set->nr_regrades * sizeof(*all));
	policy->regrades = all;
	policy->nr_regrades += set->nr_regrades;
}

void policy_lay_over(struct arena *arena, struct policy *policy, const struct policy *set)
{
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		char *to = (char *)policy + policy_rows[row].offset;
		const char *from = (const char *)set + policy_rows[row].offset;

		if (!set->lines[row])
			continue;
		if (policy_rows[row].kind == POLICY_IS_CHECKS)
			*(struct strs *)(void *)to = joined(arena, (const struct strs *)(const void *)to,
							    (const struct strs *)(const void *)from);
		else
			memcpy(to, from, member_bytes(policy_rows[row].kind));
		policy->lines[row] = set->lines[row];
	}
	add_regrades(arena, policy, set);
}

static bool holds(const struct policy_override *override, bool of_models, const char *host, const char *model)
{
	const char *name = of_models ? model : host;

	return override->is_of_models == of_models && name && policy_matches(override->pattern, name);
}

const struct policy *policy_resolve(struct arena *arena, const struct policy *policy, const char *host,
				    const char *model)
{
	struct policy *resolved = NULL;

	for (int of_models = 1; of_models >= 0; of_models--) {
		for (size_t i = 0; i < policy->nr_overrides; i++) {
			if (!holds(&policy->overrides[i], of_models, host, model))
				continue;
			if (!resolved) {
				resolved = arena_alloc(arena, sizeof(*resolved));
				*resolved = *policy;
			}
			policy_lay_over(arena, resolved, policy->overrides[i].set);
		}
	}
	return resolved ? resolved : policy;
}
