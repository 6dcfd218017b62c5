// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/nvidia/nvidia_holders.h"

enum { HOLDERS_A_FRAME = 256 };

struct nvidia_holder {
	const char *key;
	struct gpu_node *node;
};

void nvidia_holders_note(struct nvidia_holders *holders, const char *key, struct gpu_node *node)
{
	struct arena *arena = &holders->arena;

	holders->holders = arena_grow(arena, holders->holders, holders->nr, sizeof(*holders->holders));
	holders->holders[holders->nr++] = (struct nvidia_holder){ .key = arena_strdup(arena, key), .node = node };
}

void nvidia_holders_send(struct nvidia_holders *holders, struct gpu_nodes *nodes, struct probe_env *env,
			 struct sink *sink, bool is_waited_in)
{
	struct snapshot *facts = &sink->facts;

	if (holders->nr && !is_waited_in)
		sink_step(sink, "read " NVIDIA_GPUS);
	for (size_t i = 0; i < holders->nr; i++) {
		const char *key = holders->holders[i].key;
		struct holder *holder = list_element(&facts->arena, facts, holders, holder, key);

		holder->gpu = is_waited_in ? no_str(VAL_SKIPPED, "a task waits in the driver") :
					     gpu_node_gpu(nodes, env, holders->holders[i].node);
		if (facts->nr_holders >= HOLDERS_A_FRAME)
			sink_flush(sink);
	}
	sink_flush(sink);
}

void nvidia_holders_release(struct nvidia_holders *holders)
{
	arena_release(&holders->arena);
	*holders = (struct nvidia_holders){ 0 };
}
