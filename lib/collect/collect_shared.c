// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect_shared.c - probes that read files alone share processes, since to start one costs more than most of them
 * take.
 *
 * There are as many processes as CPUs. Each takes the next probe from a pipe when it is done with one. So a probe that
 * hangs or crashes takes no other with it: those before it have said all, those after it are still in the pipe. Where
 * all processes wait for something, one more is started, so slow files are read side by side as well.
 */
#include "base/compat.h"
#include "collect/collect_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/worker.h"

enum {
	MAX_SHARING = PIPE_BUF / sizeof(struct probe_turn),	/* what any pipe holds */
	FIRST_FD = 10,			/* of our pipe: above what a child gets by number */
};
/* Of all processes that began no probe for so long, none may be at work. */
#define ALL_WAIT_NS UINT64_C(10000000)

/* A process of several probes. */
struct lane {
	struct worker worker;
	struct sharing *of;
	struct job *at;			/* the last one that it began; NULL: none yet */
	uint64_t began_ns;
};

struct sharing {
	const struct collection *c;
	struct worker **alone;
	size_t nr_alone, nr_alone_started;
	struct job **jobs;
	size_t nr_jobs;
	int pipe_fd;			/* -1: none */
	const char **argv;
	struct lane *lanes;
	size_t nr_lanes, most_lanes, nr_cpus;
	uint64_t moved_ns;		/* when the last process was started or probe begun */
};

bool may_share(const struct job *job)
{
	return job->worker->main && !job->beside &&
	       (job->probe->phase == PHASE_NODE || job->probe->phase == PHASE_DEVICE_FILES);
}

/* ---- one process */

/* It has said all and its process goes on with another. */
static void finish(struct lane *lane)
{
	struct worker *worker = lane->at->worker;

	worker->end = WORKER_EXITED;
	worker->elapsed_ns = clock_now_ns() - lane->began_ns;
}

static int begin(struct lane *lane, size_t number)
{
	struct sharing *sharing = lane->of;
	struct worker *worker = &lane->worker;
	struct job *job = number < sharing->nr_jobs ? sharing->jobs[number] : NULL;

	if (!job || job->has_begun || (lane->at && !lane->at->reader.ended))
		return -EINVAL;
	if (lane->at)
		finish(lane);
	job->has_begun = true;
	lane->at = job;
	lane->began_ns = sharing->moved_ns = clock_now_ns();
	worker->deadline_ms = given_ms(sharing->c, job);
	worker->quiet_ms = job->own_deadline_ms;
	worker->quiet_at_work_ms = quiet_at_work_ms(job);
	worker->stream_bytes = 0;
	worker->begins_anew = true;
	return 0;
}

static int on_line(struct worker *worker, char *line, size_t len)
{
	struct lane *lane = worker->data;
	size_t number;

	if (frame_begins(line, &number))
		return begin(lane, number);
	return lane->at ? hear_job(lane->at, worker, line, len) : -EINVAL;
}

static bool has_ended(const struct lane *lane)
{
	return lane->worker.elapsed_ns || lane->worker.end != WORKER_EXITED;
}

/* Until it begins a probe, and in the note of its locks, it has the time of the slowest. */
static struct worker *prepare_lane(struct sharing *sharing)
{
	struct lane *lane = &sharing->lanes[sharing->nr_lanes++];
	struct worker *worker = &lane->worker;

	lane->of = sharing;
	*worker = (struct worker){
		.main = sharing->c->options->worker_main, .argv = sharing->argv, .on_line = on_line, .data = lane,
		.shared_fd = sharing->pipe_fd, .output = STRBUF_INIT,
	};
	for (size_t i = 0; i < sharing->nr_jobs; i++) {
		const struct job *job = sharing->jobs[i];
		unsigned total_ms = given_ms(sharing->c, job);

		worker->deadline_ms = total_ms > worker->deadline_ms ? total_ms : worker->deadline_ms;
		worker->quiet_ms = job->own_deadline_ms > worker->quiet_ms ? job->own_deadline_ms : worker->quiet_ms;
	}
	sharing->moved_ns = clock_now_ns();
	return worker;
}

/* ---- all of them */

static bool has_jobs_left(const struct sharing *sharing)
{
	int waiting = 0;

	return sharing->pipe_fd >= 0 && !ioctl(sharing->pipe_fd, FIONREAD, &waiting) && waiting > 0;
}

/* Is one of them at work, which needs a CPU that others would take? */
static bool is_any_at_work(const struct sharing *sharing)
{
	for (size_t i = 0; i < sharing->nr_lanes; i++)
		if (!has_ended(&sharing->lanes[i]) && worker_is_running(&sharing->lanes[i].worker))
			return true;
	return false;
}

/* How many are there; *ret_is_broken: one ended that did not even begin. */
static size_t running_lanes(const struct sharing *sharing, bool *ret_is_broken)
{
	size_t nr = 0;

	*ret_is_broken = false;
	for (size_t i = 0; i < sharing->nr_lanes; i++) {
		nr += !has_ended(&sharing->lanes[i]);
		*ret_is_broken |= has_ended(&sharing->lanes[i]) && !sharing->lanes[i].at;
	}
	return nr;
}

/*
 * A process of its own for one that none began: they could not be started, or the one that had taken it was killed that
 * very moment.
 */
static struct worker *left_over(struct sharing *sharing)
{
	for (size_t i = 0; i < sharing->nr_jobs; i++) {
		struct job *job = sharing->jobs[i];

		if (job->has_begun)
			continue;
		job->has_begun = true;
		job->worker->deadline_ms = given_ms(sharing->c, job);
		if (!is_over(sharing->c, job))
			return job->worker;
		job->worker = NULL;
	}
	return NULL;
}

static struct worker *more(void *data, uint64_t *ret_wait_ns)
{
	struct sharing *sharing = data;
	uint64_t waited_ns = clock_now_ns() - sharing->moved_ns;
	size_t nr_running;
	bool is_broken;

	if (sharing->nr_alone_started < sharing->nr_alone)
		return sharing->alone[sharing->nr_alone_started++];
	nr_running = running_lanes(sharing, &is_broken);
	if (!is_broken && sharing->nr_lanes < sharing->most_lanes && has_jobs_left(sharing) &&
	    !*sharing->c->options->cancel && time_left_ms(sharing->c)) {
		if (nr_running < sharing->nr_cpus || (waited_ns >= ALL_WAIT_NS && !is_any_at_work(sharing)))
			return prepare_lane(sharing);
		*ret_wait_ns = waited_ns < ALL_WAIT_NS ? ALL_WAIT_NS - waited_ns : ALL_WAIT_NS;
	}
	return nr_running ? NULL : left_over(sharing);
}

static void second(void *data)
{
	const struct collect_options *options = ((const struct sharing *)data)->c->options;

	options->second(options->data);
}

/* A pipe that has all numbers and gets no more; -1: there is none to be had. */
static int make_pipe(size_t nr)
{
	struct probe_turn turns[MAX_SHARING];
	int ends[2], fd = -1;

	if (!nr || nr > MAX_SHARING || pipe2(ends, O_CLOEXEC))
		return -1;
	for (size_t i = 0; i < nr; i++)
		turns[i].number = (uint16_t)i;
	if (write(ends[1], turns, nr * sizeof(*turns)) == (ssize_t)(nr * sizeof(*turns)))
		fd = fcntl(ends[0], F_DUPFD_CLOEXEC, FIRST_FD);
	close(ends[0]);
	close(ends[1]);
	return fd;
}

static size_t nr_variables(const struct job *job)
{
	size_t nr = 0;

	while (job->worker->environment[nr])
		nr++;
	return nr;
}

/* Probe by probe, as struct probe_turn has it. */
static const char **arguments_of(const struct sharing *sharing)
{
	size_t nr = 1, n;
	const char **argv;

	for (size_t i = 0; i < sharing->nr_jobs; i++)
		nr += 3 + nr_variables(sharing->jobs[i]);
	argv = begin_arguments(sharing->c, nr, &n);
	argv[n++] = "--shared";
	for (size_t i = 0; i < sharing->nr_jobs; i++) {
		const struct job *job = sharing->jobs[i];

		argv[n++] = job->probe->name;
		argv[n++] = job->target ? job->target : "";
		for (size_t k = 0; k < nr_variables(job); k++)
			argv[n++] = job->worker->environment[k];
		argv[n++] = "";
	}
	return argv;
}

static size_t nr_cpus(void)
{
	cpu_set_t may_use;

	/* EINVAL: there are more of them than fit. */
	return sched_getaffinity(0, sizeof(may_use), &may_use) ? CPU_SETSIZE : (size_t)CPU_COUNT(&may_use);
}

void run_workers(const struct collection *c, struct worker **alone, size_t nr_alone, struct job **jobs, size_t nr_jobs)
{
	struct sharing sharing = {
		.c = c, .alone = alone, .nr_alone = nr_alone, .jobs = jobs, .nr_jobs = nr_jobs,
		.pipe_fd = make_pipe(nr_jobs), .most_lanes = 2 * nr_jobs, .nr_cpus = nr_cpus(),
	};

	sharing.argv = arguments_of(&sharing);
	sharing.lanes = arena_alloc(&c->snapshot->arena, sharing.most_lanes * sizeof(*sharing.lanes));
	if (nr_alone || nr_jobs)
		workers_run(NULL, 0,
			    &(struct workers_run){ .cancel = c->options->cancel,
						   .second = c->options->second ? second : NULL,
						   .more = more,
						   .data = &sharing });
	/* How a process ended counts for the probe that it was at; what it printed is kept there, too. */
	for (size_t i = 0; i < sharing.nr_lanes; i++) {
		struct lane *lane = &sharing.lanes[i];

		if (lane->at)
			*lane->at->worker = lane->worker;
		else
			strbuf_release(&lane->worker.output);
	}
	if (sharing.pipe_fd >= 0)
		close(sharing.pipe_fd);
}
