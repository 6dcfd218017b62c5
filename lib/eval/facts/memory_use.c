// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/memory_use.h"

#include "eval/facts/holders.h"
#include "eval/facts/numa.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

/* Adds what a client has that no process seen accounts for. false: not reported by the driver how much. */
static bool add_client(struct memory_use *use, const struct gpu_client *client)
{
	if (!is_known(client->memory_bytes))
		return false;
	if (!bool_or(client->alive, true)) {
		use->dead_pid = u64_or(client->pid, 0);
		use->dead_bytes += u64_or(client->memory_bytes, 0);
		return true;
	}
	if (!u64_or(client->pid, 0))
		use->held_bytes += u64_or(client->memory_bytes, 0);
	/* A process without a pid here is in another namespace; whether it works is unknown. */
	use->has_users |= !u64_or(client->pid, 0);
	return true;
}

void memory_use_of(const struct snapshot *snapshot, const struct holding_list *users, const struct gpu *gpu,
		   struct memory_use *ret)
{
	struct val_u64 used = vendor_u64(gpu, "vram_used_bytes");

	*ret = (struct memory_use){
		.is_known = is_known(used) && is_known(vendor_u64(gpu, "clients")), .used_bytes = u64_or(used, 0),
	};
	for (size_t i = 0; i < gpu->nr_clients; i++)
		ret->is_known &= add_client(ret, &gpu->clients[i]);
	for (size_t i = 0; i < users->nr; i++) {
		const struct holding *user = &users->items[i];

		if (!user->may_be_any && !holding_has(user, str_or(gpu->key, "")))
			continue;
		ret->held_bytes += u64_or(memory_on(snapshot, gpu, user->pid), 0);
		ret->has_users |= !holder_is_idle(&user->all);
	}
}

uint64_t memory_unexplained(const struct memory_use *use, uint64_t used_bytes)
{
	return use->is_known && used_bytes > use->held_bytes ? used_bytes - use->held_bytes : 0;
}

/*
 * Of a module with a processor (Grace) the GPU's memory is a NUMA node without CPUs. A node that has some is main
 * memory, and named for being near.
 */
static bool is_node_of_its_own(const struct snapshot *snapshot, struct val_u64 number)
{
	const struct numa_node *node;

	if (!is_known(number))
		return false;
	node = numa_node_at(snapshot, u64_or(number, 0));
	return !node || !*str_or(node->cpus, "");
}

bool gpu_shares_main_memory(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return gpu_role(snapshot, gpu) == GPU_ROLE_INTEGRATED || str_is(gpu->nvml.addressing_mode, "ats") ||
	       is_node_of_its_own(snapshot, gpu->nvml.numa_node);
}
