// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "sys/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { MAX_LINKS = 40 };	/* as the kernel */

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

static bool is_trusted(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

/* May others put something into it, or exchange what is there? Rights by ACL show in the group's bits. */
static bool is_foreign_writable(int folder)
{
	struct stat st;

	return fstat(folder, &st) || !is_trusted(st.st_uid) || (st.st_mode & (S_IWGRP | S_IWOTH));
}

static int refuse(struct write_target *target, const char *what, uid_t uid)
{
	snprintf(target->refused, sizeof(target->refused),
		 "%s of another user (uid %ju), in a folder that others may write", what, (uintmax_t)uid);
	return -EPERM;
}

/*
 * Where the link of that name leads. Asked by one descriptor, so that link and owner are of one another. -EINVAL: none.
 */
static int read_link(struct write_target *target, const char *name, struct strbuf *ret)
{
	char text[PATH_MAX];
	struct stat st;
	ssize_t len = -1;
	int err = 0, fd = openat(target->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISLNK(st.st_mode))
		err = -EINVAL;
	else if (!is_trusted(st.st_uid) && is_foreign_writable(target->folder))
		err = refuse(target, "a link", st.st_uid);
	if (!err) {
		len = readlinkat(fd, "", text, sizeof(text));
		err = len < 0 ? -errno : 0;
	}
	close(fd);
	if (!err)
		strbuf_add(ret, text, (size_t)len);
	return err;
}

static int enter(struct write_target *target, const char *name)
{
	int fd = openat(target->folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (target->folder >= 0)
		close(target->folder);
	target->folder = fd;
	return 0;
}

/* A path on the way to its end. */
struct walk {
	struct write_target *target;
	struct strbuf left;		/* that is still to go */
	unsigned links;			/* that were followed */
};

/* Takes the first name off what is left, and the slashes behind it; *ret_is_last: there was nothing behind. */
static int take_name(struct walk *walk, char ret[NAME_MAX + 1], bool *ret_is_last)
{
	size_t len = strcspn(walk->left.buf, "/"), slashes = strspn(walk->left.buf + len, "/");

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(ret, walk->left.buf, len);
	ret[len] = '\0';
	*ret_is_last = !slashes;
	memmove(walk->left.buf, walk->left.buf + len + slashes, walk->left.len - len - slashes + 1);
	strbuf_setlen(&walk->left, walk->left.len - len - slashes);
	return 0;
}

/* Where the link leads stands before what is left. */
static int follow(struct walk *walk, struct strbuf *link, bool is_last)
{
	if (walk->links++ == MAX_LINKS)
		return -ELOOP;
	if (!is_last)
		strbuf_addch(link, '/');
	strbuf_add(link, walk->left.buf, walk->left.len);
	strbuf_reset(&walk->left);
	strbuf_add(&walk->left, link->buf, link->len);
	return 0;
}

static int go_to_root(struct walk *walk)
{
	char nothing[NAME_MAX + 1];
	bool is_last;
	int err = enter(walk->target, "/");

	return err ? err : take_name(walk, nothing, &is_last);
}

/* One name further. 1: at the end, which is target->name or a descriptor of ours. */
static int step(struct walk *walk)
{
	struct write_target *target = walk->target;
	STRBUF_AUTO link = STRBUF_INIT;
	bool is_last;
	int err = 0;

	target->own_fd = own_descriptor(walk->left.buf);
	if (target->own_fd >= 0)
		return 1;
	if (walk->left.buf[0] == '/')
		err = go_to_root(walk);
	if (!err && !walk->left.len) {
		/* What ends in a slash is the folder itself. */
		memcpy(target->name, ".", 2);
		return 1;
	}
	if (!err)
		err = take_name(walk, target->name, &is_last);
	if (err)
		return err;
	err = read_link(target, target->name, &link);
	if (!err)
		return follow(walk, &link, is_last);
	if (is_last)
		return err == -EINVAL || err == -ENOENT ? 1 : err;
	return err == -EINVAL ? enter(target, target->name) : err;
}

/* Is the descriptor one that may be written to? */
static int check_own(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	return (flags & O_ACCMODE) == O_RDONLY ? -EBADF : 0;
}

int write_target_find(struct write_target *ret, const char *path)
{
	struct walk walk = { .target = ret, .left = STRBUF_INIT };
	int r = *path ? 0 : -ENOENT;

	*ret = (struct write_target){ .own_fd = -1, .folder = AT_FDCWD };
	strbuf_addstr(&walk.left, path);
	if (!r && *path != '/')
		r = enter(ret, ".");
	while (!r)
		r = step(&walk);
	strbuf_release(&walk.left);
	if (r < 0 || ret->own_fd >= 0)
		write_target_close(ret);
	if (r > 0 && ret->own_fd >= 0)
		r = check_own(ret->own_fd);
	return r < 0 ? r : 0;
}

void write_target_close(struct write_target *target)
{
	if (target->folder >= 0)
		close(target->folder);
	target->folder = -1;
}

int write_target_look(struct write_target *target, struct stat *ret)
{
	if (fstatat(target->folder, target->name, ret, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISLNK(ret->st_mode))
		return -ELOOP;
	if (S_ISDIR(ret->st_mode))
		return -EISDIR;
	if (!is_trusted(ret->st_uid) && is_foreign_writable(target->folder))
		return refuse(target, "a file", ret->st_uid);
	return 1;
}

static bool is_replaceable(const char *path, struct write_target *ret, struct stat *ret_folder)
{
	struct stat st;

	if (write_target_find(ret, path) || ret->own_fd >= 0)
		return false;
	return (fstatat(ret->folder, ret->name, &st, AT_SYMLINK_NOFOLLOW) || S_ISREG(st.st_mode)) &&
	       !fstat(ret->folder, ret_folder);
}

bool is_same_file(const char *one, const char *two)
{
	struct write_target a = { .folder = -1 }, b = { .folder = -1 };
	struct stat folder_of_a, folder_of_b;
	bool is_same = is_replaceable(one, &a, &folder_of_a) && is_replaceable(two, &b, &folder_of_b) &&
		       folder_of_a.st_dev == folder_of_b.st_dev && folder_of_a.st_ino == folder_of_b.st_ino &&
		       !strcmp(a.name, b.name);

	write_target_close(&a);
	write_target_close(&b);
	return is_same;
}
