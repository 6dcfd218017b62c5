// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/drm_memory.h"

#include <errno.h>

#include "probe/device/drm_fdinfo.h"
#include "probe/pci/pci_path.h"
#include "probe/read.h"

/* A desktop has some ten, a busy node some hundreds; what is more is not worth its time. */
enum { MAX_DESCRIPTORS = 4096 };

struct drm_descriptor {
	const char *pid, *number, *node;
	const char *device;		/* PCI address; the node's path where it has none */
	const char *driver;		/* or NULL */
};

struct drm_client {
	const char *device;
	uint64_t id;
};

bool drm_memory_counts(const struct gpu_node *node)
{
	return !strncmp(node->path, "/dev/dri/", strlen("/dev/dri/"));
}

void drm_memory_note(struct drm_memory *memory, const char *pid, const char *descriptor, const struct gpu_node *node)
{
	struct arena *arena = &memory->arena;

	if (!drm_memory_counts(node) || memory->nr == MAX_DESCRIPTORS)
		return;
	memory->descriptors = arena_grow(arena, memory->descriptors, memory->nr, sizeof(*memory->descriptors));
	memory->descriptors[memory->nr++] = (struct drm_descriptor){
		.pid = arena_strdup(arena, pid), .number = arena_strdup(arena, descriptor),
		.node = arena_strdup(arena, node->path), .device = arena_strdup(arena, str_or(node->gpu, node->path)),
		.driver = node->driver,
	};
}

/* Descriptors that were duplicated or inherited are one client: its memory is the first one's. */
static bool is_counted(struct drm_memory *memory, const char *device, uint64_t id)
{
	for (size_t i = 0; i < memory->nr_clients; i++) {
		if (memory->clients[i].id == id && !strcmp(memory->clients[i].device, device))
			return true;
	}
	memory->clients = arena_grow(&memory->arena, memory->clients, memory->nr_clients, sizeof(*memory->clients));
	memory->clients[memory->nr_clients++] = (struct drm_client){ .device = device, .id = id };
	return false;
}

/* For its engines' clocks xe wakes a GPU that sleeps (K7.2 xe_drm_client.c). Its node's path is no place on the bus. */
static bool sleeps(struct drm_memory *memory, struct probe_env *env, const char *device, struct val_u64 *ret)
{
	struct strs function = { .nr = 0 };
	enum val_state state;
	const char *why;

	strs_add(&memory->arena, &function, device);
	if (device[0] == '/' || !pci_path_sleeps(env, &memory->arena, &function, &state, &why))
		return false;
	*ret = no_u64(state, why);
	return true;
}

static struct val_u64 read_one(struct drm_memory *memory, struct probe_env *env, const struct drm_descriptor *at)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct drm_fdinfo info;
	struct val_u64 asleep;
	int error;

	if (sleeps(memory, env, at->device, &asleep))
		return asleep;
	error = root_read(env->root, &text, "/proc/%.20s/fdinfo/%.20s", at->pid, at->number);
	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	error = drm_fdinfo_parse(text.buf, &info);
	if (error == -ENOMSG)
		return no_u64(VAL_UNSUPPORTED, "clients not reported by the driver");
	if (error)
		return no_u64(VAL_ERROR, "its size of memory is no number");
	if (!info.has_memory)
		return no_u64(VAL_UNSUPPORTED, "the driver does not count its clients' memory");
	if (info.has_client && is_counted(memory, at->device, info.client))
		return val_u64(0);
	return val_u64(info.memory_bytes);
}

/* Several descriptors of a node: what is known of them together. */
static struct val_u64 sum(struct val_u64 a, struct val_u64 b)
{
	uint64_t total;

	if (!is_known(b))
		return is_known(a) || a.state != VAL_UNSET ? a : b;
	if (!is_known(a))
		return b;
	if (__builtin_add_overflow(u64_or(a, 0), u64_or(b, 0), &total))
		return no_u64(VAL_UNSUPPORTED, "more than 64 bits hold");
	return val_u64(total);
}

void drm_memory_send(struct drm_memory *memory, struct probe_env *env, struct sink *sink,
		     bool (*is_waited_in)(const char *driver, void *data), void *data)
{
	struct snapshot *facts = &sink->facts;

	for (size_t i = 0; i < memory->nr; i++) {
		const struct drm_descriptor *at = &memory->descriptors[i];
		char call[96], key[96];
		struct holder *holder;

		snprintf(key, sizeof(key), "%.20s:%.64s", at->pid, at->node);
		holder = list_element(&facts->arena, facts, holders, holder, key);
		if (at->driver && is_waited_in(at->driver, data)) {
			holder->memory_bytes = no_u64(VAL_SKIPPED, "a task waits in the driver");
		} else {
			snprintf(call, sizeof(call), "read /proc/%.20s/fdinfo/%.20s", at->pid, at->number);
			sink_step(sink, call);
			holder->memory_bytes = sum(holder->memory_bytes, read_one(memory, env, at));
		}
		if (i + 1 == memory->nr || strcmp(memory->descriptors[i + 1].pid, at->pid))
			sink_flush(sink);
	}
}

void drm_memory_release(struct drm_memory *memory)
{
	arena_release(&memory->arena);
	*memory = (struct drm_memory){ 0 };
}
