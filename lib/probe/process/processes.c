// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * processes.c - probe "processes": who holds a GPU's device node open, which
 * tasks are in uninterruptible sleep, which daemons there are, and who works on
 * a GPU's driver.
 *
 * One read of stat is what every process costs; of those of programs the list
 * of open files is looked through as well. Files that take
 * a process's memory lock (cmdline, maps, environ) are not read: they hang
 * with the task we are looking for. The one exception are the arguments of
 * programs that reset a GPU, which do not sleep then (gpu_reset.h).
 */
#include "base/compat.h"

#include <errno.h>
#include <unistd.h>

#include "base/text.h"
#include "probe/process/blocked_tasks.h"
#include "probe/device/drm_memory.h"
#include "probe/device/gpu_nodes.h"
#include "probe/process/gpu_process.h"
#include "probe/kernel_log/kernel_log_journal.h"
#include "probe/process/maintenance.h"
#include "probe/nvidia/nvidia_holders.h"
#include "probe/process/open_files.h"
#include "probe/process/proc_stat.h"
#include "probe/probe_table.h"
#include "probe/read.h"

/* Of 256 holders a frame has 50 KiB; a process may be allowed CPUs in a list of 20 KiB. */
enum { HOLDERS_A_FRAME = 256, PROCESSES_A_FRAME = 16 };

struct walk {
	struct probe_env *env;
	struct sink *sink;
	struct gpu_nodes nodes;
	struct blocked_tasks blocked;
	struct drm_memory memory;
	struct nvidia_holders nvidia;
	struct maintenance_watch maintenance;
	uint64_t requested;		/* the process asked about; 0: none */
	struct proc_stat own;		/* the worker itself; parent 0: no process is skipped */
	struct proc_stat parent;	/* whose name a worker has until it takes its own */
	bool may_be_gpus;		/* there is a driver whose nodes could be held */
	size_t tasks;			/* processes, kernel threads too */
	size_t ours;			/* passed over */
	size_t programs;		/* whose open files were asked for */
	size_t unread;			/* there, and their stat could not be read */
	size_t closed;			/* of those, whose open files we may not see */
	size_t holders;			/* recorded so far: processes with each node they hold */
	size_t holding;			/* recorded so far: processes */
	size_t cut;			/* processes that hold a node which no list has room for */
	size_t daemons;			/* recorded so far */
};

/* One process while it is looked at. */
struct process {
	const char *pid;
	struct proc_stat stat;
	const char *held_driver;	/* of a GPU whose node it holds; NULL: none seen */
	int files_error;		/* of reading its open files */
	size_t files;			/* seen open */
	bool may_be_in_driver;		/* a GPU driver's among them */
	bool cut;			/* holds a node which no list has room for */
};

static bool is_worker(const struct walk *walk, const struct proc_stat *stat)
{
	return stat->parent == walk->own.parent &&
	       (!strncmp(stat->comm, PROBE_WORKER_NAME, strlen(PROBE_WORKER_NAME)) ||
		!strcmp(stat->comm, walk->parent.comm));
}

/* The one program that a worker starts, to read the journal; before it is that, it is called as the worker is. */
static bool is_program_of_worker(const struct walk *walk, const struct proc_stat *stat)
{
	struct proc_stat parent;

	if (strcmp(stat->comm, JOURNAL_PROGRAM) != 0 &&
	    strncmp(stat->comm, PROBE_WORKER_NAME, strlen(PROBE_WORKER_NAME)) != 0)
		return false;
	return !proc_stat_read(walk->env->root, &parent, "/proc/%llu/stat", (unsigned long long)stat->parent) &&
	       is_worker(walk, &parent);
}

/* The worker, its parent, its siblings and theirs: processes of this run, which are no finding. */
static bool is_our_own(const struct walk *walk, const char *pid, const struct proc_stat *stat)
{
	uint64_t number;

	if (!walk->own.parent || parse_u64(pid, &number))
		return false;
	return number == (uint64_t)getpid() || number == walk->own.parent ||
	       is_worker(walk, stat) || is_program_of_worker(walk, stat);
}

/* The process asked about and the window's may come on top. */
static bool has_room(const struct walk *walk, const char *pid)
{
	bool is_new = !list_find(&walk->sink->facts, gpu_processes, gpu_process, pid);

	return walk->holders < MAX_HOLDERS && (!is_new || walk->holding < MAX_LIST - 2);
}

/* Is the node of that process among the holders? */
static bool add_holder(struct walk *walk, const struct process *process, struct gpu_node *node)
{
	struct sink *sink = walk->sink;
	struct arena *arena = &sink->facts.arena;
	const char *key = arena_printf(arena, "%s:%s", process->pid, node->path);
	struct holder *holder;
	uint64_t pid;

	if (list_find(&sink->facts, holders, holder, key))
		return true;
	if (parse_u64(process->pid, &pid) || !has_room(walk, process->pid))
		return false;
	walk->holders++;
	walk->holding += !list_find(&sink->facts, gpu_processes, gpu_process, process->pid);
	/* Whoever holds a GPU is one of gpu_processes, with all there is to say of it. */
	gpu_process_add(walk->env, &sink->facts, process->pid, &process->stat);
	holder = list_element(arena, &sink->facts, holders, holder, key);
	holder->pid = val_u64(pid);
	holder->comm = val_str(arena_strdup(arena, process->stat.comm));
	holder->user_id = list_find(&sink->facts, gpu_processes, gpu_process, process->pid)->user_id;
	holder->node = val_str(node->path);
	if (node->gpu.state == VAL_UNSET)
		nvidia_holders_note(&walk->nvidia, key, node);
	else
		holder->gpu = node->gpu;
	if (!drm_memory_counts(node))
		holder->memory_bytes = no_u64(VAL_UNSUPPORTED, "no information in this node's files");
	return true;
}

/* A process and the walk it belongs to, for one open file after another. */
struct visit {
	struct walk *walk;
	struct process *process;
};

static void look_at_file(void *data, const char *descriptor, const char *name)
{
	const struct visit *visit = data;
	struct gpu_node *node = gpu_nodes_find(&visit->walk->nodes, visit->walk->env, name);

	visit->process->files++;
	visit->process->may_be_in_driver |= gpu_nodes_may_be(name);
	maintenance_look_at_file(&visit->walk->maintenance, visit->walk->env, visit->process->pid,
				 &visit->process->stat, name);
	if (!node)
		return;
	if (add_holder(visit->walk, visit->process, node))
		drm_memory_note(&visit->walk->memory, visit->process->pid, descriptor, node);
	else
		visit->process->cut = true;
	if (!visit->process->held_driver)
		visit->process->held_driver = node->driver;
}

static void look_at_files(struct walk *walk, struct process *process)
{
	struct visit visit = { .walk = walk, .process = process };

	walk->programs++;
	process->files_error = open_files_each(walk->env, process->pid, look_at_file, &visit);
	if (state_of_errno(process->files_error) == VAL_DENIED)
		walk->closed++;
	walk->cut += process->cut;
	/* Between processes only: a process's keys must stay together for list_find() to see them. */
	if (walk->sink->facts.nr_holders >= HOLDERS_A_FRAME ||
	    walk->sink->facts.nr_gpu_processes >= PROCESSES_A_FRAME)
		sink_flush(walk->sink);
}

static void note_blocked(struct walk *walk, const struct process *process, const char *thread,
			 const struct proc_stat *stat)
{
	blocked_tasks_add(&walk->blocked, walk->env, &(struct blocked_task){
		.pid = process->pid,
		.thread = thread,
		.stat = stat,
		.held_driver = process->held_driver,
		.files_error = process->files_error,
	});
}

/*
 * A thread other than the first may be the one that hangs in a GPU driver.
 * Programs have thousands of threads: those of one whose files were seen, and
 * are no GPU driver's, are spared. One that exits while it hangs has none.
 */
static bool threads_may_hang(const struct walk *walk, const struct process *process)
{
	if (!walk->may_be_gpus || process->stat.threads < 2)
		return false;
	return process->may_be_in_driver || process->files_error || !process->files;
}

static void look_at_threads(struct walk *walk, const struct process *process)
{
	struct name_list names = { 0 };

	if (root_list(walk->env->root, &names, "/proc/%s/task", process->pid))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		struct proc_stat stat;

		if (!proc_stat_read(walk->env->root, &stat, "/proc/%.20s/task/%.20s/stat", process->pid,
				    names.names[i]) &&
		    stat.state == 'D')
			note_blocked(walk, process, names.names[i], &stat);
	}
	name_list_release(&names);
}

static bool is_requested(const struct walk *walk, const char *pid)
{
	uint64_t number;

	return walk->requested && !parse_u64(pid, &number) && number == walk->requested;
}

/* Any user can start any number of processes with a daemon's name: only the oldest are recorded. */
static void look_at_daemon(struct walk *walk, const struct process *process)
{
	struct snapshot *facts = &walk->sink->facts;
	size_t before = facts->nr_daemons;

	if (walk->daemons == MAX_LIST)
		return;
	daemons_look_at(walk->env, facts, process->pid, &process->stat);
	walk->daemons += facts->nr_daemons - before;
}

static void look_at_process(struct walk *walk, const char *pid)
{
	struct process process = { .pid = pid };
	int error = proc_stat_read(walk->env->root, &process.stat, "/proc/%.20s/stat", pid);

	/* It may have ended since the list was made; one that is there and cannot be read may be the one that hangs. */
	if (error)
		walk->unread += error != -ENOENT && error != -ESRCH;
	if (!error && is_requested(walk, pid))
		gpu_process_add(walk->env, &walk->sink->facts, pid, &process.stat);
	if (error)
		return;
	if (is_our_own(walk, pid, &process.stat)) {
		walk->ours++;
		return;
	}
	walk->tasks++;
	if (!process.stat.is_kernel_thread)
		look_at_daemon(walk, &process);
	if (!process.stat.is_kernel_thread && process.stat.state != 'Z')
		maintenance_look_at(&walk->maintenance, walk->env, pid, &process.stat);
	/* A zombie holds nothing, and its files cannot be read. */
	if (!process.stat.is_kernel_thread && process.stat.state != 'Z' && walk->may_be_gpus)
		look_at_files(walk, &process);
	if (threads_may_hang(walk, &process))
		look_at_threads(walk, &process);
	else if (process.stat.state == 'D')
		note_blocked(walk, &process, pid, &process.stat);
}

static const char *processes(size_t nr)
{
	return nr == 1 ? "process" : "processes";
}

/* Says what is missing, in *why. */
static enum probe_outcome outcome_of(const struct walk *walk, struct strbuf *why)
{
	size_t cut = blocked_tasks_cut(&walk->blocked);

	if (walk->closed)
		strbuf_addf(why, "needs root: the open files of %zu of %zu %s", walk->closed, walk->programs,
			    processes(walk->programs));
	if (walk->unread)
		strbuf_addf(why, "%s%zu %s not readable", why->len ? "; " : "", walk->unread,
			    processes(walk->unread));
	if (walk->cut)
		strbuf_addf(why, "%stoo many processes hold a GPU: %zu left out", why->len ? "; " : "", walk->cut);
	if (cut)
		strbuf_addf(why, "%stoo many tasks in uninterruptible sleep: %zu left out", why->len ? "; " : "", cut);
	return why->len ? PROBE_PARTIAL : PROBE_OK;
}

/* By number: of processes that share a GPU's client the eldest, the parent as a rule, is the first. */
static int compare_pids(const void *a, const void *b)
{
	const char *left = *(char *const *)a, *right = *(char *const *)b;
	size_t left_len = strlen(left), right_len = strlen(right);

	if (left_len != right_len)
		return left_len < right_len ? -1 : 1;
	return strcmp(left, right);
}

static void walk_all(struct walk *walk, struct name_list *names)
{
	if (names->nr)
		qsort(names->names, names->nr, sizeof(*names->names), compare_pids);
	for (size_t i = 0; i < names->nr; i++) {
		if (names->names[i][0] >= '1' && names->names[i][0] <= '9')
			look_at_process(walk, names->names[i]);
	}
}

/* A recording need not hold any. A machine that runs always has one: in a container that may be this run alone. */
static bool saw_nobody(const struct walk *walk)
{
	return !walk->tasks && !walk->ours;
}

/* Last: only a complete walk shows that no task hangs and no process holds a GPU. */
static void say_what_was_seen(const struct walk *walk, struct snapshot *facts)
{
	if (saw_nobody(walk))
		return;
	if (walk->unread)
		facts->processes.seen = no_u64(VAL_DENIED, arena_printf(&facts->arena,
			"%zu of %zu %s not readable", walk->unread, walk->unread + walk->tasks,
			processes(walk->unread + walk->tasks)));
	else
		facts->processes.seen = val_u64(walk->tasks);
	if (walk->cut)
		facts->processes.files_hidden = no_u64(VAL_SKIPPED, arena_printf(&facts->arena,
			"too many processes hold a GPU: %zu left out", walk->cut));
	else
		facts->processes.files_hidden = val_u64(walk->closed);
}

static bool is_waited_in(const char *driver, void *data)
{
	const struct walk *walk = data;

	return blocked_tasks_in(&walk->blocked, driver);
}

/* A recorded tree has none of us. */
static void find_ourselves(struct walk *walk)
{
	if (!root_is_live(walk->env->root) || proc_stat_read(walk->env->root, &walk->own, "/proc/self/stat")) {
		walk->own = (struct proc_stat){ 0 };
		return;
	}
	if (proc_stat_read(walk->env->root, &walk->parent, "/proc/%llu/stat", (unsigned long long)walk->own.parent))
		walk->parent = (struct proc_stat){ 0 };
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct walk walk = { .env = env, .sink = sink, .requested = requested_pid() };
	struct name_list names = { 0 };
	STRBUF_AUTO why = STRBUF_INIT;
	enum probe_outcome outcome;
	int error;

	find_ourselves(&walk);
	sink_step(sink, "walk /proc");
	error = root_list(env->root, &names, "/proc");
	if (error)
		return sink_end(sink, PROBE_UNAVAILABLE, "/proc cannot be listed");
	blocked_tasks_begin(&walk.blocked, env);
	walk.may_be_gpus = open_files_may_be_gpus(env);
	walk_all(&walk, &names);
	name_list_release(&names);
	sink_flush(sink);
	maintenance_send(&walk.maintenance, env, sink);
	blocked_tasks_send(&walk.blocked, sink);
	say_what_was_seen(&walk, &sink->facts);
	sink_flush(sink);
	nvidia_holders_send(&walk.nvidia, &walk.nodes, env, sink, blocked_tasks_in(&walk.blocked, "nvidia"));
	drm_memory_send(&walk.memory, env, sink, is_waited_in, &walk);
	outcome = outcome_of(&walk, &why);
	if (saw_nobody(&walk)) {
		outcome = PROBE_UNAVAILABLE;
		strbuf_addstr(&why, "no process in /proc");
	}
	blocked_tasks_release(&walk.blocked);
	maintenance_release(&walk.maintenance);
	drm_memory_release(&walk.memory);
	nvidia_holders_release(&walk.nvidia);
	gpu_nodes_release(&walk.nodes);
	return sink_end(sink, outcome, why.len ? why.buf : NULL);
}

const struct probe probe_processes = {
	.name = "processes",
	.help = "processes that hold a GPU, daemons, tasks in uninterruptible sleep, and work on drivers",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.deadline_ms = 5000,
	.provides = (const char *const[]){
		"tasks", "holders", "processes", "daemons", "maintenance",
		/* All of gpu_processes but "use", which is from the window. */
		"gpu_processes.pid", "gpu_processes.requested", "gpu_processes.comm", "gpu_processes.user_id",
		"gpu_processes.started_s",
		"gpu_processes.threads", "gpu_processes.cpu", "gpu_processes.cpus_allowed",
		"gpu_processes.memory_nodes_allowed", "gpu_processes.resident_bytes", "gpu_processes.swapped_bytes",
		"gpu_processes.memlock_limit_bytes", "gpu_processes.cgroup", "gpu_processes.slurm_job",
		"gpu_processes.pod", "gpu_processes.container", "gpu_processes.data_folders", NULL,
	},
	.environment = request_environment,
	.run = run,
};
