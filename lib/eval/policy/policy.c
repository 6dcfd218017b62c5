// SPDX-License-Identifier: GPL-2.0-or-later
/* policy.c - policy.def as a table, and print the built-in policy. */
#include "base/compat.h"
#include "eval/policy/policy.h"

#include <math.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "eval/policy/policy_reading.h"
#include "snapshot/snapshot.h"

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
#define POLICY_PATHS(member, key, source, doc) ROW(member, PATHS, key, NONE, 0, source, doc)
#define POLICY_VERSION(member, key, source, doc) ROW(member, VERSION, key, NONE, 0, source, doc)
#define POLICY_WISH(member, key, unit, source, doc) ROW(member, WISH, key, unit, 0, source, doc)
#include "eval/policy/policy.def"
#undef ROW
};

const struct policy policy_built_in = {
#define POLICY(member, key, unit, value, source, doc) .member = value,
#define POLICY_BOOL(member, key, value, source, doc) .member = value,
#define POLICY_PATTERNS(...)
#define POLICY_CHECKS(...)
#define POLICY_PATHS(...)
#define POLICY_VERSION(...)
#define POLICY_WISH(...)
#include "eval/policy/policy.def"
};

const struct policy_part policy_parts[NR_POLICY_PARTS] = {
	[POLICY_PART_MODELS] = {
		"models", "{ PATTERN: { KEY: VALUE, … }, … }",
		"values for GPUs of a model: each pattern, with * and ?, is held against the model's name as reports show it. "
		"Keys that are of the whole machine, as \"swap.used_ratio\" is, are refused here",
	},
	[POLICY_PART_NODES] = {
		"nodes", "{ PATTERN: { KEY: VALUE, … }, … }",
		"values for machines: each pattern, with * and ?, is held against the host's name",
	},
	[POLICY_PART_REGRADE] = {
		"regrade", "{ FINDING: \"note\", \"warn\" or \"fail\", … }",
		"findings with another outcome than their own. Up is always allowed; what says that results are wrong, that "
		"data was lost or that a GPU does not answer is never graded down",
	},
	[POLICY_PART_QUIET] = {
		"quiet",
		"[ { \"finding\": ID, \"gpu\": PATTERN, \"node\": PATTERN, \"until\": DATE, \"reason\": TEXT }, … ]",
		"known findings: reported as notes, with the reason, and move neither verdict nor exit "
		"status. The finding is the id of one, a check for all of its, or unknown:KEY for a value of a GPU that "
		"fails to answer, by its key in the snapshot (unknown:ecc_enabled); the GPU a serial number, UUID or PCI "
		"address; without it, and without a node, all are meant. Until is the last day in UTC; from the next on the "
		"finding counts again, and quiet-list warns of the entry. What may not be graded down is never quiet",
	},
};

const char *policy_origin(struct arena *arena, const struct policy *policy, unsigned row)
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

const char *policy_in_words(struct arena *arena, const struct policy *policy)
{
	const struct {
		size_t nr;
		const char *one, *several;
	} parts[] = {
		{ policy->nr_overrides, "override", "overrides" },
		{ policy->nr_regrades, "regrade", "regrades" },
		{ policy->nr_quiets, "quiet entry", "quiet entries" },
	};
	const char *words = arena_printf(arena, "sets %zu of %d values", policy_nr_set(policy), (int)NR_POLICY_ROWS);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].nr)
			words = arena_printf(arena, "%s, %zu %s", words, parts[i].nr,
					     parts[i].nr == 1 ? parts[i].one : parts[i].several);
	return words;
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
	case POLICY_IS_PATHS:
		strs_write(w, member);
		break;
	case POLICY_IS_VERSION:
		json_put_str(w, *(const char *const *)member ? *(const char *const *)member : "");
		break;
	case POLICY_IS_WISH:
		if (is_known(*(const struct val_u64 *)member))
			json_put_u64(w, u64_or(*(const struct val_u64 *)member, 0));
		else
			json_put_null(w);
		break;
	}
}

/* Beginnings of keys: what no check of a GPU compares with, and what decides whether one is touched at all. */
bool policy_row_is_of_node(unsigned row)
{
	static const char *const keys[] = {
		"probe.", "task.", "swap.", "memory.available_ratio", "memory.critical_", "memory.pressure_percent",
		"memlock.", "klog.", "edac.", "shm.", "cpu.", "io.", "nvme.", "storage.", "collective.", "network.",
		"room.", "require",
		"inventory.gpus", "pins.kernel", "pins.nvidia_driver", "pins.amdgpu_driver", "pins.opencl_driver",
		"pins.gsp_firmware", "pins.nvidia_flavour", "pins.fabric_manager", "pins.container_toolkit",
		"pins.cuda_toolkit", "pins.nccl", "pins.rocm", "runtime.cuda_version_min", "gpu.idle_percent",
		"vram.unexplained_bytes",
	};

	return text_begins_any(policy_rows[row].key, keys, ARRAY_SIZE(keys));
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

/* Days of that form have the order of their texts. */
bool quiet_is_over(const struct policy_quiet *quiet, const char *taken_at)
{
	return strncmp(taken_at, quiet->until, strlen(quiet->until)) > 0;
}

/* ---- which of a policy's values hold for this machine, and for one of its GPUs */

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
