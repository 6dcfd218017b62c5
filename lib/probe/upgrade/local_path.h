/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local_path.h - may a path be read without waiting for another machine?
 *
 * A home on a file server that is gone makes whoever touches it wait, and not
 * even SIGKILL helps. What is mounted where stands in /proc/self/mountinfo, which
 * asks nobody: a path is walked part by part, and none of them is touched before
 * the file system that it lies on is known to be of this machine.
 */
#pragma once

#include "format/mounts.h"
#include "probe/probe.h"

/* What is mounted, in mountinfo's order; a recording may lack it, and is local all the same. */
struct mounts {
	struct arena *arena;		/* for what is said of them */
	struct arena own;
	struct mount_list list;
	int error;			/* of reading it */
};

void mounts_read(struct probe_env *env, struct arena *arena, struct mounts *ret);
void mounts_release(struct mounts *mounts);

/*
 * NULL: it is local, up to where it ends or is no more to be seen. Else why not, as in "/home is of type nfs4"; in the
 * arena.
 */
const char *why_not_local(struct probe_env *env, const struct mounts *mounts, const char *path);
