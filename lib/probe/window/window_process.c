// SPDX-License-Identifier: GPL-2.0-or-later
/* window_process.c - what the processes that hold GPUs do on the CPUs over the window. */
#include "base/compat.h"
#include "probe/window/window_internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/process/proc_stat.h"
#include "probe/read.h"
#include "sys/clock.h"

/* A read for each thread, twice: of a process with more threads only the total is recorded. */
enum { MAX_THREADS = 512, MAX_THREADS_IN_ALL = 2048 };

struct thread {
	uint64_t id;
	struct task_times times;
};

struct watched_process {
	const char *pid;
	uint64_t start_ns;
	int error;			/* of the first reading */
	struct task_times start;
	bool has_threads;		/* all of them were read */
	struct thread *threads;		/* by id */
	size_t nr_threads;
};

static int read_times(struct probe_env *env, struct task_times *ret, const char *path)
{
	char text[PROC_STAT_BYTES + 1];
	size_t len;
	int error = root_read_bytes(env->root, text, PROC_STAT_BYTES, &len, "%s", path);

	if (error)
		return error;
	text[len] = '\0';
	return task_times_parse(text, ret) ? 0 : -EINVAL;
}

static int read_process(struct probe_env *env, const char *pid, struct task_times *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	return read_times(env, ret, path);
}

static int read_thread(struct probe_env *env, const char *pid, const char *tid, struct task_times *ret)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/stat", pid, tid);
	return read_times(env, ret, path);
}

static void begin_threads(struct process_watch *watch, struct watched_process *process, size_t *nr_in_all)
{
	struct name_list names = { 0 };

	if (root_list(watch->env->root, &names, "/proc/%s/task", process->pid))
		return;
	if (names.nr <= MAX_THREADS && *nr_in_all + names.nr <= MAX_THREADS_IN_ALL) {
		process->has_threads = true;
		process->threads = arena_alloc(&watch->arena, names.nr * sizeof(*process->threads) + 1);
		*nr_in_all += names.nr;
	}
	for (size_t i = 0; process->has_threads && i < names.nr; i++) {
		struct thread *thread = &process->threads[process->nr_threads];

		if (!parse_u64(names.names[i], &thread->id) &&
		    !read_thread(watch->env, process->pid, names.names[i], &thread->times))
			process->nr_threads++;
	}
	name_list_release(&names);
}

/* Makes known which of its files are DRM nodes. */
static void find_clients(struct probe_env *env, struct sink *sink, const char *pid, struct gpu_watch *gpus)
{
	struct name_list names = { 0 };
	STRBUF_AUTO link = STRBUF_INIT;

	if (root_list(env->root, &names, "/proc/%s/fd", pid))
		return;
	sink_step(sink, "read fdinfo of the processes that hold GPUs");
	for (size_t i = 0; i < names.nr; i++)
		if (!root_readlink(env->root, &link, "/proc/%s/fd/%s", pid, names.names[i]) &&
		    !strncmp(link.buf, "/dev/dri/", strlen("/dev/dri/")))
			gpu_watch_client(gpus, link.buf, pid, names.names[i]);
	name_list_release(&names);
}

void process_watch_begin(struct process_watch *watch, struct probe_env *env, struct sink *sink, const char *plan,
			 struct gpu_watch *gpus)
{
	size_t nr_threads = 0;

	*watch = (struct process_watch){ .env = env };
	while (*plan) {
		size_t len = strcspn(plan, " "), pid_len = strspn(plan, "0123456789");
		struct watched_process process = { .pid = arena_strndup(&watch->arena, plan, pid_len) };

		if (pid_len < len)
			find_clients(env, sink, process.pid, gpus);
		process.start_ns = clock_now_ns();
		process.error = read_process(env, process.pid, &process.start);
		if (!process.error)
			begin_threads(watch, &process, &nr_threads);
		watch->processes = arena_grow(&watch->arena, watch->processes, watch->nr, sizeof(process));
		watch->processes[watch->nr++] = process;
		plan += len + strspn(plan + len, " ");
	}
}

/* ---- the end */

static uint64_t tick_ns(void)
{
	long per_s = sysconf(_SC_CLK_TCK);

	return UINT64_C(1000000000) / (uint64_t)(per_s > 0 ? per_s : 100);
}

/* A thread that was not there at the start has done all its work since. */
static struct task_times thread_before(const struct watched_process *process, const struct thread *now)
{
	for (size_t i = 0; i < process->nr_threads; i++) {
		const struct thread *thread = &process->threads[i];

		if (thread->id == now->id && thread->times.started == now->times.started)
			return thread->times;
	}
	return (struct task_times){ 0 };
}

static void fill_no_thread(struct process_use *ret, enum val_state state, const char *why)
{
	ret->busiest_thread = ret->busiest_thread_cpu = no_u64(state, why);
	ret->busiest_thread_percent = ret->busiest_thread_system_percent = no_f64(state, why);
}

static void fill_busiest_thread(struct process_watch *watch, const struct watched_process *process,
				struct process_use *ret)
{
	struct name_list names = { 0 };
	struct thread busiest = { 0 };
	struct task_times before = { 0 };
	uint64_t most = 0, elapsed_ns = clock_now_ns() - process->start_ns;
	bool any = false;

	if (root_list(watch->env->root, &names, "/proc/%s/task", process->pid))
		names.nr = 0;
	for (size_t i = 0; i < names.nr && i < MAX_THREADS; i++) {
		struct thread now;
		struct task_times start;
		struct val_u64 grown;

		if (parse_u64(names.names[i], &now.id) ||
		    read_thread(watch->env, process->pid, names.names[i], &now.times))
			continue;
		start = thread_before(process, &now);
		grown = growth_of(val_u64(start.ticks), val_u64(now.times.ticks));
		if (!is_known(grown) || (any && u64_or(grown, 0) <= most))
			continue;
		most = u64_or(grown, 0);
		busiest = now;
		before = start;
		any = true;
	}
	name_list_release(&names);
	if (!any) {
		fill_no_thread(ret, VAL_ABSENT, "no thread of it could be read twice");
		return;
	}
	ret->busiest_thread = val_u64(busiest.id);
	ret->busiest_thread_percent = share_of(val_u64(most), tick_ns(), elapsed_ns);
	ret->busiest_thread_system_percent =
		share_of(growth_of(val_u64(before.system), val_u64(busiest.times.system)), tick_ns(), elapsed_ns);
	ret->busiest_thread_cpu = val_u64(busiest.times.cpu);
}

static void end_process(struct process_watch *watch, const struct watched_process *process, struct process_use *ret)
{
	uint64_t elapsed_ns = clock_now_ns() - process->start_ns;
	struct task_times now;
	int error = process->error ? process->error : read_process(watch->env, process->pid, &now);
	struct val_f64 rate;

	/* The number of one that ended may be another's by now. */
	if (error || now.started != process->start.started) {
		bool ended = !error || error == -ENOENT || error == -ESRCH;
		enum val_state state = ended ? VAL_ABSENT : state_of_errno(error);
		const char *why = ended ? "it ended during the window" : name_of_errno(error);

		ret->cpu_percent = no_f64(state, why);
		fill_no_thread(ret, state, why);
		return;
	}
	rate = rate_of(growth_of(val_u64(process->start.ticks), val_u64(now.ticks)), (double)tick_ns() / 1e7,
		       elapsed_ns);
	ret->cpu_percent = rate;
	if (process->has_threads)
		fill_busiest_thread(watch, process, ret);
	else
		fill_no_thread(ret, VAL_ABSENT, "too many threads");
}

void process_watch_end(struct process_watch *watch, struct sink *sink)
{
	struct snapshot *facts = &sink->facts;

	for (size_t i = 0; i < watch->nr; i++) {
		const struct watched_process *process = &watch->processes[i];
		const char *key = arena_strdup(&facts->arena, process->pid);

		end_process(watch, process, &list_element(&facts->arena, facts, gpu_processes, gpu_process, key)->use);
	}
	sink_flush(sink);
	arena_release(&watch->arena);
}
