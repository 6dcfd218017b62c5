// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/upgrade/local_path.h"

#include "base/text_scan.h"
#include "probe/read.h"

enum { MAX_LINKS = 16 };

/* File systems of the kernel itself (proc_filesystems(5)); any other type may depend on a server. */
static bool is_local_type(const char *type)
{
	static const char *const types[] = {
		"ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "f2fs", "jfs", "zfs", "overlay", "tmpfs", "ramfs",
		"rootfs", "squashfs", "erofs",
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/* "29 23 0:26 / /home rw,nosuid shared:9 - nfs4 server:/home rw": where it is mounted and its type (proc(5)). */
static struct mount_point parse(struct arena *arena, const char *line)
{
	struct mount_point ret;
	const char *word;
	size_t len;

	for (int i = 0; i < 4; i++)
		scan_word(&line, &len);
	word = scan_word(&line, &len);
	ret.point = unescaped(arena, word, len);
	do {
		word = scan_word(&line, &len);
	} while (len && !(len == 1 && *word == '-'));
	word = scan_word(&line, &len);
	ret.type = arena_strndup(arena, word, len);
	ret.is_local = is_local_type(ret.type);
	return ret;
}

void mounts_read(struct probe_env *env, struct arena *arena, struct mounts *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;

	*ret = (struct mounts){ .arena = arena };
	ret->error = root_read(env->root, &text, "/proc/self/mountinfo");
	if (!root_is_live(env->root) && state_of_errno(ret->error) == VAL_ABSENT)
		ret->error = 0;
	for (const char *line = text.buf; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		struct mount_point mount = parse(&ret->own, line);

		if (!*mount.point)
			continue;
		ret->points = arena_grow(&ret->own, ret->points, ret->nr, sizeof(*ret->points));
		ret->points[ret->nr++] = mount;
	}
}

void mounts_release(struct mounts *mounts)
{
	arena_release(&mounts->own);
}

static bool is_below(const char *path, const char *point)
{
	size_t len = strlen(point);

	return !strcmp(point, "/") || (!strncmp(path, point, len) && (path[len] == '/' || !path[len]));
}

/* Of the mounts that a path lies below the deepest counts, and of two at one place the last, which covers the other. */
static const char *why_not_local_there(const struct mounts *mounts, const char *path)
{
	const struct mount_point *deepest = NULL;

	for (size_t i = 0; i < mounts->nr; i++) {
		const struct mount_point *mount = &mounts->points[i];

		if (is_below(path, mount->point) && (!deepest || strlen(mount->point) >= strlen(deepest->point)))
			deepest = mount;
	}
	if (!deepest || deepest->is_local)
		return NULL;
	return arena_printf(mounts->arena, "%s is of type %s", deepest->point, deepest->type);
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
