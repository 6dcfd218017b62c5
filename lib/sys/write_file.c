// SPDX-License-Identifier: GPL-2.0-or-later
/* write_file.c - a file is written whole, or it stays as it was. */
#include "base/compat.h"
#include "sys/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "sys/clock.h"

enum {
	MAX_LINKS = 40,		/* as the kernel */
	MAX_NAME_TRIES = 100,
};

int write_all(int fd, const void *data, size_t len)
{
	const char *left = data;

	while (len) {
		ssize_t written = write(fd, left, len);

		if (written > 0) {
			left += written;
			len -= (size_t)written;
		} else if (!written) {
			return -EIO;
		} else if (errno == EAGAIN) {
			/* Somebody who shares our stdout made it non-blocking: CI runners do. */
			struct pollfd writable = { .fd = fd, .events = POLLOUT, .revents = 0 };

			if (poll(&writable, 1, -1) < 0 && errno != EINTR)
				return -errno;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/*
 * The number in /dev/stdout, /dev/fd/5 and their like, or -1. These are
 * written to as they are open already: opened again by name a file would be
 * begun anew, and a socket (stdout of a systemd service) can't be opened.
 */
static int own_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		const char *number = path + strlen(folders[i]);

		if (strncmp(path, folders[i], strlen(folders[i])))
			continue;
		if (*number && strlen(number) < 8 && strspn(number, "0123456789") == strlen(number))
			return (int)strtol(number, NULL, 10);
	}
	return -1;
}

/* Where the links lead, to a name that is no link; that name need not exist. Stops at a descriptor of ours. */
static int follow_links(struct strbuf *path, int *ret_own_fd)
{
	char link[PATH_MAX];

	for (unsigned i = 0; i <= MAX_LINKS; i++) {
		const char *slash = strrchr(path->buf, '/');
		ssize_t len;

		*ret_own_fd = own_descriptor(path->buf);
		if (*ret_own_fd >= 0)
			return 0;
		len = readlink(path->buf, link, sizeof(link));
		if (len < 0)
			return 0;	/* no link; whatever else is wrong the writing will find */
		if (link[0] == '/')
			strbuf_reset(path);
		else
			strbuf_setlen(path, slash ? (size_t)(slash - path->buf) + 1 : 0);
		strbuf_add(path, link, (size_t)len);
	}
	return -ELOOP;
}

static int write_directly(const char *path, const void *data, size_t len)
{
	int fd, err;

	do {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	err = write_all(fd, data, len);
	if (close(fd) && !err && errno != EINTR)
		err = -errno;
	return err;
}

/* A new file in the same folder. Not mkostemp(): the mode of a new file is to come from the umask. */
static int create_beside(const char *target, mode_t mode, struct strbuf *ret_name)
{
	const char *slash = strrchr(target, '/');
	int fd = -1;

	for (unsigned i = 0; i < MAX_NAME_TRIES; i++) {
		strbuf_reset(ret_name);
		strbuf_add(ret_name, target, slash ? (size_t)(slash - target) + 1 : 0);
		strbuf_addf(ret_name, ".gpudiag-%d-%" PRIx64 ".tmp", (int)getpid(), clock_now_ns());
		fd = open(ret_name->buf, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* Access as before. The owner is kept where we may: root must not take a user's file away. */
static int keep_access(int fd, const struct stat *old)
{
	const mode_t bits = S_IRWXU | S_IRWXG | S_IRWXO;
	struct stat now;

	if (fstat(fd, &now))
		return -errno;
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid))
		errno = 0;	/* not ours to give: it becomes ours */
	if ((now.st_mode & bits) != (old->st_mode & bits) && fchmod(fd, old->st_mode & bits))
		return -errno;
	return 0;
}

/* Makes the rename last. Not being able to changes nothing about what a reader sees. */
static void sync_folder(const char *target)
{
	STRBUF_AUTO folder = STRBUF_INIT;
	const char *slash = strrchr(target, '/');
	int fd;

	strbuf_add(&folder, target, slash ? (size_t)(slash - target) + 1 : 0);
	fd = open(folder.len ? folder.buf : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* old: what is there now, or NULL. */
static int replace_file(const char *target, const struct stat *old, const void *data, size_t len)
{
	STRBUF_AUTO temporary = STRBUF_INIT;
	int fd, err = 0;

	fd = create_beside(target, old ? S_IRUSR | S_IWUSR : 0666, &temporary);
	if (fd < 0)
		return fd;
	if (old)
		err = keep_access(fd, old);
	if (!err)
		err = write_all(fd, data, len);
	/* EINVAL: a file system that has no syncing. */
	if (!err && fsync(fd) && errno != EINVAL)
		err = -errno;
	/* Network file systems tell of a full disk or quota here. */
	if (close(fd) && !err && errno != EINTR)
		err = -errno;
	if (!err && rename(temporary.buf, target))
		err = -errno;
	if (err)
		unlink(temporary.buf);
	else
		sync_folder(target);
	return err;
}

/* A signal that ends the program waits until the file is whole: it would leave the temporary one behind. */
static int replace(const char *target, const struct stat *old, const void *data, size_t len)
{
	sigset_t ending, before;
	int err;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, &before);
	err = replace_file(target, old, data, len);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

int write_file(const char *path, const void *data, size_t len)
{
	STRBUF_AUTO target = STRBUF_INIT;
	struct stat st;
	int own_fd, err;

	strbuf_addstr(&target, path);
	err = follow_links(&target, &own_fd);
	if (err)
		return err;
	if (own_fd >= 0)
		return write_all(own_fd, data, len);
	if (stat(path, &st))
		return errno == ENOENT ? replace(target.buf, NULL, data, len) : -errno;
	if (!S_ISREG(st.st_mode))
		return write_directly(path, data, len);
	return replace(target.buf, &st, data, len);
}

/* Where a file is or would be: its folder and the name in it. */
struct place {
	struct strbuf target;
	struct stat folder;
};

static bool find_place(const char *path, struct place *ret)
{
	STRBUF_AUTO folder = STRBUF_INIT;
	const char *slash;
	struct stat st;
	int own_fd;

	strbuf_addstr(&ret->target, path);
	if (follow_links(&ret->target, &own_fd) || own_fd >= 0 || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return false;
	slash = strrchr(ret->target.buf, '/');
	strbuf_add(&folder, ret->target.buf, slash ? (size_t)(slash - ret->target.buf) + 1 : 0);
	return !stat(folder.len ? folder.buf : ".", &ret->folder);
}

static const char *name_in_folder(const struct place *place)
{
	const char *slash = strrchr(place->target.buf, '/');

	return slash ? slash + 1 : place->target.buf;
}

bool is_same_file(const char *one, const char *two)
{
	struct place a = { .target = STRBUF_INIT }, b = { .target = STRBUF_INIT };
	bool is_same = find_place(one, &a) && find_place(two, &b) && a.folder.st_dev == b.folder.st_dev &&
		       a.folder.st_ino == b.folder.st_ino && !strcmp(name_in_folder(&a), name_in_folder(&b));

	strbuf_release(&a.target);
	strbuf_release(&b.target);
	return is_same;
}
