// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/system/cgroup_limits.h"

#include "base/text.h"
#include "probe/read.h"

/* Version 1 writes the largest number of pages for "no limit", which differs with the page size. */
#define NO_LIMIT_BYTES (UINT64_C(1) << 60)

enum { MAX_DEPTH = 64 };	/* of a group that is looked at; those of Slurm and Kubernetes lie 8 deep */

struct cgroup_chain cgroup_chain_of(struct probe_env *env, struct arena *arena, const struct cgroup_place *place)
{
	struct cgroup_chain groups = { .env = env, .arena = arena, .version = place->version, .folders = { 0 } };
	size_t len, least;
	char *folder;

	if (!place->mount)
		return groups;
	folder = arena_printf(arena, "%s%s", strcmp(place->mount, "/") ? place->mount : "", place->below);
	len = strlen(folder);
	least = len - strlen(place->below);
	while (len && len >= least && groups.folders.nr < MAX_DEPTH) {
		strs_add(arena, &groups.folders, arena_strndup(arena, folder, len));
		while (len && folder[--len] != '/')
			;
	}
	return groups;
}

const char *cgroup_file_of(const struct cgroup_chain *chain, const char *v2, const char *v1)
{
	return chain->version == 2 ? v2 : v1;
}

struct val_u64 cgroup_read_limit(struct cgroup_chain *chain, const char *folder, const char *file)
{
	struct val_str text = read_str(chain->env, chain->arena, "%s/%s", folder, file);
	uint64_t limit;

	if (str_is(text, "max"))
		return no_u64(VAL_ABSENT, "no limit");
	if (!is_known(text))
		return no_u64(text.state, text.why);
	if (parse_u64(str_or(text, ""), &limit))
		return no_u64(VAL_ERROR, arena_printf(chain->arena, "reads \"%.40s\"", str_or(text, "")));
	return limit < NO_LIMIT_BYTES ? val_u64(limit) : no_u64(VAL_ABSENT, "no limit");
}

struct val_u64 cgroup_narrowest(struct cgroup_chain *chain, const char *file, const char **ret_folder)
{
	struct val_u64 least = no_u64(VAL_ABSENT, chain->folders.nr ? "no limit" : "not mounted");

	*ret_folder = NULL;
	for (size_t i = 0; i < chain->folders.nr; i++) {
		struct val_u64 limit = cgroup_read_limit(chain, chain->folders.v[i], file);

		if (is_known(limit) && (!is_known(least) || u64_or(limit, 0) < u64_or(least, 0))) {
			least = limit;
			*ret_folder = chain->folders.v[i];
		} else if (limit.state != VAL_ABSENT && !is_known(least)) {
			least = limit;		/* a group that cannot be read may have one */
		}
	}
	return least;
}

/* "200000 100000": so many µs of every so many; "max 100000" and a quota of -1 are no limit. */
static struct val_f64 read_cpu_limit(struct cgroup_chain *chain, const char *folder)
{
	struct val_str text = read_str(chain->env, chain->arena, "%s/%s", folder,
				       cgroup_file_of(chain, "cpu.max", "cpu.cfs_quota_us"));
	const char *quota = str_or(text, "");
	size_t len = strcspn(quota, " ");
	double quota_us, period_us;

	if (!is_known(text))
		return no_f64(text.state, text.why);
	if (!strncmp(quota, "max", strlen("max")) || quota[0] == '-')
		return no_f64(VAL_ABSENT, "no limit");
	if (chain->version == 2)
		period_us = parse_f64(quota[len] ? quota + len + 1 : "", &period_us) ? 0.0 : period_us;
	else
		period_us = (double)u64_or(
			read_u64(chain->env, chain->arena, "%s/cpu.cfs_period_us", folder), 0);
	if (parse_f64(arena_strndup(chain->arena, quota, len), &quota_us) || period_us <= 0.0 || quota_us < 0.0)
		return no_f64(VAL_ERROR, arena_printf(chain->arena, "reads \"%.40s\"", quota));
	return val_f64(quota_us / period_us);
}

struct val_f64 cgroup_cpu_limit(struct cgroup_chain *chain, const char **ret_folder)
{
	struct val_f64 least = no_f64(VAL_ABSENT, chain->folders.nr ? "no limit" : "not mounted");

	*ret_folder = NULL;
	for (size_t i = 0; i < chain->folders.nr; i++) {
		struct val_f64 limit = read_cpu_limit(chain, chain->folders.v[i]);

		if (is_known(limit) && (!*ret_folder || f64_or(limit, 0.0) < f64_or(least, 0.0))) {
			least = limit;
			*ret_folder = chain->folders.v[i];
		} else if (limit.state != VAL_ABSENT && !*ret_folder) {
			least = limit;
		}
	}
	return least;
}
