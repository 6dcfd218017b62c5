/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_gpu.h - a GPU that is watched over the window. Private to lib/probe/window_gpu*.c. */
#ifndef GPUDIAG_PROBE_WINDOW_GPU_H
#define GPUDIAG_PROBE_WINDOW_GPU_H

#include "probe/gpu/window_throttle.h"
#include "probe/pci/aer.h"
#include "probe/window/window_internal.h"

enum { WINDOW_MAX_CHAIN = 32 };		/* a GPU and the bridges above it */

/* How its use is told. */
enum use_source { USE_BY_NOBODY, USE_BY_DRIVER, USE_BY_CLIENTS };

struct watched_client {
	struct cached_fd fdinfo;
	uint64_t id;
	bool gone;
	struct engines start, last;
};

struct watched_gpu {
	const char *chain[WINDOW_MAX_CHAIN];	/* the GPU's address and its bridges', nearest first */
	size_t nr_chain, slot;		/* chain[slot] is the lower end of the slot's link; nr_chain: not known */
	const char *driver;
	enum use_source source;
	struct cached_fd status, busy_file, memory_file, speed_file, width_file;
	struct watched_client *clients;
	size_t nr_clients;
	bool engines_told;		/* a client's fdinfo has named an engine */
	const char *missed;		/* why not all clients are watched; NULL: all are */
	bool kfd_held;

	uint64_t start_ns, last_ns;
	struct tally busy, memory;
	struct throttle_watch *throttle;	/* NULL: its driver's files tell nothing of it */
	size_t samples, asleep, works;
	struct val_head asleep_as;	/* the last time it was found asleep */
	int busy_error, memory_error;	/* of the last reading that failed */
	uint64_t speed_mtps, width;	/* highest seen while it worked; 0: none */
	struct aer_sums aer_start;	/* of the whole chain */
};

/* window_gpu_use.c: fills the GPU's use, and what held its clocks back, from what was seen of it. */
void watched_gpu_tell(struct gpu_watch *watch, struct watched_gpu *gpu);

#endif
