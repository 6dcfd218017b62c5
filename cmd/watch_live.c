// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_live.c - this machine: a snapshot first, whose refusals hold, then tick after tick. */
#include "base/compat.h"
#include "cmd/watch.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/watch_signals.h"
#include "collect/live.h"
#include "eval/facts/load_permission.h"
#include "snapshot/under_test.h"

static void acquire(struct watch *watch, int argc, char **argv)
{
	struct request *request = &watch->acq.snapshot.request;

	request->level = val_str("read");
	request->window_ms = val_u64(0);
	acquire_policy(&watch->acq, false);
	watch_file_open(&watch->output, watch->output_path);
	if (watch->record_path) {
		watch_file_open(&watch->record, watch->record_path);
		if (watch->record.lines.target.own_fd == STDOUT_FILENO)
			die(EXIT_USAGE, "watch: --record %s: name a file: standard output is for what is judged",
			    watch->record_path);
	}
	/* Of a command its name is known, and not its arguments: they hold tokens. */
	acquire_run(&watch->acq, watch->command ? (int)(watch->command - argv) + 1 : argc, argv);
	/* The job that started us, and not gpudiag, which does nothing to be watched. */
	if (bool_or(request->pid_is_self, false) && !watch->acq.root)
		request->pid = val_u64((uint64_t)getppid());
}

/* What is judged is read back from what is recorded, whether or not it is written to a file. */
static void begin_series(struct watch *watch)
{
	uint64_t pid = u64_or(watch->acq.snapshot.request.pid, 0);
	struct json_error error;
	STRBUF_AUTO line = STRBUF_INIT;

	series_write_begin(&line, &watch->acq.snapshot, &watch->acq.policy, pid);
	if (watch->record_path)
		watch_put(watch, &watch->record, line.buf, line.len, "; nothing is recorded");
	watch->series.name = "this machine";
	if (series_begin(&watch->series, line.buf, line.len - 1, NULL, &error))
		die(EXIT_INTERNAL, "watch: the snapshot cannot be read back: %s", error.what);
	snapshot_release(&watch->acq.snapshot);
}

/* As a line that is read back, so that a replay of it judges the same bytes. False: it is to end. */
static bool take_as_line(struct watch *watch, const struct tick *tick)
{
	struct json_error error;
	STRBUF_AUTO line = STRBUF_INIT;

	series_write_tick(&line, tick);
	if (watch->record_path)
		watch_put(watch, &watch->record, line.buf, line.len, "; the recording ends here");
	if (watch_show_holds(watch, line.buf, line.len - 1))
		return true;
	if (watch_take(watch, line.buf, line.len - 1, &error)) {
		watch->has_failed = true;
		watch_complain(watch, "a tick cannot be read back: %s", error.what);
		return false;
	}
	watch_show_draw(watch);
	return true;
}

static bool on_tick(const struct tick *tick, void *data)
{
	struct watch *watch = data;

	/* Most of what a tick costs here is its JSON: where nobody keeps it there is none. */
	if (!watch->record_path && !watch->screen)
		watch_take_tick(watch, tick);
	else if (!take_as_line(watch, tick))
		return false;
	if (watch->command)
		return !watch_child_has_ended(watch);
	return !watch->is_over;
}

static bool on_fd(struct pollfd *fd, void *data)
{
	struct watch *watch = data;

	if (watch->command) {
		watch_signals_take();
		return !watch_child_has_ended(watch);
	}
	return watch_show_event(watch, fd);
}

/* A GPU that sleeps is its source's affair, which sees it wake up; what hangs or is gone is left alone to the end. */
static const char *refuse(const struct snapshot *sealed, const struct sample_source *source, const char *gpu,
			  struct arena *arena, void *data)
{
	const struct watch *watch = data;
	const struct gpu *seen = gpu ? list_find(sealed, gpus, gpu, gpu) : NULL;

	if (source->touches == TOUCHES_FILES || (seen && gpu_is_asleep(seen)))
		return NULL;
	return permit_nvml(arena, sealed, watch->policy, &watch->log, gpu);
}

static void run(struct watch *watch)
{
	struct root root = ROOT_LIVE;
	struct live_options options = {
		.root = &root, .interval_ns = watch->interval_ns, .length_ns = watch->length_ns,
		.cancel = &watch_ended_by,
		.refuse = refuse,
		.pid = watch->series.pid, .fds = watch->fds, .nr_fds = watch->nr_fds, .on_fd = on_fd,
		.on_tick = on_tick,
		.data = watch,
	};
	int r = watch->acq.root ? root_open(&root, watch->acq.root) : 0;

	if (r)
		die(EXIT_USAGE, "%s: %s", watch->acq.root, strerror(-r));
	watch->policy = series_policy(&watch->series);
	node_log_read(&watch->log, &watch->series.sealed, watch->policy);
	live_run(&watch->series.sealed, &options);
	node_log_release(&watch->log);
	root_close(&root);
}

/* Interrupted before there was anything to watch; a command was not started. */
static int end_early(struct watch *watch)
{
	complain("interrupted before the first tick");
	acquire_release(&watch->acq);
	return EXIT_SIGNAL + watch->acq.signal;
}

/* Ctrl-C is how one ends it, once there is something to tell. */
static int status_of(const struct watch *watch, int status)
{
	bool is_usual = watch_ended_by == SIGINT && watch->series.ticks;

	return watch_ended_by && !is_usual ? EXIT_SIGNAL + watch_ended_by : status;
}

int watch_live(struct watch *watch, int argc, char **argv)
{
	int status;

	acquire(watch, argc, argv);
	if (watch->acq.signal)
		return end_early(watch);
	watch_signals_begin(watch->command);
	watch->fds[watch->nr_fds++] = (struct pollfd){ .fd = watch_signals_fd(), .events = POLLIN };
	if (watch->command) {
		status = watch_child_start(watch);
		if (status)
			return status;
		watch->acq.snapshot.request.pid = val_u64((uint64_t)watch->child);
	}
	begin_series(watch);
	watch_begin(watch);
	watch_show_begin(watch);
	run(watch);
	watch_show_end(watch);
	if (watch->command) {
		status = watch_child_wait(watch);
		watch_end(watch);
	} else {
		status = status_of(watch, watch_end(watch));
	}
	return status;
}
