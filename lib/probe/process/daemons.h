/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemons.h - daemons whose limits their children inherit, or that serve GPUs. */
#pragma once

#include "probe/probe.h"
#include "probe/process/proc_stat.h"

/* Adds the process to facts->daemons where its name is that of one. */
void daemons_look_at(struct probe_env *env, struct snapshot *facts, const char *pid, const struct proc_stat *stat);
