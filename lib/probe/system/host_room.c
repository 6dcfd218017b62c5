// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/system/host_room.h"

#include "base/units.h"
#include "probe/read.h"
#include "probe/system/system_internal.h"

enum { KIB = 1024 };

uint64_t host_room_free(const struct cgroup *cgroup, uint64_t available_bytes)
{
	uint64_t limit = u64_or(cgroup->memory_limit_bytes, 0), used = u64_or(cgroup->memory_used_bytes, 0);
	uint64_t cache = u64_or(cgroup->memory_cache_bytes, 0), left;

	if (!is_known(cgroup->memory_limit_bytes))
		return available_bytes;
	used = used > cache ? used - cache : 0;
	left = limit > used ? limit - used : 0;
	/* A full group has none left, which is not the same as not known. */
	left = left ? left : 1;
	return available_bytes && available_bytes < left ? available_bytes : left;
}

void host_room_read(const struct root *root, struct host_room *ret)
{
	PROC_TEXT_AUTO meminfo = PROC_TEXT_INIT;
	PROC_TEXT_AUTO vmstat = PROC_TEXT_INIT;
	struct probe_env env = { .root = root, .lock_fd = -1 };
	struct cgroup cgroup = { .version = { .state = VAL_UNSET } };
	struct arena arena = { 0 };

	system_cgroup_read(&env, &arena, &cgroup);
	proc_text_read(&env, &meminfo, 0, "/proc/meminfo");
	proc_text_read(&env, &vmstat, 0, "/proc/vmstat");
	*ret = (struct host_room){
		.free_bytes = host_room_free(&cgroup, u64_or(proc_text_u64(&meminfo, &arena, "MemAvailable", KIB), 0)),
		.limit_bytes = u64_or(cgroup.memory_limit_bytes, 0),
		.group_kills = u64_or(cgroup.oom_kills, HOST_ROOM_UNKNOWN),
		.host_kills = u64_or(proc_text_u64(&vmstat, &arena, "oom_kill", 1), HOST_ROOM_UNKNOWN),
	};
	arena_release(&arena);
}

static bool grew(uint64_t before, uint64_t after)
{
	return before != HOST_ROOM_UNKNOWN && after != HOST_ROOM_UNKNOWN && after > before;
}

const char *host_room_killer(struct arena *arena, const struct host_room *before, const struct host_room *after)
{
	STRBUF_AUTO limit = STRBUF_INIT;
	/* The machine's count has other containers' kills too: it says something where the own group tells none. */
	bool is_known_of_group = after->group_kills != HOST_ROOM_UNKNOWN;

	if (is_known_of_group ? !grew(before->group_kills, after->group_kills) :
				!grew(before->host_kills, after->host_kills))
		return "killed by SIGKILL from outside: by a person, a supervisor or a job's limit";
	if (!after->limit_bytes)
		return "killed by the OOM killer: the host ran out of memory";
	unit_format_u64(&limit, UNIT_BYTES, after->limit_bytes);
	return arena_printf(arena, "killed by the OOM killer: memory limit of %s (container, job or service)",
			    limit.buf);
}
