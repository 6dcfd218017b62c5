// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/gpu_process.h"

#include "base/text.h"
#include "probe/process/cgroup_path.h"
#include "probe/process/data_folders.h"
#include "probe/read.h"

#define PID_VARIABLE "GPUDIAG_REQUESTED_PID"

enum { KIB = 1024, MAX_PARENTS = 64 };

static struct val_str owner_text(struct arena *arena, const char *text, const char *why)
{
	return text ? text_value(arena, text, strlen(text)) : no_str(VAL_ABSENT, why);
}

static void read_owner(struct probe_env *env, struct arena *arena, const char *pid, struct gpu_process *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct cgroup_owner owner;
	int error = root_read(env->root, &text, "/proc/%.20s/cgroup", pid);

	if (error) {
		ret->cgroup = no_str(state_of_errno(error), name_of_errno(error));
		ret->slurm_job = ret->pod = ret->container = ret->cgroup;
		return;
	}
	cgroup_owner_parse(text.buf, arena, &owner);
	ret->cgroup = owner_text(arena, owner.path, "empty");
	ret->slurm_job = owner_text(arena, owner.slurm_job, "in no job");
	ret->pod = owner_text(arena, owner.pod, "in no pod");
	ret->container = owner_text(arena, owner.container, "in no container");
}

static void read_status(struct probe_env *env, struct arena *arena, const char *pid, struct gpu_process *ret)
{
	PROC_TEXT_AUTO status = PROC_TEXT_INIT;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	proc_text_read(env, &status, 0, path);
	ret->user_id = proc_text_u64(&status, arena, "Uid", 1);
	ret->threads = proc_text_u64(&status, arena, "Threads", 1);
	ret->cpus_allowed = checked_cpulist(arena, proc_text_str(&status, arena, "Cpus_allowed_list"));
	ret->memory_nodes_allowed = checked_cpulist(arena, proc_text_str(&status, arena, "Mems_allowed_list"));
	ret->resident_bytes = proc_text_u64(&status, arena, "VmRSS", KIB);
	ret->swapped_bytes = proc_text_u64(&status, arena, "VmSwap", KIB);
}

/* Its parents are asked one after the other; one that ended meanwhile leaves its children to another. */
static bool descends_from(struct probe_env *env, uint64_t pid, const struct proc_stat *stat, uint64_t ancestor)
{
	uint64_t parent = stat->parent;

	for (unsigned depth = 0; depth < MAX_PARENTS && pid != ancestor && parent; depth++) {
		struct proc_stat next;

		pid = parent;
		parent = proc_stat_read(env->root, &next, "/proc/%llu/stat", (unsigned long long)pid) ? 0 : next.parent;
	}
	return pid == ancestor;
}

void gpu_process_add(struct probe_env *env, struct snapshot *facts, const char *pid, const struct proc_stat *stat)
{
	struct arena *arena = &facts->arena;
	struct gpu_process *process;
	uint64_t number, requested = requested_pid();

	if (parse_u64(pid, &number) || list_find(facts, gpu_processes, gpu_process, pid))
		return;
	process = list_element(arena, facts, gpu_processes, gpu_process, pid);
	process->pid = val_u64(number);
	process->comm = owner_text(arena, stat->comm, NULL);
	if (requested)
		process->requested = val_bool(descends_from(env, number, stat, requested));
	if (stat->has_cpu) {
		process->started_s = val_u64(stat->started_ticks / PROC_TICKS_A_SECOND);
		process->cpu = val_u64(stat->cpu);
	} else {
		process->started_s = process->cpu = no_u64(VAL_ABSENT, "the line of its stat is short");
	}
	read_status(env, arena, pid, process);
	process->memlock_limit_bytes = proc_memlock_limit(env, arena, pid);
	read_owner(env, arena, pid, process);
	data_folders_read(env, arena, pid, &process->data_folders);
}

void request_environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	(void)target;
	/* Always set: one that the caller's environment holds must not count. */
	strs_add(arena, ret, arena_printf(arena, PID_VARIABLE "=%llu",
					  (unsigned long long)u64_or(snapshot->request.pid, 0)));
}

uint64_t requested_pid(void)
{
	const char *text = getenv(PID_VARIABLE);
	uint64_t pid;

	return text && !parse_u64(text, &pid) ? pid : 0;
}

/* ---- daemons */

enum { COMM_CHARS = 15 };	/* where the kernel cuts a program's name */

/* nvidia-cuda-mps is what is left of both -control and -server. */
static const char *const programs[] = {
	"containerd", "crio", "dockerd", "k3s-agent", "k3s-server", "kubelet", "nv-fabricmanager", "nv-hostengine",
	"nvidia-cuda-mps", "nvidia-imex", "nvidia-persistenced", "pbs_mom", "podman", "rke2", "sbatchd", "sge_execd",
	"slurmd", "slurmstepd",
};

static const char *program_of(const char *comm)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		if (strlen(comm) <= COMM_CHARS && !strncmp(programs[i], comm, COMM_CHARS))
			return programs[i];
	}
	return NULL;
}

void daemons_look_at(struct probe_env *env, struct snapshot *facts, const char *pid, const struct proc_stat *stat)
{
	const char *program = program_of(stat->comm);
	struct daemon *daemon;

	if (!program)
		return;
	daemon = list_element(&facts->arena, facts, daemons, daemon, pid);
	daemon->comm = val_str(program);
	daemon->memlock_limit_bytes = proc_memlock_limit(env, &facts->arena, pid);
}
