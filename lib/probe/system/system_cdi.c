// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_cdi.c - files that tell container runtimes what of NVIDIA's driver a
 * container gets (Container Device Interface), and the driver they were made
 * for: nvidia-ctk writes each library by its file's name, which carries the
 * driver's version. Where the folders are: the CDI specification.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <errno.h>

#include "probe/read.h"

const char *cdi_driver_version(struct arena *arena, const char *text)
{
	/* CUDA's forward compatibility package has a libcuda of its own: the other is asked first. */
	static const char *const libraries[] = { "libnvidia-ml.so.", "libcuda.so." };

	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		for (const char *at = strstr(text, libraries[i]); at; at = strstr(at, libraries[i])) {
			const char *version, *ignored;
			size_t len;

			at += strlen(libraries[i]);
			len = strspn(at, "0123456789.");
			version = arena_strndup(arena, at, len);
			if (user_library_parse(arena_printf(arena, "libcuda.so.%s", version), &ignored) >= 0 && ignored)
				return version;
		}
	}
	return NULL;
}

/* kind: nvidia.com/gpu, or "kind": "nvidia.com/gpu" */
const char *cdi_kind(struct arena *arena, const char *text)
{
	static const char key[] = "kind", between[] = "\"' \t:";

	for (const char *at = strstr(text, key); at; at = strstr(at, key)) {
		size_t gap, len;

		at += strlen(key);
		gap = strspn(at, between);
		len = strcspn(at + gap, "\"' \t\r\n,}");
		if (memchr(at, ':', gap) && memchr(at + gap, '/', len))
			return arena_strndup(arena, at + gap, len);
	}
	return NULL;
}

enum { MAX_SPECS = 1024 };	/* recorded at most; a node has a few */

/* 0, or -errno: its content is unknown. */
static int read_spec(struct probe_env *env, struct snapshot *facts, const char *path)
{
	struct arena *arena = &facts->arena;
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, "%s", path);
	const char *version, *kind;
	struct cdi_spec *spec;

	if (error)
		return error;
	version = cdi_driver_version(arena, text.buf);
	kind = cdi_kind(arena, text.buf);
	/* Another vendor's, or one of device nodes alone. */
	if (!version)
		return 0;
	if (facts->nr_cdi_specs == MAX_SPECS)
		return -EFBIG;
	spec = list_element(arena, facts, cdi_specs, cdi_spec, path);
	spec->driver_version = val_str(version);
	spec->kind = kind ? text_value(arena, kind, strlen(kind)) : no_str(VAL_ABSENT, "it names none");
	return 0;
}

static bool is_spec(const char *name)
{
	const char *suffix = strrchr(name, '.');

	return suffix && (!strcmp(suffix, ".yaml") || !strcmp(suffix, ".json"));
}

void system_cdi_read(struct probe_env *env, struct snapshot *facts)
{
	static const char *const folders[] = { "/etc/cdi", "/var/run/cdi" };
	int trouble = 0;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct name_list names = { 0 };
		int error = root_list(env->root, &names, "%s", folders[i]);

		if (error && error != -ENOENT)
			trouble = error;
		for (size_t k = 0; k < names.nr; k++) {
			if (!is_spec(names.names[k]))
				continue;
			error = read_spec(env, facts, arena_printf(&facts->arena, "%s/%s", folders[i], names.names[k]));
			/* A link to nothing, and one that was removed meanwhile, tell runtimes nothing either. */
			if (error && error != -ENOENT)
				trouble = error;
		}
		name_list_release(&names);
	}
	facts->listed.cdi_specs = trouble ? no_u64(state_of_errno(trouble), name_of_errno(trouble)) :
					    val_u64(facts->nr_cdi_specs);
}
