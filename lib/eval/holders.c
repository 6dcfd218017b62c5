// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/holders.h"

#include "base/strbuf.h"
#include "snapshot/under_test.h"

enum { MAX_NAMED = 3 };

const char *const idle_holders[] = {
	"Xorg", "Xwayland", "gnome-shell", "kwin_wayland", "kwin_x11", "sway", "weston", "mutter", "plasmashell",
	"nvidia-persiste", "nv-hostengine", "nv-fabricmanage", "dcgm-exporter", "systemd-logind", "nvtop", "nvidia-smi",
	"nvidia-device-p", "gpu-feature-dis", "rdcd",
	NULL,
};

bool holder_is_idle(const struct holder *holder)
{
	for (const char *const *name = idle_holders; *name; name++)
		if (str_is(holder->comm, *name))
			return true;
	return false;
}

bool holding_has(const struct holding *holding, const char *address)
{
	for (size_t i = 0; i < holding->nr_gpus; i++)
		if (!strcmp(holding->gpus[i], address))
			return true;
	return false;
}

static struct holding *holding_of(struct arena *arena, struct holding_list *list, uint64_t pid, bool *ret_new)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->items[i].pid == pid) {
			*ret_new = false;
			return &list->items[i];
		}
	}
	list->items = arena_grow(arena, list->items, list->nr, sizeof(*list->items));
	*ret_new = true;
	return &list->items[list->nr++];
}

/* What is known of it over several nodes; a node that tells nothing takes nothing away. */
static void add_memory(struct val_u64 *sum, const struct val_u64 *more)
{
	uint64_t total;

	if (!is_known(*more))
		return;
	if (!is_known(*sum))
		*sum = *more;
	else if (__builtin_add_overflow(sum->v_, more->v_, &total))
		*sum = no_u64(VAL_ERROR, "more than fits");
	else
		sum->v_ = total;
}

static int compare_holdings(const void *a, const void *b)
{
	const struct holding *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* Of those that serve every GPU these do nothing without a node of the GPU itself. */
static bool comes_with_another(const struct holder *holder)
{
	return str_is(holder->node, "/dev/nvidia-uvm") || str_is(holder->node, "/dev/kfd");
}

static const struct gpu_process *process_of(const struct snapshot *snapshot, uint64_t pid)
{
	static const struct gpu_process nothing_known;

	for (size_t i = 0; i < snapshot->nr_gpu_processes; i++)
		if (u64_or(snapshot->gpu_processes[i].pid, UINT64_MAX) == pid)
			return &snapshot->gpu_processes[i];
	return &nothing_known;
}

void holdings_of(struct arena *arena, const struct snapshot *snapshot, struct holding_list *ret)
{
	*ret = (struct holding_list){ .nr = 0 };
	for (size_t i = 0; i < snapshot->nr_holders; i++) {
		const struct holder *holder = &snapshot->holders[i];
		const char *gpu = str_or(holder->gpu, NULL);
		struct holding *holding;
		bool is_new;

		if (!is_known(holder->pid))
			continue;
		holding = holding_of(arena, ret, u64_or(holder->pid, 0), &is_new);
		if (is_new)
			*holding = (struct holding){ .pid = u64_or(holder->pid, 0), .all = *holder };
		else
			add_memory(&holding->all.memory_bytes, &holder->memory_bytes);
		if (gpu && !holding_has(holding, gpu)) {
			holding->gpus = arena_grow(arena, holding->gpus, holding->nr_gpus, sizeof(*holding->gpus));
			holding->gpus[holding->nr_gpus++] = gpu;
		}
		holding->may_be_any |= !gpu && !comes_with_another(holder);
	}
	for (size_t i = 0; i < ret->nr; i++) {
		ret->items[i].may_be_any |= !ret->items[i].nr_gpus;
		ret->items[i].process = process_of(snapshot, ret->items[i].pid);
	}
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), compare_holdings);
}

const char *holding_words(struct arena *arena, const struct holding *holding)
{
	const struct gpu_process *process = holding->process;
	const char *comm = str_or(holding->all.comm, "a process");
	unsigned long long pid = holding->pid;

	if (is_known(process->slurm_job))
		return arena_printf(arena, "%s (pid %llu, job %s)", comm, pid, str_or(process->slurm_job, ""));
	if (is_known(process->pod))
		return arena_printf(arena, "%s (pid %llu, pod %s)", comm, pid, str_or(process->pod, ""));
	if (is_known(process->container))
		return arena_printf(arena, "%s (pid %llu, container %s)", comm, pid, str_or(process->container, ""));
	return arena_printf(arena, "%s (pid %llu)", comm, pid);
}

const char *gpu_holders(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	struct holding_list holdings;
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr = 0;

	holdings_of(arena, snapshot, &holdings);
	for (size_t i = 0; i < holdings.nr; i++) {
		if (!holding_has(&holdings.items[i], str_or(gpu->key, "")))
			continue;
		if (nr++ < MAX_NAMED)
			strbuf_addf(&text, "%s%s", nr > 1 ? ", " : "", holding_words(arena, &holdings.items[i]));
	}
	if (nr > MAX_NAMED)
		strbuf_addf(&text, " and %zu more", nr - MAX_NAMED);
	return nr ? arena_strdup(arena, text.buf) : NULL;
}

const char *holding_tenant(struct arena *arena, const struct holding *holding)
{
	const struct gpu_process *process = holding->process;

	if (is_known(process->slurm_job))
		return arena_printf(arena, "job %s", str_or(process->slurm_job, ""));
	if (is_known(process->pod))
		return arena_printf(arena, "pod %s", str_or(process->pod, ""));
	if (is_known(process->container))
		return arena_printf(arena, "container %s", str_or(process->container, ""));
	if (is_known(holding->all.user_id))
		return arena_printf(arena, "user %llu", (unsigned long long)u64_or(holding->all.user_id, 0));
	return NULL;
}

const char *holders_hidden(struct arena *arena, const struct snapshot *snapshot)
{
	const struct processes *processes = &snapshot->processes;
	unsigned long long hidden = u64_or(processes->files_hidden, 0);

	if (!is_known(processes->seen))
		return "the processes could not be looked at";
	if (processes->files_hidden.state == VAL_ERROR)
		return processes->files_hidden.why ? processes->files_hidden.why : "not all processes are listed";
	if (hidden)
		return arena_printf(arena, "needs root: the open files of %llu of %llu processes are hidden", hidden,
				    (unsigned long long)u64_or(processes->seen, 0));
	/* What a recording holds is all there is to see. */
	if (snapshot_is_live(snapshot) && !bool_or(snapshot->host.sees_all_processes, false))
		return "not root in the host's process namespace: other processes may be hidden";
	return NULL;
}

const struct daemon *mps_daemon(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_daemons; i++)
		if (str_is(snapshot->daemons[i].comm, "nvidia-cuda-mps"))
			return &snapshot->daemons[i];
	return NULL;
}
