/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data_folders.h - where a process reads its data from, by the names of the files it has open. */
#pragma once

#include "probe/probe.h"

/*
 * The folders of files that are open for reading alone, MAX_DATA_FOLDERS at most, as they can be reached from here: of
 * a process that sees other mounts, below /proc/PID/root. Libraries, devices and files of the system do not count. No
 * file is touched: their server may be gone.
 */
enum { MAX_DATA_FOLDERS = 4 };
void data_folders_read(struct probe_env *env, struct arena *arena, const char *pid, struct strs *ret);

/* Where the paths of that process lie: "", or "/proc/77/root" of one that sees other mounts, as in a container. */
const char *process_root(struct probe_env *env, struct arena *arena, const char *pid);
