/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open_files.h - the names of the files a process holds open, which a node with thousands of processes asks often. */
#pragma once

#include "probe/probe.h"

/* descriptor is its number, "9", and name the text of the link in /proc/PID/fd. */
typedef void open_file_fn(void *data, const char *descriptor, const char *name);

/* Calls on_file() for each; no file is opened or stat()ed. 0 or -errno: -EACCES: permission denied. */
int open_files_each(struct probe_env *env, const char *pid, open_file_fn *on_file, void *data) MUST_CHECK;

/*
 * Can anybody hold a GPU at all? False where the kernel lists its drivers of
 * character devices and no GPU's is among them, and there is no /dev/dxg.
 */
bool open_files_may_be_gpus(struct probe_env *env);
