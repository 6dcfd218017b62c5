// SPDX-License-Identifier: GPL-2.0-or-later
/* rules_host.c - what the host lets a GPU wait for: storage, CPU time, the loader, one thread. */
#include "base/compat.h"
#include "eval/load/rule.h"

/* Samples in I/O that a job of its own has, where the pressure is known of the whole node only. */
#define OWN_IO_PERCENT 10.0
/* Reads a second from which their size tells something. */
#define MANY_READS 50.0
/* Requests to a file server for each read, from which opening files takes the time. */
#define OPENS_FOR_A_READ 3.0
/* Bytes a second below which neither a disk nor a server is what is read from. */
#define HARDLY_ANY 1e6

/* Part of the CPUs it may use, from which a job that waits for a CPU is in its own way. */
#define OWN_SHARE 0.5
/* CPU use of the node from which a job may find no idle CPU. */
#define BUSY_NODE_PERCENT 80.0

/* CPU time that the hypervisor takes, from which it is to be named, and not the application. */
#define STEAL_PERCENT 5.0

/* ---- storage */

struct rule rule_of_io_stall(const struct scene *scene)
{
	const struct job *job = &scene->job;
	struct rule pressure = RULE_FITS, samples = RULE_FITS;

	rule_at_least(&pressure, "I/O pressure", job->io_full_percent, scene->policy->io_pressure_percent);
	rule_at_least(&samples, "states of its processes", job->io_wait_percent, scene->policy->watch_io_wait_percent);
	/* Of the node alone it may be another job's: this one must read, or be seen to wait. */
	if (job->pressure_is_of_node && f64_or(job->read, 0.0) < HARDLY_ANY)
		rule_at_least(&pressure, "states of its processes", job->io_wait_percent, OWN_IO_PERCENT);
	return rule_either(pressure, samples);
}

static bool is_small(double reads_per_s, double mean_bytes, double limit)
{
	return reads_per_s >= MANY_READS && mean_bytes < limit;
}

/* What it reads by calls comes from elsewhere (FUSE), while another job reads from the disk. */
static bool disk_is_of_others(const struct scene *scene)
{
	const struct job *job = &scene->job;

	return is_known(job->read) && 2.0 * job->read.v_ < scene->node.disk.read_bytes_per_s &&
	       f64_or(job->read_call_bytes, 0.0) >= HARDLY_ANY;
}

/* Of what is read from most; where neither a disk nor a server is (FUSE), of the calls themselves. */
static bool reads_are_small(const struct scene *scene)
{
	const struct disk_figures *disk = &scene->node.disk;
	const struct mount_figures *mount = &scene->node.mount;
	double limit = scene->policy->watch_small_read_bytes, calls = f64_or(scene->job.read_calls, 0.0);

	if (mount->name && mount->operations_per_s >= MANY_READS && mount->read_bytes_per_s >= disk->read_bytes_per_s)
		return is_small(mount->reads_per_s, mount->read_bytes, limit) ||
		       mount->operations_per_s >= OPENS_FOR_A_READ * mount->reads_per_s;
	if (disk->name && disk->reads_per_s >= MANY_READS && !disk_is_of_others(scene))
		return is_small(disk->reads_per_s, disk->read_bytes, limit);
	if ((disk->read_bytes_per_s >= HARDLY_ANY && !disk_is_of_others(scene)) ||
	    mount->read_bytes_per_s >= HARDLY_ANY)
		return false;
	return calls >= MANY_READS && f64_or(scene->job.read_call_bytes, 0.0) / calls < limit;
}

static void judge_storage(struct scene *scene)
{
	struct rule rule = rule_of_io_stall(scene);

	rule_requires(&rule, is_starved(scene));
	scene->rules[BOTTLENECK_STARVED_STORAGE] = rule;
	rule_requires(&rule, reads_are_small(scene));
	scene->rules[BOTTLENECK_STARVED_SMALL_FILES] = rule;
}

/* What one of several that a job has on this node writes, the others wait for; *ret_read: what is read meanwhile. */
static struct val_f64 written_by_job(const struct scene *scene, double *ret_read)
{
	struct val_f64 written = scene->job.written;

	*ret_read = f64_or(scene->job.read, 0.0);
	for (size_t i = 0; i < scene->nr_others; i++) {
		const struct job *other = &scene->others[i].job;

		if (!other->main || !scene->job.main || f64_or(other->written, 0.0) <= f64_or(written, 0.0) ||
		    !is_one_job(scene->fold, other->main->pid, scene->job.main->pid))
			continue;
		written = other->written;
		*ret_read = f64_or(other->read, 0.0);
	}
	return written;
}

static void judge_checkpoint(struct scene *scene)
{
	struct rule rule = RULE_FITS;
	double read;
	struct val_f64 written = written_by_job(scene, &read);

	/*
	 * Where the process may not be asked, what its node writes tells as much: there is hardly another job as large.
	 */
	if (!is_known(written) && scene->node.disks_are_known)
		written = val_f64(scene->node.disk.written_bytes_per_s + scene->node.mount.written_bytes_per_s);
	rule_at_least(&rule, "bytes written", written, scene->policy->watch_checkpoint_bytes_per_s);
	rule_requires(&rule, f64_or(written, 0.0) > 2.0 * read);
	rule_requires(&rule, is_starved(scene));
	scene->rules[BOTTLENECK_CHECKPOINT] = rule;
}

/* ---- CPU time */

/* Who has the CPUs that it waits for: not the job itself; nor a quota that cannot be read, while CPUs are idle. */
static bool others_have_its_cpus(const struct scene *scene)
{
	double cpus = f64_or(scene->job.cpus_allowed, f64_or(scene->node.cpus, 0.0));

	if (f64_or(scene->node.steal, 0.0) >= STEAL_PERCENT)
		return true;
	if (cpus > 0.0 && job_family_percent(scene->fold, &scene->job) >= OWN_SHARE * 100.0 * cpus)
		return false;
	return is_known(scene->job.throttled_percent) || f64_or(scene->node.cpu_busy, 100.0) >= BUSY_NODE_PERCENT;
}

static void judge_cpu_time(struct scene *scene)
{
	const struct policy *policy = scene->policy;
	struct rule quota = RULE_FITS, queue = RULE_FITS, taken;

	quota.key = "quota";
	queue.key = "queue";
	rule_at_least(&quota, "time held back by a CPU quota", scene->job.throttled_percent,
		      policy->watch_throttled_percent);
	rule_at_least(&queue, "time in the run queue", scene->job.run_wait_percent, policy->watch_cpu_wait_percent);
	rule_requires(&quota, is_starved(scene));
	rule_requires(&queue, is_starved(scene));
	taken = queue;
	if (rule_fits(&queue)) {
		bool by_others = others_have_its_cpus(scene);

		rule_requires(&taken, by_others);
		rule_requires(&queue, !by_others);
	}
	scene->rules[BOTTLENECK_STARVED_QUOTA] = rule_either(quota, queue);
	scene->rules[BOTTLENECK_STARVED_CPU] = taken;
}

static void judge_loader(struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct job *job = &scene->job;
	struct rule rule = RULE_FITS;
	struct val_f64 busiest = job->worker ? process_percent(job->worker, &job->span) : job->main_percent;

	/* Where there is one worker only, that one; else two, as one may have the largest file. */
	rule_at_least(&rule, "CPU use of its workers", busiest, policy->watch_worker_percent);
	rule_requires(&rule, job->workers || !job->is_seen);
	if (!rule.is_excluded)
		rule_requires(&rule, job->pegged >= (job->workers > 1 ? 2 : 1) || !job->is_seen);
	rule_below(&rule, "CPU use of its main process", job->main_percent, policy->watch_main_percent);
	rule_requires(&rule, is_starved(scene));
	scene->rules[BOTTLENECK_STARVED_LOADER] = rule;
}

static void judge_thread(struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct job *job = &scene->job;
	struct rule rule = RULE_FITS;

	rule_at_least(&rule, "CPU use of its threads", job->thread_percent, policy->cpu_pegged_percent);
	rule_below_if_known(&rule, job->thread_switches, policy->watch_switches_per_s);
	rule_requires(&rule, !job->thread_is_polite && !job->pegged);
	rule_requires(&rule, job->threads_pegged <= (is_of_process(scene) ? 1 : FEEDING_THREADS));
	if (!is_of_process(scene))
		rule_below(&rule, "utilization", scene->gpu.busy, policy->watch_busy_percent);
	scene->rules[BOTTLENECK_STARVED_THREAD] = rule;
}

void judge_host(struct scene *scene)
{
	judge_checkpoint(scene);
	judge_storage(scene);
	judge_cpu_time(scene);
	judge_loader(scene);
	judge_thread(scene);
}
