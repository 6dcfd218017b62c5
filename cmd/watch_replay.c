// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_replay.c - a recording: judged again, at once into a pipe, in its own time on a terminal. */
#include "base/compat.h"
#include "cmd/watch.h"

#include <errno.h>
#include <signal.h>

#include "cmd/cmd.h"
#include "cmd/line_reader.h"
#include "cmd/acquire.h"
#include "cmd/watch_signals.h"
#include "sys/clock.h"

#define NS_PER_MS UINT64_C(1000000)
enum { LONGEST_WAIT_MS = 60000 };	/* poll() takes an int, and a recording may name any time */

struct replay {
	struct line_reader reader;
	bool is_whole;			/* the line read last ended in a line feed */
	bool last_was_bad;
	size_t skipped;
	uint64_t first_ns;		/* of its first tick */
	uint64_t began_ns;		/* when a tick at 0 would have been due */
};

/* The screen would keep it from being read. */
NORETURN static void die_of(struct watch *watch, const char *what)
{
	watch_show_end(watch);
	die(EXIT_USAGE, "%s:%lu: %s", watch->series.name, watch->series.line, what);
}

/* 1 a line, 0 the end. Blank lines are none. */
static int next_line(struct watch *watch, struct replay *replay, const char **ret_line, size_t *ret_len)
{
	for (;;) {
		int r = line_reader_next(&replay->reader, ret_line, ret_len, &replay->is_whole);

		if (r == -EINTR && watch_ended_by)
			return 0;
		if (r == -EINTR)
			continue;
		if (!r || watch->is_over)
			return 0;
		watch->series.line++;
		if (r < 0)
			die_of(watch, r == -EFBIG ? "a line longer than any of gpudiag" : strerror(-r));
		if (strspn(*ret_line, " \t\r") < *ret_len)
			return 1;
	}
}

/* What is asked now, in place of what was asked then. */
static void ask_again(struct watch *watch)
{
	const struct request *asked = &watch->acq.snapshot.request;
	struct series *series = &watch->series;
	struct request *request = &series->sealed.request;

	if (is_known(asked->pid))
		series->pid = u64_or(asked->pid, 0);
	if (!asked->gpus.nr)
		return;
	request->gpus = (struct strs){ .nr = 0 };
	for (size_t i = 0; i < asked->gpus.nr; i++)
		strs_add(&series->sealed.arena, &request->gpus, arena_strdup(&series->sealed.arena, asked->gpus.v[i]));
	load_check_selectors(&(const struct acquisition){ .snapshot = series->sealed });
}

/* Whoever writes the pipe may take his time, and keys are not to wait for him. */
static bool wait_for_line(void *to, int fd)
{
	struct watch *watch = to;
	struct pollfd fds[ARRAY_SIZE(watch->fds) + 1];

	while (!watch_ended_by && !watch->is_over) {
		int nr;

		memcpy(fds, watch->fds, watch->nr_fds * sizeof(*fds));
		fds[watch->nr_fds] = (struct pollfd){ .fd = fd, .events = POLLIN };
		nr = poll(fds, watch->nr_fds + 1, -1);
		for (size_t i = 0; nr > 0 && i < watch->nr_fds; i++)
			watch->is_over |= fds[i].revents && !watch_show_event(watch, &fds[i]);
		if (!watch->is_over && nr > 0 && fds[watch->nr_fds].revents)
			return true;
	}
	return false;
}

static void begin(struct watch *watch, struct replay *replay)
{
	struct json_error error = { .line = 0 };
	const char *line;
	size_t len;

	watch->series.name = strcmp(watch->replay_path, "-") ? watch->replay_path : "standard input";
	line_reader_open(&replay->reader, watch->replay_path);
	if (!next_line(watch, replay, &line, &len)) {
		if (watch_ended_by)
			exit(EXIT_SIGNAL + watch_ended_by);
		die(EXIT_USAGE, "%s: empty: not a recording of gpudiag watch", watch->series.name);
	}
	if (series_begin(&watch->series, line, len, watch->acq.policy_path ? &watch->acq.policy : NULL, &error))
		die_of(watch, error.what);
	if (watch->series.unknown.nr)
		watch->series.unknown.first_line = (unsigned)watch->series.line;
	ask_again(watch);
}

/* Keys and signals until then, or for as long as it is paused. False: it is to end. */
static bool wait_until(struct watch *watch, struct replay *replay, uint64_t at_ns)
{
	while (!watch_ended_by && !watch->is_over) {
		uint64_t now_ns = clock_now_ns(), due_ns = replay->began_ns + at_ns;
		uint64_t wait_ms = due_ns > now_ns ? (due_ns - now_ns) / NS_PER_MS + 1 : 0;
		int timeout_ms = watch->paused ? -1 : (int)(wait_ms < LONGEST_WAIT_MS ? wait_ms : LONGEST_WAIT_MS), nr;

		if (watch->skips) {
			watch->skips = watch->paused = false;
			replay->began_ns = now_ns - at_ns;
			return true;
		}
		if (!timeout_ms)
			return true;
		nr = poll(watch->fds, watch->nr_fds, timeout_ms);
		for (size_t i = 0; nr > 0 && i < watch->nr_fds; i++)
			if (watch->fds[i].revents && !watch_show_event(watch, &watch->fds[i]))
				return false;
		/* Time in which it was paused is none of the recording. */
		if (nr > 0 && watch->paused)
			replay->began_ns = clock_now_ns() - at_ns;
	}
	return false;
}

/* One bad line is damage, and what is around it still counts; two are another file. */
static bool skip(struct watch *watch, struct replay *replay, const struct json_error *error)
{
	if (!replay->is_whole) {
		watch_complain(watch, "%s:%lu: the last line is cut off: judged up to the line before",
			       watch->series.name, watch->series.line);
		return false;
	}
	if (replay->last_was_bad)
		die_of(watch, error->what);
	replay->last_was_bad = true;
	if (!replay->skipped++)
		watch_complain(watch, "%s:%lu: line skipped: %s", watch->series.name, watch->series.line, error->what);
	return true;
}

/* False: the end. */
static bool take(struct watch *watch, struct replay *replay, const char *line, size_t len)
{
	struct json_error error = { .line = 0 };

	if (watch_take(watch, line, len, &error))
		return skip(watch, replay, &error);
	replay->last_was_bad = false;
	/* What key s saved begins in the middle. */
	if (watch->series.ticks == 1) {
		replay->first_ns = watch->view->at_ns;
		replay->began_ns = clock_now_ns() - replay->first_ns;
	}
	/* Key s saves what was seen, as it does live; a pause holds nothing back, since nothing is read meanwhile. */
	if (watch->screen && !watch_show_holds(watch, line, len) && !wait_until(watch, replay, watch->view->at_ns))
		return false;
	watch_show_draw(watch);
	return !watch->length_ns || watch->view->at_ns - replay->first_ns < watch->length_ns;
}

int watch_replay(struct watch *watch)
{
	struct replay replay = { .skipped = 0 };
	const char *line;
	size_t len;
	int status;

	acquire_policy(&watch->acq, true);
	watch_file_open(&watch->output, watch->output_path);
	watch_signals_begin(false);
	watch->fds[watch->nr_fds++] = (struct pollfd){ .fd = watch_signals_fd(), .events = POLLIN };
	begin(watch, &replay);
	watch_begin(watch);
	watch_show_begin(watch);
	if (watch->screen) {
		replay.reader.may_read = wait_for_line;
		replay.reader.to = watch;
	}
	while (!watch_ended_by && !watch->is_over && next_line(watch, &replay, &line, &len))
		if (!take(watch, &replay, line, len))
			break;
	if (replay.skipped > 1)
		watch_complain(watch, "%s: %zu lines skipped", watch->series.name, replay.skipped);
	line_reader_close(&replay.reader);
	watch_show_end(watch);
	status = watch_end(watch);
	return watch_ended_by && watch_ended_by != SIGINT ? EXIT_SIGNAL + watch_ended_by : status;
}
