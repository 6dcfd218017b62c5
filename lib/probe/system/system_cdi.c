// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_cdi.c - files that tell container runtimes what of a GPU's driver a
 * container gets (Container Device Interface), the driver they were made for,
 * and what they name that is gone: nvidia-ctk writes each library by its file's
 * name, which carries the driver's version. Where the folders are: the CDI
 * specification.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <errno.h>

#include "base/text.h"
#include "format/cdi.h"
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

enum {
	MAX_SPECS = 1024,		/* recorded at most; a node has a few */
	MAX_TEXTS = 8192,		/* devices and paths of all of them; a full node has 300 */
};

/* ---- what it names */

/*
 * A recording has only some files: one is gone from it where another that is
 * named alike lies in its folder, as libcuda.so of another version does, or
 * another GPU's node.
 */
static bool has_alike(struct probe_env *env, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash + 1, *suffix = strstr(name, ".so.");
	size_t len = suffix ? (size_t)(suffix - name) + strlen(".so.") : strcspn(name, "0123456789");
	struct name_list names = { 0 };
	bool ret = false;

	if (!len || root_list(env->root, &names, "%.*s", (int)(slash - path), path))
		return false;
	for (size_t i = 0; i < names.nr; i++)
		ret |= !strncmp(names.names[i], name, len);
	name_list_release(&names);
	return ret;
}

static bool is_gone(struct probe_env *env, const char *path)
{
	int error = path[0] == '/' ? root_exists(env->root, "%s", path) : 0;

	return (error == -ENOENT || error == -ENOTDIR) && (root_is_live(env->root) || has_alike(env, path));
}

static void add_text(struct arena *arena, struct strs *list, const char *text)
{
	const char *clean = str_or(text_value(arena, text, strlen(text)), NULL);

	if (clean)
		strs_add(arena, list, clean);
}

static void take_paths(struct probe_env *env, struct arena *arena, const struct cdi_content *content,
		       struct cdi_spec *spec)
{
	spec->paths = val_u64(content->paths.nr);
	for (size_t i = 0; i < content->devices.nr; i++)
		add_text(arena, &spec->devices, content->devices.v[i]);
	for (size_t i = 0; i < content->paths.nr; i++)
		if (is_gone(env, content->paths.v[i]))
			add_text(arena, &spec->paths_gone, content->paths.v[i]);
}

/* room: how many texts of it fit into the snapshot. */
static void take_content(struct probe_env *env, struct arena *arena, const struct cdi_content *content,
			 struct cdi_spec *spec, size_t *room)
{
	spec->broken = no_str(VAL_ABSENT, "it can be read");
	spec->broken_line = no_u64(VAL_ABSENT, "it can be read");
	if (content->form == CDI_READ && content->devices.nr + content->paths.nr > *room) {
		spec->paths = no_u64(VAL_UNSUPPORTED, "more than fits in a report");
	} else if (content->form == CDI_READ) {
		*room -= content->devices.nr + content->paths.nr;
		take_paths(env, arena, content, spec);
	} else if (content->form == CDI_UNKNOWN_FORM) {
		spec->paths = no_u64(VAL_UNSUPPORTED, arena_printf(arena, "line %u: %s", content->line, content->what));
	} else {
		spec->paths = no_u64(VAL_UNSUPPORTED, "the file is broken");
		spec->broken = val_str(content->what);
		spec->broken_line = val_u64(content->line);
	}
}

/* Vendors whose GPUs have CDI generators, their device plugins and drivers for resource claims among them. */
static bool is_of_gpus(const char *text)
{
	static const char *const vendors[] = { "nvidia.com/", "amd.com/gpu", "intel.com/gpu" };

	return text_has_any(text, vendors, ARRAY_SIZE(vendors));
}

/* 0, or -errno: its content is unknown. */
static int read_spec(struct probe_env *env, struct snapshot *facts, const char *path, size_t *room)
{
	struct arena *arena = &facts->arena;
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, "%s", path);
	const char *version, *kind;
	struct cdi_content content;
	struct cdi_spec *spec;

	if (error)
		return error;
	version = cdi_driver_version(arena, text.buf);
	kind = cdi_kind(arena, text.buf);
	/* Another vendor's, a network card's. Of a broken one any mention tells. */
	if (!version && !is_of_gpus(kind ? kind : text.buf))
		return 0;
	if (facts->nr_cdi_specs == MAX_SPECS)
		return -EFBIG;
	cdi_parse(arena, text.buf, text.len, strstr(path, ".json"), &content);
	spec = list_element(arena, facts, cdi_specs, cdi_spec, path);
	spec->driver_version =
		version ? val_str(version) : no_str(VAL_ABSENT, "it mounts no library of NVIDIA's driver");
	spec->kind = kind ? text_value(arena, kind, strlen(kind)) : no_str(VAL_ABSENT, "it names none");
	take_content(env, arena, &content, spec, room);
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
	size_t room = MAX_TEXTS;
	int trouble = 0;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct name_list names = { 0 };
		int error = root_list(env->root, &names, "%s", folders[i]);

		if (error && error != -ENOENT)
			trouble = error;
		for (size_t k = 0; k < names.nr; k++) {
			if (!is_spec(names.names[k]))
				continue;
			error = read_spec(env, facts, arena_printf(&facts->arena, "%s/%s", folders[i], names.names[k]),
					  &room);
			/* A link to nothing, and one that was removed meanwhile, tell runtimes nothing either. */
			if (error && error != -ENOENT)
				trouble = error;
		}
		name_list_release(&names);
	}
	facts->listed.cdi_specs = trouble ? no_u64(state_of_errno(trouble), name_of_errno(trouble)) :
					    val_u64(facts->nr_cdi_specs);
}
