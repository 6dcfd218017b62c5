// SPDX-License-Identifier: GPL-2.0-or-later
/* write_file.c - a file is written whole, or it stays as it was. */
#include "base/compat.h"
#include "sys/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/write_internal.h"

static int write_directly(const struct write_target *target, const struct stat *looked_at, const void *data, size_t len)
{
	int fd = write_open_same(target, looked_at), err;

	if (fd < 0)
		return fd;
	err = write_all(fd, data, len);
	if (close(fd) && !err && errno != EINTR)
		err = -errno;
	return err;
}

static int try_beside(const struct write_target *target)
{
	struct write_temporary new;
	int err = write_create_beside(target, S_IRUSR | S_IWUSR, &new);

	if (err)
		return err;
	close(new.fd);
	unlinkat(target->folder, new.name, 0);
	return 0;
}

int write_to(struct write_target *target, const void *data, size_t len)
{
	struct stat st;
	sigset_t before;
	int r;

	if (target->own_fd >= 0)
		return write_all(target->own_fd, data, len);
	r = write_target_look(target, &st);
	if (r < 0)
		return r;
	if (r && !S_ISREG(st.st_mode))
		return write_directly(target, &st, data, len);
	write_hold_signals(&before);
	r = write_replace(target, r ? &st : NULL, data, len, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

int write_try(struct write_target *target)
{
	struct stat st;
	sigset_t before;
	int r;

	if (target->own_fd >= 0)
		return 0;
	r = write_target_look(target, &st);
	if (r < 0)
		return r;
	/* Not opened: a pipe would wait for its reader, and a device may take it for the beginning of something. */
	if (r && !S_ISREG(st.st_mode))
		return faccessat(target->folder, target->name, W_OK, AT_EACCESS) ? -errno : 0;
	write_hold_signals(&before);
	r = try_beside(target);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

bool write_may_wait(const struct write_target *target)
{
	struct stat st;

	return target->own_fd >= 0 ||
	       (!fstatat(target->folder, target->name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode));
}

int write_file(const char *path, const void *data, size_t len)
{
	struct write_target target;
	int err = write_target_find(&target, path);

	if (err)
		return err;
	err = write_to(&target, data, len);
	write_target_close(&target);
	return err;
}
