/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_place.h - where the files of a process' own control group are.
 *
 * /proc/self/cgroup names the group, /proc/self/mountinfo what of the tree of
 * groups is mounted where. In a container the mount is often the group itself.
 * With version 1 each controller has a tree of its own; hybrid machines have
 * both versions, and a controller is in one of them. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct cgroup_place {
	unsigned version;	/* 1 or 2; 0: this process is in no such group */
	const char *group;	/* as /proc/self/cgroup names it; NULL with version 0 */
	const char *mount;	/* where its tree is mounted; NULL: nowhere in sight */
	const char *below;	/* the own group's path below the mount: "" or "/a/b" */
	bool is_shown;		/* the mount has the group; false: below is "", and what is mounted is another's */
};

/* Texts of the two files. controller: "memory", "cpu", "cpuset". */
struct cgroup_place cgroup_find(struct arena *arena, const char *groups, const char *mountinfo, const char *controller);
