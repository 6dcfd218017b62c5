// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/automounts.h"

static bool is_below(const char *path, const char *folder)
{
	const size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (path[len] == '/' || !path[len]);
}

/* By its text: links are not followed for that. */
static bool avoids(const void *data, const char *path)
{
	const struct automounts *automounts = data;
	const struct mount_point *mount;

	if (automounts->named && is_below(path, automounts->named))
		return false;
	for (size_t i = 0; i < automounts->points.nr; i++) {
		if (!is_below(path, automounts->points.v[i]))
			continue;
		mount = mount_of_path(&automounts->mounts, path);
		return mount && mount_kind(mount->type) == MOUNT_AUTOMOUNT;
	}
	return false;
}

void automounts_leave_alone(struct automounts *automounts, struct root *root, const char *named)
{
	STRBUF_AUTO text = STRBUF_INIT;

	*automounts = (struct automounts){ .named = named };
	if (root_read(root, &text, "/proc/self/mountinfo"))
		return;
	mount_list_parse(&automounts->mounts, &automounts->arena, text.buf);
	for (size_t i = 0; i < automounts->mounts.nr; i++)
		if (mount_kind(automounts->mounts.items[i].type) == MOUNT_AUTOMOUNT)
			strs_add(&automounts->arena, &automounts->points, automounts->mounts.items[i].point);
	if (!automounts->points.nr)
		return;
	root->avoids = avoids;
	root->avoided = automounts;
}

void automounts_release(struct automounts *automounts)
{
	arena_release(&automounts->arena);
}
