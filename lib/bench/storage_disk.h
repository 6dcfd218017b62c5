/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storage_disk.h - the disk a mounted file system lies on, and how busy others keep it. */
#pragma once

#include "format/mounts.h"
#include "probe/probe.h"

/*
 * Its name in /sys/block, "nvme0n1"; a partition's disk, and the one below a logical volume. Absent where a server or
 * memory is behind it, unsupported where it spreads over several. mounts: where a lower folder of an overlay is looked
 * up.
 */
struct val_str storage_disk_of(struct probe_env *env, struct arena *arena, const struct mount_list *mounts,
			       const struct mount_point *mount);

/* Share of that time in which the disk had I/O in progress (/proc/diskstats, 10th statistic). Sleeps so long. */
struct val_f64 storage_disk_busy(struct probe_env *env, struct sink *sink, const char *disk, uint64_t ns);
