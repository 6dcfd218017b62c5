// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/text.h"

/* Links are read relative to their folder: a third less work for the kernel than by their whole paths. */
static int each_live(const char *pid, open_file_fn *on_file, void *data)
{
	char path[64], name[PATH_MAX];
	const struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	folder = opendir(path);
	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		ssize_t len;

		if (entry->d_name[0] == '.')
			continue;
		len = readlinkat(dirfd(folder), entry->d_name, name, sizeof(name) - 1);
		if (len < 0)
			continue;	/* closed meanwhile */
		name[len] = '\0';
		on_file(data, entry->d_name, name);
	}
	closedir(folder);
	return 0;
}

static int each_recorded(struct probe_env *env, const char *pid, open_file_fn *on_file, void *data)
{
	struct name_list names = { 0 };
	STRBUF_AUTO name = STRBUF_INIT;
	int error = root_list(env->root, &names, "/proc/%s/fd", pid);

	for (size_t i = 0; !error && i < names.nr; i++) {
		if (!root_readlink(env->root, &name, "/proc/%s/fd/%s", pid, names.names[i]))
			on_file(data, names.names[i], name.buf);
	}
	name_list_release(&names);
	return error;
}

int open_files_each(struct probe_env *env, const char *pid, open_file_fn *on_file, void *data)
{
	if (root_is_live(env->root))
		return each_live(pid, on_file, data);
	return each_recorded(env, pid, on_file, data);
}

bool open_files_may_be_gpus(struct probe_env *env)
{
	static const char *const drivers[] = { " drm\n", " kfd\n", " nvidia" };
	STRBUF_AUTO devices = STRBUF_INIT;

	if (root_read(env->root, &devices, "/proc/devices"))
		return true;
	return text_has_any(devices.buf, drivers, ARRAY_SIZE(drivers)) || !root_exists(env->root, "/dev/dxg");
}
