// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/data_folders.h"

#include <fcntl.h>

#include "base/text.h"
#include "base/text_scan.h"
#include "probe/process/open_files.h"

struct search {
	struct probe_env *env;
	struct arena *arena;
	const char *pid;
	const char *root;		/* "/proc/4711/root", or "" */
	struct strs *ret;
};

static bool is_of_system(const char *name)
{
	static const char *const prefixes[] = {
		"/dev/", "/proc/", "/sys/", "/run/", "/usr/", "/lib", "/bin/", "/sbin/", "/etc/", "/opt/", "/var/log/",
		"/tmp/", "/memfd:", "/anon_hugepage",
	};

	return text_begins_any(name, prefixes, ARRAY_SIZE(prefixes));
}

/* "flags:\t0100000": octal, as open() takes them. */
static bool is_read_only(struct search *search, const char *descriptor)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *flags;

	if (root_read(search->env->root, &text, "/proc/%.20s/fdinfo/%.20s", search->pid, descriptor))
		return false;
	flags = strstr(text.buf, "flags:");
	if (!flags)
		return false;
	flags += strlen("flags:");
	return (strtoul(flags, NULL, 8) & O_ACCMODE) == O_RDONLY;
}

static void take_file(void *data, const char *descriptor, const char *name)
{
	struct search *search = data;
	const char *slash = strrchr(name, '/'), *folder;
	static const char deleted[] = " (deleted)";
	size_t len = strlen(name);

	if (*name != '/' || slash == name || is_of_system(name) || search->ret->nr == MAX_DATA_FOLDERS)
		return;
	if (len > strlen(deleted) && !strcmp(name + len - strlen(deleted), deleted))
		return;
	if (!utf8_valid(name, len) || !is_read_only(search, descriptor))
		return;
	folder = arena_printf(search->arena, "%s%.*s", search->root, (int)(slash - name), name);
	if (!strs_has(search->ret, folder))
		strs_add(search->arena, search->ret, folder);
}

const char *process_root(struct probe_env *env, struct arena *arena, const char *pid)
{
	STRBUF_AUTO own = STRBUF_INIT;
	STRBUF_AUTO other = STRBUF_INIT;

	if (root_readlink(env->root, &own, "/proc/self/ns/mnt") ||
	    root_readlink(env->root, &other, "/proc/%.20s/ns/mnt", pid) || !strcmp(own.buf, other.buf))
		return "";
	return arena_printf(arena, "/proc/%.20s/root", pid);
}

void data_folders_read(struct probe_env *env, struct arena *arena, const char *pid, struct strs *ret)
{
	struct search search = { .env = env, .arena = arena, .pid = pid, .ret = ret };

	search.root = process_root(env, arena, pid);
	/* One whose files may not be listed tells nothing, and its owner's rights were reported with its holders. */
	(void)!open_files_each(env, pid, take_file, &search);
}
