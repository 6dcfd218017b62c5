/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs_stats.h - what NFS clients count of each mount, as /proc/self/mountstats says (fs/nfs/super.c). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "snapshot/value.h"

struct nfs_mount {
	const char *point, *device;	/* "/data", "server:/export" */
	struct val_u64 read_bytes, written_bytes;	/* from and to the server */
	bool has_operations;		/* a line for at least one kind of request */
	/* Of all kinds of requests, but for reads: those of READ and, from NFS 4.2 on, READ_PLUS. */
	uint64_t operations, reads, timeouts, round_trip_ms, execute_ms;
};

/* In the file's order, without those mounted a second time (bind mounts), which count the same requests. */
struct nfs_mounts {
	size_t nr, left_out;
	struct nfs_mount *items;
};

/* The first most of them. */
void nfs_stats_parse(struct nfs_mounts *ret, struct arena *arena, const char *mountstats, size_t most);
