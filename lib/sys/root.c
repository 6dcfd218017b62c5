// SPDX-License-Identifier: GPL-2.0-or-later
/* root.c - reading files below a root. */
#include "base/compat.h"
#include "sys/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/memory_tree.h"

/* Linux 5.6; the headers of the machine it is built on may be older. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define IN_ROOT UINT64_C(0x10)	/* RESOLVE_IN_ROOT */

struct open_request {		/* struct open_how */
	uint64_t flags, mode, resolve;
};

enum {
	OPEN_FILE = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
	OPEN_FOLDER = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_DIRECTORY,
	OPEN_NOTHING = O_PATH | O_CLOEXEC,

	MAX_LINKS = 40,			/* as the kernel */
	MAX_TRIES = 8,
	MAX_NAMES = 1 << 22,		/* as many processes as Linux can have */
	FIRST_READ_BYTES = 4096,	/* what a sysfs attribute fits in */
	KEPT_FOLDERS = 4,		/* a device and two bridges above it, and one below one of them */
};

/* The folders in which something was looked up last: the way there is most of what a small file costs. */
struct root_folders {
	struct {
		int fd;			/* -1: none */
		char path[PATH_MAX];
	} kept[KEPT_FOLDERS];
	size_t oldest;
};

int root_open(struct root *ret, const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret = (struct root){ .fd = fd, .path = path, .folders = xcalloc(1, sizeof(*ret->folders)) };
	for (size_t i = 0; i < KEPT_FOLDERS; i++)
		ret->folders->kept[i].fd = -1;
	return 0;
}

void root_close(struct root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	for (size_t i = 0; root->folders && i < KEPT_FOLDERS; i++)
		if (root->folders->kept[i].fd >= 0)
			close(root->folders->kept[i].fd);
	free(root->folders);
	root->folders = NULL;
	root->fd = -1;
	root->path = NULL;
}

int root_format_path(char path[PATH_MAX], const char *format, va_list args)
{
	int len = vsnprintf(path, PATH_MAX, format, args);

	if (len < 0 || path[0] != '/')
		return -EINVAL;
	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* The same of a function of root: a path that is to be left alone is not touched. */
#define TAKE_PATH(error, path, format)                                                   \
	do {                                                                             \
		ROOT_TAKE_PATH(error, path, format);                                     \
		if (!(error) && root->avoids && root->avoids(root->avoided, path))       \
			(error) = -EREMOTE;                                              \
	} while (0)

/* Removes the last component of what is resolved so far. */
static void drop_last(struct strbuf *done)
{
	const char *slash = strrchr(done->buf, '/');

	strbuf_setlen(done, slash ? (size_t)(slash - done->buf) : 0);
}

/*
 * Takes the component off the front of *rest and adds it to what is done.
 * A link is replaced by where it leads: put in front of the rest.
 */
static int resolve_next(int root_fd, struct strbuf *done, struct strbuf *rest, bool follow_last, unsigned *nr_links)
{
	const char *name = rest->buf + strspn(rest->buf, "/");
	size_t len = strcspn(name, "/");
	const char *after = name + len + strspn(name + len, "/");
	struct strbuf left = STRBUF_INIT;
	char link[PATH_MAX];
	ssize_t link_len = -1;
	int err = 0;

	if (len == 2 && !memcmp(name, "..", 2)) {
		if (done->len)
			drop_last(done);
		else
			err = -EXDEV;
	} else if (len && !(len == 1 && *name == '.')) {
		if (done->len)
			strbuf_addch(done, '/');
		strbuf_add(done, name, len);
		if (*after || follow_last) {
			link_len = readlinkat(root_fd, done->buf, link, sizeof(link));
			if (link_len < 0 && errno != EINVAL)	/* EINVAL: it is no link */
				err = -errno;
		}
	}
	if (link_len >= 0) {
		if (++*nr_links > MAX_LINKS)
			err = -ELOOP;
		if (link[0] == '/')
			strbuf_setlen(done, 0);
		else
			drop_last(done);
		strbuf_add(&left, link, (size_t)link_len);
		if (*after)
			strbuf_addch(&left, '/');
	}
	strbuf_addstr(&left, after);
	strbuf_release(rest);
	*rest = left;
	return err;
}

/*
 * What openat2(RESOLVE_IN_ROOT) does, for kernels that lack it: every link on
 * the way is followed by hand, so that none is left for the kernel to follow
 * out of the tree. A path that climbs out is refused.
 */
static int open_by_hand(int root_fd, const char *path, int flags)
{
	STRBUF_AUTO done = STRBUF_INIT;
	STRBUF_AUTO rest = STRBUF_INIT;
	unsigned nr_links = 0;
	int fd, err;

	strbuf_addstr(&rest, path);
	while (rest.len) {
		err = resolve_next(root_fd, &done, &rest, !(flags & O_NOFOLLOW), &nr_links);
		if (err)
			return err;
	}
	fd = openat(root_fd, done.len ? done.buf : ".", flags | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

static int open_in_tree(int root_fd, const char *path, int flags)
{
	struct open_request request = { .flags = (uint64_t)flags, .mode = 0, .resolve = IN_ROOT };
	unsigned tries = 0;
	long fd;

	/* EAGAIN: something was renamed while ".." was resolved. */
	do {
		fd = syscall(SYS_openat2, root_fd, path, &request, sizeof(request));
	} while (fd < 0 && (errno == EINTR || errno == EAGAIN) && ++tries < MAX_TRIES);
	if (fd >= 0)
		return (int)fd;
	/* EPERM: so do the system call filters of older container runtimes refuse what they do not know. */
	if (errno == ENOSYS || errno == EPERM)
		return open_by_hand(root_fd, path, flags);
	return -errno;
}

/* What is no regular file is not read. */
static int error_of_kind(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	/* Not EINVAL: that is what the kernel says of a device that does not answer. */
	return S_ISREG(st->st_mode) ? 0 : -EBADF;
}

/*
 * The folder of a path of a tree, opened if it is not one of the last, and the name in it; -1: both have to be found at
 * once.
 */
static int folder_of(const struct root *root, const char *path, const char **ret_name)
{
	struct root_folders *folders = root->folders;
	const char *name = strrchr(path, '/') + 1;
	size_t len = (size_t)(name - 1 - path), oldest;
	char *kept;

	*ret_name = name;
	if (!folders || !len || !*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -1;
	for (size_t i = 0; i < KEPT_FOLDERS; i++)
		if (folders->kept[i].fd >= 0 && !strncmp(folders->kept[i].path, path, len) &&
		    !folders->kept[i].path[len])
			return folders->kept[i].fd;
	oldest = folders->oldest;
	folders->oldest = (oldest + 1) % KEPT_FOLDERS;
	if (folders->kept[oldest].fd >= 0)
		close(folders->kept[oldest].fd);
	kept = folders->kept[oldest].path;
	memcpy(kept, path, len);
	kept[len] = '\0';
	folders->kept[oldest].fd = open_in_tree(root->fd, kept, OPEN_NOTHING | O_DIRECTORY);
	return folders->kept[oldest].fd < 0 ? -1 : folders->kept[oldest].fd;
}

/* folder_fd, name: of folder_of(). What is a link is resolved from the tree's root. */
static int stat_from(const struct root *root, int folder_fd, const char *name, const char *path, struct stat *ret,
		     bool *ret_is_in_folder)
{
	int fd, err;

	*ret_is_in_folder = false;
	if (folder_fd >= 0) {
		if (fstatat(folder_fd, name, ret, AT_SYMLINK_NOFOLLOW))
			return -errno;
		*ret_is_in_folder = !S_ISLNK(ret->st_mode);
		if (*ret_is_in_folder)
			return 0;
	}
	fd = open_in_tree(root->fd, path, OPEN_NOTHING);
	if (fd < 0)
		return fd;
	err = fstat(fd, ret) ? -errno : 0;
	close(fd);
	return err;
}

static int stat_in_tree(const struct root *root, const char *path, struct stat *ret)
{
	const char *name;
	int folder_fd = folder_of(root, path, &name);
	bool is_in_folder;

	return stat_from(root, folder_fd, name, path, ret, &is_in_folder);
}

/* To open a device node can start something, so we look first. */
static int open_file_in_tree(const struct root *root, const char *path)
{
	const char *name;
	int folder_fd = folder_of(root, path, &name), fd, err;
	bool is_in_folder;
	struct stat st;

	err = stat_from(root, folder_fd, name, path, &st, &is_in_folder);
	if (!err)
		err = error_of_kind(&st);
	if (err)
		return err;
	if (!is_in_folder)
		return open_in_tree(root->fd, path, OPEN_FILE);
	fd = openat(folder_fd, name, OPEN_FILE | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

/* A descriptor of a regular file, or -errno. */
static int open_file(const struct root *root, const char *path)
{
	struct stat st;
	int fd, err;

	if (root->memory)
		return memory_tree_open(root->memory, path);
	if (!root_is_live(root))
		return open_file_in_tree(root, path);
	fd = open(path, OPEN_FILE);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : error_of_kind(&st);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* Reads until len bytes are there or the file ends. */
static int read_up_to(int fd, char *buf, size_t len, size_t *ret_len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got = read(fd, buf + have, len - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		have += (size_t)got;
	}
	*ret_len = have;
	return 0;
}

static int read_whole(int fd, struct strbuf *into)
{
	size_t chunk = FIRST_READ_BYTES, got = 0;
	int err;

	do {
		if (chunk > ROOT_MAX_FILE_BYTES + 1 - into->len)
			chunk = ROOT_MAX_FILE_BYTES + 1 - into->len;
		strbuf_grow(into, chunk);
		err = read_up_to(fd, into->buf + into->len, chunk, &got);
		if (err)
			return err;
		strbuf_setlen(into, into->len + got);
		if (into->len > ROOT_MAX_FILE_BYTES)
			return -EFBIG;
	} while (got == chunk && (chunk *= 2));
	return 0;
}

/*
 * Files of /proc that are never empty, but for those of processes: tar takes them for empty ones, as their size is 0.
 */
static bool is_not_recorded(const struct root *root, const char *path, int fd)
{
	struct stat st;

	if (root_is_live(root) || strncmp(path, "/proc/", 6) != 0 || (path[6] >= '0' && path[6] <= '9'))
		return false;
	return !fstat(fd, &st) && !st.st_size;
}

/* A file that the tree has in full. */
static int open_recorded(const struct root *root, const char *path)
{
	int fd = open_file(root, path);

	if (fd < 0 || !is_not_recorded(root, path, fd))
		return fd;
	close(fd);
	return -ENOENT;
}

/*
 * tar pads what turns out to be shorter than its size, as all of sysfs is, by zeros. They say nothing behind a text;
 * configuration space is none.
 */
static void drop_padding(struct strbuf *content)
{
	size_t len = strnlen(content->buf, content->len);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)content->buf[i] < 0x09)
			return;
	for (size_t i = len; i < content->len; i++)
		if (content->buf[i])
			return;
	strbuf_setlen(content, len);
}

/* fd: that file, or -errno. */
#define OPEN_FILE_AT(fd, root, format)                          \
	do {                                                    \
		char path_[PATH_MAX];                           \
                                                                \
		TAKE_PATH(fd, path_, format);                   \
		if (!(fd))                                      \
			(fd) = open_recorded(root, path_);      \
	} while (0)

/* fd may be the error of who opened it. */
static int read_and_close(int fd, void *buf, size_t len, size_t *ret_len, size_t offset)
{
	int err;

	if (fd < 0)
		return fd;
	err = offset && lseek(fd, (off_t)offset, SEEK_SET) < 0 ? -errno : read_up_to(fd, buf, len, ret_len);
	close(fd);
	return err;
}

int root_open_file(const struct root *root, const char *path_format, ...)
{
	int fd;

	OPEN_FILE_AT(fd, root, path_format);
	return fd;
}

int root_read(const struct root *root, struct strbuf *ret, const char *path_format, ...)
{
	struct strbuf content = STRBUF_INIT;
	int fd, err;

	OPEN_FILE_AT(fd, root, path_format);
	if (fd < 0)
		return fd;
	err = read_whole(fd, &content);
	close(fd);
	if (err) {
		strbuf_release(&content);
		return err;
	}
	if (!root_is_live(root) && content.len)
		drop_padding(&content);
	strbuf_release(ret);
	*ret = content;
	return 0;
}

int root_read_bytes(const struct root *root, void *buf, size_t len, size_t *ret_len, const char *path_format, ...)
{
	int fd;

	OPEN_FILE_AT(fd, root, path_format);
	return read_and_close(fd, buf, len, ret_len, 0);
}

int root_read_at(const struct root *root, void *buf, size_t len, size_t *ret_len, size_t offset,
		 const char *path_format, ...)
{
	int fd;

	OPEN_FILE_AT(fd, root, path_format);
	return read_and_close(fd, buf, len, ret_len, offset);
}

uint32_t root_from(const struct root *root, const char *path)
{
	return root->memory ? memory_tree_from(root->memory, path) : 0;
}

static ssize_t readlink_in_tree(const struct root *root, const char *path, char *buf, size_t size)
{
	const char *name;
	int fd = folder_of(root, path, &name);
	struct stat st;
	ssize_t len;

	if (fd >= 0) {
		len = readlinkat(fd, name, buf, size);
		return len < 0 ? -errno : len;
	}
	fd = open_in_tree(root->fd, path, OPEN_NOTHING | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	len = readlinkat(fd, "", buf, size);
	if (len < 0)
		/* For what is no link readlinkat("") says ENOENT, readlink() EINVAL. */
		len = !fstat(fd, &st) && !S_ISLNK(st.st_mode) ? -EINVAL : -errno;
	close(fd);
	return len;
}

int root_readlink(const struct root *root, struct strbuf *ret, const char *path_format, ...)
{
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t len;
	int err;

	TAKE_PATH(err, path, path_format);
	if (err)
		return err;
	if (root->memory) {
		const char *target = memory_tree_readlink(root->memory, path, &err);

		if (err)
			return err;
		strbuf_reset(ret);
		strbuf_addstr(ret, target);
		return 0;
	}
	if (root_is_live(root)) {
		len = readlink(path, link, sizeof(link));
		if (len < 0)
			len = -errno;
	} else {
		len = readlink_in_tree(root, path, link, sizeof(link));
	}
	if (len < 0)
		return (int)len;
	strbuf_reset(ret);
	strbuf_add(ret, link, (size_t)len);
	return 0;
}

int root_exists(const struct root *root, const char *path_format, ...)
{
	char path[PATH_MAX];
	struct stat st;
	int err;

	TAKE_PATH(err, path, path_format);
	if (err)
		return err;
	if (root->memory)
		return memory_tree_stat(root->memory, path, &st);
	if (root_is_live(root))
		return access(path, F_OK) ? -errno : 0;
	return stat_in_tree(root, path, &st);
}

int root_stat(const struct root *root, struct stat *ret, const char *path_format, ...)
{
	char path[PATH_MAX];
	int err;

	TAKE_PATH(err, path, path_format);
	if (err)
		return err;
	if (root->memory)
		return memory_tree_stat(root->memory, path, ret);
	if (root_is_live(root))
		return stat(path, ret) ? -errno : 0;
	return stat_in_tree(root, path, ret);
}

/* libc's opendir() when live, for the same reason as open(). */
static int open_folder(const struct root *root, const char *path, DIR **ret)
{
	int fd, err;

	if (root_is_live(root)) {
		*ret = opendir(path);
		return *ret ? 0 : -errno;
	}
	fd = open_in_tree(root->fd, path, OPEN_FOLDER);
	if (fd < 0)
		return fd;
	*ret = fdopendir(fd);
	if (*ret)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_names(DIR *folder, struct name_list *into)
{
	const struct dirent *entry;

	for (errno = 0; (entry = readdir(folder)); errno = 0) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (into->nr == MAX_NAMES)
			return -EFBIG;
		/* Full at every power of two. */
		if (!(into->nr & (into->nr - 1)))
			into->names = xrealloc(into->names, (into->nr ? into->nr * 2 : 1) * sizeof(*into->names));
		into->names[into->nr++] = xstrdup(entry->d_name);
	}
	return -errno;
}

int root_list(const struct root *root, struct name_list *ret, const char *path_format, ...)
{
	struct name_list list = { .nr = 0, .names = NULL };
	char path[PATH_MAX];
	DIR *folder;
	int err;

	TAKE_PATH(err, path, path_format);
	if (!err && root->memory)
		return memory_tree_list(root->memory, path, ret);
	if (!err)
		err = open_folder(root, path, &folder);
	if (err)
		return err;
	err = read_names(folder, &list);
	closedir(folder);
	if (err) {
		name_list_release(&list);
		return err;
	}
	if (list.nr)
		qsort(list.names, list.nr, sizeof(*list.names), compare_names);
	*ret = list;
	return 0;
}

void name_list_release(struct name_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->names[i]);
	free(list->names);
	list->names = NULL;
	list->nr = 0;
}
