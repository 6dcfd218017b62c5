/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_limits.h - limits of a control group: one counts wherever it is set, from the group itself up to the root that
 * is in sight, and the narrowest holds.
 */
#pragma once

#include "probe/probe.h"
#include "probe/system/cgroup_place.h"

/* A group and all above it, the group itself first. */
struct cgroup_chain {
	struct probe_env *env;
	struct arena *arena;
	unsigned version;
	struct strs folders;
};

struct cgroup_chain cgroup_chain_of(struct probe_env *env, struct arena *arena, const struct cgroup_place *place);

/* The name a file has in that version; NULL: it has none. */
const char *cgroup_file_of(const struct cgroup_chain *chain, const char *v2, const char *v1);
/* A limit in bytes, of one group. */
struct val_u64 cgroup_read_limit(struct cgroup_chain *chain, const char *folder, const char *file);
/* The narrowest limit, and the group that has it: NULL where none has. */
struct val_u64 cgroup_narrowest(struct cgroup_chain *chain, const char *file, const char **ret_folder);
/* The same of CPU time, in CPUs. */
struct val_f64 cgroup_cpu_limit(struct cgroup_chain *chain, const char **ret_folder);
