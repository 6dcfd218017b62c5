// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amdgpu_kfd.c - what the compute driver (KFD) reports on one AMD GPU: its nodes
 * of the topology, one for each partition, and the processes that compute on
 * it (Linux 7.2 drivers/gpu/drm/amd/amdkfd/kfd_topology.c, kfd_process.c).
 * The driver answers from memory; no GPU is asked, asleep or not.
 */
#include "base/compat.h"
#include "probe/amd/amdgpu_internal.h"
#include "probe/amd/kfd.h"

#include "base/text.h"
#include "probe/host/host_internal.h"
#include "probe/read.h"

enum {
	MAX_PARTS = KFD_MAX_PARTS,
	MAX_CLIENTS = 1024,		/* recorded at most */
};

/* A card's nodes. */
struct parts {
	uint64_t ids[MAX_PARTS];	/* "gpu_id", which names files of processes */
	size_t nr;
	uint64_t gfx_target;		/* 90402: gfx942 */
	struct val_head unread;		/* of nodes that may not be read: why; else VAL_UNSET */
};

bool kfd_node_is_at(const struct proc_text *properties, struct arena *arena, const struct pci_address *address)
{
	uint64_t location = u64_or(proc_text_u64(properties, arena, "location_id", 1), UINT64_MAX);
	uint64_t domain = u64_or(proc_text_u64(properties, arena, "domain", 1), 0);
	uint64_t place = (uint64_t)address->bus << 8 | (uint64_t)address->device << 3 | address->function;

	if (domain != address->domain || !u64_or(proc_text_u64(properties, arena, "simd_count", 1), 0))
		return false;
	return location == place || (!address->function && (location & ~(uint64_t)7) == place);
}

static void look_at_node(struct card *card, const char *node, const struct pci_address *address, struct parts *ret)
{
	PROC_TEXT_AUTO properties = PROC_TEXT_INIT;
	struct val_u64 id;
	char path[128];

	snprintf(path, sizeof(path), KFD_NODES "/%.16s/properties", node);
	sink_step(card->sink, path);
	proc_text_read(card->env, &properties, 0, path);
	if (properties.state != VAL_OK && properties.state != VAL_ABSENT)
		ret->unread = (struct val_head){ .state = properties.state, .why = properties.why };
	if (properties.state != VAL_OK || !kfd_node_is_at(&properties, &card->arena, address))
		return;
	ret->gfx_target = u64_or(proc_text_u64(&properties, &card->arena, "gfx_target_version", 1), 0);
	id = read_u64(card->env, &card->arena, KFD_NODES "/%s/gpu_id", node);
	if (ret->nr < MAX_PARTS)
		ret->ids[ret->nr++] = u64_or(id, 0);
}

/* "gfx90a": its two last figures are hexadecimal. */
static struct val_str gfx_version(struct arena *arena, uint64_t target)
{
	if (!target)
		return no_str(VAL_ABSENT, "not reported by this kernel");
	return val_str(arena_printf(arena, "gfx%u%x%x", (unsigned)(target / 10000 % 1000),
				    (unsigned)(target / 100 % 100), (unsigned)(target % 100)));
}

/* A container is shown the nodes of its own GPUs; others are denied. */
static void read_nodes(struct card *card, struct amdgpu_files *files, struct parts *ret)
{
	struct name_list names = { 0 };
	struct pci_address address = { .bus = 0 };
	int error = root_list(card->env->root, &names, KFD_NODES);
	struct val_head none = { .state = VAL_OK };

	if (error)
		none = (struct val_head){ .state = state_of_errno(error), .why = name_of_errno(error) };
	else if (parse_pci_address(card->env->target, &address))
		none = (struct val_head){ .state = VAL_ERROR, .why = "no PCI address" };
	for (size_t i = 0; i < names.nr && none.state == VAL_OK; i++)
		look_at_node(card, names.names[i], &address, ret);
	name_list_release(&names);
	if (none.state == VAL_OK && !ret->nr && ret->unread.state != VAL_UNSET)
		none = ret->unread;
	files->kfd_nodes = none.state == VAL_OK ? val_u64(ret->nr) : no_u64(none.state, none.why);
	if (none.state == VAL_OK && ret->nr)
		files->gfx_version = gfx_version(&card->arena, ret->gfx_target);
	else if (none.state == VAL_OK)
		files->gfx_version = no_str(VAL_ABSENT, "GPU not known to the compute driver");
	else
		files->gfx_version = no_str(none.state, none.why);
}

/* Does a queue of that process run on one of the parts? */
static bool has_queue(struct card *card, const char *pid, const struct parts *parts)
{
	struct name_list queues = { 0 };
	bool found = false;

	if (root_list(card->env->root, &queues, KFD_PROCESSES "/%s/queues", pid))
		return false;
	for (size_t i = 0; i < queues.nr && !found; i++) {
		struct val_u64 id = read_u64(card->env, &card->arena, KFD_PROCESSES "/%s/queues/%s/gpuid", pid,
					     queues.names[i]);

		for (size_t part = 0; part < parts->nr; part++)
			found |= is_known(id) && u64_or(id, 0) == parts->ids[part];
	}
	name_list_release(&queues);
	return found;
}

/* Over all parts. One that cannot be read makes the sum unknown. */
static struct val_u64 memory_of(struct card *card, const char *pid, const struct parts *parts)
{
	struct val_u64 sum = no_u64(VAL_ABSENT, "none on this GPU");

	for (size_t i = 0; i < parts->nr; i++) {
		struct val_u64 part = read_u64(card->env, &card->arena, KFD_PROCESSES "/%s/vram_%llu", pid,
					       (unsigned long long)parts->ids[i]);

		if (part.state == VAL_ABSENT)
			continue;
		if (!is_known(part))
			return part;
		sum = val_u64(u64_or(sum, 0) + u64_or(part, 0));
	}
	return sum;
}

/* KFD knows processes by the numbers they have on the host. The kernel's first namespace has that fixed number. */
static bool sees_host_pids(struct probe_env *env, struct arena *arena)
{
	struct val_str pids = read_link_name(env, arena, "/proc/self/ns/pid");

	if (root_is_live(env->root))
		return str_is(pids, "pid:[4026531836]");
	return str_is(host_container(env, arena), "none");
}

/* With hidepid= others' processes are not to be seen, nor is the first. */
static struct val_bool is_alive(struct card *card, const char *pid)
{
	if (!root_exists(card->env->root, "/proc/%s", pid))
		return val_bool(true);
	if (!root_exists(card->env->root, "/proc/1"))
		return val_bool(false);
	return no_bool(VAL_DENIED, "/proc shows no others' processes");
}

static void add_client(struct card *card, struct gpu *gpu, const char *pid, struct val_u64 memory, bool sees_pids)
{
	struct arena *arena = &card->sink->facts.arena;
	struct gpu_client *client =
		list_element(arena, gpu, clients, gpu_client, arena_printf(arena, "%s:compute", pid));
	uint64_t number = 0;

	if (parse_u64(pid, &number))
		number = 0;
	client->pid = val_u64(sees_pids ? number : 0);
	client->kind = val_str("compute");
	client->memory_bytes = memory;
	client->instance = no_str(VAL_ABSENT, "not reported by amdgpu");
	client->alive = sees_pids ? is_alive(card, pid) :
				    no_bool(VAL_UNSUPPORTED, "known by the number it has on the host");
}

static void read_processes(struct card *card, struct gpu *gpu, const struct parts *parts)
{
	struct name_list names = { 0 };
	bool sees_pids = sees_host_pids(card->env, &card->arena);
	int error = root_list(card->env->root, &names, KFD_PROCESSES);
	uint64_t clients = 0;

	for (size_t i = 0; i < names.nr && parts->nr; i++) {
		const char *pid = names.names[i];
		struct val_u64 memory;

		sink_step(card->sink, arena_printf(&card->arena, "read " KFD_PROCESSES "/%.20s", pid));
		memory = memory_of(card, pid, parts);
		if (memory.state == VAL_ABSENT || (!u64_or(memory, 1) && !has_queue(card, pid, parts)))
			continue;
		if (clients++ < MAX_CLIENTS)
			add_client(card, gpu, pid, memory, sees_pids);
	}
	name_list_release(&names);
	if (error)
		gpu->amdgpu.clients = no_u64(state_of_errno(error), name_of_errno(error));
	else if (!parts->nr && !is_known(gpu->amdgpu.kfd_nodes))
		gpu->amdgpu.clients = no_u64(gpu->amdgpu.kfd_nodes.state, gpu->amdgpu.kfd_nodes.why);
	else if (clients > MAX_CLIENTS)
		gpu->amdgpu.clients = no_u64(VAL_SKIPPED, "incomplete: thousands of entries");
	else
		gpu->amdgpu.clients = val_u64(clients);
}

void amdgpu_read_kfd(struct card *card, struct gpu *gpu)
{
	struct parts parts = { .nr = 0 };

	read_nodes(card, &gpu->amdgpu, &parts);
	read_processes(card, gpu, &parts);
}
