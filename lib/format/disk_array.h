/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk_array.h - what /proc/mdstat says of Linux's software RAID, line by line. Pure.
 *
 *	md0 : active raid1 sdb1[1](F) sda1[0]
 *	      976630464 blocks super 1.2 [2/1] [U_]
 *	      [==>..................]  recovery = 12.6% (123456/976630464) finish=80.1min speed=180000K/sec
 */
#pragma once

#include "snapshot/snapshot.h"

struct md_head {
	const char *name;	/* "md0" */
	const char *level;	/* "raid1"; NULL: it is not running */
	const char *failed;	/* "sdb1, sdc1"; NULL: none is marked */
};

/* false: it is another line. */
bool md_head_read(struct arena *arena, const char *line, struct md_head *ret);

/* How many disks it is made for, and how many of them work. false: it is another line. */
bool md_counts_read(const char *line, uint64_t *ret_members, uint64_t *ret_working);

/* "recovery", "resync", "check", "reshape", "repair"; NULL: it is another line. One that waits for its turn counts, too. */
const char *md_activity(const char *line);

/* Whether a level loses data, or nothing yet, without some of its disks: "active", "degraded", "failed". */
const char *md_state(const char *level, uint64_t members, uint64_t working);

/* "online" of "ONLINE"; NULL: it is no state of a pool of ZFS. */
const char *zpool_state(const char *text);

/* The whole file. */
void md_stat_read(const char *text, struct snapshot *facts);
