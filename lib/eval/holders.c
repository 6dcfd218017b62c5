// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/holders.h"

#include "base/strbuf.h"

enum { MAX_NAMED = 3 };

/* A process may hold several nodes of one GPU. */
static bool is_counted(const struct snapshot *snapshot, size_t nr, const struct gpu *gpu, uint64_t pid)
{
	for (size_t i = 0; i < nr; i++)
		if (str_is(snapshot->holders[i].gpu, str_or(gpu->key, "")) &&
		    u64_or(snapshot->holders[i].pid, 0) == pid)
			return true;
	return false;
}

const char *gpu_holders(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_holders; i++) {
		const struct holder *holder = &snapshot->holders[i];
		uint64_t pid = u64_or(holder->pid, 0);

		if (!str_is(holder->gpu, str_or(gpu->key, "")) || is_counted(snapshot, i, gpu, pid))
			continue;
		if (nr++ < MAX_NAMED)
			strbuf_addf(&text, "%s%s (pid %llu)", nr > 1 ? ", " : "", str_or(holder->comm, "a process"),
				    (unsigned long long)pid);
	}
	if (nr > MAX_NAMED)
		strbuf_addf(&text, " and %zu more", nr - MAX_NAMED);
	return nr ? arena_strdup(arena, text.buf) : NULL;
}
