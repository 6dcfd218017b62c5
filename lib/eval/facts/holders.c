// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/holders.h"

#include "base/strbuf.h"
#include "base/text.h"
#include "snapshot/under_test.h"

enum { MAX_NAMED = 3 };

const char *const idle_holders[] = {
	"Xorg", "Xwayland", "gnome-shell", "kwin_wayland", "kwin_x11", "sway", "weston", "mutter", "plasmashell",
	"nvidia-persiste", "nv-hostengine", "nv-fabricmanage", "dcgm-exporter", "systemd-logind", "nvtop", "nvidia-smi",
	"nvidia-device-p", "gpu-feature-dis", "rdcd", "nvidia-cuda-mps",
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
	return text_is_any(address, holding->gpus, holding->nr_gpus);
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

/* Merged over its device nodes; an unknown value of one does not replace a known one. */
static void add_memory(struct val_u64 *sum, const struct val_u64 *more)
{
	uint64_t total;

	if (!is_known(*more))
		return;
	if (!is_known(*sum))
		*sum = *more;
	else if (__builtin_add_overflow(sum->v_, more->v_, &total))
		*sum = no_u64(VAL_UNSUPPORTED, "more than 64 bits hold");
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

static void add_gpu(struct arena *arena, struct holding *holding, const char *gpu)
{
	if (holding_has(holding, gpu))
		return;
	holding->gpus = arena_grow(arena, holding->gpus, holding->nr_gpus, sizeof(*holding->gpus));
	holding->gpus[holding->nr_gpus++] = gpu;
}

static void add_holder(struct arena *arena, struct holding_list *list, const struct holder *holder)
{
	const char *gpu = str_or(holder->gpu, NULL);
	struct holding *holding;
	bool is_new;

	holding = holding_of(arena, list, u64_or(holder->pid, 0), &is_new);
	if (is_new)
		*holding = (struct holding){ .pid = u64_or(holder->pid, 0), .all = *holder };
	else
		add_memory(&holding->all.memory_bytes, &holder->memory_bytes);
	if (gpu)
		add_gpu(arena, holding, gpu);
	holding->may_be_any |= !gpu && !comes_with_another(holder);
}

static bool is_alive(const struct gpu_client *client)
{
	return bool_or(client->alive, true);
}

/* By the driver: of one kind of work over all instances, as a process that does two kinds is listed twice. */
static struct val_u64 client_memory(const struct gpu *gpu, uint64_t pid)
{
	static const char *const kinds[] = { "compute", "graphics", "mps" };
	struct val_u64 most = { .state = VAL_UNSET };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct val_u64 sum = { .state = VAL_UNSET };

		for (size_t i = 0; i < gpu->nr_clients; i++)
			if (u64_or(gpu->clients[i].pid, 0) == pid && str_is(gpu->clients[i].kind, kinds[k]))
				add_memory(&sum, &gpu->clients[i].memory_bytes);
		if (is_known(sum) && u64_or(sum, 0) >= u64_or(most, 0))
			most = sum;
	}
	return most;
}

static struct val_u64 larger(struct val_u64 a, struct val_u64 b)
{
	if (!is_known(a) || !is_known(b))
		return is_known(b) ? b : a;
	return u64_or(b, 0) > u64_or(a, 0) ? b : a;
}

struct val_u64 memory_on(const struct snapshot *snapshot, const struct gpu *gpu, uint64_t pid)
{
	struct val_u64 files = { .state = VAL_UNSET };

	for (size_t i = 0; i < snapshot->nr_holders; i++) {
		const struct holder *holder = &snapshot->holders[i];

		if (u64_or(holder->pid, UINT64_MAX) == pid && is_known(holder->gpu) &&
		    str_is(holder->gpu, str_or(gpu->key, "")))
			add_memory(&files, &holder->memory_bytes);
	}
	return larger(files, client_memory(gpu, pid));
}

/* A process of another pid namespace has no number here, and one that is dead holds nothing. */
static bool is_user(const struct gpu_client *client)
{
	return u64_or(client->pid, 0) && is_alive(client);
}

/* What the driver of a GPU says of processes: of those in the list, or of all. */
static void add_clients(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu,
			struct holding_list *list, bool all)
{
	for (size_t i = 0; i < gpu->nr_clients; i++) {
		const struct gpu_client *client = &gpu->clients[i];
		uint64_t pid = u64_or(client->pid, 0);
		struct holding *holding = NULL;
		bool is_new;

		for (size_t k = 0; k < list->nr; k++)
			if (list->items[k].pid == pid)
				holding = &list->items[k];
		if (!is_user(client) || (!holding && !all))
			continue;
		if (!holding) {
			holding = holding_of(arena, list, pid, &is_new);
			*holding = (struct holding){
				.pid = pid,
				.all = { .pid = client->pid, .comm = process_of(snapshot, pid)->comm },
			};
		}
		add_gpu(arena, holding, str_or(gpu->key, "?"));
	}
}

static void finish(struct holding *holding, const struct snapshot *snapshot)
{
	struct val_u64 counted = { .state = VAL_UNSET };

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		struct val_u64 memory = client_memory(&snapshot->gpus[i], holding->pid);

		add_memory(&counted, &memory);
	}
	holding->all.memory_bytes = larger(holding->all.memory_bytes, counted);
	holding->may_be_any |= !holding->nr_gpus;
	holding->process = process_of(snapshot, holding->pid);
}

static void list_users(struct arena *arena, const struct snapshot *snapshot, bool all, struct holding_list *ret)
{
	*ret = (struct holding_list){ .nr = 0 };
	for (size_t i = 0; i < snapshot->nr_holders; i++)
		if (is_known(snapshot->holders[i].pid))
			add_holder(arena, ret, &snapshot->holders[i]);
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		add_clients(arena, snapshot, &snapshot->gpus[i], ret, all);
	for (size_t i = 0; i < ret->nr; i++)
		finish(&ret->items[i], snapshot);
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), compare_holdings);
}

void holdings_of(struct arena *arena, const struct snapshot *snapshot, struct holding_list *ret)
{
	list_users(arena, snapshot, false, ret);
}

void users_of(struct arena *arena, const struct snapshot *snapshot, struct holding_list *ret)
{
	list_users(arena, snapshot, true, ret);
}

/* " with 61 GiB"; "" if unknown. */
static const char *memory_words(struct arena *arena, struct val_u64 memory)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!u64_or(memory, 0))
		return "";
	value_format(&text, &record_holder.fields[FIELD_holder_memory_bytes], &memory);
	return arena_printf(arena, " with %s", text.buf);
}

const char *gpu_holders(struct arena *arena, const struct snapshot *snapshot, const struct holding_list *users,
			const struct gpu *gpu)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < users->nr; i++) {
		const struct holding *holding = &users->items[i];
		struct val_u64 memory;

		if (!holding_has(holding, str_or(gpu->key, "")))
			continue;
		memory = memory_on(snapshot, gpu, holding->pid);
		if (holder_is_idle(&holding->all) && !u64_or(memory, 0))
			continue;
		if (nr++ < MAX_NAMED)
			strbuf_addf(&text, "%s%s%s", nr > 1 ? ", " : "", holding_words(arena, holding),
				    memory_words(arena, memory));
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

const char *gpu_tenants(struct arena *arena, const struct holding_list *users, const struct gpu *gpu, size_t *ret_nr)
{
	const char **tenants = NULL;
	STRBUF_AUTO who = STRBUF_INIT;

	*ret_nr = 0;
	for (size_t i = 0; i < users->nr; i++) {
		const struct holding *holding = &users->items[i];
		const char *tenant;

		if (holder_is_idle(&holding->all) || !holding_has(holding, str_or(gpu->key, "")))
			continue;
		tenant = holding_tenant(arena, holding);
		if (!tenant || text_is_any(tenant, tenants, *ret_nr))
			continue;
		strbuf_addf(&who, "%s%s (pid %llu) of %s", *ret_nr ? ", " : "", str_or(holding->all.comm, "a process"),
			    (unsigned long long)holding->pid, tenant);
		tenants = arena_grow(arena, tenants, *ret_nr, sizeof(*tenants));
		tenants[(*ret_nr)++] = tenant;
	}
	return arena_strdup(arena, who.buf);
}

const char *holders_hidden(struct arena *arena, const struct snapshot *snapshot)
{
	const struct processes *processes = &snapshot->processes;
	unsigned long long hidden = u64_or(processes->files_hidden, 0);

	if (!is_known(processes->seen))
		return "processes not readable";
	if (processes->files_hidden.state == VAL_ERROR || processes->files_hidden.state == VAL_SKIPPED)
		return processes->files_hidden.why ? processes->files_hidden.why : "process list incomplete";
	if (hidden)
		return arena_printf(arena, "needs root: the open files of %llu of %llu processes are hidden", hidden,
				    (unsigned long long)u64_or(processes->seen, 0));
	/* What a recording holds is all there is to see. */
	if (snapshot_is_live(snapshot) && !bool_or(snapshot->host.sees_all_processes, false))
		return "not root in the host's process namespace: other processes may be hidden";
	return NULL;
}
