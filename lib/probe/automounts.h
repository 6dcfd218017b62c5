/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * automounts.h - places that are mounted when somebody looks there (autofs), at the worst from a server that is gone.
 *
 * What is searched for drivers, toolkits and frameworks at usual places must mount nothing: /home and /opt are often
 * such places, and /boot is one of systemd's. What is mounted there already is read. Paths that a user named are for
 * their readers to touch, by a root without this.
 */
#pragma once

#include "format/mounts.h"
#include "snapshot/snapshot.h"
#include "sys/root.h"

struct automounts {
	struct arena arena;
	struct mount_list mounts;
	const char *named;	/* below it all is read; NULL: nothing was named */
	struct strs points;	/* the automount points of them */
};

/* Reads what is mounted, and has root leave such paths alone from then on. It must outlive root. */
void automounts_leave_alone(struct automounts *automounts, struct root *root, const char *named);
void automounts_release(struct automounts *automounts);
