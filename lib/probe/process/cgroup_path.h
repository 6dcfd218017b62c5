/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_path.h - whose a process is, by the names that schedulers and
 * container runtimes give their control groups. Pure.
 */
#pragma once

#include "base/arena.h"

/* NULL: none. */
struct cgroup_owner {
	const char *path;		/* of the hierarchy that says most: version 2, else memory, devices, systemd */
	const char *slurm_job;		/* "4711" */
	const char *pod;		/* "0b6b1f5e-…", as Kubernetes writes it */
	const char *container;		/* first 12 digits of its id */
};

/* text: /proc/PID/cgroup, of version 1, 2 or both. */
void cgroup_owner_parse(const char *text, struct arena *arena, struct cgroup_owner *ret);
