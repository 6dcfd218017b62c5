/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_limits.h - the limits of a process, as /proc/PID/limits has them. */
#pragma once

#include "probe/probe.h"

/* Memory it may lock, soft limit; absent where there is no limit, and never because the file could not be read. */
struct val_u64 proc_memlock_limit(struct probe_env *env, struct arena *arena, const char *pid);
