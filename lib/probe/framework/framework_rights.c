// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * framework_rights.c - with whose rights a framework is imported, and in which environment.
 *
 * What it does on import is up to whoever may write its files. So it gets their rights, or those of the process that
 * runs it anyway, and never root's: what is root's own runs as nobody, with the groups of the GPUs' device nodes.
 */
#include "base/compat.h"
#include "probe/framework/framework_internal.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "probe/read.h"

enum { NOBODY = 65534 };

/* The group of a device node, so that it can be opened. */
static void add_group_of(struct probe_env *env, struct rights *rights, const char *path)
{
	struct stat st;

	if (root_stat(env->root, &st, "%s", path) || !st.st_gid || rights->nr_groups == RIGHTS_MAX_GROUPS)
		return;
	for (size_t i = 0; i < rights->nr_groups; i++)
		if (rights->groups[i] == st.st_gid)
			return;
	rights->groups[rights->nr_groups++] = st.st_gid;
}

static void be_nobody(struct probe_env *env, struct rights *rights)
{
	struct name_list names = { 0 };

	*rights = (struct rights){ .user = NOBODY, .group = NOBODY };
	add_group_of(env, rights, "/dev/kfd");
	add_group_of(env, rights, "/dev/nvidiactl");
	if (root_list(env->root, &names, "/dev/dri"))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		char path[512];

		snprintf(path, sizeof(path), "/dev/dri/%s", names.names[i]);
		if (!strncmp(names.names[i], "renderD", strlen("renderD")))
			add_group_of(env, rights, path);
	}
	name_list_release(&names);
}

/* The second number of "Uid:\t1000\t1000\t1000\t1000" is in force; of "Groups:" all are. */
static bool number_of(const char *status, const char *field, size_t at, uint64_t *ret)
{
	const char *line = strstr(status, field);
	size_t len;

	if (!line)
		return false;
	line += strlen(field);
	for (size_t i = 0;; i++) {
		char number[24];

		line += strspn(line, " \t");
		len = strspn(line, "0123456789");
		if (!len || len >= sizeof(number))
			return false;
		snprintf(number, sizeof(number), "%.*s", (int)len, line);
		line += len;
		if (i == at)
			return !parse_u64(number, ret);
	}
}

static bool rights_of_process(struct probe_env *env, uint64_t pid, struct rights *ret)
{
	STRBUF_AUTO status = STRBUF_INIT;
	uint64_t user, group, other;

	if (root_read(env->root, &status, "/proc/%llu/status", (unsigned long long)pid) ||
	    !number_of(status.buf, "\nUid:", 1, &user) || !number_of(status.buf, "\nGid:", 1, &group))
		return false;
	*ret = (struct rights){ .user = (uid_t)user, .group = (gid_t)group };
	while (ret->nr_groups < RIGHTS_MAX_GROUPS && number_of(status.buf, "\nGroups:", ret->nr_groups, &other))
		ret->groups[ret->nr_groups++] = (gid_t)other;
	return true;
}

/* May that user run the interpreter: is it the user's own, or the system's? */
static bool is_fit_for(const struct stat *interpreter, uid_t user)
{
	return !interpreter->st_uid || interpreter->st_uid == user;
}

const char *import_rights(struct probe_env *env, const char *interpreter, const char *folder, uint64_t pid,
			  struct rights *ret)
{
	struct stat of_interpreter, of_folder;

	if (!strncmp(folder, "/proc/", strlen("/proc/")))
		return "its process runs in a container: run gpudiag there";
	if (root_stat(env->root, &of_interpreter, "%s", interpreter) || root_stat(env->root, &of_folder, "%s", folder))
		return "its files cannot be read";
	if (!pid || !rights_of_process(env, pid, ret) || !ret->user)
		*ret = (struct rights){ .user = of_folder.st_uid, .group = of_folder.st_gid };
	if (geteuid()) {
		if (!is_fit_for(&of_interpreter, geteuid()) || (of_folder.st_uid && of_folder.st_uid != geteuid()))
			return "its files belong to another user: run gpudiag as that user, or as root";
		*ret = (struct rights){ .user = geteuid(), .group = getegid() };
		return NULL;
	}
	if (!ret->user)
		be_nobody(env, ret);
	return is_fit_for(&of_interpreter, ret->user) ? NULL
						      : "its interpreter belongs to another user than its packages";
}

/* One that steers which GPUs are visible or which libraries are loaded. */
static void inherit(struct arena *arena, struct strs *ret, const char *assignment)
{
	if (framework_variable_steers(assignment) && ret->nr < IMPORT_MAX_VARIABLES)
		strs_add(arena, ret, arena_strdup(arena, assignment));
}

void import_environment(struct probe_env *env, struct arena *arena, const char *folder, uint64_t pid, struct strs *ret)
{
	/* Nothing is written: no byte code, no caches below a home. PyTorch counts GPUs without taking one. */
	static const char *const always[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
		"HOME=/nonexistent",
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "PYTORCH_NVML_BASED_CUDA_CHECK=1",
		"TF_CPP_MIN_LOG_LEVEL=2",
	};
	const char *slash = strrchr(folder, '/');
	struct strs of_process = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		strs_add(arena, ret, always[i]);
	strs_add(arena, ret, arena_printf(arena, "PYTHONPATH=%.*s", (int)(slash - folder), folder));
	/* One whose variables cannot be read any more has none to pass on. */
	if (pid)
		(void)!process_variables_read(env, arena, arena_printf(arena, "%llu", (unsigned long long)pid),
					      &of_process);
	for (size_t i = 0; i < of_process.nr; i++)
		inherit(arena, ret, of_process.v[i]);
	for (char **at = environ; !pid && *at; at++)
		inherit(arena, ret, *at);
}
