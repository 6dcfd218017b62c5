// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/daemons.h"

#include "probe/proc_limits.h"

enum { COMM_CHARS = 15 };	/* where the kernel cuts a program's name */

/* nvidia-cuda-mps is what is left of both -control and -server. */
static const char *const programs[] = {
	"containerd", "crio", "dockerd", "k3s-agent", "k3s-server", "kubelet", "nv-fabricmanager", "nv-hostengine",
	"nvidia-cuda-mps", "nvidia-imex", "nvidia-persistenced", "pbs_mom", "podman", "rke2", "sbatchd", "sge_execd", "slurmd",
	"slurmstepd",
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
