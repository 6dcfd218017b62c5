// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_libraries.c - GPU drivers' libraries for programs, by file name.
 *
 * Nothing is loaded. The folders are those of the loader in its order
 * (LD_LIBRARY_PATH, /etc/ld.so.conf, the usual ones), then those where
 * containers and driver containers put the libraries. A program asks for NAME.so.1: the first folder that has it wins.
 * Folders of LD_LIBRARY_PATH are not listed, only asked for that name: they can
 * be large, and on a file server.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <errno.h>

#include "base/text.h"
#include "probe/paths.h"
#include "probe/read.h"

#define LOADER_CONF "/etc/ld.so.conf"

static const char *const library_names[] = { "libcuda", "libnvidia-ml", "libnvidia-opencl" };

static const char *const usual_folders[] = {
	"/usr/local/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
	"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
	"/lib/powerpc64le-linux-gnu", "/usr/lib/powerpc64le-linux-gnu",
	"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/run/opengl-driver/lib",
	"/run/nvidia/driver/usr/lib/x86_64-linux-gnu", "/run/nvidia/driver/usr/lib/aarch64-linux-gnu",
	"/run/nvidia/driver/usr/lib64", "/home/kubernetes/bin/nvidia/lib64", "/usr/local/nvidia/lib64",
	"/usr/lib/wsl/lib",
};

/* The folders, each once, without links. */
struct folders {
	struct probe_env *env;
	struct arena *arena;
	struct strs paths;
	size_t nr_unlisted;	/* the first of them: of LD_LIBRARY_PATH */
};

static void add_folder(struct folders *folders, const char *path)
{
	const char *resolved = path[0] == '/' ? resolved_path(folders->env, folders->arena, path) : NULL;

	if (resolved && !strs_has(&folders->paths, resolved))
		strs_add(folders->arena, &folders->paths, resolved);
}

/* Folders with separators between them: a line of ld.so.conf, or LD_LIBRARY_PATH. */
static void add_folders(struct folders *folders, const char *text, size_t text_len, const char *separators)
{
	const char *end = text + text_len;

	for (const char *at = text; at < end; at += strcspn(at, separators) + 1) {
		size_t len = strcspn(at, separators);

		if (len > (size_t)(end - at))
			len = (size_t)(end - at);
		if (len)
			add_folder(folders, arena_strndup(folders->arena, at, len));
	}
}

/* The lines of a file that name folders: not comments, "include" or "hwcap". */
static void add_conf(struct folders *folders, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (root_read(folders->env->root, &text, "%s", path))
		return;
	for (const char *line = text.buf; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + strspn(line, " \t");

		if (*at == '/')
			add_folders(folders, at, strcspn(at, "#\n"), " \t,:\n#");
	}
}

/* Every distribution's ld.so.conf includes the .conf files of the folder beside it, in the order of their names. */
static void add_loader_conf(struct folders *folders)
{
	struct name_list names = { 0 };

	if (!root_list(folders->env->root, &names, LOADER_CONF ".d")) {
		for (size_t i = 0; i < names.nr; i++) {
			const char *suffix = strrchr(names.names[i], '.');

			if (suffix && !strcmp(suffix, ".conf"))
				add_conf(folders,
					 arena_printf(folders->arena, LOADER_CONF ".d/%s", names.names[i]));
		}
	}
	name_list_release(&names);
	add_conf(folders, LOADER_CONF);
}

static void find_folders(struct folders *folders)
{
	const char *path = root_is_live(folders->env->root) ? getenv("LD_LIBRARY_PATH") : NULL;

	if (path)
		add_folders(folders, path, strlen(path), ":;");
	folders->nr_unlisted = folders->paths.nr;
	add_loader_conf(folders);
	for (size_t i = 0; i < ARRAY_SIZE(usual_folders); i++)
		add_folder(folders, usual_folders[i]);
}

/* NVIDIA's drivers have had numbers above 100 since 2007; "1" and "1.1" are the library's own interface. */
static bool is_driver_version(const char *text)
{
	size_t major = strspn(text, "0123456789");

	return major >= 3 && text[0] != '0' && text[major] == '.' && text[major + 1] &&
	       !text[strspn(text, "0123456789.")] && text[strlen(text) - 1] != '.';
}

int user_library_parse(const char *file, const char **ret_version)
{
	static const char middle[] = ".so.";

	for (size_t i = 0; i < ARRAY_SIZE(library_names); i++) {
		size_t len = strlen(library_names[i]);
		const char *version = file + len + strlen(middle);

		if (strncmp(file, library_names[i], len) || strncmp(file + len, middle, strlen(middle)))
			continue;
		*ret_version = is_driver_version(version) ? version : NULL;
		return *ret_version || !strcmp(version, "1") ? (int)i : -1;
	}
	return -1;
}

/* Empty files are left where a container's mounts were; those of 32 bits are another loader's. */
static bool may_be_loaded(struct probe_env *env, const char *path)
{
	static const unsigned char elf32[] = { 0x7f, 'E', 'L', 'F', 1 };
	unsigned char start[sizeof(elf32)];
	size_t len = 0;
	int error = root_read_bytes(env->root, start, sizeof(start), &len, "%s", path);

	return error ? error == -EACCES : len && (len < sizeof(elf32) || memcmp(start, elf32, sizeof(elf32)) != 0);
}

/* The library of that table place which the loader finds, by file; NULL while none was found. */
struct found {
	const char *first[ARRAY_SIZE(library_names)];
};

static void look_at_file(struct probe_env *env, struct snapshot *facts, struct found *found, const char *folder,
			 const char *file)
{
	struct arena *arena = &facts->arena;
	const char *version, *path, *base;
	struct user_library *library;
	int place = user_library_parse(file, &version);
	bool is_link_of_loader = place >= 0 && !version;

	if (place < 0)
		return;
	path = resolved_path(env, arena, arena_printf(arena, "%s/%s", folder, file));
	if (!path || !may_be_loaded(env, path))
		return;
	base = strrchr(path, '/') + 1;
	if (user_library_parse(base, &version) != place)
		version = NULL;
	library = list_element(arena, facts, user_libraries, user_library, path);
	library->name = val_str(library_names[place]);
	library->version = version ? val_str(version) : no_str(VAL_ABSENT, "its file's name carries none");
	if (is_link_of_loader && !found->first[place])
		found->first[place] = path;
}

static void ask_folder(struct probe_env *env, struct snapshot *facts, struct found *found, const char *folder)
{
	for (size_t i = 0; i < ARRAY_SIZE(library_names); i++)
		look_at_file(env, facts, found, folder, arena_printf(&facts->arena, "%s.so.1", library_names[i]));
}

/* 0 or -errno. */
static int list_folder(struct probe_env *env, struct snapshot *facts, struct found *found, const char *folder)
{
	struct name_list names = { 0 };
	int error = root_list(env->root, &names, "%s", folder);

	for (size_t i = 0; i < names.nr; i++)
		look_at_file(env, facts, found, folder, names.names[i]);
	name_list_release(&names);
	return error == -ENOTDIR || error == -ENOENT ? 0 : error;
}

static void mark_first(struct snapshot *facts, const struct found *found)
{
	for (size_t i = 0; i < facts->nr_user_libraries; i++) {
		struct user_library *library = &facts->user_libraries[i];
		bool is_first = false;

		for (size_t k = 0; k < ARRAY_SIZE(library_names); k++)
			is_first |= found->first[k] && !strcmp(found->first[k], str_or(library->key, ""));
		library->is_loaded_first = val_bool(is_first);
	}
}

void system_libraries_read(struct probe_env *env, struct snapshot *facts)
{
	struct folders folders = { .env = env, .arena = &facts->arena, .paths = { 0 }, .nr_unlisted = 0 };
	struct found found = { 0 };
	int trouble = 0;

	find_folders(&folders);
	for (size_t i = 0; i < folders.paths.nr; i++) {
		int error = 0;

		if (i < folders.nr_unlisted)
			ask_folder(env, facts, &found, folders.paths.v[i]);
		else
			error = list_folder(env, facts, &found, folders.paths.v[i]);
		if (error && !trouble)
			trouble = error;
	}
	mark_first(facts, &found);
	/* A folder we may not look into matters only where nothing was found elsewhere. */
	facts->listed.user_libraries = facts->nr_user_libraries || !trouble
		? val_u64(facts->nr_user_libraries)
		: no_u64(state_of_errno(trouble), name_of_errno(trouble));
}
