// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/storage_disk.h"

#include <sys/sysmacros.h>

#include "base/text_scan.h"
#include "probe/read.h"
#include "sys/clock.h"

enum { MAX_LAYERS = 4 };		/* volume on encryption on RAID on a disk */

/* The disk below a block device: a partition's is the folder above it, a mapped one's what it is made of. */
static struct val_str disk_of_block(struct probe_env *env, struct arena *arena, const char *name, int layer)
{
	STRBUF_AUTO place = STRBUF_INIT;
	struct name_list below = { 0 };
	struct val_str disk;
	char *end;

	if (root_readlink(env->root, &place, "/sys/class/block/%s", name))
		return no_str(VAL_ABSENT, "on no disk of /sys/class/block");
	if (!root_exists(env->root, "/sys/class/block/%s/partition", name)) {
		end = strrchr(place.buf, '/');
		if (end)
			*end = '\0';
		end = strrchr(place.buf, '/');
		return disk_of_block(env, arena, arena_strdup(arena, end ? end + 1 : place.buf), layer);
	}
	if (strncmp(name, "dm-", strlen("dm-")) != 0)
		return val_str(arena_strdup(arena, name));
	if (root_list(env->root, &below, "/sys/class/block/%s/slaves", name) || !below.nr || layer == MAX_LAYERS)
		disk = no_str(VAL_ABSENT, "a mapped device on no disk");
	else if (below.nr > 1)
		disk = no_str(VAL_UNSUPPORTED, arena_printf(arena, "%s lies on %zu disks", name, below.nr));
	else
		disk = disk_of_block(env, arena, arena_strdup(arena, below.names[0]), layer + 1);
	name_list_release(&below);
	return disk;
}

/* "259:2" as its device's name. */
static const char *name_of_number(struct probe_env *env, struct arena *arena, const char *number)
{
	STRBUF_AUTO place = STRBUF_INIT;
	const char *slash;

	if (root_readlink(env->root, &place, "/sys/dev/block/%s", number))
		return NULL;
	slash = strrchr(place.buf, '/');
	return arena_strdup(arena, slash ? slash + 1 : place.buf);
}

/* File systems of several devices (btrfs) have a number of their own; their source is one of these. */
static const char *name_of_source(struct probe_env *env, struct arena *arena, const char *source)
{
	struct stat st;

	if (strncmp(source, "/dev/", strlen("/dev/")) != 0 || root_stat(env->root, &st, "%s", source) ||
	    !S_ISBLK(st.st_mode))
		return NULL;
	return name_of_number(env, arena, arena_printf(arena, "%u:%u", major(st.st_rdev), minor(st.st_rdev)));
}

/* Where an overlay writes to is where most of what is read was unpacked. */
static const struct mount_point *below_overlay(struct arena *arena, const struct mount_list *mounts,
					       const struct mount_point *mount)
{
	static const char name[] = "upperdir=";
	const char *at = strstr(mount->options, name);

	if (!at)
		return NULL;
	at += strlen(name);
	mount = mount_of_path(mounts, arena_strndup(arena, at, strcspn(at, ",")));
	return mount && mount_kind(mount->type) == MOUNT_LOCAL ? mount : NULL;
}

struct val_str storage_disk_of(struct probe_env *env, struct arena *arena, const struct mount_list *mounts,
			       const struct mount_point *mount)
{
	enum mount_kind kind = mount_kind(mount->type);
	const char *name;

	if (kind == MOUNT_OVERLAY) {
		mount = below_overlay(arena, mounts, mount);
		if (!mount)
			return no_str(VAL_ABSENT, "the overlay's folders are not visible here");
	} else if (kind != MOUNT_LOCAL) {
		return no_str(VAL_ABSENT, "on no disk of this machine");
	}
	name = name_of_number(env, arena, mount->device);
	if (!name)
		name = name_of_source(env, arena, mount->source);
	return name ? disk_of_block(env, arena, name, 0) : no_str(VAL_ABSENT, "on no disk of /sys/class/block");
}

/* "259 0 nvme0n1 …": after the name the 10th number is the time with I/O in progress, in ms. */
static bool busy_ms(struct probe_env *env, const char *disk, uint64_t *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	bool fits = true;
	size_t len;

	if (root_read(env->root, &text, "/proc/diskstats"))
		return false;
	for (const char *line = text.buf; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line, *word;

		scan_word(&at, &len);
		scan_word(&at, &len);
		word = scan_word(&at, &len);
		if (len != strlen(disk) || memcmp(word, disk, len))
			continue;
		for (int i = 0; i < 9; i++)
			scan_word(&at, &len);
		at += strspn(at, " ");
		return scan_u64(&at, 10, ret, &fits) && fits;
	}
	return false;
}

struct val_f64 storage_disk_busy(struct probe_env *env, struct sink *sink, const char *disk, uint64_t ns)
{
	uint64_t before, after, began_ns = clock_now_ns();
	double percent;

	if (!busy_ms(env, disk, &before))
		return no_f64(VAL_ABSENT, "not in /proc/diskstats");
	sink_sleep_ns(sink, ns);
	if (!busy_ms(env, disk, &after))
		return no_f64(VAL_ABSENT, "not in /proc/diskstats");
	percent = 100.0 * 1e6 * (double)(uint32_t)(after - before) / (double)(clock_now_ns() - began_ns);
	return val_f64(percent < 100.0 ? percent : 100.0);
}
