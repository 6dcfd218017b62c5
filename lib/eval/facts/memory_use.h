/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_use.h - who accounts for the memory of a GPU that is in use. */
#pragma once

#include "snapshot/snapshot.h"

struct holding_list;

struct memory_use {
	bool is_known;			/* how much is in use, and all that its driver's clients have of it */
	uint64_t used_bytes;
	uint64_t held_bytes;		/* of it, what processes have that are not known to be dead */
	uint64_t dead_bytes;		/* of it, what clients have whose processes are gone */
	uint64_t dead_pid;		/* one of these; 0: none */
	bool has_users;			/* somebody holds it to work on it, and may have memory that nobody counts */
};
/* users: users_of() the node, eval/facts/holders.h. */
void memory_use_of(const struct snapshot *snapshot, const struct holding_list *users, const struct gpu *gpu,
		   struct memory_use *ret);

/*
 * Integrated graphics, and GPUs of one module with a processor whose kernel
 * gives their memory out as its own (GH200, GB200, GB10).
 */
bool gpu_shares_main_memory(const struct snapshot *snapshot, const struct gpu *gpu);

/* In use, and no living process is seen to have it; 0 where is_known is not so. */
uint64_t memory_unexplained(const struct memory_use *use, uint64_t used_bytes);
