// SPDX-License-Identifier: GPL-2.0-or-later
/* live.c - tick by tick: waiting for the sources, handing over what came, and never for longer than there is time. */
#include "base/compat.h"
#include "collect/live_internal.h"

#include "sys/clock.h"

#define NS_PER_MS UINT64_C(1000000)

enum {
	/* Workers are started before the first moment: a process, and a library that opens at once. */
	LEAD_MS = 250,
	/* Of what waits in pipes when a tick is due, a part of WORKER_CHUNK_BYTES of each worker at a time. */
	MOST_READS = 256,
};

static uint64_t moment_ns(const struct live *live, uint64_t seq)
{
	return live->start_ns + seq * live->options->interval_ns;
}

/* When the tick that is open is closed, whatever came. */
static uint64_t due_ns(const struct live *live)
{
	return moment_ns(live, live->seq) + live->options->interval_ns / 10 * 8;
}

/* Nothing more is to come for it: each that runs has answered. */
static bool have_all_answered(const struct live *live)
{
	bool is_any = false;

	for (size_t i = 0; i < live->nr; i++) {
		const struct live_source *source = &live->sources[i];

		if (source->is_to_start || (source->state == LIVE_RUNS && !source->has_answered))
			return false;
		is_any |= source->has_answered;
	}
	return is_any;
}

/* The next of which there is still time to hear: those missed while we were stopped, or busy, are left out. */
static void open_next(struct live *live)
{
	uint64_t now_ns = clock_monotonic_ns();

	live->seq++;
	if (now_ns > due_ns(live))
		live->seq += (now_ns - due_ns(live)) / live->options->interval_ns + 1;
	if (live->options->length_ns && live->seq * live->options->interval_ns > live->options->length_ns) {
		live->is_over = true;
		return;
	}
	for (size_t i = 0; i < live->nr; i++)
		live_take_early(&live->sources[i]);
}

static void close_tick(struct live *live)
{
	live_tick_seal(live);
	if (live->options->on_tick && !live->options->on_tick(&live->tick, live->options->data))
		live->is_over = true;
	tick_release(&live->tick);
	if (!live->is_over)
		open_next(live);
}

static void serve_fds(struct live *live)
{
	const struct live_options *options = live->options;

	for (size_t i = 0; i < options->nr_fds && !live->is_over; i++)
		if (options->fds[i].revents && options->on_fd && !options->on_fd(&options->fds[i], options->data))
			live->is_over = true;
}

/* When we come late, what was written in time waits in the pipes. */
static void hear_all(struct live *live)
{
	for (int i = 0; i < MOST_READS && !have_all_answered(live); i++)
		if (!workers_poll(live->set, 0, NULL, 0))
			return;
}

static bool is_cancelled(const struct live *live)
{
	return live->options->cancel && *live->options->cancel;
}

static void watch(struct live *live)
{
	while (!live->is_over && !is_cancelled(live)) {
		uint64_t now_ns = clock_monotonic_ns(), until_ns = due_ns(live);

		workers_poll(live->set, until_ns > now_ns ? until_ns - now_ns : 0, live->options->fds,
			     live->options->nr_fds);
		serve_fds(live);
		if (live->is_over || is_cancelled(live))
			return;
		if (clock_monotonic_ns() >= due_ns(live))
			hear_all(live);
		live_sources_serve(live);
		if (have_all_answered(live) || clock_monotonic_ns() >= due_ns(live))
			close_tick(live);
	}
}

void live_run(const struct snapshot *sealed, const struct live_options *options)
{
	struct live live = {
		.sealed = sealed, .options = options,
		.start_ns = clock_monotonic_ns() + LEAD_MS * NS_PER_MS,
	};

	/* Orphans of the command that is watched are not ours to take in. */
	live.set = workers_open(live_source_ended, false);
	live_sources_init(&live);
	live_sources_serve(&live);
	watch(&live);
	live.is_over = true;
	workers_close(live.set);
	live_sources_release(&live);
	tick_release(&live.tick);
	arena_release(&live.arena);
}
