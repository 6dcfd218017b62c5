// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

unsigned long long surroundings_open_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return USUAL_OPEN_FILES;
	if (limit.rlim_cur < USUAL_OPEN_FILES && limit.rlim_cur < limit.rlim_max) {
		rlim_t before = limit.rlim_cur;

		limit.rlim_cur = limit.rlim_max < USUAL_OPEN_FILES ? limit.rlim_max : USUAL_OPEN_FILES;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			return before;
	}
	return limit.rlim_cur;
}

static bool has_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

const char *surroundings_lack(char *buf, size_t size)
{
	if (access("/proc/self/exe", F_OK))
		snprintf(
			buf, size,
			"/proc is not mounted here (/proc/self/exe: %s), and gpudiag cannot run without it: mount -t proc proc /proc, or run it outside of this chroot or container",
			strerror(errno));
	else if (!has_null())
		snprintf(buf, size, "/dev/null cannot be opened (%s), and no process can be started without it: "
			 "mknod -m 666 /dev/null c 1 3, or mount a /dev into this chroot or container",
			 strerror(errno));
	else
		return NULL;
	return buf;
}
