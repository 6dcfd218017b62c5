// SPDX-License-Identifier: GPL-2.0-or-later
/* opens FOLDER - opens, reads and closes each file of a folder once: the median time of one, in ns. */
#include "base/compat.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FILES = 2000 };

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

int main(int argc, char **argv)
{
	static double times[MAX_FILES];
	static char buf[256 << 10], path[4096];
	DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
	const struct dirent *entry;
	size_t nr = 0;

	while (folder && nr < MAX_FILES && (entry = readdir(folder))) {
		double began;
		int fd;

		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		began = now_ns();
		fd = entry->d_type == DT_REG ? open(path, O_RDONLY) : -1;
		if (fd < 0)
			continue;
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
		times[nr++] = now_ns() - began;
	}
	if (!nr)
		return 1;
	qsort(times, nr, sizeof(*times), compare);
	printf("%.0f\n", times[nr / 2]);
	return 0;
}
