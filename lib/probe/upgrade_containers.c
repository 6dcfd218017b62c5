// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_containers.c - containers that get a GPU of NVIDIA's, and the CUDA
 * they ask for.
 *
 * While a container runs, its runtime keeps what it was told to start: config.json
 * of the OCI runtime specification, which root may read. That asks no process
 * anything, where /proc/PID/environ would wait for one that hangs. Of the
 * environment there, one variable of NVIDIA's images is kept, and two others
 * are looked at; the rest holds passwords and is left alone.
 *
 * Folders: containerd's state (containerd ops.md, "state"; k3s and RKE2 have
 * their own), and CRI-O's bundles (containers-storage.conf, "runroot").
 */
#include "base/compat.h"
#include "probe/upgrade_parts.h"

#include <errno.h>

#include "base/json.h"
#include "probe/read.h"

enum {
	MAX_CONTAINERS = 1024,		/* that are looked at; a node has room for some 250 pods */
	MAX_CONFIG_BYTES = 1 << 20,	/* of one config.json; most have 20 KiB */
	MAX_REQUIREMENT_CHARS = 2048,
	ID_CHARS = 12,			/* as gpu_process.container has it */
};

/* The value of a variable of process.env, "NAME=value"; NULL: it is not set. */
static const char *variable(const cJSON *env, const char *name)
{
	const cJSON *word;
	size_t len = strlen(name);

	cJSON_ArrayForEach(word, env) {
		const char *text = cJSON_GetStringValue(word);

		if (text && !strncmp(text, name, len) && text[len] == '=')
			return text + len + 1;
	}
	return NULL;
}

/* CDI and device plugins list the nodes themselves. */
static bool has_node(const cJSON *root)
{
	const cJSON *device;

	cJSON_ArrayForEach(device, json_member(json_member(root, "linux"), "devices")) {
		const char *path = cJSON_GetStringValue(json_member(device, "path"));

		if (path && !strncmp(path, "/dev/nvidia", strlen("/dev/nvidia")))
			return true;
	}
	return false;
}

/* NVIDIA's runtime leaves them to a hook, which looks at NVIDIA_VISIBLE_DEVICES (nvidia-container-toolkit, README). */
static bool has_hook(const cJSON *root, const cJSON *env)
{
	const char *devices = variable(env, "NVIDIA_VISIBLE_DEVICES");
	const cJSON *hook;

	if (!devices || !*devices || !strcmp(devices, "void") || !strcmp(devices, "none"))
		return false;
	cJSON_ArrayForEach(hook, json_member(json_member(root, "hooks"), "prestart")) {
		const char *path = cJSON_GetStringValue(json_member(hook, "path"));

		if (path && strstr(path, "nvidia-container-"))
			return true;
	}
	return false;
}

/* "cuda>=12.4 brand=tesla,driver>=470,driver<471": what is of another form may be anything. */
static struct val_str requirement_of(struct arena *arena, const cJSON *env)
{
	static const char form[] = "abcdefghijklmnopqrstuvwxyz0123456789.<>=!,-_ ";
	const char *text = variable(env, "NVIDIA_REQUIRE_CUDA"), *off = variable(env, "NVIDIA_DISABLE_REQUIRE");

	if (off && (!strcmp(off, "1") || !strcasecmp(off, "true")))
		return no_str(VAL_ABSENT, "NVIDIA_DISABLE_REQUIRE is set");
	if (!text || !*text)
		return no_str(VAL_ABSENT, "its image asks for no CUDA");
	if (strlen(text) > MAX_REQUIREMENT_CHARS || text[strspn(text, form)])
		return no_str(VAL_ERROR, "NVIDIA_REQUIRE_CUDA is not of the form it should have");
	return text_value(arena, text, strlen(text));
}

/* containerd's word for it, then CRI-O's. */
static struct val_str name_of(struct arena *arena, const cJSON *root)
{
	const cJSON *annotations = json_member(root, "annotations");
	const char *name = cJSON_GetStringValue(json_member(annotations, "io.kubernetes.cri.container-name"));

	if (!name)
		name = cJSON_GetStringValue(json_member(annotations, "io.kubernetes.container.name"));
	return name ? text_value(arena, name, strlen(name)) : no_str(VAL_ABSENT, "Kubernetes did not name it");
}

static void take_config(struct snapshot *facts, const char *id, const cJSON *root)
{
	const cJSON *env = json_member(json_member(root, "process"), "env");
	struct arena *arena = &facts->arena;
	struct gpu_container *container;

	if (!has_node(root) && !has_hook(root, env))
		return;
	id = arena_strndup(arena, id, strnlen(id, ID_CHARS));
	id = str_or(text_value(arena, id, strlen(id)), "?");
	container = list_element(arena, facts, gpu_containers, gpu_container, id);
	container->name = name_of(arena, root);
	container->requires_cuda = requirement_of(arena, env);
}

/* 0, or -errno. One that ended meanwhile is none. */
static int read_config(struct probe_env *env, struct snapshot *facts, const char *id, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error problem;
	struct json_doc doc;
	struct stat st;
	int error = root_stat(env->root, &st, "%s", path);

	if (!error && st.st_size > MAX_CONFIG_BYTES)
		error = -EFBIG;
	if (!error)
		error = root_read(env->root, &text, "%s", path);
	if (error)
		return state_of_errno(error) == VAL_ABSENT ? 0 : error;
	if (json_parse(text.buf, text.len, 0, &doc, &problem))
		return -EINVAL;
	take_config(facts, id, doc.root);
	json_release(&doc);
	return 0;
}

/* Of each folder below this one, its config.json. The first error, or 0. */
static int read_bundles(struct probe_env *env, struct snapshot *facts, const char *folder, const char *below,
			size_t *nr)
{
	struct arena scratch = { 0 };
	struct name_list ids = { 0 };
	int first = root_list(env->root, &ids, "%s", folder);

	if (state_of_errno(first) == VAL_ABSENT)
		first = 0;
	for (size_t i = 0; i < ids.nr && *nr <= MAX_CONTAINERS; i++) {
		int error = ++*nr > MAX_CONTAINERS ? -EFBIG :
			read_config(env, facts, ids.names[i],
				    arena_printf(&scratch, "%s/%s%s/config.json", folder, ids.names[i], below));

		first = first ? first : error;
	}
	name_list_release(&ids);
	arena_release(&scratch);
	return first;
}

/* containerd keeps those of Kubernetes, of Docker and of its own tools apart, by namespaces. */
static int read_namespaces(struct probe_env *env, struct snapshot *facts, const char *folder, size_t *nr)
{
	struct arena scratch = { 0 };
	struct name_list names = { 0 };
	int first = root_list(env->root, &names, "%s", folder);

	if (state_of_errno(first) == VAL_ABSENT)
		first = 0;
	for (size_t i = 0; i < names.nr; i++) {
		int error = read_bundles(env, facts, arena_printf(&scratch, "%s/%s", folder, names.names[i]), "", nr);

		first = first ? first : error;
	}
	name_list_release(&names);
	arena_release(&scratch);
	return first;
}

void upgrade_containers_read(struct probe_env *env, struct snapshot *facts)
{
	static const char *const states[] = {
		"/run/containerd/io.containerd.runtime.v2.task", "/run/k3s/containerd/io.containerd.runtime.v2.task",
	};
	size_t nr = 0;
	int first = 0, error;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		error = read_namespaces(env, facts, states[i], &nr);
		first = first ? first : error;
	}
	error = read_bundles(env, facts, "/run/containers/storage/overlay-containers", "/userdata", &nr);
	first = first ? first : error;
	facts->listed.gpu_containers = first ? no_u64(state_of_errno(first), name_of_errno(first)) :
					       val_u64(facts->nr_gpu_containers);
}
