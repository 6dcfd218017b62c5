/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mounts.h - what is mounted where, as /proc/PID/mountinfo says (proc(5)): asks no file system. Pure. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct mount_point {
	const char *device;		/* "259:2", major and minor; major 0: of no block device */
	const char *root;		/* which folder of the file system is mounted */
	const char *point, *type;	/* "/data", "nfs4" */
	const char *source;		/* "/dev/nvme0n1p2", "server:/export"; "" where the line ends before */
	const char *options;		/* of the file system: "rw,vers=4.2" */
};

/* In mountinfo's order. */
struct mount_list {
	size_t nr;
	struct mount_point *items;
};

/* Lines that name no mount point are left out. */
void mount_list_parse(struct mount_list *ret, struct arena *arena, const char *mountinfo);

/*
 * The mount that an absolute path without links lies on; NULL: none. Of the mounts it is below the deepest counts, and
 * of two at one place the last, which covers the other.
 */
const struct mount_point *mount_of_path(const struct mount_list *mounts, const char *path);

/* What a file system stands on. Anything that is not known to be of this machine may wait for a server. */
enum mount_kind {
	MOUNT_LOCAL, MOUNT_MEMORY, MOUNT_OVERLAY, MOUNT_FUSE, MOUNT_AUTOMOUNT, MOUNT_NETWORK,
	MOUNT_KERNEL,		/* no storage at all: reading a file there may do something */
};
enum mount_kind mount_kind(const char *type);
