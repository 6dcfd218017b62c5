// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * device_nodes.c - probe "device-nodes": the nodes of GPUs and their drivers,
 * and whether this run may open them. None is opened.
 *
 * access() asks what open() would be asked: permissions and access lists
 * (EACCES), then the device cgroup (EPERM), version 1's list and version 2's
 * BPF program alike (Linux fs/namei.c inode_permission(), device_cgroup.h).
 * So the cgroup's own files, of which version 2 has none, are not needed. It
 * goes by the real user, who is the effective one: gpudiag is never setuid.
 */
#include "base/compat.h"

#include <errno.h>
#include <libudev.h>
#include <unistd.h>

#include "base/text.h"
#include "probe/device/gpu_nodes.h"
#include "probe/device/group_name.h"
#include "probe/library.h"
#include "probe/probe_table.h"
#include "probe/read.h"

#define NO_NODE "no such node"

/* ---- DRM devices as udev lists them */

#define CALLS(CALL)                                                                                                    \
	CALL(udev_new) CALL(udev_unref) CALL(udev_enumerate_new) CALL(udev_enumerate_unref)                            \
	CALL(udev_enumerate_add_match_subsystem) CALL(udev_enumerate_scan_devices) CALL(udev_enumerate_get_list_entry) \
	CALL(udev_list_entry_get_next) CALL(udev_list_entry_get_name) CALL(udev_device_new_from_syspath)               \
	CALL(udev_device_unref) CALL(udev_device_get_devnode) CALL(udev_device_get_sysname)                            \
	CALL(udev_device_get_parent_with_subsystem_devtype)

static struct {
#define MEMBER(call) __typeof__(call) *call;
	CALLS(MEMBER)
} libudev;

static const struct library_symbol symbols[] = {
#define SYMBOL(call) { .name = #call, .fallback = NULL, .required = true, .to = LIBRARY_TO(libudev.call) },
	CALLS(SYMBOL)
	{ .name = NULL, .fallback = NULL, .required = false, .to = NULL },
};

static const char *const library_names[] = { "libudev.so.1", NULL };

struct visitor {
	void (*each)(void *data, const char *path, const char *address);
	void *data;
};

/* Connectors are DRM devices too, and have no node. */
static void visit(struct udev *context, const char *place, const struct visitor *visitor)
{
	struct udev_device *device = libudev.udev_device_new_from_syspath(context, place), *parent;
	const char *path = device ? libudev.udev_device_get_devnode(device) : NULL;

	if (path) {
		parent = libudev.udev_device_get_parent_with_subsystem_devtype(device, "pci", NULL);
		visitor->each(visitor->data, path, parent ? libudev.udev_device_get_sysname(parent) : NULL);
	}
	if (device)
		libudev.udev_device_unref(device);
}

static bool visit_all(struct udev *context, const struct visitor *visitor)
{
	struct udev_enumerate *enumerate = libudev.udev_enumerate_new(context);
	bool ok = enumerate && libudev.udev_enumerate_add_match_subsystem(enumerate, "drm") >= 0 &&
		  libudev.udev_enumerate_scan_devices(enumerate) >= 0;

	for (struct udev_list_entry *entry = ok ? libudev.udev_enumerate_get_list_entry(enumerate) : NULL; entry;
	     entry = libudev.udev_list_entry_get_next(entry))
		visit(context, libudev.udev_list_entry_get_name(entry), visitor);
	if (enumerate)
		libudev.udev_enumerate_unref(enumerate);
	return ok;
}

/*
 * Calls `each` for every DRM device that has a node ("/dev/dri/renderD128"),
 * with the address of the PCI function above it or NULL. Live only. False
 * where libudev is not installed or refuses: what it would have told stands in
 * /sys/class/drm as well.
 */
static bool drm_devices_each(struct sink *sink, void (*each)(void *data, const char *path, const char *address),
			     void *data)
{
	const struct visitor visitor = { .each = each, .data = data };
	char why[LIBRARY_WHY_BYTES];
	struct udev *context;
	bool ok;

	sink_step(sink, "dlopen libudev.so.1");
	if (library_open(library_names, symbols, NULL, why))
		return false;
	sink_step(sink, "udev_enumerate_scan_devices");
	context = libudev.udev_new();
	ok = context && visit_all(context, &visitor);
	if (context)
		libudev.udev_unref(context);
	return ok;
}

/* ---- */

struct walk {
	struct probe_env *env;
	struct sink *sink;
	struct gpu_nodes known;
	struct arena arena;
	struct strs done;		/* paths said so far */
	struct strbuf groups;		/* /etc/group */
	struct name_list dev;		/* the names in /dev */
};

/* Nodes that serve every GPU of a driver, and what is there when they should be. */
static const struct shared_node {
	const char *name;
	const char *sign;		/* NULL: listed only if it exists */
} shared_nodes[] = {
	{ .name = "nvidiactl", .sign = "/proc/driver/nvidia/version" },
	{ .name = "nvidia-uvm", .sign = "/sys/module/nvidia_uvm" },
	{ .name = "kfd", .sign = "/sys/class/kfd" },
	{ .name = "dxg", .sign = NULL },
};

static void set_unknown(struct device_node *node, enum val_state state, const char *why)
{
	node->mode = node->group = no_str(state, why);
	node->user_id = node->group_id = no_u64(state, why);
}

static void look_at_owner(const struct walk *walk, struct arena *arena, struct device_node *node, const char *path)
{
	struct stat st;
	int error = root_stat(walk->env->root, &st, "%s", path);

	if (error == -ENOENT || error == -ENOTDIR) {
		set_unknown(node, VAL_ABSENT, NO_NODE);
	} else if (error) {
		set_unknown(node, state_of_errno(error), name_of_errno(error));
	} else if (!S_ISCHR(st.st_mode)) {
		/* In a recording a plain file stands for the node; only its name is the machine's. */
		set_unknown(node, root_is_live(walk->env->root) ? VAL_ERROR : VAL_UNSUPPORTED, "no device but a file");
	} else {
		node->mode = val_str(arena_printf(arena, "%04o", (unsigned)(st.st_mode & 07777)));
		node->user_id = val_u64(st.st_uid);
		node->group_id = val_u64(st.st_gid);
		node->group = group_name(arena, walk->groups.buf, st.st_gid);
	}
}

/* On a recording the user is unknown. */
static void look_at_access(const struct walk *walk, struct device_node *node, const char *path)
{
	int error;

	if (!root_is_live(walk->env->root))
		return;
	error = access(path, R_OK | W_OK) ? errno : 0;
	node->refused_by = no_str(VAL_ABSENT, error == ENOENT ? NO_NODE : "it may be opened");
	if (error == ENOENT) {
		node->may_open = no_bool(VAL_ABSENT, NO_NODE);
	} else if (!error || error == EACCES || error == EPERM) {
		node->may_open = val_bool(!error);
		if (error)
			node->refused_by = val_str(error == EPERM ? "device cgroup" : "permissions");
	} else {
		node->may_open = no_bool(state_of_errno(-error), name_of_errno(-error));
		node->refused_by = no_str(state_of_errno(-error), name_of_errno(-error));
	}
}

static void add_node(struct walk *walk, const char *path, struct val_str gpu)
{
	struct arena *arena = &walk->sink->facts.arena;
	struct device_node *node;

	if (strs_has(&walk->done, path))
		return;
	strs_add(&walk->arena, &walk->done, path);
	node = list_element(arena, &walk->sink->facts, device_nodes, device_node, path);
	node->gpu = gpu;
	if (is_known(gpu))
		node->gpu = val_str(arena_strdup(arena, str_or(gpu, "")));
	look_at_owner(walk, arena, node, path);
	look_at_access(walk, node, path);
}

/* A node whose GPU the kernel's own folders tell; other names are none of ours. */
static void add_by_name(struct walk *walk, const char *folder, const char *name)
{
	struct gpu_node *known;
	char path[300];

	snprintf(path, sizeof(path), "%s/%.255s", folder, name);
	known = gpu_nodes_find(&walk->known, walk->env, path);
	if (known)
		add_node(walk, path, gpu_node_gpu(&walk->known, walk->env, known));
}

static void add_from_udev(void *data, const char *path, const char *address)
{
	struct pci_address parsed;

	/* A card of the firmware's framebuffer has no PCI function: /sys says so in words. */
	if (address && !parse_pci_address(address, &parsed))
		add_node(data, path, val_str(address));
}

/* udev first; what it does not know, or where it is not installed, by the folder it reads itself. */
static void add_drm_nodes(struct walk *walk)
{
	struct name_list names = { 0 };

	if (root_is_live(walk->env->root))
		drm_devices_each(walk->sink, add_from_udev, walk);
	sink_step(walk->sink, "list /sys/class/drm");
	if (root_list(walk->env->root, &names, "/sys/class/drm"))
		return;
	for (size_t i = 0; i < names.nr; i++)
		add_by_name(walk, "/dev/dri", names.names[i]);
	name_list_release(&names);
}

static void add_shared_nodes(struct walk *walk)
{
	sink_step(walk->sink, "stat the nodes that drivers share");
	for (size_t i = 0; i < ARRAY_SIZE(shared_nodes); i++) {
		const struct shared_node *shared = &shared_nodes[i];
		char path[32];

		snprintf(path, sizeof(path), "/dev/%s", shared->name);
		if (!root_exists(walk->env->root, "%s", path) ||
		    (shared->sign && !root_exists(walk->env->root, "%s", shared->sign)))
			add_node(walk, path, no_str(VAL_ABSENT, "serves every GPU"));
	}
}

/* The nodes there should be by the driver's own numbers, then those that are there beside them. */
static void add_nvidia_nodes(struct walk *walk)
{
	struct name_list gpus = { 0 };

	sink_step(walk->sink, "read " NVIDIA_GPUS);
	if (!root_list(walk->env->root, &gpus, NVIDIA_GPUS)) {
		for (size_t i = 0; i < gpus.nr; i++) {
			struct val_u64 minor = nvidia_minor_of(walk->env, &walk->arena, gpus.names[i]);
			char path[40];

			if (!is_known(minor))
				continue;
			snprintf(path, sizeof(path), "/dev/nvidia%llu", (unsigned long long)u64_or(minor, 0));
			add_node(walk, path, val_str(gpus.names[i]));
		}
		name_list_release(&gpus);
	}
	for (size_t i = 0; i < walk->dev.nr; i++)
		if (!strncmp(walk->dev.names[i], "nvidia", strlen("nvidia")))
			add_by_name(walk, "/dev", walk->dev.names[i]);
}

/* A recording of /sys and /proc alone has no node of any GPU, which is not a machine without. */
static bool has_any_node(const struct walk *walk)
{
	static const char *const prefixes[] = { "dri", "dxg", "kfd", "nvidia" };

	for (size_t i = 0; i < walk->dev.nr; i++)
		if (text_begins_any(walk->dev.names[i], prefixes, ARRAY_SIZE(prefixes)))
			return true;
	return false;
}

static int list_nodes(struct walk *walk)
{
	struct sink *sink = walk->sink;

	if (root_read(walk->env->root, &walk->groups, "/etc/group"))
		strbuf_reset(&walk->groups);
	add_drm_nodes(walk);
	add_shared_nodes(walk);
	sink_flush(sink);
	add_nvidia_nodes(walk);
	sink->facts.listed.device_nodes = val_u64(walk->done.nr);
	return sink_end(sink, PROBE_OK, NULL);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct walk walk = { .env = env, .sink = sink, .groups = STRBUF_INIT };
	int error, status;

	sink_step(sink, "list /dev");
	error = root_list(env->root, &walk.dev, "/dev");
	if (!root_is_live(env->root) && (error == -ENOENT || !has_any_node(&walk))) {
		sink->facts.listed.device_nodes = no_u64(VAL_UNSUPPORTED, "the recording holds no node of a GPU");
		status = sink_end(sink, PROBE_UNAVAILABLE, "the recording holds no node of a GPU");
	} else if (error) {
		sink->facts.listed.device_nodes = no_u64(state_of_errno(error), name_of_errno(error));
		status = sink_end(sink, PROBE_UNAVAILABLE, "/dev cannot be listed");
	} else {
		status = list_nodes(&walk);
	}
	name_list_release(&walk.dev);
	strbuf_release(&walk.groups);
	gpu_nodes_release(&walk.known);
	arena_release(&walk.arena);
	return status;
}

const struct probe probe_device_nodes = {
	.name = "device-nodes",
	.help = "device nodes of GPUs, and whether this run may open them; opens none",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.deadline_ms = 3000,
	.provides = (const char *const[]){ "device_nodes", "listed.device_nodes", NULL },
	.run = run,
};
