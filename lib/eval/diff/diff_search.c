// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_search.c - where a run looked for libraries (--driver-root, LD_LIBRARY_PATH) is a fact of the run, not of the
 * node: what follows from that alone is no difference.
 */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

#define LIBRARY_PATH "LD_LIBRARY_PATH="

bool diff_is_search_variable(const char *variable)
{
	return !strncmp(variable, LIBRARY_PATH, strlen(LIBRARY_PATH));
}

static const char *library_path(const struct snapshot *snapshot)
{
	const struct strs *environment = &snapshot->host.environment;

	for (size_t i = 0; i < environment->nr; i++)
		if (diff_is_search_variable(environment->v[i]))
			return environment->v[i] + strlen(LIBRARY_PATH);
	return "";
}

static const char *driver_root(const struct snapshot *snapshot)
{
	return str_or(snapshot->request.driver_root, "");
}

void diff_search(struct differ *d)
{
	d->is_other_search = strcmp(driver_root(d->before), driver_root(d->after)) != 0 ||
			     strcmp(library_path(d->before), library_path(d->after)) != 0;
	if (d->is_other_search)
		diff_say(d, "the two runs looked for libraries in other places (--driver-root, LD_LIBRARY_PATH): their paths are not compared");
}

/* Is the folder one of the path's? */
static bool is_in_path(const char *path, const char *folder, size_t len)
{
	while (*path) {
		size_t part = strcspn(path, ":;"), trimmed = part;

		while (trimmed > 1 && path[trimmed - 1] == '/')
			trimmed--;
		if (trimmed == len && !strncmp(path, folder, len))
			return true;
		path += part + (path[part] != '\0');
	}
	return false;
}

bool diff_is_library_of_search(const struct differ *d, const void *user_library, bool is_before)
{
	const char *file = str_or(((const struct user_library *)user_library)->key, "");
	const char *slash = strrchr(file, '/');
	size_t len = slash ? (size_t)(slash - file) : 0;

	return is_in_path(library_path(is_before ? d->before : d->after), file, len) &&
	       !is_in_path(library_path(is_before ? d->after : d->before), file, len);
}

bool diff_is_icd_of_search(const struct differ *d, const void *icd, bool is_before)
{
	const char *root = driver_root(is_before ? d->before : d->after);
	const char *path = str_or(((const struct icd *)icd)->path, "");

	/* A root that was named relative to a folder stands in the path's middle. */
	return d->is_other_search && *root && strstr(path, root);
}
