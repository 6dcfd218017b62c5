// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/upgrade/local_path.h"

#include "probe/read.h"

enum { MAX_LINKS = 16 };

void mounts_read(struct probe_env *env, struct arena *arena, struct mounts *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;

	*ret = (struct mounts){ .arena = arena };
	ret->error = root_read(env->root, &text, "/proc/self/mountinfo");
	if (!root_is_live(env->root) && state_of_errno(ret->error) == VAL_ABSENT)
		ret->error = 0;
	mount_list_parse(&ret->list, &ret->own, text.buf);
}

void mounts_release(struct mounts *mounts)
{
	arena_release(&mounts->own);
}

static const char *why_not_local_there(const struct mounts *mounts, const char *path)
{
	const struct mount_point *mount = mount_of_path(&mounts->list, path);
	enum mount_kind kind = mount ? mount_kind(mount->type) : MOUNT_LOCAL;

	if (kind == MOUNT_LOCAL || kind == MOUNT_MEMORY || kind == MOUNT_OVERLAY)
		return NULL;
	return arena_printf(mounts->arena, "%s is of type %s", mount->point, mount->type);
}

/* As the kernel does: part by part, `done` without links, and what a link says before what is left. */
static const char *walk(struct probe_env *env, const struct mounts *mounts, struct arena *scratch, const char *left)
{
	STRBUF_AUTO done = STRBUF_INIT;
	STRBUF_AUTO target = STRBUF_INIT;
	const char *why;
	int nr_links = 0;

	for (size_t part; left += strspn(left, "/"), part = strcspn(left, "/"), part; left += part) {
		size_t folder_len = done.len;

		if (part == 1 && *left == '.')
			continue;
		if (part == 2 && !strncmp(left, "..", 2)) {
			strbuf_setlen(&done, strrchr(done.buf, '/') ? (size_t)(strrchr(done.buf, '/') - done.buf) : 0);
			continue;
		}
		strbuf_addch(&done, '/');
		strbuf_add(&done, left, part);
		why = why_not_local_there(mounts, done.buf);
		if (why)
			return why;
		if (root_readlink(env->root, &target, "%s", done.buf))
			continue;
		if (++nr_links > MAX_LINKS)
			return "its links lead on and on";
		left = arena_printf(scratch, "%s%s", target.buf, left + part);
		part = 0;
		strbuf_setlen(&done, *target.buf == '/' ? 0 : folder_len);
	}
	return NULL;
}

const char *why_not_local(struct probe_env *env, const struct mounts *mounts, const char *path)
{
	struct arena scratch = { 0 };
	const char *why;

	if (mounts->error)
		return arena_printf(mounts->arena, "/proc/self/mountinfo: %s", name_of_errno(mounts->error));
	why = walk(env, mounts, &scratch, path);
	arena_release(&scratch);
	return why;
}
