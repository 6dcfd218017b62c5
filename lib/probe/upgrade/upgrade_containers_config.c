// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_containers_config.c - a container's configuration: config.json of the OCI runtime specification.
 *
 * Of the environment there, one variable of NVIDIA's images is kept, and two others
 * are looked at; the rest holds passwords and is left alone.
 */
#include "base/compat.h"
#include "probe/upgrade/upgrade_containers.h"

#include <errno.h>

#include "base/json.h"
#include "probe/read.h"

enum {
	MAX_CONFIG_BYTES = 1 << 20,	/* of one config.json; most have 20 KiB */
	MAX_ALL_BYTES = 64 << 20,	/* of all of them, which are read within this probe's time */
	MAX_REQUIREMENT_CHARS = 2048,
	ID_CHARS = 12,			/* as gpu_process.container has it */
	MAX_ID_CHARS = 76,		/* containerd pkg/identifiers */
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

/* "cuda>=12.4", "brand=tesla": a constraint's name (nvidia-container-runtime, README), what compares, a word. */
static bool is_condition(const char *text, size_t len)
{
	static const char *const names[] = { "cuda", "driver", "arch", "brand" };
	static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t before = strlen(names[i]), compares;

		if (len <= before || strncmp(text, names[i], before) != 0)
			continue;
		compares = strspn(text + before, "<>=!");
		before += compares;
		return compares && len > before && strspn(text + before, word) == len - before;
	}
	return false;
}

/* "cuda>=12.4 brand=tesla,driver>=470,driver<471": what is of another form may be anything, a password too. */
static bool is_requirement(const char *text)
{
	for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
		size_t len = strcspn(text, " ,");

		if (!is_condition(text, len))
			return false;
		text += len;
	}
	return true;
}

static struct val_str requirement_of(struct arena *arena, const cJSON *env)
{
	const char *text = variable(env, "NVIDIA_REQUIRE_CUDA"), *off = variable(env, "NVIDIA_DISABLE_REQUIRE");

	if (off && (!strcmp(off, "1") || !strcasecmp(off, "true")))
		return no_str(VAL_ABSENT, "NVIDIA_DISABLE_REQUIRE is set");
	if (!text || !*text)
		return no_str(VAL_ABSENT, "its image requires no CUDA");
	if (strlen(text) > MAX_REQUIREMENT_CHARS || !is_requirement(text))
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

/* Docker and Kubernetes count in hexadecimal; ctr(8) takes any name, of which two may begin alike. */
static const char *short_id(struct arena *arena, const char *id)
{
	bool is_number = strlen(id) > ID_CHARS && !id[strspn(id, "0123456789abcdef")];

	id = arena_strndup(arena, id, strnlen(id, is_number ? ID_CHARS : MAX_ID_CHARS));
	return str_or(text_value(arena, id, strlen(id)), "?");
}

static void take_config(struct snapshot *facts, const char *id, const cJSON *root)
{
	const cJSON *env = json_member(json_member(root, "process"), "env");
	const bool is_hooked = has_hook(root, env);
	struct arena *arena = &facts->arena;
	struct gpu_container *container;

	if (!has_node(root) && !is_hooked)
		return;
	container = list_element(arena, facts, gpu_containers, gpu_container, short_id(arena, id));
	container->name = name_of(arena, root);
	container->requires_cuda = requirement_of(arena, env);
	container->has_hook = val_bool(is_hooked);
}

int containers_read_config(struct containers_reading *reading, const char *id, const char *path)
{
	const struct root *root = reading->env->root;
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error problem;
	struct json_doc doc;
	struct stat st;
	int error = root_stat(root, &st, "%s", path);

	if (!error && (st.st_size > MAX_CONFIG_BYTES || reading->bytes > MAX_ALL_BYTES))
		error = -EFBIG;
	if (!error)
		error = root_read(root, &text, "%s", path);
	if (error)
		return error;
	reading->bytes += text.len;
	if (json_parse(text.buf, text.len, 0, &doc, &problem))
		return -EINVAL;
	take_config(reading->facts, id, doc.root);
	json_release(&doc);
	return 0;
}
