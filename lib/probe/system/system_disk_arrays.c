// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_disk_arrays.c - arrays of disks that the kernel keeps: software RAID, and pools of ZFS by their state alone.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "format/disk_array.h"
#include "probe/read.h"

#define POOLS "/proc/spl/kstat/zfs"

static void read_pools(struct probe_env *env, struct snapshot *facts)
{
	struct arena *arena = &facts->arena;
	struct name_list names = { 0 };

	if (root_list(env->root, &names, POOLS))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		/* Beside pools there are counters of the whole. */
		struct val_str state = read_str(env, arena, POOLS "/%s/state", names.names[i]);
		struct disk_array *array;

		if (!is_known(state))
			continue;
		array = list_element(arena, facts, disk_arrays, disk_array, names.names[i]);
		array->kind = val_str("zfs");
		array->level = no_str(VAL_ABSENT, "a pool");
		array->state = zpool_state(str_or(state, "")) ? val_str(zpool_state(str_or(state, ""))) : state;
	}
	name_list_release(&names);
}

void system_disk_arrays_read(struct probe_env *env, struct snapshot *facts)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, "/proc/mdstat");

	if (!error)
		md_stat_read(text.buf, facts);
	read_pools(env, facts);
	/* Without md's module there is no such file. */
	facts->listed.disk_arrays = listed_of(env, facts->nr_disk_arrays, error);
}
