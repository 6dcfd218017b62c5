// SPDX-License-Identifier: GPL-2.0-or-later
/* policy.c - policy.def as a table, and print the built-in policy. */
#include "base/compat.h"
#include "eval/policy/policy.h"

#include <math.h>

#include "base/text.h"

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
#undef POLICY
#undef POLICY_BOOL
#undef POLICY_PATTERNS
#undef POLICY_CHECKS
#undef POLICY_PATHS
#undef POLICY_VERSION
#undef POLICY_WISH
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
#undef POLICY
#undef POLICY_BOOL
#undef POLICY_PATTERNS
#undef POLICY_CHECKS
#undef POLICY_PATHS
#undef POLICY_VERSION
#undef POLICY_WISH
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
		"quiet", "[ { \"finding\": ID, \"gpu\": PATTERN, \"node\": PATTERN, \"until\": DATE, \"reason\": TEXT }, … ]",
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
	case POLICY_IS_PATHS:
		write_texts(w, member);
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
		"memlock.", "klog.", "edac.", "shm.", "cpu.", "io.", "nvme.", "storage.", "collective.", "network.", "room.", "require",
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
