// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/gpu_nodes.h"

#include "base/text.h"
#include "probe/pci/pci_path.h"
#include "probe/read.h"

/* "nvidia0" with prefix "nvidia" is 0. */
static bool has_number(const char *text, const char *prefix, uint64_t *ret)
{
	size_t len = strlen(prefix);

	return !strncmp(text, prefix, len) && text[len] >= '0' && text[len] <= '9' && !parse_u64(text + len, ret);
}

struct val_u64 nvidia_minor_of(struct probe_env *env, struct arena *arena, const char *address)
{
	PROC_TEXT_AUTO information = PROC_TEXT_INIT;
	struct strs function = { .nr = 0 };
	enum val_state state;
	const char *why;
	char path[160];

	strs_add(arena, &function, address);
	if (pci_path_sleeps(env, arena, &function, &state, &why))
		return no_u64(state, why);
	snprintf(path, sizeof(path), NVIDIA_GPUS "/%.64s/information", address);
	proc_text_read(env, &information, 0, path);
	return proc_text_u64(&information, arena, "Device Minor", 1);
}

struct nvidia_minor {
	const char *address;
	struct val_u64 minor;
};

static void ask_nvidia(struct gpu_nodes *nodes, struct probe_env *env)
{
	struct arena *arena = &nodes->arena;
	struct name_list names = { 0 };

	nodes->asked_nvidia = true;
	nodes->nvidia_error = root_list(env->root, &names, NVIDIA_GPUS);
	for (size_t i = 0; i < names.nr; i++) {
		nodes->minors = arena_grow(arena, nodes->minors, nodes->nr_minors, sizeof(*nodes->minors));
		nodes->minors[nodes->nr_minors++] = (struct nvidia_minor){
			.address = arena_strdup(arena, names.names[i]),
			.minor = nvidia_minor_of(env, arena, names.names[i]),
		};
	}
	name_list_release(&names);
}

/* The kernel module numbers its nodes by "Device Minor", which is not the order on the bus. */
static struct val_str gpu_of_nvidia_minor(struct gpu_nodes *nodes, struct probe_env *env, uint64_t minor)
{
	struct val_str gpu = no_str(VAL_ABSENT, "no GPU of that minor in " NVIDIA_GPUS);

	if (!nodes->asked_nvidia)
		ask_nvidia(nodes, env);
	if (nodes->nvidia_error)
		return no_str(state_of_errno(nodes->nvidia_error), name_of_errno(nodes->nvidia_error));
	for (size_t i = 0; i < nodes->nr_minors; i++) {
		const struct nvidia_minor *found = &nodes->minors[i];

		if (is_known(found->minor) && u64_or(found->minor, 0) == minor)
			gpu = val_str(found->address);
		else if (found->minor.state == VAL_ASLEEP && !is_known(gpu))
			gpu = no_str(VAL_ASLEEP, arena_printf(&nodes->arena, "%s, which may be it: %s", found->address,
							      found->minor.why));
	}
	return gpu;
}

/* Firmware framebuffers and virtual cards have no PCI function behind them. */
static struct val_str gpu_of_drm(struct probe_env *env, struct arena *arena, const char *name)
{
	struct val_str device = read_link_name(env, arena, "/sys/class/drm/%s/device", name);
	struct pci_address address;

	if (is_known(device) && parse_pci_address(str_or(device, ""), &address))
		return no_str(VAL_ABSENT, arena_printf(arena, "%s is no PCI function", str_or(device, "")));
	return device;
}

static const char *driver_of_drm(struct probe_env *env, struct arena *arena, const char *name)
{
	static const char *const drivers[] = { "nvidia", "amdgpu", "i915", "xe" };
	struct val_str driver = read_link_name(env, arena, "/sys/class/drm/%s/device/driver", name);

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		if (str_is(driver, drivers[i]))
			return drivers[i];
	}
	return NULL;
}

/* Fills what the name says; false: no node of a GPU. */
static bool look_up(struct probe_env *env, struct arena *arena, struct gpu_node *node)
{
	const char *name = node->path + strlen("/dev/");
	uint64_t number;

	node->gpu = no_str(VAL_ABSENT, "serves every GPU");
	if (has_number(name, "nvidia", &number)) {
		node->gpu = (struct val_str){ .state = VAL_UNSET };
		node->minor = number;
		node->driver = "nvidia";
	} else if (!strcmp(name, "nvidia-uvm")) {
		node->driver = "nvidia";
	} else if (!strcmp(name, "kfd")) {
		node->driver = "amdgpu";
	} else if (has_number(name, "dri/card", &number) || has_number(name, "dri/renderD", &number)) {
		name += strlen("dri/");
		node->gpu = gpu_of_drm(env, arena, name);
		node->driver = driver_of_drm(env, arena, name);
	} else if (strcmp(name, "dxg")) {
		return false;
	}
	return true;
}

/* Most open files are not GPU nodes: these are sorted out before anything is allocated. */
bool gpu_nodes_may_be(const char *path)
{
	static const char *const prefixes[] = { "/dev/nvidia", "/dev/dri/", "/dev/kfd", "/dev/dxg" };

	return text_begins_any(path, prefixes, ARRAY_SIZE(prefixes));
}

struct gpu_node *gpu_nodes_find(struct gpu_nodes *nodes, struct probe_env *env, const char *path)
{
	static const char deleted[] = " (deleted)";
	struct gpu_node *node;
	size_t len = strlen(path);

	if (!gpu_nodes_may_be(path))
		return NULL;
	if (len > strlen(deleted) && !strcmp(path + len - strlen(deleted), deleted))
		len -= strlen(deleted);
	for (size_t i = 0; i < nodes->nr; i++) {
		if (strlen(nodes->nodes[i]->path) == len && !memcmp(nodes->nodes[i]->path, path, len))
			return nodes->nodes[i];
	}
	node = arena_alloc(&nodes->arena, sizeof(*node));
	node->path = arena_strndup(&nodes->arena, path, len);
	if (!look_up(env, &nodes->arena, node))
		return NULL;
	nodes->nodes = arena_grow(&nodes->arena, nodes->nodes, nodes->nr, sizeof(*nodes->nodes));
	nodes->nodes[nodes->nr++] = node;
	return node;
}

struct val_str gpu_node_gpu(struct gpu_nodes *nodes, struct probe_env *env, struct gpu_node *node)
{
	if (node->gpu.state == VAL_UNSET)
		node->gpu = gpu_of_nvidia_minor(nodes, env, node->minor);
	return node->gpu;
}

void gpu_nodes_release(struct gpu_nodes *nodes)
{
	arena_release(&nodes->arena);
	*nodes = (struct gpu_nodes){ 0 };
}
