// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/own_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Debian's images give /usr/local to this group, so that its members change the system without being root (base-passwd,
 * users-and-groups): a driver's libraries are mounted below it.
 */
enum { STAFF_OF_DEBIAN = 50 };

/* A sticky folder's names are their owners' alone. */
static bool is_ours_alone(const struct stat *st)
{
	bool is_sticky_folder = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);
	bool is_group_of_others = st->st_gid && st->st_gid != STAFF_OF_DEBIAN;
	bool others_write = (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && is_group_of_others);

	return (!st->st_uid || st->st_uid == geteuid()) &&
	       (S_ISLNK(st->st_mode) || is_sticky_folder || !others_write);
}

/* What stands at each part of the path. */
static bool is_ours_all_along(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	for (const char *end = path; *end;) {
		end += strspn(end, "/");
		end += strcspn(end, "/");
		snprintf(part, sizeof(part), "%.*s", (int)(end - path), path);
		if (lstat(part, &st))
			return errno == ENOENT;
		if (!is_ours_alone(&st))
			return false;
	}
	return true;
}

/*
 * Root of a user namespace has a user's rights outside of it, and sees what is
 * the machine's as nobody's: a driver that a container without root was given
 * is trusted there as by that user. Each line of the map begins with an id
 * within, and the one that it is outside (user_namespaces(7)).
 */
static bool is_root_of_machine(void)
{
	char map[64] = "";
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC), within = 0, outside = 0;

	if (geteuid())
		return false;
	if (fd < 0)
		return true;
	if (read(fd, map, sizeof(map) - 1) < 0)
		map[0] = '\0';
	close(fd);
	return sscanf(map, "%9d %9d", &within, &outside) != 2 || (!within && !outside);
}

bool path_is_own(const char *path)
{
	char resolved[PATH_MAX];

	if (!is_root_of_machine())
		return true;
	return is_ours_all_along(path) && (!realpath(path, resolved) || is_ours_all_along(resolved));
}
