// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/give_up_root.h"

#include <errno.h>
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

int rights_take(const struct rights *rights)
{
	uid_t real, effective, saved;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (geteuid())
		return rights->user == geteuid() ? 0 : -EPERM;
	/* The user last: with it goes the right to change the others, and every capability. */
	if (setgroups(rights->nr_groups, rights->groups) || setresgid(rights->group, rights->group, rights->group) ||
	    setresuid(rights->user, rights->user, rights->user))
		return -errno;
	if (getresuid(&real, &effective, &saved))
		return -errno;
	return !rights->user || !real || !effective || !saved ? -EPERM : 0;
}
