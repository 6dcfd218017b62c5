// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/descriptors.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436	/* Linux 5.9 */
#endif

void descriptors_close_from(int first)
{
	const struct dirent *entry;
	DIR *folder;

	if (!syscall(SYS_close_range, (unsigned)first, ~0U, 0U))
		return;
	folder = opendir("/proc/self/fd");
	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		long fd = strtol(entry->d_name, NULL, 10);

		if (fd >= first && fd != dirfd(folder))
			close((int)fd);
	}
	closedir(folder);
}
