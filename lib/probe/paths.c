// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/paths.h"

#include <errno.h>

enum { MAX_LINKS_FOLLOWED = 40 };	/* as the kernel */

/* Removes the last component. */
static void drop_last(struct strbuf *path)
{
	const char *slash = strrchr(path->buf, '/');

	strbuf_setlen(path, slash ? (size_t)(slash - path->buf) : 0);
}

/* Adds one component to what is resolved; where it is a link, its text goes in front of the rest. 0 or -errno. */
static int add_component(struct probe_env *env, struct strbuf *done, const char *name, size_t len, const char **rest,
			 struct arena *arena)
{
	STRBUF_AUTO target = STRBUF_INIT;
	int error;

	if (!len || (len == 1 && name[0] == '.'))
		return 0;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		drop_last(done);
		return 0;
	}
	strbuf_addch(done, '/');
	strbuf_add(done, name, len);
	error = root_readlink(env->root, &target, "%s", done->buf);
	if (error == -EINVAL)	/* no link */
		return 0;
	if (error)
		return error;
	if (target.buf[0] == '/')
		strbuf_setlen(done, 0);
	else
		drop_last(done);
	*rest = arena_printf(arena, "%s/%s", target.buf, *rest);
	return 1;
}

const char *resolved_path(struct probe_env *env, struct arena *arena, const char *path)
{
	STRBUF_AUTO done = STRBUF_INIT;
	const char *rest = path;
	unsigned links = 0;

	while (*rest) {
		const char *name = rest + strspn(rest, "/");
		size_t len = strcspn(name, "/");
		int result;

		rest = name + len;
		result = add_component(env, &done, name, len, &rest, arena);
		if (result < 0 || (links += (unsigned)result) > MAX_LINKS_FOLLOWED)
			return NULL;
	}
	return arena_strdup(arena, done.len ? done.buf : "/");
}
