// SPDX-License-Identifier: GPL-2.0-or-later
/* collect_locks.c - workers of other runs: those that hang, and those that measure. */
#include "base/compat.h"
#include "collect/collect_internal.h"

#include <errno.h>

#include "probe/read.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/worker.h"

enum { LATE_MS = 1000 };	/* a worker is killed within that time after its deadline, if it can be */

/* What a worker of another run may take. One that noted no deadline may have been asked to watch for long. */
static unsigned others_deadline_ms(const struct collection *c, const struct probe *probe,
				   const struct lock_note *holder)
{
	if (holder->deadline_ms)
		return holder->deadline_ms;
	return calls_deadline_ms(c->snapshot, probe) + (probe->watches_ms ? MAX_WATCH_MS : 0);
}

/* Is it overdue: past its whole deadline, or in one call for too long, and still not ended? */
static bool is_overdue(const struct collection *c, const struct probe *probe, const struct lock_note *holder,
		       uint64_t age_s, uint64_t now_s)
{
	if (age_s * 1000 > (uint64_t)others_deadline_ms(c, probe, holder) + LATE_MS)
		return true;
	return holder->quiet_ms && holder->said_boot_s && holder->said_boot_s < now_s &&
	       (now_s - holder->said_boot_s) * 1000 > (uint64_t)holder->quiet_ms + LATE_MS;
}

/* Load takes one lock for the whole node: its note says which device the holder is at. */
static bool is_about(const struct job *job, const char *name, const struct lock_note *holder)
{
	char own[PROBE_LOCK_NAME_BYTES];

	probe_own_lock_name(job->probe, job->target, own);
	return !strcmp(name, own) || (job->target && strstr(holder->call, job->target));
}

static void refuse_beside(const struct collection *c, struct job *job, const struct lock_note *holder)
{
	char words[64];

	job->outcome = PROBE_REFUSED;
	job->why =
		arena_printf(&c->snapshot->arena, "%s is measuring", lock_holder_words(holder, words, sizeof(words)));
}

/*
 * A worker of an earlier run that outlived its deadline hangs: another one
 * would hang beside it; one that somebody stopped does not. One within its deadline is another run that reads
 * right now, which is no reason not to read; only load is for one at a time.
 */
static bool is_in_the_way(const struct collection *c, struct job *job, const char *name)
{
	struct arena *arena = &c->snapshot->arena;
	struct lock_note holder;
	uint64_t age_s, now_s = clock_since_boot_s();

	if (!root_is_live(c->options->root) && !probe_puts_load(job->probe))
		return false;
	if (!*c->lock_dir || !lock_is_held(c->lock_dir, name, &holder))
		return false;
	/*
	 * Without a note it was taken this very moment, or could not be written: it says nothing. Nor does one of
	 * times to come: a time namespace has its own boot.
	 */
	age_s = holder.pid && holder.since_boot_s && holder.since_boot_s < now_s ? now_s - holder.since_boot_s : 0;
	if (is_overdue(c, job->probe, &holder, age_s, now_s) &&
	    is_about(job, name, &holder) && !process_is_stopped(holder.pid)) {
		job->outcome = PROBE_STUCK;
		job->why = arena_printf(arena, "a worker of an earlier run (pid %d) has not come back for %llu s",
					(int)holder.pid, (unsigned long long)age_s);
		snprintf(job->reader.call, sizeof(job->reader.call), "%s", holder.call);
		job->pid = holder.pid;
		return true;
	}
	if (!probe_puts_load(job->probe))
		return false;
	refuse_beside(c, job, &holder);
	return true;
}

bool is_held_by_other(const struct collection *c, struct job *job)
{
	char name[PROBE_LOCK_NAME_BYTES];

	/* Of loads side by side this process has the node's lock. */
	probe_lock_name(job->probe, job->target, name);
	if (!(c->is_side_by_side && probe_puts_load(job->probe)) && is_in_the_way(c, job, name))
		return true;
	probe_own_lock_name(job->probe, job->target, name);
	return probe_puts_load(job->probe) && is_in_the_way(c, job, name);
}

/* Who else is at work, if it is not a worker of an earlier run that hangs. */
static void refuse_loads(const struct collection *c, struct job *loads, size_t nr, const struct lock_note *holder)
{
	char name[PROBE_LOCK_NAME_BYTES];

	for (size_t i = 0; i < nr; i++) {
		probe_lock_name(loads[i].probe, loads[i].target, name);
		if (!is_in_the_way(c, &loads[i], name))
			refuse_beside(c, &loads[i], holder);
	}
}

int take_load_lock(const struct collection *c, struct job *loads, size_t nr)
{
	struct lock_note holder = { .pid = 0 };
	char name[PROBE_LOCK_NAME_BYTES], call[sizeof(holder.call)] = "";
	unsigned longest_ms = 0;
	size_t len = 0;
	int fd;

	if (!*c->lock_dir)
		return -1;
	for (size_t i = 0; i < nr; i++) {
		unsigned own_ms = own_deadline_ms(c->snapshot, loads[i].probe);

		longest_ms = own_ms > longest_ms ? own_ms : longest_ms;
		if (len < sizeof(call))
			len += (size_t)snprintf(call + len, sizeof(call) - len, "%s%s", len ? ", " : "",
						loads[i].target ? loads[i].target : loads[i].key);
	}
	probe_lock_name(loads[0].probe, loads[0].target, name);
	fd = lock_take(c->lock_dir, name, longest_ms, &holder);
	if (fd >= 0)
		lock_note_call(fd, call, 0);
	if (fd == -EWOULDBLOCK)
		refuse_loads(c, loads, nr, &holder);
	return fd >= 0 || fd == -EWOULDBLOCK ? fd : -1;
}

void find_lock_folder(struct collection *c)
{
	struct run *run = &c->snapshot->run;
	int error;

	if (!root_is_live(c->options->root) && !is_known(c->snapshot->request.driver_root))
		return;
	error = lock_folder(c->lock_dir, sizeof(c->lock_dir));
	if (error)
		c->lock_dir[0] = '\0';
	if (!root_is_live(c->options->root))
		return;
	if (error == -EPERM)
		run->lock_folder = no_str(VAL_DENIED, "EPERM: others may write there");
	else if (error)
		run->lock_folder = no_str(state_of_errno(error), name_of_errno(error));
	else
		run->lock_folder = val_str(arena_strdup(&c->snapshot->arena, c->lock_dir));
}
