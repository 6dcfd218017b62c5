// SPDX-License-Identifier: GPL-2.0-or-later
/* host_environment.c - what this run is and may see: its user, its CPUs, the variables it was started with. */
#include "base/compat.h"

#include <errno.h>
#include <unistd.h>

#include "probe/host/host_internal.h"
#include "probe/read.h"

#define RDMA_NODES "/dev/infiniband"

extern char **environ;

/* Variables that steer the GPU stack; one that ends in _ stands for all that begin so. */
static const char *const steering[] = {
	"CUDA_DEVICE_ORDER",
	"CUDA_MPS_PIPE_DIRECTORY",
	"CUDA_VISIBLE_DEVICES",
	"GPU_DEVICE_ORDINAL",
	"HIP_VISIBLE_DEVICES",
	"LD_LIBRARY_PATH",
	"LD_PRELOAD",
	"NVIDIA_DRIVER_CAPABILITIES",
	"NVIDIA_VISIBLE_DEVICES",
	"OCL_ICD_FILENAMES",
	"OCL_ICD_VENDORS",
	"ONEAPI_DEVICE_SELECTOR",
	"OPENCL_VENDOR_PATH",
	"POCL_",
	"ROCR_VISIBLE_DEVICES",
	"RUSTICL_ENABLE",
	"ZE_AFFINITY_MASK",
};

static bool steers(const char *assignment)
{
	for (size_t i = 0; i < ARRAY_SIZE(steering); i++) {
		size_t len = strlen(steering[i]);

		if (!strncmp(assignment, steering[i], len) &&
		    (assignment[len] == '=' || steering[i][len - 1] == '_'))
			return true;
	}
	return false;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_environment(struct arena *arena, struct strs *ret)
{
	for (char **at = environ; *at; at++) {
		if (steers(*at))
			strs_add(arena, ret, *at);
	}
	if (ret->nr)
		qsort(ret->v, ret->nr, sizeof(*ret->v), compare_texts);
}

/* The kernel gives its first namespaces fixed numbers (include/linux/proc_ns.h). */
static bool is_initial(struct probe_env *env, const char *kind, const char *number)
{
	STRBUF_AUTO link = STRBUF_INIT;
	char initial[40];

	snprintf(initial, sizeof(initial), "%s:[%s]", kind, number);
	return !root_readlink(env->root, &link, "/proc/self/ns/%s", kind) && !strcmp(link.buf, initial);
}

/* Every capability that this kernel knows (/proc/sys/kernel/cap_last_cap). */
static bool has_all_capabilities(struct probe_env *env, struct arena *arena, const struct proc_text *status)
{
	uint64_t last = u64_or(read_u64(env, arena, "/proc/sys/kernel/cap_last_cap"), 63);
	const char *mask = proc_text_value(status->text.buf, "CapEff");
	uint64_t all = last >= 63 ? UINT64_MAX : (UINT64_C(1) << (last + 1)) - 1;

	return mask && (strtoull(mask, NULL, 16) & all) == all;
}

/* From integrity on the kernel keeps root too from memory and registers. A kernel without it has no such file. */
static bool is_locked_down(struct probe_env *env, struct arena *arena)
{
	struct val_str level = read_choice(env, arena, "/sys/kernel/security/lockdown");

	return is_known(level) && !str_is(level, "none");
}

/* Numbers of include/uapi/linux/capability.h. */
enum { CAP_IPC_LOCK_BIT = 14, CAP_SYS_PTRACE_BIT = 19 };

static bool has_capability(const struct proc_text *status, unsigned bit)
{
	const char *mask = proc_text_value(status->text.buf, "CapEff");

	return mask && strtoull(mask, NULL, 16) >> bit & 1;
}

/*
 * Without it root may not read what files other processes hold. With it a /proc
 * that is mounted hidepid= hides nothing (fs/proc/base.c has_pid_permissions()).
 */
static bool may_trace(const struct proc_text *status)
{
	return has_capability(status, CAP_SYS_PTRACE_BIT);
}

/* The limit is not asked where the capability is held in the first user namespace (mm/mlock.c can_do_mlock()). */
static struct val_u64 memlock_limit(struct probe_env *env, struct arena *arena, const struct proc_text *status)
{
	if (has_capability(status, CAP_IPC_LOCK_BIT) && is_initial(env, "user", "4026531837"))
		return no_u64(VAL_ABSENT, "CAP_IPC_LOCK");
	return proc_memlock_limit(env, arena, "self");
}

/* What a program needs of RDMA: the verbs of a device, and its connection manager. Others serve subnet managers. */
static bool is_rdma_node(const char *name)
{
	return !strncmp(name, "uverbs", strlen("uverbs")) || !strcmp(name, "rdma_cm");
}

static void read_rdma_nodes(struct probe_env *env, struct arena *arena, struct host *host)
{
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, RDMA_NODES);

	for (size_t i = 0; i < names.nr; i++) {
		const char *path = arena_printf(arena, RDMA_NODES "/%s", names.names[i]);

		if (is_rdma_node(names.names[i]) && !access(path, R_OK | W_OK))
			strs_add(arena, &host->rdma_nodes, path);
	}
	name_list_release(&names);
	host->rdma_node_count = error && error != -ENOENT ? no_u64(state_of_errno(error), name_of_errno(error)) :
							    val_u64(host->rdma_nodes.nr);
}

void host_environment_read(struct probe_env *env, struct arena *arena, struct host *host, struct cpu *cpu)
{
	PROC_TEXT_AUTO status = PROC_TEXT_INIT;

	if (!root_is_live(env->root))
		return;
	proc_text_read(env, &status, 0, "/proc/self/status");
	host->user_id = val_u64(geteuid());
	host->sees_all_processes = val_bool(!geteuid() && may_trace(&status) && is_initial(env, "pid", "4026531836") &&
					    is_initial(env, "user", "4026531837"));
	host->has_all_rights =
		val_bool(bool_or(host->sees_all_processes, false) && is_initial(env, "cgroup", "4026531835") &&
			 has_all_capabilities(env, arena, &status) && !is_locked_down(env, arena));
	add_environment(arena, &host->environment);
	host->memlock_limit_bytes = memlock_limit(env, arena, &status);
	read_rdma_nodes(env, arena, host);
	cpu->allowed = checked_cpulist(arena, proc_text_str(&status, arena, "Cpus_allowed_list"));
}
