/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window.h - what checks over the observation window share: is there one, and which GPU waits for its host. */
#pragma once

#include "eval/judge/check.h"
#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

/* Why there was no window, as a reason to skip; NULL: there was one, or it failed, and the values have the result. */
const char *no_window(const struct snapshot *snapshot);
/* True if there was one; else the check is skipped for that reason. */
bool has_window(struct judgement *j);

/* Held, and known to have done next to nothing. */
bool gpu_is_held_idle(const struct snapshot *snapshot, const struct policy *policy, const struct gpu *gpu);

/* The holder of that GPU whose busiest thread has used most, if that is at least the share; or NULL. */
const struct gpu_process *gpu_feeder(const struct snapshot *snapshot, const struct gpu *gpu, double percent);

/* A task of one of its holders that was asleep in the kernel, as one is that waits for a disk; or NULL. */
const struct task *gpu_waiter(const struct snapshot *snapshot, const struct gpu *gpu);
