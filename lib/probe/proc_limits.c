// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/proc_limits.h"

#include "base/text.h"
#include "probe/read.h"

/* "Max locked memory         8388608              8388608              bytes" */
static struct val_u64 soft_limit(struct arena *arena, const char *text, const char *name)
{
	const char *line = text;
	const char *word;
	uint64_t limit;

	while (line && strncmp(line, name, strlen(name))) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return no_u64(VAL_ERROR, arena_printf(arena, "no \"%s\" there", name));
	word = line + strlen(name);
	word += strspn(word, " ");
	word = arena_strndup(arena, word, strcspn(word, " \t\n"));
	if (!strcmp(word, "unlimited"))
		return no_u64(VAL_ABSENT, "unlimited");
	if (parse_u64(word, &limit))
		return no_u64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", word));
	return val_u64(limit);
}

struct val_u64 proc_memlock_limit(struct probe_env *env, struct arena *arena, const char *pid)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = root_read(env->root, &text, "/proc/%.20s/limits", pid);
	enum val_state state = state_of_errno(error);

	if (error)
		return no_u64(state == VAL_ABSENT ? VAL_ERROR : state, name_of_errno(error));
	return soft_limit(arena, text.buf, "Max locked memory");
}
