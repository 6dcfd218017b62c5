// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hangfs ROOT MOUNTPOINT [FUSE options] - a mirror of ROOT, whose files go
 * wrong as ROOT/.faults says, looked up again at every read. One a line, of
 * which the first for a path counts, as does one for "*", every path:
 *
 *	/path hang	no answer until the line is gone (killed readers stay, in state D)
 *	/path eio	so fails the read; also enodev, eacces
 *	/path delay=MS	the answer takes that long
 *	/path short=N	the file ends after N bytes
 *
 * ROOT/.hanging is written as soon as a reader hangs.
 */
#define FUSE_USE_VERSION 31
#include "base/compat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <unistd.h>

static int root_fd;

static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

/* The first fault of a path: its word, "" for none, and the number after its "=". */
static unsigned find_fault(const char *path, char fault[16])
{
	int fd = openat(root_fd, ".faults", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[1024], of[1024];
	unsigned number = 0;

	fault[0] = '\0';
	while (file && !fault[0] && fgets(line, sizeof(line), file)) {
		number = 0;
		if (sscanf(line, "%1023s %15[a-z]=%9u", of, fault, &number) < 2 ||
		    (strcmp(of, path) != 0 && strcmp(of, "*") != 0))
			fault[0] = '\0';
	}
	if (file)
		fclose(file);
	return number;
}

static int get_attributes(const char *path, struct stat *st, struct fuse_file_info *info)
{
	(void)info;
	return fstatat(root_fd, below(path), st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

static int read_link(const char *path, char *buf, size_t size)
{
	ssize_t len = readlinkat(root_fd, below(path), buf, size - 1);

	if (len < 0)
		return -errno;
	buf[len] = '\0';
	return 0;
}

static int list(const char *path, void *into, fuse_fill_dir_t fill, off_t from, struct fuse_file_info *info,
		enum fuse_readdir_flags flags)
{
	int fd = openat(root_fd, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	(void)from, (void)info, (void)flags;
	if (!folder)
		return -errno;
	while ((entry = readdir(folder)))
		if (strcmp(entry->d_name, ".faults") != 0 && strcmp(entry->d_name, ".hanging") != 0)
			fill(into, entry->d_name, NULL, 0, 0);
	closedir(folder);
	return 0;
}

static int open_file(const char *path, struct fuse_file_info *info)
{
	int fd = openat(root_fd, below(path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	info->fh = (uint64_t)fd;
	info->direct_io = 1;	/* no page cache: every read comes to us */
	return 0;
}

static void say_that_one_hangs(void)
{
	int fd = openat(root_fd, ".hanging", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd >= 0)
		close(fd);
}

static int read_file(const char *path, char *buf, size_t size, off_t from, struct fuse_file_info *info)
{
	char fault[16];
	unsigned number;
	ssize_t got;

	while ((number = find_fault(path, fault)), !strcmp(fault, "hang")) {
		say_that_one_hangs();
		usleep(20000);
	}
	if (!strcmp(fault, "eio") || !strcmp(fault, "enodev") || !strcmp(fault, "eacces"))
		return fault[1] == 'i' ? -EIO : fault[1] == 'n' ? -ENODEV : -EACCES;
	if (!strcmp(fault, "delay"))
		usleep(number * 1000);
	if (!strcmp(fault, "short") && from + (off_t)size > (off_t)number)
		size = from < (off_t)number ? (size_t)((off_t)number - from) : 0;
	got = pread((int)info->fh, buf, size, from);
	return got < 0 ? -errno : (int)got;
}

static int close_file(const char *path, struct fuse_file_info *info)
{
	(void)path;
	return close((int)info->fh);
}

static const struct fuse_operations operations = {
	.getattr = get_attributes,
	.readlink = read_link,
	.readdir = list,
	.open = open_file,
	.read = read_file,
	.release = close_file,
};

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: hangfs ROOT MOUNTPOINT [FUSE options]\n");
		return 64;
	}
	root_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0) {
		perror(argv[1]);
		return 1;
	}
	argv[1] = argv[0];
	return fuse_main(argc - 1, argv + 1, &operations, NULL);
}
