/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gpu_process.h - one process that holds a GPU, or that --pid names: its limits, CPUs and owner. */
#pragma once

#include "probe/probe.h"
#include "probe/process/proc_stat.h"

/*
 * Adds the process to facts->gpu_processes. It may end while it is read: what
 * could not be read any more says so.
 */
void gpu_process_add(struct probe_env *env, struct snapshot *facts, const char *pid, const struct proc_stat *stat);

/*
 * The process asked about (--pid) reaches the worker by its environment:
 * request_environment() is the probe's hook, requested_pid() the worker's end
 * of it; 0: none was asked about.
 */
void request_environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret);
uint64_t requested_pid(void);

/*
 * Adds the process to facts->daemons where its name is that of one whose limits its children inherit, or that serves
 * GPUs.
 */
void daemons_look_at(struct probe_env *env, struct snapshot *facts, const char *pid, const struct proc_stat *stat);
