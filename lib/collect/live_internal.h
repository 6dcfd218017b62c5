/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_internal.h - the parts of live_run(), one file each. Private to live*.c. */
#pragma once

#include "collect/live.h"
#include "sys/worker.h"

enum { LIVE_MOST_STARTS = 2 };	/* of one source: it is started once more after it hung or crashed */

enum live_state {
	LIVE_RUNS,
	LIVE_STUCK,			/* killed, and still there: its kernel does not let go of it */
	LIVE_ENDED,			/* it is not started any more */
	LIVE_NEVER,			/* it may not be started, or cannot be had */
};

/* A GPU that a source does not ask. */
struct live_skip {
	const char *gpu;
	enum val_state state;
	const char *why;
};

/* A source, and the worker that reads it. */
struct live_source {
	struct live *live;
	const struct sample_source *source;
	enum live_state state;
	struct worker workers[LIVE_MOST_STARTS];	/* one for each start */
	unsigned nr_starts;
	bool is_to_start;
	bool has_opened;
	bool was_restarted;		/* since the last tick was closed */

	int page_fd;			/* -1: none */
	struct sample_page *page;	/* NULL: none */
	uint32_t writes_seen;

	uint64_t next_seq;		/* the least that its next answer may have */
	bool has_answered;		/* for the tick that is open */
	uint64_t at_ns, took_ns, cpu_ns;
	struct strbuf early;		/* its answer for a later tick, whose moment has come; empty: none */
	uint64_t early_seq;
	uint64_t dropped;

	/* Why it gives nothing any more, or not now: of its values, and in which call it was. */
	enum val_state lack;
	const char *lack_why;
	const char *lack_call;		/* "": not known */

	struct strs gpus;		/* that it reads, by address */
	struct live_skip *skipped;
	size_t nr_skipped;
	/* What it provides, of GPUs and beside; each ends with NULL. */
	const char **of_gpus, **beside_gpus;
	struct json_error error;	/* of the frame that was refused */
};

struct live {
	const struct snapshot *sealed;
	const struct live_options *options;
	struct worker_set *set;
	struct live_source *sources;
	size_t nr;
	uint64_t start_ns;		/* the moment of tick 0: clock_monotonic_ns() */
	uint64_t seq;			/* of the tick that is open */
	struct tick tick;
	bool is_over;
	struct arena arena;
};

/* How long a worker may say nothing after it should have. */
static inline unsigned live_silence_ms(const struct live *live)
{
	return live->options->silence_ms ? live->options->silence_ms : SAMPLE_SILENCE_MS;
}

/* ---- live_source.c: a source's worker, from its start to its end */

/* Those that there is something to read for on this node; those that may be started are to be. */
void live_sources_init(struct live *live);
void live_sources_release(struct live *live);
/* Starts what is to be started, again too; sees who is alive. */
void live_sources_serve(struct live *live);
/* The worker of one has ended, or was left: on_end of the set. */
void live_source_ended(struct worker *worker);
/* What it is at: "nvmlDeviceGetSamples of 0000:5d:00.0"; "" not known. In the arena. */
const char *live_call(const struct live_source *source, struct arena *arena);
/* Without that GPU from now on. */
void live_skip_gpu(struct live_source *source, const char *gpu, enum val_state state, const char *why);

/* ---- live_page.c: the memory in which a worker says what it is at */

/* A fresh one in place of the old, which a worker that hangs may still have. Without memory there is none. */
void live_page_renew(struct live_source *source);
void live_page_release(struct live_source *source);
/* Did it say anything since this was asked last? *ret is what it says. */
bool live_page_has_moved(struct live_source *source, struct sample_page *ret);

/* ---- live_frames.c: what a worker says */

/* on_line of each. */
int live_hear(struct worker *worker, char *line, size_t len);
/* The tick that is open now may be the one that an early answer is for. */
void live_take_early(struct live_source *source);

/* ---- live_tick.c: a tick is put together */

/* What came is all there is: what did not has its reason from now on. */
void live_tick_seal(struct live *live);
