/* SPDX-License-Identifier: GPL-2.0-or-later */
/* give_up_root.h - a process that is to run somebody's program gives up root's rights, for good. */
#pragma once

#include <sys/types.h>

#include "base/compat.h"

enum { RIGHTS_MAX_GROUPS = 64 };

struct rights {
	uid_t user;
	gid_t group;
	size_t nr_groups;
	gid_t groups[RIGHTS_MAX_GROUPS];	/* beside that one */
};

/*
 * This process has these rights from now on, and neither it nor what it executes gets others again (no_new_privs). Who
 * is not root keeps what it has, and must be that user. 0, or -errno: end the process then, it may have given up some.
 */
int rights_take(const struct rights *rights) MUST_CHECK;
