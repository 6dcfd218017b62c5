// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_tasks_process.c - the processes that are watched, in a tick. */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include "base/text.h"
#include "format/text_value.h"
#include "probe/read.h"

/* ---- reading */

/* What hardly changes is read again once a round, some processes in each tick. */
static void read_attributes(struct task_watch *watch, struct task_process *process)
{
	struct arena scratch = { 0 };
	struct strbuf text = { .buf = watch->text };
	struct proc_text status = { .text = text, .state = VAL_OK };
	struct val_str list;
	uint64_t nr;
	int error = task_file_read(&watch->files, NULL, watch->text, sizeof(watch->text), "/proc/%llu/status",
				   (unsigned long long)process->pid);

	process->attributes_tick = watch->tick;
	list = proc_text_str(&status, &scratch, "Cpus_allowed_list");
	if (error)
		process->cpus_allowed = no_u64(state_of_errno(error), name_of_errno(error));
	else if (!is_known(list))
		process->cpus_allowed = no_u64(VAL_ABSENT, "no Cpus_allowed_list there");
	else if (cpulist_count(str_or(list, ""), &nr))
		process->cpus_allowed = no_u64(VAL_ERROR, "reads no list of CPUs");
	else
		process->cpus_allowed = val_u64(nr);
	process->group = NULL;
	if (!task_file_read(&watch->files, NULL, watch->text, sizeof(watch->text), "/proc/%llu/cgroup",
			    (unsigned long long)process->pid))
		process->group = task_group_of(watch, watch->text);
	arena_release(&scratch);
}

static uint64_t ticks_a_round(const struct task_watch *watch)
{
	uint64_t ticks = watch->env->interval_ns ? TASKS_ROUND_NS / watch->env->interval_ns : 1;

	return ticks ? ticks : 1;
}

/* Its number may be another's by now. */
static void read_process(struct task_watch *watch, struct task_process *process)
{
	struct proc_stat stat;
	int error = task_file_read(&watch->files, &process->stat_file, watch->text, sizeof(watch->text), "/proc/%llu/stat",
				   (unsigned long long)process->pid);

	process->is_gone |= error || proc_stat_parse(watch->text, &stat) ||
			    stat.started_ticks != process->stat.started_ticks;
	if (process->is_gone)
		return;
	process->list_is_stale |= stat.threads != process->stat.threads ||
				  (stat.threads != process->nr_threads && watch->nr_threads < TASKS_MAX_THREADS);
	/* A process may make a session of its own at any time: what it forks from then on is in that. */
	process->has_own_session |= stat.session == process->pid;
	process->has_own_group |= stat.group == process->pid;
	process->stat = stat;
}

void task_processes_read(struct task_watch *watch)
{
	uint64_t every = ticks_a_round(watch);

	for (size_t i = 0; i < watch->nr; i++) {
		struct task_process *process = watch->processes[i];

		read_process(watch, process);
		if (!process->is_gone && (!process->attributes_tick || (watch->tick + process->pid) % every == 0))
			read_attributes(watch, process);
	}
	task_remove_gone(watch);
}

/* ---- filling */

static struct val_u64 io_value(const char *text, const char *key)
{
	const char *value = proc_text_value(text, key);
	uint64_t number;
	char word[24];
	size_t len = value ? strcspn(value, "\n") : 0;

	if (!value)
		return no_u64(VAL_ABSENT, "not in its io");
	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), value);
	return parse_u64(word, &number) ? no_u64(VAL_ERROR, "reads no number") : val_u64(number);
}

static void fill_io(struct task_watch *watch, struct task_process *process, struct tick_process *to)
{
	char *text = watch->text;
	int error = task_file_read(&watch->files, &process->io_file, text, sizeof(watch->text), "/proc/%llu/io",
				   (unsigned long long)process->pid);

	process->may_trace = !error;
	if (error) {
		struct val_u64 missing = no_u64(state_of_errno(error), name_of_errno(error));

		if (error == -ESRCH)
			missing = no_u64(VAL_ABSENT, "it exited");
		to->read_bytes = to->written_bytes = to->read_call_bytes = to->written_call_bytes = to->read_calls = missing;
		return;
	}
	to->read_bytes = io_value(text, "read_bytes");
	to->written_bytes = io_value(text, "write_bytes");
	to->read_call_bytes = io_value(text, "rchar");
	to->written_call_bytes = io_value(text, "wchar");
	to->read_calls = io_value(text, "syscr");
}

static const char *role_of(const struct task_process *process)
{
	if (process->is_holder)
		return "holder";
	return process->is_asked ? "asked" : "child";
}

static struct val_str state_of(struct tick *ret, char state)
{
	return val_str(text_cleaned(&ret->arena, &state, 1));
}

static void fill_process(struct task_watch *watch, struct task_process *process, struct tick *ret)
{
	const struct proc_stat *stat = &process->stat;
	char key[24];
	struct tick_process *to;

	snprintf(key, sizeof(key), "%llu", (unsigned long long)process->pid);
	to = list_element(&ret->arena, ret, processes, tick_process, key);
	to->parent = val_u64(stat->parent);
	to->comm = text_value(&ret->arena, stat->comm, strlen(stat->comm));
	to->role = val_str(role_of(process));
	to->requested = watch->asked ? val_bool(process->is_requested) : no_bool(VAL_ABSENT, "no process was asked for");
	for (size_t i = 0; i < watch->nr_gpus; i++)
		if (task_has_gpu(process, i))
			strs_add(&ret->arena, &to->gpus, watch->gpus[i].address);
	to->state = state_of(ret, stat->state);
	to->started_ns = val_u64(stat->started_ticks * TASKS_TICK_NS);
	to->threads = val_u64(stat->threads);
	to->user_ns = val_u64(stat->user_ticks * TASKS_TICK_NS);
	to->system_ns = val_u64(stat->system_ticks * TASKS_TICK_NS);
	to->major_faults = val_u64(stat->major_faults);
	fill_io(watch, process, to);
	to->cpus_allowed = process->cpus_allowed;
	to->group = process->group ? val_str(arena_strdup(&ret->arena, task_group_key(process->group))) :
				     no_str(VAL_ABSENT, "in no control group that could be read, or there are too many");
}

void task_processes_fill(struct task_watch *watch, struct tick *ret)
{
	for (size_t i = 0; i < watch->nr; i++)
		fill_process(watch, watch->processes[i], ret);
	ret->host.processes_seen = val_u64(watch->nr);
	ret->host.processes_left_out = val_u64(watch->left_out);
	ret->host.processes_hidden = watch->hidden;
	ret->host.gpu_faults_ns = task_faults_ns(watch);
}
