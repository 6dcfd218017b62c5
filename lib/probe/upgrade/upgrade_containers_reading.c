// SPDX-License-Identifier: GPL-2.0-or-later
/* upgrade_containers_reading.c - the folders of containers: how far their reading has come, and what was not seen. */
#include "base/compat.h"
#include "probe/upgrade/upgrade_containers.h"

#include <errno.h>

#include "probe/read.h"
#include "probe/upgrade/upgrade_internal.h"

enum { MAX_CONTAINERS = 1024 };	/* that are looked at; a node has room for some 250 pods */

void containers_not_seen(struct containers_reading *reading, enum val_state state, const char *why)
{
	if (reading->state != VAL_UNSET)
		return;
	reading->state = state;
	reading->why = why;
}

void containers_keep_error(struct containers_reading *reading, int error)
{
	if (error && state_of_errno(error) != VAL_ABSENT)
		containers_not_seen(reading, state_of_errno(error), name_of_errno(error));
}

bool containers_are_near(struct containers_reading *reading, const char *path)
{
	const char *why = why_not_local(reading->env, &reading->mounts, path);

	if (why)
		containers_not_seen(
			reading, VAL_SKIPPED,
			arena_printf(&reading->facts->arena, "containers of %s not read: %s", reading->of, why));
	return !why;
}

struct name_list containers_list(struct containers_reading *reading, const char *folder)
{
	struct name_list names = { 0 };

	if (containers_are_near(reading, folder))
		containers_keep_error(reading, root_list(reading->env->root, &names, "%s", folder));
	return names;
}

bool containers_count(struct containers_reading *reading)
{
	if (reading->nr++ < MAX_CONTAINERS)
		return true;
	containers_keep_error(reading, -EFBIG);
	return false;
}

bool containers_as_user(struct containers_reading *reading)
{
	int error = root_is_live(reading->env->root) ? as_user_begin(&reading->as, reading->user, reading->group) : 0;

	if (error)
		containers_not_seen(reading, VAL_SKIPPED,
				    arena_printf(&reading->facts->arena, "containers of %s not read: user rights: %s",
						 reading->of, name_of_errno(error)));
	return !error;
}

void containers_as_root(struct containers_reading *reading)
{
	as_user_end(&reading->as);
	reading->as = (struct as_user){ .is_other = false };
}

struct val_bool container_runs(struct containers_reading *reading, const char *pidfile)
{
	const struct root *root = reading->env->root;
	struct arena scratch = { 0 };
	struct val_u64 pid = read_u64(reading->env, &scratch, "%s", pidfile);
	struct val_bool runs = { .state = VAL_UNSET };
	struct stat st;

	/* Its processes are other users' where it has a user namespace, and /proc may hide them from its own. */
	containers_as_root(reading);
	if (is_known(pid) && !root_stat(root, &st, "/proc/1"))
		runs = val_bool(state_of_errno(root_stat(root, &st, "/proc/%llu",
							 (unsigned long long)u64_or(pid, 0))) != VAL_ABSENT);
	/* They were to be had a moment ago: going on as root is what must not happen. */
	if (!containers_as_user(reading))
		abort();
	arena_release(&scratch);
	return runs;
}

/* Of each folder below this one, its config.json. */
static void read_bundles(struct containers_reading *reading, const char *folder)
{
	struct arena scratch = { 0 };
	struct name_list ids = containers_list(reading, folder);

	for (size_t i = 0; i < ids.nr && containers_count(reading); i++) {
		const char *path = arena_printf(&scratch, "%s/%s/config.json", folder, ids.names[i]);

		if (containers_are_near(reading, path))
			containers_keep_error(reading, containers_read_config(reading, ids.names[i], path));
	}
	name_list_release(&ids);
	arena_release(&scratch);
}

/* containerd keeps those of Kubernetes, of Docker and of its own tools apart. */
void containers_read_namespaces(struct containers_reading *reading, const char *state_folder)
{
	struct arena scratch = { 0 };
	const char *tasks = arena_printf(&scratch, "%s/io.containerd.runtime.v2.task", state_folder);
	struct name_list names = containers_list(reading, tasks);

	for (size_t i = 0; i < names.nr; i++)
		read_bundles(reading, arena_printf(&scratch, "%s/%s", tasks, names.names[i]));
	name_list_release(&names);
	arena_release(&scratch);
}
