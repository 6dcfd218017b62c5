/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_room.h - the host memory that this process could still have, and how many processes the kernel killed for want
 * of it: an OOM kill of a worker says nothing about the library that it was in.
 */
#pragma once

#include "snapshot/snapshot.h"
#include "sys/root.h"

#define HOST_ROOM_UNKNOWN UINT64_MAX

struct host_room {
	uint64_t free_bytes;	/* what is available, or less where a control group's limit leaves less; 0: not known */
	uint64_t limit_bytes;	/* the narrowest limit of the own groups (container, job, service); 0: none is known */
	uint64_t group_kills;	/* of processes in the group of that limit, or in the own one; HOST_ROOM_UNKNOWN */
	uint64_t host_kills;	/* of the machine's processes; HOST_ROOM_UNKNOWN */
};

/* As it is now. Reads files of /proc and of control groups alone. */
void host_room_read(const struct root *root, struct host_room *ret);

/*
 * Of available_bytes what the group's limit leaves: page cache counts as used and is given back before anything is
 * killed. 0: not known; 1: none is left.
 */
uint64_t host_room_free(const struct cgroup *cgroup, uint64_t available_bytes);

/* Who ended a process by SIGKILL between the two, as a phrase in the arena. */
const char *host_room_killer(struct arena *arena, const struct host_room *before, const struct host_room *after);
