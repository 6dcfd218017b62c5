/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hangfs.h - a folder whose files do not answer, for a test: scratch("mnt")
 * mirrors scratch("src") through tests/fakes/hangfs.c, where it can be mounted.
 *
 *	why_not = hangfs_start("content of file");
 *	if (why_not) ... skip();
 *	hangfs_set("/file hang\n");
 *	... read scratch("mnt/file") ...
 *	hangfs_stop();
 *
 * GPUDIAG_TEST_HANGFS names the binary; without it, it is looked for beside
 * the test and in ../fakes.
 */
#pragma once

#include <linux/magic.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "base/compat.h"
#include "tests/unit/support.h"

/* Linux before 5.16 has it in the source of FUSE alone. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

static pid_t hangfs_pid;

/* Replaces the faults. True on success. */
static inline bool hangfs_set(const char *faults)
{
	return scratch_write("src/.faults", faults, strlen(faults));
}

static inline bool hangfs_is_mounted(void)
{
	struct statfs fs;

	return !statfs(scratch("mnt"), &fs) && fs.f_type == FUSE_SUPER_MAGIC;
}

/* Lifts all faults, unmounts, ends the server and removes the folder. Also for a teardown: does nothing twice. */
static inline void hangfs_stop(void)
{
	if (!hangfs_pid)
		return;
	(void)hangfs_set("");
	if (hangfs_is_mounted() && umount2(scratch("mnt"), MNT_DETACH)) {
		pid_t pid = fork();

		if (!pid) {
			execlp("fusermount3", "fusermount3", "-u", "-z", scratch("mnt"), (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	kill(hangfs_pid, SIGTERM);
	waitpid(hangfs_pid, NULL, 0);
	hangfs_pid = 0;
	scratch_remove();
}

static inline const char *hangfs_binary(void)
{
	static const char *const places[] = { "/hangfs", "/../fakes/hangfs" };
	static char path[PATH_MAX + 32];
	const char *named = getenv("GPUDIAG_TEST_HANGFS");
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (named)
		return named;
	path[len > 0 ? len : 0] = '\0';
	slash = strrchr(path, '/');
	for (size_t i = 0; slash && i < ARRAY_SIZE(places); i++) {
		snprintf(slash, 32, "%s", places[i]);
		if (!access(path, X_OK))
			break;
	}
	return path;
}

/* Makes the scratch folder with one file in it, "file", and mounts. NULL, or why that is not possible here. */
static inline const char *hangfs_start(const char *content)
{
	const char *binary = hangfs_binary();

	if (access("/dev/fuse", R_OK | W_OK))
		return "/dev/fuse is not to be had";
	if (access(binary, X_OK))
		return "hangfs is not built";
	if (!scratch_make() || mkdir(scratch("src"), 0755) || mkdir(scratch("mnt"), 0755) ||
	    !scratch_write("src/file", content, strlen(content)) || !hangfs_set(""))
		return "no folder";
	hangfs_pid = fork();
	if (!hangfs_pid) {
		/* Whatever becomes of it, it holds no pipe that our caller waits on. */
		(void)!freopen("/dev/null", "w", stdout);
		(void)!freopen("/dev/null", "w", stderr);
		execl(binary, "hangfs", scratch("src"), scratch("mnt"), "-f", (char *)NULL);
		_exit(1);
	}
	for (int i = 0; i < 400 && !hangfs_is_mounted(); i++) {
		if (waitpid(hangfs_pid, NULL, WNOHANG)) {
			hangfs_pid = 0;
			scratch_remove();
			return "it could not be mounted";
		}
		usleep(5000);
	}
	if (hangfs_is_mounted())
		return NULL;
	hangfs_stop();
	return "it was not mounted in time";
}
