// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/as_user.h"

#include <errno.h>
#include <grp.h>
#include <unistd.h>

int as_user_begin(struct as_user *ret, uid_t user, gid_t group)
{
	int err;

	*ret = (struct as_user){ .is_other = !geteuid() && user, .own_group = getegid() };
	if (!ret->is_other)
		return 0;
	ret->nr_groups = getgroups(AS_USER_MAX_GROUPS, ret->groups);
	if (ret->nr_groups < 0 || setgroups(0, NULL))
		return -errno;
	/* The user last: with it goes the right to change the others. */
	if (!setegid(group) && !seteuid(user))
		return 0;
	err = -errno;
	as_user_end(ret);
	return err;
}

void as_user_end(const struct as_user *as)
{
	/* With half of its rights the process would take what is denied for what is there. */
	if (as->is_other && (seteuid(0) || setegid(as->own_group) || setgroups((size_t)as->nr_groups, as->groups)))
		abort();
}
