/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - ticks of a node at work, for gpudiag watch: a worker per source, all asked at one moment, their answers put
 * together.
 *
 * A tick is what came by 0.8 of the interval; what did not is VAL_TIMEOUT in it, and its source is "late". After 5 s
 * of silence a worker is killed and started once more, without the GPU it last named; one that does not die, or hangs
 * again, costs what it reads and nothing else. The parent always goes on, and always ends when told to.
 */
#pragma once

#include <poll.h>

#include "probe/sample/sample.h"

struct live_options {
	const struct root *root;
	const struct sample_source *const *sources;	/* NULL: all there are */
	uint64_t interval_ns;		/* 100 ms at least */
	uint64_t length_ns;		/* 0: until cancelled or on_tick says so */
	const volatile int *cancel;	/* becomes non-zero when it is to end */
	/*
	 * Why a source may not be started, or, with a GPU, may not ask that one: a phrase with static or arena life.
	 * NULL: it may; NULL itself: they all may.
	 */
	const char *(*refuse)(const struct snapshot *sealed, const struct sample_source *source, const char *gpu,
			      struct arena *arena, void *data);
	unsigned silence_ms;		/* after which a worker is killed; 0: SAMPLE_SILENCE_MS */
	uint64_t pid;			/* --pid, or the command of `watch -- COMMAND`; 0: whoever holds the GPUs */
	/* Also waited for, between ticks: the keyboard, the end of the command. */
	struct pollfd *fds;
	size_t nr_fds;
	bool (*on_fd)(struct pollfd *fd, void *data);	/* false: end */
	/* Sealed, and const from then on; it is released when this returns. False: end. */
	bool (*on_tick)(const struct tick *tick, void *data);
	void *data;
};

/* Returns when it has ended. sealed: a snapshot of level read, whose refusals hold (what is not to be touched). */
void live_run(const struct snapshot *sealed, const struct live_options *options);
