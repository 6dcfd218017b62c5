/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_stat.h - what gpudiag needs of /proc/PID/stat, which costs one read a task. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"
#include "sys/root.h"

enum {
	PROC_STAT_BYTES = 1024,		/* a line has some 350 */
	PROC_TICKS_A_SECOND = 100,	/* USER_HZ, on all but long-gone architectures */
};

struct proc_stat {
	char comm[72];			/* kernel threads have longer names than the 15 bytes of a program */
	char state;			/* 'D': uninterruptible sleep */
	bool is_kernel_thread;
	uint64_t parent, group, session;
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks; /* CPU time, of PROC_TICKS_A_SECOND: of all threads, or in task/TID of one */
	uint64_t threads;
	bool has_cpu;			/* the line went on as far as the next three */
	uint64_t started_ticks;		/* since boot, of PROC_TICKS_A_SECOND */
	bool is_thread;			/* /proc/TID/stat of a thread that is not the first of its process */
	uint64_t cpu;			/* it ran on last */
};

/* 0, or -EINVAL: not such a line. */
int proc_stat_parse(const char *text, struct proc_stat *ret) MUST_CHECK;
/* Reads that file, or gives -errno. */
int proc_stat_read(const struct root *root, struct proc_stat *ret, const char *path_format, ...)
	PRINTF_LIKE(3, 4) MUST_CHECK;
