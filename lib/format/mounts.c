// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/mounts.h"

#include "base/text_scan.h"
#include "format/proc_text.h"

static const char *next_word(struct arena *arena, const char **line)
{
	size_t len;
	const char *word = scan_word(line, &len);

	return unescaped(arena, word, len);
}

/* "29 23 0:26 / /home rw,nosuid shared:9 - nfs4 server:/home rw,vers=4.2" */
static struct mount_point parse(struct arena *arena, const char *line)
{
	struct mount_point ret;
	const char *word;
	size_t len;

	scan_word(&line, &len);
	scan_word(&line, &len);
	ret.device = next_word(arena, &line);
	ret.root = next_word(arena, &line);
	ret.point = next_word(arena, &line);
	do {
		word = scan_word(&line, &len);
	} while (len && !(len == 1 && *word == '-'));
	ret.type = next_word(arena, &line);
	ret.source = next_word(arena, &line);
	ret.options = next_word(arena, &line);
	return ret;
}

void mount_list_parse(struct mount_list *ret, struct arena *arena, const char *mountinfo)
{
	*ret = (struct mount_list){ .nr = 0 };
	for (const char *line = mountinfo; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		struct mount_point mount = parse(arena, line);

		if (!*mount.point)
			continue;
		ret->items = arena_grow(arena, ret->items, ret->nr, sizeof(*ret->items));
		ret->items[ret->nr++] = mount;
	}
}

static bool is_below(const char *path, const char *point)
{
	size_t len = strlen(point);

	return !strcmp(point, "/") || (!strncmp(path, point, len) && (path[len] == '/' || !path[len]));
}

const struct mount_point *mount_of_path(const struct mount_list *mounts, const char *path)
{
	const struct mount_point *deepest = NULL;

	for (size_t i = 0; i < mounts->nr; i++) {
		const struct mount_point *mount = &mounts->items[i];

		if (is_below(path, mount->point) && (!deepest || strlen(mount->point) >= strlen(deepest->point)))
			deepest = mount;
	}
	return deepest;
}

/* File systems of the kernel itself (proc_filesystems(5)); any other type may depend on a server. */
enum mount_kind mount_kind(const char *type)
{
	static const struct {
		const char *type;
		enum mount_kind kind;
	} types[] = {
		{ "ext2", MOUNT_LOCAL }, { "ext3", MOUNT_LOCAL }, { "ext4", MOUNT_LOCAL }, { "xfs", MOUNT_LOCAL },
		{ "btrfs", MOUNT_LOCAL }, { "bcachefs", MOUNT_LOCAL }, { "f2fs", MOUNT_LOCAL }, { "jfs", MOUNT_LOCAL },
		{ "zfs", MOUNT_LOCAL }, { "squashfs", MOUNT_LOCAL }, { "erofs", MOUNT_LOCAL },
		{ "overlay", MOUNT_OVERLAY },
		{ "tmpfs", MOUNT_MEMORY }, { "ramfs", MOUNT_MEMORY }, { "rootfs", MOUNT_MEMORY },
		{ "autofs", MOUNT_AUTOMOUNT },
		{ "fuse", MOUNT_FUSE }, { "fuseblk", MOUNT_FUSE },
		{ "proc", MOUNT_KERNEL }, { "sysfs", MOUNT_KERNEL }, { "devtmpfs", MOUNT_KERNEL },
		{ "devpts", MOUNT_KERNEL }, { "cgroup", MOUNT_KERNEL }, { "cgroup2", MOUNT_KERNEL },
		{ "debugfs", MOUNT_KERNEL }, { "tracefs", MOUNT_KERNEL }, { "securityfs", MOUNT_KERNEL },
		{ "selinuxfs", MOUNT_KERNEL }, { "configfs", MOUNT_KERNEL }, { "bpf", MOUNT_KERNEL },
		{ "pstore", MOUNT_KERNEL }, { "efivarfs", MOUNT_KERNEL }, { "fusectl", MOUNT_KERNEL },
		{ "mqueue", MOUNT_KERNEL }, { "hugetlbfs", MOUNT_KERNEL }, { "binfmt_misc", MOUNT_KERNEL },
		{ "nsfs", MOUNT_KERNEL }, { "rpc_pipefs", MOUNT_KERNEL }, { "resctrl", MOUNT_KERNEL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].type))
			return types[i].kind;
	return strncmp(type, "fuse.", strlen("fuse.")) ? MOUNT_NETWORK : MOUNT_FUSE;
}
