// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_software.c - software of GPUs' stacks by files that tell their version
 * themselves, whoever installed them: a package manager whose list is not read,
 * or nobody at all.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include "base/json.h"
#include "base/text.h"
#include "probe/paths.h"
#include "probe/read.h"

enum { MAX_SOFTWARE = 1024 };	/* upper limit of entries reported; a typical node has about a dozen */

void software_add(struct snapshot *facts, const char *from, const char *name, struct val_str version)
{
	struct software *software;

	if (facts->nr_software == MAX_SOFTWARE)
		return;
	software = list_element(&facts->arena, facts, software, software, from);
	software->name = val_str(name);
	software->version = version;
}

/* {"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, …}: a toolkit since 11.1. */
static struct val_str version_of_json(struct arena *arena, const char *text, size_t len)
{
	struct val_str version = no_str(VAL_ERROR, "no version of CUDA in it");
	struct json_error error;
	struct json_doc doc;
	const cJSON *cuda, *said;

	if (json_parse(text, len, 0, &doc, &error))
		return no_str(VAL_ERROR, arena_strdup(arena, error.what));
	cuda = json_member(doc.root, "cuda");
	said = cuda ? json_member(cuda, "version") : NULL;
	if (said && cJSON_IsString(said) && version_valid(said->valuestring))
		version = val_str(arena_strdup(arena, said->valuestring));
	json_release(&doc);
	return version;
}

/* "CUDA Version 10.2.89": one before. */
static struct val_str version_of_text(struct arena *arena, const char *text)
{
	static const char prefix[] = "CUDA Version ";
	const char *version;

	if (strncmp(text, prefix, strlen(prefix)))
		return no_str(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", text));
	text += strlen(prefix);
	version = arena_strndup(arena, text, strspn(text, "0123456789."));
	return version_valid(version) ? val_str(version) : no_str(VAL_ERROR, "its version is no number");
}

/* A folder of the forward compatibility package alone has neither file, and is no toolkit. */
static void read_toolkit(struct probe_env *env, struct snapshot *facts, const char *folder)
{
	struct arena *arena = &facts->arena;
	STRBUF_AUTO text = STRBUF_INIT;
	/* /usr/local/cuda leads to one of the others. */
	const char *resolved = resolved_path(env, arena, folder);

	if (!resolved)
		return;
	if (!root_read(env->root, &text, "%s/version.json", resolved))
		software_add(facts, arena_printf(arena, "%s/version.json", resolved), "cuda-toolkit",
		    version_of_json(arena, text.buf, text.len));
	else if (!root_read(env->root, &text, "%s/version.txt", resolved))
		software_add(facts, arena_printf(arena, "%s/version.txt", resolved), "cuda-toolkit",
		    version_of_text(arena, text.buf));
}

static void read_toolkits(struct probe_env *env, struct snapshot *facts)
{
	struct name_list names = { 0 };

	if (root_list(env->root, &names, "/usr/local"))
		return;
	for (size_t i = 0; i < names.nr; i++)
		if (!strcmp(names.names[i], "cuda") || !strncmp(names.names[i], "cuda-", strlen("cuda-")))
			read_toolkit(env, facts, arena_printf(&facts->arena, "/usr/local/%s", names.names[i]));
	name_list_release(&names);
}

/* "6.1.0-82": the release, and the build. */
static void read_rocms(struct probe_env *env, struct snapshot *facts)
{
	struct arena *arena = &facts->arena;
	struct name_list names = { 0 };

	if (root_list(env->root, &names, "/opt"))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		const char *resolved;
		struct val_str text;

		if (strcmp(names.names[i], "rocm") != 0 && strncmp(names.names[i], "rocm-", strlen("rocm-")) != 0)
			continue;
		resolved = resolved_path(env, arena, arena_printf(arena, "/opt/%s", names.names[i]));
		text = resolved ? checked_version(arena, read_str(env, arena, "%s/.info/version", resolved)) :
				  no_str(VAL_ABSENT, "no link");
		if (is_known(text))
			text = val_str(arena_strndup(arena, str_or(text, ""), strcspn(str_or(text, ""), "-")));
		if (text.state != VAL_ABSENT)
			software_add(facts, arena_printf(arena, "%s/.info/version", resolved), "rocm", text);
	}
	name_list_release(&names);
}

/* "libnccl.so.2.21.5"; "libnccl.so.2" is a link to it. */
static void read_nccls(struct probe_env *env, struct snapshot *facts)
{
	static const char *const folders[] = {
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib",
		"/usr/local/nccl/lib", "/usr/local/cuda/lib64",
	};
	static const char prefix[] = "libnccl.so.";
	struct arena *arena = &facts->arena;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		const char *folder = resolved_path(env, arena, folders[i]);
		struct name_list names = { 0 };

		if (!folder || root_list(env->root, &names, "%s", folder))
			continue;
		for (size_t k = 0; k < names.nr; k++) {
			const char *version = names.names[k] + strlen(prefix);

			if (!strncmp(names.names[k], prefix, strlen(prefix)) && version_valid(version) &&
			    strchr(version, '.'))
				software_add(facts, arena_printf(arena, "%s/%s", folder, names.names[k]), "nccl",
				    val_str(arena_strdup(arena, version)));
		}
		name_list_release(&names);
	}
}

/*
 * Programs that NVIDIA's toolkit and the GPU Operator put on a host; their versions cannot be read without running
 * them.
 */
static void read_container_toolkit(struct probe_env *env, struct snapshot *facts)
{
	static const char *const files[] = {
		"/usr/bin/nvidia-container-runtime", "/usr/bin/nvidia-ctk", "/usr/bin/nvidia-container-cli",
		"/usr/local/nvidia/toolkit/nvidia-container-runtime", "/run/current-system/sw/bin/nvidia-ctk",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!root_exists(env->root, "%s", files[i]))
			software_add(facts, files[i], "container-toolkit", no_str(VAL_ABSENT, "none in the file"));
}

void system_software_read(struct probe_env *env, struct snapshot *facts)
{
	read_toolkits(env, facts);
	read_rocms(env, facts);
	read_nccls(env, facts);
	read_container_toolkit(env, facts);
	if (facts->nr_software == MAX_SOFTWARE)
		facts->listed.software = no_u64(VAL_SKIPPED, "more than fits in a report");
	else if (is_known(facts->listed.software))
		facts->listed.software = val_u64(facts->nr_software);
}
