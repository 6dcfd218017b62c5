// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks.c - source "sample-tasks": processes that hold GPUs, those asked for, and their descendants: their
 * threads, their control groups. By files of /proc and /sys alone.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/read.h"
#include "probe/sample/sample_sources.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"
#include "sys/worker.h"

#define VARIABLE "GPUDIAG_SAMPLE_TASKS_"
#define INITIAL_PID_NAMESPACE "pid:[4026531836]"	/* include/linux/proc_ns.h PROC_PID_INIT_INO */

/* ---- in the parent: what to watch */

static bool applies(const struct snapshot *sealed)
{
	return u64_or(sealed->request.pid, 0) || gpus_under_test(sealed);
}

/* "0000:5d:00.0/nvidia/3": the number of its node, where it is known. */
static void add_gpu_word(struct strbuf *plan, const struct gpu *gpu)
{
	struct val_u64 minor = is_known(gpu->nvidia.minor) ? gpu->nvidia.minor : gpu->nvml.minor;

	strbuf_addf(plan, "%s%s/%s/", plan->len ? " " : "", str_or(gpu->key, ""), str_or(gpu->pci.driver, ""));
	if (is_known(minor))
		strbuf_addf(plan, "%llu", (unsigned long long)u64_or(minor, 0));
}

static void environment(const struct snapshot *sealed, const struct strs *skip, struct arena *arena, struct strs *ret)
{
	STRBUF_AUTO gpus = STRBUF_INIT;

	(void)skip;		/* no GPU is asked */
	for (size_t i = 0; i < sealed->nr_gpus; i++)
		if (gpu_is_under_test(sealed, &sealed->gpus[i]))
			add_gpu_word(&gpus, &sealed->gpus[i]);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "PID=%llu", (unsigned long long)u64_or(sealed->request.pid, 0)));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "GPUS=%s", gpus.buf));
}

/* ---- in the worker */

static void add_gpu(struct task_watch *watch, const char *word, size_t len)
{
	struct task_gpu *gpu = &watch->gpus[watch->nr_gpus];
	const char *driver = memchr(word, '/', len), *number = driver ? memchr(driver + 1, '/', (size_t)(word + len - driver - 1)) : NULL;
	char minor[24];

	if (!number || (size_t)(driver - word) >= sizeof(gpu->address))
		return;
	*gpu = (struct task_gpu){ .has_minor = false };
	memcpy(gpu->address, word, (size_t)(driver - word));
	driver++;
	gpu->is_nvidia = !strncmp(driver, "nvidia/", strlen("nvidia/"));
	gpu->is_amd = !strncmp(driver, "amdgpu/", strlen("amdgpu/"));
	snprintf(minor, sizeof(minor), "%.*s", (int)(word + len - number - 1 < 20 ? word + len - number - 1 : 20), number + 1);
	gpu->has_minor = gpu->is_nvidia && !parse_u64(minor, &gpu->minor);
	watch->nr_gpus++;
}

static void add_gpus(struct task_watch *watch, const char *plan)
{
	watch->gpus = xcalloc(TASKS_MAX_GPUS, sizeof(*watch->gpus));
	for (const char *word = plan; *word && watch->nr_gpus < TASKS_MAX_GPUS;) {
		size_t len = strcspn(word, " ");

		add_gpu(watch, word, len);
		word += len + strspn(word + len, " ");
	}
}

/* A recorded tree has none of us. */
static void find_ourselves(struct task_watch *watch)
{
	STRBUF_AUTO link = STRBUF_INIT;

	if (!root_readlink(watch->env->root, &link, "/proc/self/ns/pid") && strcmp(link.buf, INITIAL_PID_NAMESPACE) != 0)
		watch->hidden_why = "this pid namespace shows only its own processes";
	if (!root_is_live(watch->env->root))
		return;
	watch->own_pid = (uint64_t)getpid();
	watch->parent_pid = (uint64_t)getppid();
	if (!watch->hidden_why && root_exists(watch->env->root, "/proc/1/stat"))
		watch->hidden_why = "/proc hides other users' processes (hidepid)";
}

static void *open_tasks(struct sample_env *env, char why[256])
{
	struct task_watch *watch = xcalloc(1, sizeof(*watch));

	watch->env = env;
	watch->budget_ns = TASKS_BUDGET_NS;
	watch->probe = (struct probe_env){ .root = env->root, .lock_fd = -1 };
	if (parse_u64(worker_told(VARIABLE "PID"), &watch->asked))
		watch->asked = 0;
	task_files_begin(&watch->files, env->root);
	watch->groups = task_groups_open(watch);
	add_gpus(watch, worker_told(VARIABLE "GPUS"));
	find_ourselves(watch);
	watch->hidden = no_u64(VAL_SKIPPED, "/proc was not walked yet");
	watch->has_schedstat = root_exists(env->root, "/proc/%s/schedstat", root_is_live(env->root) ? "self" : "1") == 0;
	watch->now_ns = clock_now_ns();
	task_births_begin(watch);
	sample_step(env, "walk /proc", "");
	task_walk_whole(watch);
	if (!watch->walk.round) {
		snprintf(why, 256, "/proc cannot be listed");
		task_walk_release(watch);
		task_groups_close(watch->groups);
		free(watch->gpus);
		free(watch);
		return NULL;
	}
	return watch;
}

/* The order: who is new counts before who is gone, as a process may do both between two ticks. */
static void read_tasks(void *own, struct tick *ret)
{
	struct task_watch *watch = own;

	watch->tick++;
	watch->now_ns = clock_now_ns();
	sample_step(watch->env, "walk /proc", "");
	task_births_read(watch);
	task_walk_step(watch);
	sample_step(watch->env, "read counters of processes", "");
	task_processes_read(watch);
	task_processes_fill(watch, ret);
	sample_step(watch->env, "read counters of threads", "");
	task_threads_fill(watch, ret);
	sample_step(watch->env, "read control groups", "");
	task_groups_fill(watch, ret);
}

static void close_tasks(void *own)
{
	struct task_watch *watch = own;

	task_remove_all(watch);
	task_walk_release(watch);
	task_groups_close(watch->groups);
	task_file_close(&watch->files, &watch->births.loadavg);
	proc_numbers_close(&watch->listing);
	free(watch->listed);
	free(watch->asked_group);
	free(watch->gpus);
	free(watch);
}

const struct sample_source sample_tasks = {
	.name = "sample-tasks",
	.help = "processes that hold GPUs, those asked for, and their descendants: threads, control groups",
	.touches = TOUCHES_FILES,
	.provides = (const char *const[]){
		"host.gpu_faults_ns", "host.processes_seen", "host.processes_left_out", "host.processes_hidden",
		"host.threads_seen", "host.threads_left_out", "processes", "groups", NULL,
	},
	.open_ms = 10000,
	.applies = applies,
	.environment = environment,
	.open = open_tasks,
	.read = read_tasks,
	.close = close_tasks,
};
