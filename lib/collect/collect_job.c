// SPDX-License-Identifier: GPL-2.0-or-later
/* collect_job.c - a job and the process it is run in: what that is told, and what it says. */
#include "base/compat.h"
#include "collect/collect_internal.h"

#include "sys/worker.h"

/* What a process may take to end that has said all: a library's destructors, and a context that is torn down. */
enum { EXIT_MS = PROBE_LATER_CALLS_MS };

int hear_job(struct job *job, struct worker *worker, const char *line, size_t len)
{
	int r = frame_read(&job->reader, line, len);

	if (job->reader.ended)
		worker->quiet_ms = EXIT_MS;
	else
		worker->quiet_ms = job->reader.quiet_ms ? job->reader.quiet_ms : job->own_deadline_ms;
	return r;
}

const char **begin_arguments(const struct collection *c, size_t nr_more, size_t *ret_nr)
{
	const char **argv = arena_alloc(&c->snapshot->arena, (nr_more + 7) * sizeof(*argv));
	const struct root *root = c->options->root;
	size_t n = 0;

	argv[n++] = "gpudiag";
	argv[n++] = "probe--worker";
	if (!root_is_live(root)) {
		argv[n++] = "--root";
		argv[n++] = root->path;
	}
	if (bool_or(c->snapshot->request.wake, false))
		argv[n++] = "--wake";
	if (c->options->places_only)
		argv[n++] = "--places";
	*ret_nr = n;
	return argv;
}
