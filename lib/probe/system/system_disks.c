// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_disks.c - disks. Left out: memory disks and loop devices, which are
 * none; device-mapper, whose disks are listed themselves; paths of a multipath
 * disk, which the kernel hides; drives with nothing in them.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "base/text.h"
#include "probe/read.h"

#define DISKS "/sys/block"

enum { SECTOR_BYTES = 512 };	/* of sysfs, whatever the disk's own are */

static bool is_no_disk(const char *name)
{
	static const char *const prefixes[] = { "dm-", "fd", "loop", "ram", "sr", "zram" };

	return text_begins_any(name, prefixes, ARRAY_SIZE(prefixes));
}

static struct val_bool read_flag(struct probe_env *env, struct arena *arena, const char *name, const char *file)
{
	struct val_u64 flag = read_u64(env, arena, DISKS "/%s/%s", name, file);

	return is_known(flag) ? val_bool(u64_or(flag, 0)) : no_bool(flag.state, flag.why);
}

static struct val_u64 read_size(struct probe_env *env, struct arena *arena, const char *name)
{
	struct val_u64 sectors = read_u64(env, arena, DISKS "/%s/size", name);
	uint64_t size;

	if (!is_known(sectors))
		return sectors;
	if (__builtin_mul_overflow(u64_or(sectors, 0), (uint64_t)SECTOR_BYTES, &size))
		return no_u64(VAL_ERROR, "more sectors than can be");
	return val_u64(size);
}

/* What is there, and holds something, and is shown. */
static bool is_disk(struct probe_env *env, struct arena *arena, const char *name, struct val_u64 *ret_size)
{
	if (is_no_disk(name))
		return false;
	*ret_size = read_size(env, arena, name);
	if (is_known(*ret_size) && !u64_or(*ret_size, 0))
		return false;
	return !bool_or(read_flag(env, arena, name, "hidden"), false);
}

/* A partition has no folder of its own there. */
bool is_listed_disk(struct probe_env *env, const char *name)
{
	struct arena arena = { 0 };
	struct val_u64 size;
	bool is_listed = !root_exists(env->root, DISKS "/%s", name) && is_disk(env, &arena, name, &size);

	arena_release(&arena);
	return is_listed;
}

static void read_disk(struct probe_env *env, struct snapshot *facts, const char *name)
{
	struct arena *arena = &facts->arena;
	struct val_u64 size;
	struct disk *disk;

	if (!is_disk(env, arena, name, &size))
		return;
	disk = list_element(arena, facts, disks, disk, name);
	disk->size_bytes = size;
	disk->model = read_str(env, arena, DISKS "/%s/device/model", name);
	disk->rotational = read_flag(env, arena, name, "queue/rotational");
	disk->scheduler = read_choice(env, arena, DISKS "/%s/queue/scheduler", name);
	disk->state = read_str(env, arena, DISKS "/%s/device/state", name);
}

void system_disks_read(struct probe_env *env, struct snapshot *facts)
{
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, DISKS);

	for (size_t i = 0; i < names.nr; i++)
		read_disk(env, facts, names.names[i]);
	name_list_release(&names);
	facts->listed.disks = listed_of(env, facts->nr_disks, error);
}
