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

struct md_line {
	/* "recovery", "resync", "check", "reshape", "repair", also while it waits for its turn; NULL: not told */
	const char *activity;
	/* "active", "degraded", "failed", and "container" of a controller's metadata; NULL: not told */
	const char *state;
	bool has_counts;
	uint64_t members;	/* disks that it is made for */
	uint64_t working;	/* of them, those in use */
};

/* A line below the head of an array of that level; NULL: it is not running. false: it tells nothing. */
bool md_line_read(const char *line, const char *level, struct md_line *ret);

/* "active", "degraded" or "failed" of an array of that level with so many of its disks. */
const char *md_state(const char *level, uint64_t members, uint64_t working);

/* "online" of "ONLINE"; NULL: it is no state of a pool of ZFS. */
const char *zpool_state(const char *text);

/* The whole file. */
void md_stat_read(const char *text, struct snapshot *facts);
