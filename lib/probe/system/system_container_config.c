// SPDX-License-Identifier: GPL-2.0-or-later
/* system_container_config.c - configuration files of container runtimes and of NVIDIA's runtime, and what they name. */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <errno.h>

#include "base/text.h"
#include "format/container_config.h"
#include "probe/read.h"

#define CONTAINERD "/etc/containerd"
#define K3S "/var/lib/rancher/k3s/agent/etc/containerd"
#define RKE2 "/var/lib/rancher/rke2/agent/etc/containerd"
#define CRIO_FOLDER "/etc/crio/crio.conf.d"

enum { MAX_FILES = 64 };		/* a node has a handful */

struct reading {
	struct probe_env *env;
	struct snapshot *facts;
	struct arena *arena;
	int trouble;			/* -errno of a file that is there and cannot be read */
};

/* ---- what they name */

static bool is_folder_there(struct reading *reading, const char *path, size_t len)
{
	return !root_exists(reading->env->root, "%.*s", (int)len, path);
}

/* Of a recording nobody knows what was left out, unless the folder was recorded. */
static struct val_bool file_exists(struct reading *reading, const char *path)
{
	const char *slash = strrchr(path, '/');
	int error = root_exists(reading->env->root, "%s", path);

	if (!error)
		return val_bool(true);
	if (error != -ENOENT && error != -ENOTDIR)
		return no_bool(state_of_errno(error), name_of_errno(error));
	if (!root_is_live(reading->env->root) && !is_folder_there(reading, path, (size_t)(slash - path)))
		return no_bool(VAL_UNSUPPORTED, "the recording lacks its folder");
	return val_bool(false);
}

/* A name without a folder is looked for where systemd's services look (systemd.exec(5), ExecSearchPath=). */
static struct val_bool program_exists(struct reading *reading, const char *program)
{
	static const char *const folders[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin",
					       "/bin" };
	bool was_asked = root_is_live(reading->env->root);

	if (program[0] == '/')
		return file_exists(reading, program);
	if (strchr(program, '/'))
		return no_bool(VAL_UNSUPPORTED, "a path from an unknown folder");
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (!root_exists(reading->env->root, "%s/%s", folders[i], program))
			return val_bool(true);
		was_asked |= is_folder_there(reading, folders[i], strlen(folders[i]));
	}
	return was_asked ? val_bool(false) : no_bool(VAL_UNSUPPORTED, "the recording lacks its folder");
}

static void look_for_named(struct reading *reading, struct container_config *config)
{
	static const char not_named[] = "it names none";
	const char *program = str_or(config->nvidia_runtime, NULL), *cache = str_or(config->ldcache, NULL);

	config->nvidia_runtime_exists = program ? program_exists(reading, program) : no_bool(VAL_ABSENT, not_named);
	config->ldcache_exists =
		cache && cache[0] == '/' ? file_exists(reading, cache) : no_bool(VAL_ABSENT, not_named);
}

/* ---- files */

/* NULL: it is not there, was read before, or cannot be read. */
static struct container_config *read_file(struct reading *reading, enum container_config_kind kind, const char *path,
					  struct strs *imports)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(reading->env->root, &text, "%s", path);
	struct container_config *config;

	if (!error && list_find(reading->facts, container_configs, container_config, path))
		return NULL;
	if (!error && reading->facts->nr_container_configs == MAX_FILES)
		error = -EFBIG;
	if (error) {
		/* A folder there is none of their files. */
		if (error != -ENOENT && error != -ENOTDIR && error != -EISDIR)
			reading->trouble = error;
		return NULL;
	}
	config = list_element(reading->arena, reading->facts, container_configs, container_config, path);
	container_config_parse(reading->arena, kind, text.buf, text.len, config, imports);
	look_for_named(reading, config);
	config->is_imported = no_bool(VAL_ABSENT, "no file that another has to import");
	config->template = no_str(VAL_ABSENT, "not written by another program");
	return config;
}

static bool is_imported(const struct strs *imports, const char *path)
{
	static const char own[] = CONTAINERD "/";

	for (size_t i = 0; i < imports->nr; i++) {
		const char *pattern = imports->v[i];
		const char *base = strncmp(path, own, strlen(own)) ? path : path + strlen(own);

		if (glob_match(pattern, pattern[0] == '/' ? path : base))
			return true;
	}
	return false;
}

static void read_folder(struct reading *reading, enum container_config_kind kind, const char *folder,
			const struct strs *imports)
{
	struct name_list names = { 0 };
	struct strs ignored = { .nr = 0 };
	int error = root_list(reading->env->root, &names, "%s", folder);

	if (error && error != -ENOENT && error != -ENOTDIR)
		reading->trouble = error;
	for (size_t i = 0; i < names.nr; i++) {
		const char *path = arena_printf(reading->arena, "%s/%s", folder, names.names[i]);
		struct container_config *config;

		/* What an editor or a package manager left there is read by neither. */
		if (names.names[i][0] == '.' || (kind != CONFIG_CRIO && !glob_match("*.toml", names.names[i])))
			continue;
		config = read_file(reading, kind, path, &ignored);
		if (config && imports)
			config->is_imported = val_bool(is_imported(imports, path));
	}
	name_list_release(&names);
}

static void read_imports(struct reading *reading, enum container_config_kind kind, const struct strs *imports)
{
	for (size_t i = 0; i < imports->nr; i++) {
		const char *pattern = imports->v[i], *slash = strrchr(pattern, '/');
		struct strs ignored = { .nr = 0 };

		if (pattern[0] == '/' && !strchr(pattern, '*'))
			read_file(reading, kind, pattern, &ignored);
		else if (pattern[0] == '/' && !memchr(pattern, '*', (size_t)(slash - pattern)))
			read_folder(reading, kind, arena_strndup(reading->arena, pattern, (size_t)(slash - pattern)),
				    imports);
	}
}

/* The main file names others one by one, or a folder's by a pattern; it may leave out those of conf.d. */
static void read_containerd(struct reading *reading)
{
	struct strs imports = { .nr = 0 };
	const struct container_config *main_file =
		read_file(reading, CONFIG_CONTAINERD, CONTAINERD "/config.toml", &imports);
	const bool is_main_read = main_file && !is_known(main_file->broken);

	read_imports(reading, CONFIG_CONTAINERD, &imports);
	read_folder(reading, CONFIG_CONTAINERD, CONTAINERD "/conf.d", is_main_read ? &imports : NULL);
}

/*
 * k3s and rke2 write their containerd's file anew at each start, from a template of theirs or the site's, which is a
 * program and no TOML (docs.k3s.io, "Configuring containerd"). What was written is what runs.
 */
static void read_rancher(struct reading *reading, enum container_config_kind kind, const char *folder)
{
	static const char *const templates[] = { "config-v3.toml.tmpl", "config.toml.tmpl" };
	struct strs imports = { .nr = 0 };
	struct container_config *written =
		read_file(reading, kind, arena_printf(reading->arena, "%s/config.toml", folder), &imports);

	if (!written)
		return;
	written->template = no_str(VAL_ABSENT, "written from the built-in template");
	for (size_t i = 0; i < ARRAY_SIZE(templates) && !is_known(written->template); i++)
		if (!root_exists(reading->env->root, "%s/%s", folder, templates[i]))
			written->template = val_str(arena_printf(reading->arena, "%s/%s", folder, templates[i]));
	read_imports(reading, kind, &imports);
}

void system_container_config_read(struct probe_env *env, struct snapshot *facts)
{
	struct reading reading = { .env = env, .facts = facts, .arena = &facts->arena };
	struct strs ignored = { .nr = 0 };

	read_file(&reading, CONFIG_DOCKER, "/etc/docker/daemon.json", &ignored);
	read_containerd(&reading);
	read_rancher(&reading, CONFIG_K3S, K3S);
	read_rancher(&reading, CONFIG_RKE2, RKE2);
	read_file(&reading, CONFIG_CRIO, "/etc/crio/crio.conf", &ignored);
	read_folder(&reading, CONFIG_CRIO, CRIO_FOLDER, NULL);
	read_file(&reading, CONFIG_NVIDIA, "/etc/nvidia-container-runtime/config.toml", &ignored);
	facts->listed.container_configs =
		reading.trouble ? no_u64(state_of_errno(reading.trouble), name_of_errno(reading.trouble))
				: val_u64(facts->nr_container_configs);
}
