/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * as_user.h - what lies in a user's hands is opened with that user's rights.
 *
 * A link there may lead to a file that root alone may read, or to a device
 * that starts something when root opens it (/dev/watchdog). With the user's own
 * rights nothing is reached that the user could not open as well.
 *
 * For a process of one thread, as a worker is until it loads a library.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/compat.h"

enum { AS_USER_MAX_GROUPS = 64 };

struct as_user {
	bool is_other;			/* not who this process is anyway */
	gid_t own_group;
	int nr_groups;
	gid_t groups[AS_USER_MAX_GROUPS];	/* to be had again */
};

/*
 * From here on files are opened with the rights of this user and group, and of
 * no other group. 0, or -errno: nothing has changed then. Who is not root
 * stays who they are.
 */
int as_user_begin(struct as_user *ret, uid_t user, gid_t group) MUST_CHECK;
/* Back to what it was. Does not return where that fails. */
void as_user_end(const struct as_user *as);
