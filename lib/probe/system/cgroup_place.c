// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/system/cgroup_place.h"

#include "format/mounts.h"

/* Is the word in a list with commas? */
static bool has_item(const char *list, size_t list_len, const char *item)
{
	const char *end = list + list_len;
	size_t item_len = strlen(item);

	for (const char *at = list; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t len = (size_t)((comma ? comma : end) - at);

		if (len == item_len && !memcmp(at, item, len))
			return true;
		at += len + 1;
	}
	return false;
}

/* "4:memory:/system.slice" and, of version 2, "0::/system.slice". */
static void find_group(struct arena *arena, const char *groups, const char *controller, struct cgroup_place *ret)
{
	for (const char *line = groups; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *list = line + strcspn(line, ":\n");
		const char *path, *end = line + strcspn(line, "\n");

		if (*list != ':')
			continue;
		list++;
		path = list + strcspn(list, ":\n");
		if (*path != ':')
			continue;
		if (path == list && !ret->version && !strncmp(line, "0:", strlen("0:")))
			ret->version = 2;
		else if (has_item(list, (size_t)(path - list), controller))
			ret->version = 1;
		else
			continue;
		ret->group = arena_strndup(arena, path + 1, (size_t)(end - path - 1));
	}
}

/* What of the group's path is below the mount, where the mount shows that part of the tree; NULL: it does not. */
static const char *path_below(const char *root, const char *group)
{
	size_t len = strlen(root);

	/* "/..": of another namespace, where neither path can be found from the other. */
	if (!strncmp(group, "/..", strlen("/..")) || !strncmp(root, "/..", strlen("/..")))
		return NULL;
	if (!strcmp(root, "/"))
		return strcmp(group, "/") ? group : "";
	return !strncmp(group, root, len) && (group[len] == '/' || !group[len]) ? group + len : NULL;
}

/*
 * A container may see the host's groups as well, mounted with the rest of it at
 * /host: the mount that shows our group counts, else the first there is. Of
 * two at one place the last lies on top.
 */
static void take_mount(struct cgroup_place *place, const char *point, const char *below)
{
	bool is_better = !place->mount || (below && !place->is_shown) || !strcmp(place->mount, point);

	if (!is_better)
		return;
	place->mount = point;
	place->below = below ? below : "";
	place->is_shown = below;
}

struct cgroup_place cgroup_find(struct arena *arena, const char *groups, const char *mountinfo, const char *controller)
{
	struct cgroup_place place = { .version = 0, .group = NULL, .mount = NULL, .below = "", .is_shown = false };
	struct mount_list mounts;

	find_group(arena, groups, controller, &place);
	mount_list_parse(&mounts, arena, mountinfo);
	for (size_t i = 0; place.version && i < mounts.nr; i++) {
		const struct mount_point *mount = &mounts.items[i];

		if (place.version == 2 ? strcmp(mount->type, "cgroup2") :
					 (strcmp(mount->type, "cgroup") ||
					  !has_item(mount->options, strlen(mount->options), controller)))
			continue;
		take_mount(&place, mount->point, path_below(mount->root, place.group));
	}
	return place;
}
