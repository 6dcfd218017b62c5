// SPDX-License-Identifier: GPL-2.0-or-later
/* host_platform.c - virtual machine or not, container or not. */
#include "base/compat.h"
#include "probe/host/host_internal.h"

#include <errno.h>
#include <unistd.h>

#include "format/firmware.h"
#include "probe/read.h"

static bool has_word(const char *line, const char *word)
{
	const char *end = line + strcspn(line, "\n");
	size_t len = strlen(word);

	for (const char *at = strstr(line, word); at && at < end; at = strstr(at + 1, word)) {
		if ((at == line || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\n' || !at[len]))
			return true;
	}
	return false;
}

static bool text_has(struct probe_env *env, const char *path, const char *words)
{
	STRBUF_AUTO text = STRBUF_INIT;

	return !root_read(env->root, &text, "%s", path) && strstr(text.buf, words);
}

/* A Xen domain 0 owns the hardware: for our questions it is bare metal. */
static const char *find_paravirtual(struct probe_env *env)
{
	if (text_has(env, "/proc/sys/kernel/osrelease", "microsoft-standard"))
		return "wsl";
	if (text_has(env, "/sys/hypervisor/type", "xen"))
		return text_has(env, "/proc/xen/capabilities", "control_d") ? "none" : "xen";
	if (text_has(env, "/proc/device-tree/hypervisor/compatible", "linux,kvm"))
		return "kvm";
	return NULL;
}

struct val_str host_virtualisation(struct probe_env *env, struct arena *arena, const struct proc_text *cpuinfo)
{
	struct val_str vendor = read_str(env, arena, "/sys/class/dmi/id/sys_vendor");
	struct val_str product = read_str(env, arena, "/sys/class/dmi/id/product_name");
	bool sells_metal;
	const char *maker = firmware_hypervisor(str_or(vendor, ""), str_or(product, ""), &sells_metal);
	/* Only x86 has this line, and there it tells a guest from a machine, unless the hypervisor hides itself. */
	const char *flags = proc_text_value(cpuinfo->text.buf, "flags");
	bool is_guest = flags && has_word(flags, "hypervisor");
	const char *name = find_paravirtual(env);

	if (name)
		return val_str(name);
	if (maker && sells_metal && !is_guest && (flags || strstr(str_or(product, ""), "metal")))
		maker = NULL;
	if (maker)
		return val_str(maker);
	if (is_guest)
		return val_str("vm");
	if (flags || is_known(vendor))
		return val_str("none");
	return no_str(VAL_ABSENT, "reported neither by firmware nor by the processor");
}

/* Files that a container manager leaves in its containers, the more telling first. */
static const struct mark {
	const char *path;
	const char *name;
} marks[] = {
	{ .path = "/var/run/secrets/kubernetes.io", .name = "kubernetes" },
	{ .path = "/run/secrets/kubernetes.io", .name = "kubernetes" },
	{ .path = "/run/.containerenv", .name = "podman" },
	{ .path = "/.dockerenv", .name = "docker" },
	{ .path = "/.singularity.d", .name = "apptainer" },
};

/*
 * Parts of a control group's path that only containers have. On a host the
 * daemons have names like docker.service, which do not count.
 */
static const struct mark groups[] = {
	{ .path = "/kubepods", .name = "kubernetes" },
	{ .path = "kubepods-", .name = "kubernetes" },
	{ .path = "/docker/", .name = "docker" },
	{ .path = "/docker-", .name = "docker" },
	{ .path = "/libpod-", .name = "podman" },
	{ .path = "/lxc/", .name = "lxc" },
	{ .path = "/lxc.payload", .name = "lxc" },
	{ .path = "cri-containerd", .name = "container" },
	{ .path = "/containerd/", .name = "container" },
};

static const char *container_by_group(struct probe_env *env, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (text_has(env, path, groups[i].path))
			return groups[i].name;
	}
	return NULL;
}

struct val_str host_container(struct probe_env *env, struct arena *arena)
{
	const char *name;
	struct val_str manager;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		if (!root_exists(env->root, "%s", marks[i].path))
			return val_str(marks[i].name);
	}
	manager = read_str(env, arena, "/run/systemd/container");
	if (is_known(manager))
		return manager;
	name = container_by_group(env, "/proc/1/cgroup");
	/* Under a recorded tree "self" is whoever made the recording. */
	if (!name && root_is_live(env->root))
		name = container_by_group(env, "/proc/self/cgroup");
	return val_str(name ? name : "none");
}

/* Container managers make these for privileged containers only; to a user they are closed by their permissions. */
struct val_bool host_sees_all_devices(struct probe_env *env)
{
	static const char *const signs[] = { "/dev/mem", "/dev/vga_arbiter" };
	bool sees = false;

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (!root_exists(env->root, "%s", signs[i]))
			sees |= !root_is_live(env->root) || !access(signs[i], R_OK) || errno == EACCES;
	return val_bool(sees);
}
