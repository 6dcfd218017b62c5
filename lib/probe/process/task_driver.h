/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task_driver.h - which GPU driver a sleeping task waits in, by the names of kernel functions. Pure. */
#pragma once

#include "snapshot/value.h"

/* Where a task waits, as far as that is known. */
enum task_waits {
	WAITS_UNKNOWN,
	WAITS_IN_DRIVER,	/* *ret_driver: nvidia, amdgpu, i915 or xe */
	WAITS_FOR_GPU,		/* in code that all of them share: fences, buffers, DRM */
	WAITS_ELSEWHERE,	/* for a disk, a network, memory: holding a GPU is not the reason */
};

/* stack: names as processes.c writes them, "down, nv_open [nvidia], chrdev_open"; wchan: one name. NULL: not known. */
enum task_waits task_driver(const char *stack, const char *wchan, const char **ret_driver);
