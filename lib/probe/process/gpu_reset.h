/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpu_reset.h - does a program reset a GPU right now?
 *
 * Told by a file that does nothing else while it is open (amdgpu's, which
 * amd-smi and rocm-smi read, and the bus's own); of programs that have no such
 * file, and whose arguments hold no secret, by how they were called.
 */
#pragma once

#include "probe/probe.h"

/* What is reset, and by which driver's name its GPUs are known. */
struct gpu_reset {
	const char *driver;	/* NULL: nothing is reset */
	const char *about;	/* "GPU 0000:5d:00.0", "AMD's GPUs" */
};

/* By the name of a file that a process holds open; about comes from the arena or is static. */
struct gpu_reset gpu_reset_by_file(struct probe_env *env, struct arena *arena, const char *name);

/* Can a program of that name reset GPUs, given the right arguments? */
bool gpu_reset_is_program(const char *comm);

/* Do its arguments ask for a reset? Not read of a task in uninterruptible sleep: its memory may be locked. */
struct gpu_reset gpu_reset_by_program(struct probe_env *env, uint64_t pid, const char *comm);

/* ---- the pure part */

/* By arguments as /proc/PID/cmdline has them, with a zero behind each. */
struct gpu_reset gpu_reset_by_arguments(const char *comm, const char *arguments, size_t len);
