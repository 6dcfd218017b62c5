/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_permission.h - may this be touched? May it be loaded?
 *
 * Pure: asked by the run before it starts a worker, and again by the checks of
 * stage 8, which give the same reason for their skip, live and replayed.
 */
#pragma once

#include "base/arena.h"
#include "eval/log/kernel_log.h"
#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

/*
 * NULL: a worker may load this OpenCL driver's library. Otherwise why not: it
 * may call into a driver in which a task is stuck (or might be: nobody could
 * look), open a GPU that is gone from the bus or that, by the kernel's log,
 * hangs with its driver, or wake one that sleeps. NVIDIA's is not loaded either
 * where a worker of this run did not come back from its management library. log
 * is the snapshot's.
 */
const char *permit_icd(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
		       const struct node_log *log, const char *icd);

/*
 * NULL: a worker may ask NVIDIA's management library about that GPU, or, with
 * address NULL, about the node, which opens no GPU. Otherwise why not: a task
 * is stuck in NVIDIA's driver, the library itself did not answer in this run,
 * or this very GPU is gone, hangs by the kernel's log, or sleeps. One bad GPU
 * keeps nobody from asking the others.
 */
const char *permit_nvml(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			const struct node_log *log, const char *address);

/*
 * Are NVIDIA's GPUs to be asked one at a time, up to the first that does not
 * answer? One of them hangs by the kernel's log, or is gone: with it, whoever
 * asks another may hang in the driver.
 */
bool permit_nvml_serially(const struct snapshot *snapshot, const struct node_log *log);

/*
 * NULL: this device may be put under load. Otherwise why not: the level is
 * read, --gpu chose others, it sleeps, its driver hangs, somebody uses it, or
 * we cannot see who.
 */
const char *permit_load(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			const struct node_log *log, const struct ocl_device *device);

/*
 * NULL: the all-reduce of the request may run on all GPUs of its group (snapshot/collective_group.h). Otherwise why
 * not: there is none, it is divided, or one of them may not be loaded, for a reason as above, with its number.
 */
const char *permit_collective(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			      const struct node_log *log);

/*
 * NULL: that GPU may be watched while a load that is permitted is on it.
 * Otherwise why not: its driver is asked through NVIDIA's management library,
 * which may not be, or which did not answer an earlier watch of this run.
 */
const char *permit_watch(struct arena *arena, const struct snapshot *snapshot, const struct policy *policy,
			 const struct node_log *log, const char *address);

/* Has this task been stuck in a GPU driver for longer than the policy allows? */
bool task_is_stuck_in_driver(const struct task *task, const struct policy *policy);
