// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * container_config.c - keys: dockerd's daemon.json, containerd's docs/cri/config.md, crio.conf(5), and the NVIDIA
 * Container Toolkit's own configuration.
 */
#include "base/compat.h"
#include "format/container_config.h"

#include "base/json.h"
#include "format/json_broken.h"
#include "format/text_value.h"
#include "format/toml.h"

#define RUNTIME "nvidia"

const char *container_config_owner(enum container_config_kind kind)
{
	static const char *const owners[] = {
		[CONFIG_DOCKER] = "docker", [CONFIG_CONTAINERD] = "containerd", [CONFIG_K3S] = "k3s",
		[CONFIG_RKE2] = "rke2", [CONFIG_CRIO] = "cri-o",
		[CONFIG_NVIDIA] = "nvidia-container-runtime",
	};

	return owners[kind];
}

struct taking {
	struct arena *arena;
	enum container_config_kind kind;
	struct container_config *ret;
	struct strs *imports;
};

static struct val_str text_of(struct arena *arena, const char *text)
{
	return text_value(arena, text, strlen(text));
}

static void set_values(struct container_config *ret, enum val_state state, const char *why)
{
	ret->default_runtime = ret->nvidia_runtime = ret->mode = ret->ldcache = ret->cdi_kind = no_str(state, why);
	ret->no_cgroups = ret->defines_nvidia = no_bool(state, why);
}

/* What stands before the line is of no use either. */
static void set_broken(struct arena *arena, struct container_config *ret, const char *what, unsigned line)
{
	set_values(ret, VAL_UNSUPPORTED, "the file is broken");
	ret->broken = text_of(arena, what);
	ret->broken_line = val_u64(line);
}

/* ---- TOML */

/* Do the last parts of a key say this? They end with NULL. */
static bool ends_with(const struct toml_key *key, const char *const *parts)
{
	size_t nr = 0;

	while (parts[nr])
		nr++;
	for (size_t i = 0; i < nr; i++)
		if (key->nr < nr || strcmp(key->parts[key->nr - nr + i], parts[i]) != 0)
			return false;
	return true;
}
#define ENDS_WITH(key, ...) ends_with((key), (const char *const[]){ __VA_ARGS__, NULL })

static void take_table(void *data, const struct toml_key *table)
{
	const struct taking *taking = data;

	if (taking->kind != CONFIG_NVIDIA &&
	    (ENDS_WITH(table, "runtimes", RUNTIME) || ENDS_WITH(table, "runtimes", RUNTIME, "options")))
		taking->ret->defines_nvidia = val_bool(true);
}

static void take_switch(const char *text, struct val_bool *ret)
{
	if (!strcmp(text, "true") || !strcmp(text, "false"))
		*ret = val_bool(!strcmp(text, "true"));
}

static void take_nvidia(const struct taking *taking, const struct toml_key *key, const char *text)
{
	struct container_config *ret = taking->ret;

	if (ENDS_WITH(key, "nvidia-container-cli", "no-cgroups"))
		take_switch(text, &ret->no_cgroups);
	else if (ENDS_WITH(key, "nvidia-container-cli", "ldcache"))
		ret->ldcache = text_of(taking->arena, text);
	else if (ENDS_WITH(key, "nvidia-container-runtime", "mode"))
		ret->mode = text_of(taking->arena, text);
	else if (ENDS_WITH(key, "modes", "cdi", "default-kind"))
		ret->cdi_kind = text_of(taking->arena, text);
}

static bool is_containerd(enum container_config_kind kind)
{
	return kind == CONFIG_CONTAINERD || kind == CONFIG_K3S || kind == CONFIG_RKE2;
}

static void take_array(const struct taking *taking, const struct toml_key *key, const struct strs *array)
{
	if (is_containerd(taking->kind) && key->nr == 1 && ENDS_WITH(key, "imports"))
		*taking->imports = *array;
	else if (taking->kind == CONFIG_NVIDIA && ENDS_WITH(key, "modes", "cdi", "spec-dirs"))
		taking->ret->cdi_folders = *array;
}

static void take_value(void *data, const struct toml_key *key, const char *text, const struct strs *array)
{
	const struct taking *taking = data;
	struct container_config *ret = taking->ret;

	if (!text)
		take_array(taking, key, array);
	else if (taking->kind == CONFIG_NVIDIA)
		take_nvidia(taking, key, text);
	else if (ENDS_WITH(key, "containerd", "default_runtime_name") ||
		 ENDS_WITH(key, "crio", "runtime", "default_runtime"))
		ret->default_runtime = text_of(taking->arena, text);
	else if (ENDS_WITH(key, "runtimes", RUNTIME, "options", "BinaryName") ||
		 ENDS_WITH(key, "runtimes", RUNTIME, "runtime_path"))
		ret->nvidia_runtime = text_of(taking->arena, text);
}

static void parse_toml(struct taking *taking, const char *text)
{
	const struct toml_taker taker = { .data = taking, .table = take_table, .value = take_value };
	const char *what;
	unsigned line = toml_read(taking->arena, text, &taker, &what);

	if (line)
		set_broken(taking->arena, taking->ret, what, line);
}

/* ---- JSON */

static void parse_docker(struct taking *taking, const char *text, size_t len)
{
	struct container_config *ret = taking->ret;
	struct json_error error = { .line = 0 };
	const char *name, *path;
	const cJSON *runtime;
	struct json_doc doc;

	/* dockerd takes an empty file for none. */
	if (!text[strspn(text, " \t\r\n")])
		return;
	if (json_parse(text, len, 0, &doc, &error)) {
		if (is_broken_json(&error))
			set_broken(taking->arena, ret, error.what, error.line ? error.line : 1);
		else
			set_values(ret, VAL_UNSUPPORTED,
				   arena_printf(taking->arena, "line %u: %s", error.line, error.what));
		return;
	}
	name = cJSON_GetStringValue(json_member(doc.root, "default-runtime"));
	runtime = json_member(json_member(doc.root, "runtimes"), RUNTIME);
	path = cJSON_GetStringValue(json_member(runtime, "path"));
	if (name)
		ret->default_runtime = text_of(taking->arena, name);
	ret->defines_nvidia = val_bool(runtime != NULL);
	if (path)
		ret->nvidia_runtime = text_of(taking->arena, path);
	json_release(&doc);
}

void container_config_parse(struct arena *arena, enum container_config_kind kind, const char *text, size_t len,
			    struct container_config *ret, struct strs *imports)
{
	static const char not_there[] = "the file does not say";
	struct taking taking = { .arena = arena, .kind = kind, .ret = ret, .imports = imports };

	ret->owner = val_str(container_config_owner(kind));
	ret->broken = no_str(VAL_ABSENT, "it can be read");
	ret->broken_line = no_u64(VAL_ABSENT, "it can be read");
	set_values(ret, VAL_ABSENT, not_there);
	if (kind != CONFIG_NVIDIA)
		ret->defines_nvidia = val_bool(false);
	if (kind == CONFIG_DOCKER)
		parse_docker(&taking, text, len);
	else
		parse_toml(&taking, text);
}
