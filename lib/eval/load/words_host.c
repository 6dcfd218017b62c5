// SPDX-License-Identifier: GPL-2.0-or-later
/* words_host.c - what the host lets a GPU wait for, in words. */
#include "base/compat.h"
#include "eval/load/words.h"

#define TEXT(unit, value) figure_text(arena, (unit), (value))

const char *disk_text(struct arena *arena, const struct disk_figures *disk)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!disk->name)
		return "no disk is read or written";
	strbuf_addf(&text, "%s %s", disk->name, TEXT(UNIT_BYTES_PER_S, disk->bytes_per_s));
	if (disk->reads_per_s > 0.0)
		strbuf_addf(&text, ", %s a read of %s", TEXT(UNIT_NS, disk->read_ms * 1e6),
			    TEXT(UNIT_BYTES, disk->read_bytes));
	else if (disk->writes_per_s > 0.0)
		strbuf_addf(&text, ", %s a write", TEXT(UNIT_NS, disk->write_ms * 1e6));
	if (disk->queue >= 1.0)
		strbuf_addf(&text, ", queue %.0f", disk->queue);
	return arena_strdup(arena, text.buf);
}

const char *mount_text(struct arena *arena, const struct mount_figures *mount)
{
	if (!mount->name)
		return "no file server is used";
	return arena_printf(arena, "%s %s, %s a request, %.0f requests/s", mount->name,
			    TEXT(UNIT_BYTES_PER_S, mount->read_bytes_per_s + mount->written_bytes_per_s),
			    TEXT(UNIT_NS, mount->round_trip_ms * 1e6), mount->operations_per_s);
}

const char *port_text(struct arena *arena, const struct port_figures *port)
{
	if (!port->name)
		return "no traffic";
	return arena_printf(arena, "%s at %s", port->name,
			    of_text(arena, UNIT_BYTES_PER_S, val_f64(port->bytes_per_s), port->limit));
}

const char *thread_text(struct arena *arena, const struct job *job)
{
	if (!job->thread && job->main && is_known(job->thread_percent))
		return arena_printf(arena, "%s at %s of a CPU", process_text(arena, job->main),
				    TEXT(UNIT_PERCENT, job->thread_percent.v_));
	if (!job->thread)
		return "no threads read";
	return arena_printf(arena, "%s %s at %s of a CPU%s", job->thread->comm[0] ? job->thread->comm : "thread",
			    job->thread->track.key, TEXT(UNIT_PERCENT, f64_or(job->thread_percent, 0.0)),
			    job->thread_is_polite ? ", giving it away (sched_yield)" : "");
}

/* The GPU's side, before that of the host. */
static void begin(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	struct val_f64 busy = set_mean(set, gpu.busy);

	if (!is_of_process(set->items[0]) && is_known(busy))
		strbuf_addf(out, "%s busy, ", TEXT(UNIT_PERCENT, busy.v_));
}

static void say_stall(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];
	const struct node_figures *node = &scene->node;
	struct val_f64 full = set_mean(set, job.io_full_percent), waits = set_mean(set, job.io_wait_percent);

	if (f64_or(full, 0.0) >= scene->policy->io_pressure_percent)
		strbuf_addf(out, "all tasks of the %s wait for I/O %s of the time",
			    scene->job.pressure_is_of_node ? "node" : "job", TEXT(UNIT_PERCENT, full.v_));
	else
		strbuf_addf(out, "the processes that read wait for I/O in %s of the samples",
			    TEXT(UNIT_PERCENT, f64_or(waits, 0.0)));
	if (node->mount.name && node->mount.read_bytes_per_s >= node->disk.read_bytes_per_s)
		strbuf_addf(out, ", %s", mount_text(arena, &node->mount));
	else if (node->disk.name)
		strbuf_addf(out, ", %s", disk_text(arena, &node->disk));
}

static void say_small(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct job *job = &set->items[0]->job;

	say_stall(out, arena, set);
	if (!set->items[0]->node.disk.name && !set->items[0]->node.mount.name && f64_or(job->read_calls, 0.0) > 0.0)
		strbuf_addf(out, ", %.0f read calls/s of %s", job->read_calls.v_,
			    TEXT(UNIT_BYTES, f64_or(job->read_call_bytes, 0.0) / job->read_calls.v_));
}

static void say_quota(struct strbuf *out, struct arena *arena, const char *key, const struct scene_set *set)
{
	const struct job *job = &set->items[0]->job;

	if (!strcmp(key, "quota")) {
		strbuf_addf(out, "held back by a quota %s of the time",
			    TEXT(UNIT_PERCENT, f64_or(set_mean(set, job.throttled_percent), 0.0)));
		if (is_known(job->cpu_quota))
			strbuf_addf(out, ", %.3g %s allowed", job->cpu_quota.v_,
				    job->cpu_quota.v_ == 1.0 ? "CPU" : "CPUs");
	} else {
		strbuf_addf(out, "threads wait in the run queue for %s of the time that they run",
			    TEXT(UNIT_PERCENT, f64_or(set_mean(set, job.run_wait_percent), 0.0)));
		if (is_known(job->cpus_allowed))
			strbuf_addf(out, ", %.0f CPUs allowed", job->cpus_allowed.v_);
	}
	if (job->workers)
		strbuf_addf(out, ", %zu worker %s", job->workers, job->workers == 1 ? "process" : "processes");
}

static void say_taken(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];
	const struct job *job = &scene->job;

	strbuf_addf(out, "its threads waited %s of the time that they were ready to run",
		    TEXT(UNIT_PERCENT, f64_or(set_mean(set, job.queued_percent), 0.0)));
	if (is_known(job->cpus_allowed))
		strbuf_addf(out, ", %.0f %s allowed", job->cpus_allowed.v_,
			    job->cpus_allowed.v_ == 1.0 ? "CPU" : "CPUs");
	if (is_known(scene->node.cpus) && is_known(scene->node.cpu_busy))
		strbuf_addf(out, ", %.0f %s of the node %s busy", scene->node.cpus.v_,
			    scene->node.cpus.v_ == 1.0 ? "CPU" : "CPUs", TEXT(UNIT_PERCENT, scene->node.cpu_busy.v_));
	if (job->main && is_known(job->main_percent))
		strbuf_addf(out, ", %s at %s of a CPU", process_text(arena, job->main),
			    TEXT(UNIT_PERCENT, job->main_percent.v_));
}

static void say_loader(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct job *job = &set->items[0]->job;
	struct set_jobs jobs;

	set_jobs_of(set, &jobs);
	strbuf_addf(out, "%zu of %zu worker %s at the limit of a CPU (mean %s)", jobs.pegged, jobs.workers,
		    jobs.workers == 1 ? "process" : "processes", TEXT(UNIT_PERCENT, jobs.pegged_percent));
	if (job->main)
		strbuf_addf(out, ", %s at %s", process_text(arena, job->main),
			    TEXT(UNIT_PERCENT, f64_or(job->main_percent, 0.0)));
	if (is_known(job->cpus_allowed))
		strbuf_addf(out, ", %.0f CPUs allowed", job->cpus_allowed.v_);
}

static void say_thread(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct job *job = &set->items[0]->job;

	strbuf_addstr(out, thread_text(arena, job));
	if (job->thread && job->thread->cpu != UINT64_MAX)
		strbuf_addf(out, " (CPU %llu)", (unsigned long long)job->thread->cpu);
	if (job->main && job->thread && strcmp(job->thread->track.key, job->main->track.key) != 0)
		strbuf_addf(out, " of %s", process_text(arena, job->main));
}

static void say_checkpoint(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];
	struct set_jobs jobs;
	double by_node = scene->node.disk.written_bytes_per_s + scene->node.mount.written_bytes_per_s;

	set_jobs_of(set, &jobs);
	strbuf_addf(out, "%s written", TEXT(UNIT_BYTES_PER_S, f64_or(jobs.written, by_node)));
	if (scene->job.main)
		strbuf_addf(out, " by %s", process_text(arena, scene->job.main));
}

void say_host(struct strbuf *out, struct arena *arena, enum bottleneck word, const char *key,
	      const struct scene_set *set)
{
	begin(out, arena, set);
	switch (word) {
	case BOTTLENECK_CHECKPOINT:
		say_checkpoint(out, arena, set);
		break;
	case BOTTLENECK_STARVED_SMALL_FILES:
		say_small(out, arena, set);
		break;
	case BOTTLENECK_STARVED_STORAGE:
		say_stall(out, arena, set);
		break;
	case BOTTLENECK_STARVED_QUOTA:
		say_quota(out, arena, key, set);
		break;
	case BOTTLENECK_STARVED_CPU:
		say_taken(out, arena, set);
		break;
	case BOTTLENECK_STARVED_LOADER:
		say_loader(out, arena, set);
		break;
	default:
		say_thread(out, arena, set);
		break;
	}
}
