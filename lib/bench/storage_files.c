// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/storage_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/clock.h"

enum {
	MAX_NAMES = 16384,
	MAX_FOLDERS = 2048,
	MAX_OPENS = 2000,
	BLOCK_BYTES = 512,		/* of st_blocks, whatever the file system's own are */
};

/* ---- listing */

struct listing {
	struct storage_names *names;
	struct arena *arena;
	const struct mount_list *mounts;
	const char *folders[MAX_FOLDERS];
	size_t nr_folders;
	uint64_t until_ns;
};

static bool is_mount_point(const struct mount_list *mounts, const char *path)
{
	for (size_t i = 0; i < mounts->nr; i++)
		if (!strcmp(mounts->items[i].point, path))
			return true;
	return false;
}

static void add_entry(struct listing *listing, const char *folder, int folder_fd, const struct dirent *entry)
{
	unsigned char type = entry->d_type;
	const char *path;
	struct stat st;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
		return;
	if (type == DT_UNKNOWN && !fstatat(folder_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
		type = S_ISREG(st.st_mode) ? DT_REG : S_ISDIR(st.st_mode) ? DT_DIR : DT_UNKNOWN;
	if (type != DT_REG && type != DT_DIR)
		return;
	path = arena_printf(listing->arena, "%s/%s", strcmp(folder, "/") ? folder : "", entry->d_name);
	if (type == DT_REG) {
		struct storage_names *names = listing->names;

		names->paths = arena_grow(listing->arena, names->paths, names->nr, sizeof(*names->paths));
		names->paths[names->nr++] = path;
	} else if (listing->nr_folders < MAX_FOLDERS && !is_mount_point(listing->mounts, path)) {
		listing->folders[listing->nr_folders++] = path;
	}
}

static int list_folder(struct listing *listing, const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		int error = -errno;

		if (fd >= 0)
			close(fd);
		return error;
	}
	while (listing->names->nr < MAX_NAMES && clock_now_ns() < listing->until_ns && (entry = readdir(dir)))
		add_entry(listing, folder, fd, entry);
	closedir(dir);
	return 0;
}

int storage_names_list(struct storage_names *ret, struct arena *arena, const char *folder,
		       const struct mount_list *mounts, uint64_t ns)
{
	struct listing *listing = xcalloc(1, sizeof(*listing));
	int error;

	*listing = (struct listing){ .names = ret, .arena = arena, .mounts = mounts, .until_ns = clock_now_ns() + ns };
	*ret = (struct storage_names){ .folder = folder };
	error = list_folder(listing, folder);
	for (size_t i = 0; i < listing->nr_folders; i++)
		/* One that may not be listed, or went away, hides its files and nothing else. */
		(void)!list_folder(listing, listing->folders[i]);
	free(listing);
	return error;
}

/* ---- opening small files */

static void note_large(struct storage_large *large, const char *path, const struct stat *st, bool compresses)
{
	const uint64_t size = (uint64_t)st->st_size, stored = (uint64_t)st->st_blocks * BLOCK_BYTES;
	const struct storage_file file = { .path = path, .size_bytes = size, .fd = -1 };
	size_t at = large->nr;

	if (size < STORAGE_LARGE_BYTES)
		return;
	if (!compresses && stored < size / 10 * 9) {
		large->nr_sparse++;
		return;
	}
	while (at && large->files[at - 1].size_bytes < size)
		at--;
	if (at == STORAGE_MAX_FILES)
		return;
	if (large->nr < STORAGE_MAX_FILES)
		large->nr++;
	memmove(&large->files[at + 1], &large->files[at], (large->nr - 1 - at) * sizeof(file));
	large->files[at] = file;
}

/*
 * The first piece is asked for without waiting: if it comes, it was in the cache. A miss makes the kernel fetch it,
 * which is what the next read wants.
 */
static ssize_t read_cached(int fd, char *buf)
{
	struct iovec part = { .iov_base = buf, .iov_len = STORAGE_SMALL_BYTES };

	return preadv2(fd, &part, 1, 0, RWF_NOWAIT);
}

/* The rest of it, from there on. 0 or -errno. */
static int read_rest(int fd, char *buf, off_t from, off_t size)
{
	while (from < size) {
		ssize_t len = pread(fd, buf, (size_t)(size - from), from);

		if (len < 0)
			return -errno;
		if (!len)	/* cut meanwhile */
			break;
		from += len;
	}
	return 0;
}

/* How large it is, is for us to know: a loader does not ask, and its time does not count. */
static void open_one(const char *path, bool compresses, char *buf, struct storage_large *large,
		     struct storage_opens *ret)
{
	uint64_t began_ns = clock_now_ns(), asked_ns;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW), error;
	ssize_t len = fd < 0 ? 0 : read_cached(fd, buf);
	struct stat st;

	asked_ns = clock_now_ns();
	if (fd < 0 || fstat(fd, &st)) {
		ret->error = errno;
	} else if (!S_ISREG(st.st_mode) || st.st_size > STORAGE_SMALL_BYTES) {
		if (S_ISREG(st.st_mode))
			note_large(large, path, &st, compresses);
	} else {
		began_ns += clock_now_ns() - asked_ns;
		error = read_rest(fd, buf, len > 0 ? len : 0, st.st_size);
		close(fd);
		if (error) {
			ret->error = -error;
			return;
		}
		ret->times_ns[ret->nr++] = (double)(clock_now_ns() - began_ns);
		ret->nr_cached += len >= 0;
		ret->bytes += (uint64_t)st.st_size;
		return;
	}
	if (fd >= 0)
		close(fd);
}

void storage_open_small(const struct storage_names *names, bool compresses, const struct storage_limit *limit,
			struct storage_large *large, struct storage_opens *ret)
{
	const uint64_t until_ns = clock_now_ns() + limit->ns;
	char *buf = xcalloc(1, STORAGE_SMALL_BYTES);

	*ret = (struct storage_opens){ .times_ns = xcalloc(MAX_OPENS, sizeof(double)), .nr_left = names->nr };
	for (size_t i = 0; i < names->nr && clock_now_ns() < until_ns; i++, ret->nr_left--) {
		struct stat st;

		if (ret->nr < MAX_OPENS && ret->bytes < limit->bytes)
			open_one(names->paths[i], compresses, buf, large, ret);
		else if (!lstat(names->paths[i], &st) && S_ISREG(st.st_mode))
			note_large(large, names->paths[i], &st, compresses);
	}
	free(buf);
}

void storage_open_failing(const struct storage_names *names, const struct storage_limit *limit,
			  struct storage_opens *ret)
{
	const uint64_t until_ns = clock_now_ns() + limit->ns;
	char path[PATH_MAX];

	*ret = (struct storage_opens){ .times_ns = xcalloc(MAX_OPENS, sizeof(double)) };
	for (unsigned i = 0; ret->nr < MAX_OPENS; i++) {
		uint64_t began_ns;
		int fd;

		snprintf(path, sizeof(path), "%s/.gpudiag-%ld-%u-absent", names->folder, (long)getpid(), i);
		began_ns = clock_now_ns();
		if (began_ns >= until_ns)
			return;
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		if (fd >= 0 || errno != ENOENT) {
			ret->error = fd >= 0 ? EEXIST : errno;
			if (fd >= 0)
				close(fd);
			return;
		}
		ret->times_ns[ret->nr++] = (double)(clock_now_ns() - began_ns);
	}
}
