// SPDX-License-Identifier: GPL-2.0-or-later
/* host_shm.c - /dev/shm, through which the processes of one job hand each other data. */
#include "base/compat.h"
#include "probe/host/host_internal.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/text.h"
#include "base/text_scan.h"
#include "probe/read.h"

#define SHM "/dev/shm"

/* "65536k", "2g" or a bare number of bytes; a percentage is of a memory this function does not know. */
static struct val_u64 parse_size(struct arena *arena, const char *text, size_t len)
{
	static const char suffixes[] = "kmg";
	char *number = arena_strndup(arena, text, len);
	const char *suffix = len ? strchr(suffixes, number[len - 1] | 0x20) : NULL;
	unsigned shift = suffix && *suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
	uint64_t size;

	if (shift)
		number[len - 1] = '\0';
	if (parse_u64(number, &size) || size > UINT64_MAX >> shift)
		return no_u64(VAL_ABSENT, "its mount options name no size");
	return val_u64(size << shift);
}

static struct val_u64 size_of_options(struct arena *arena, const char *options, size_t len)
{
	static const char name[] = "size=";
	const char *end = options + len;

	for (const char *at = options; at < end; at += strcspn(at, ", \t\n") + 1) {
		if (!strncmp(at, name, strlen(name)))
			return parse_size(arena, at + strlen(name), strcspn(at + strlen(name), ", \t\n"));
	}
	return no_u64(VAL_ABSENT, "its mount options name no size");
}

struct val_u64 mount_size(struct arena *arena, const char *mounts, const char *point)
{
	struct val_u64 size = no_u64(VAL_ABSENT, "not mounted");

	/* Source, mount point, type, options. What was mounted last lies on top. */
	for (const char *line = mounts; line; line = strchr(line, '\n')) {
		const char *at, *word;
		size_t len;

		line += *line == '\n';
		at = line;
		scan_word(&at, &len);
		word = scan_word(&at, &len);
		if (!len || strcmp(unescaped(arena, word, len), point))
			continue;
		scan_word(&at, &len);
		word = scan_word(&at, &len);
		size = size_of_options(arena, word, len);
	}
	return size;
}

/* A recording has no file system to ask, only what was mounted. */
static struct val_u64 recorded_size(struct probe_env *env, struct arena *arena)
{
	STRBUF_AUTO mounts = STRBUF_INIT;
	int error = root_read(env->root, &mounts, "/proc/self/mounts");

	if (error == -ENOENT || error == -ENOTDIR)
		error = root_read(env->root, &mounts, "/proc/mounts");
	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	return mount_size(arena, mounts.buf, SHM);
}

void host_shared_memory_read(struct probe_env *env, struct arena *arena, struct host *ret)
{
	struct statfs fs;

	if (!root_is_live(env->root)) {
		ret->shm_size_bytes = recorded_size(env, arena);
		return;
	}
	if (statfs(SHM, &fs)) {
		ret->shm_size_bytes = ret->shm_available_bytes = no_u64(state_of_errno(-errno), name_of_errno(-errno));
	} else if (fs.f_type != TMPFS_MAGIC || !fs.f_blocks) {
		ret->shm_size_bytes = ret->shm_available_bytes =
			no_u64(VAL_ABSENT, fs.f_blocks ? "no tmpfs is mounted there" : "no limit");
	} else {
		ret->shm_size_bytes = val_u64((uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize);
		ret->shm_available_bytes = val_u64((uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize);
	}
}
