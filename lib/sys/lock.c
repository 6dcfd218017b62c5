// SPDX-License-Identifier: GPL-2.0-or-later
/* lock.c - who is measuring, and who never came back. */
#include "base/compat.h"
#include "sys/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sys/clock.h"

/*
 * Two things last some microseconds and must not be taken for a holder: the
 * test of lock_is_held(), and a fresh holder whose note is not written yet.
 */
enum { NR_TRIES = 4, PAUSE_NS = 1000000 };

enum { BOOT_ID_BYTES = 40, NOTE_BYTES = 512 };

/* The content of a lock file. */
struct note {
	struct lock_note holder;
	char boot_id[BOOT_ID_BYTES];
};

const char *lock_folder_named(void)
{
	const char *named = secure_getenv("GPUDIAG_RUNTIME_DIR");

	return named && *named ? named : NULL;
}

int lock_folder(char *buf, size_t size)
{
	const char *named = lock_folder_named();
	const char *of_user = secure_getenv("XDG_RUNTIME_DIR");
	struct stat st;
	int len;

	if (named)
		len = snprintf(buf, size, "%s", named);
	else if (!geteuid())
		len = snprintf(buf, size, "/run/gpudiag");
	else if (of_user && *of_user)
		len = snprintf(buf, size, "%s/gpudiag", of_user);
	else
		return -ENOENT;
	if (len < 0 || (size_t)len >= size)
		return -ENAMETOOLONG;
	if (mkdir(buf, S_IRWXU) && errno != EEXIST)
		return -errno;
	if (stat(buf, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -EPERM;
}

bool lock_folder_is_open(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & (S_IWGRP | S_IWOTH));
}

/* "-" where the kernel does not say: equal to itself, so that only the process decides. */
static void read_boot_id(char id[BOOT_ID_BYTES])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t len = -1;

	if (fd >= 0) {
		len = read(fd, id, BOOT_ID_BYTES - 1);
		close(fd);
	}
	id[len > 0 ? len : 0] = '\0';
	id[strcspn(id, " \n")] = '\0';
	if (!*id)
		snprintf(id, BOOT_ID_BYTES, "-");
}

/* What is newer comes last: versions that do not know it read no further than the call, or the deadline. */
static void write_note(int fd, const struct note *note)
{
	char text[NOTE_BYTES];
	const struct lock_note *holder = &note->holder;
	int len =
		snprintf(text, sizeof(text),
			 "pid %d\nsince %" PRIu64 "\nboot %s\ncall %s\ndeadline_ms %u\nsaid %" PRIu64 "\nquiet_ms %u\n",
			 (int)holder->pid, holder->since_boot_s, note->boot_id, holder->call, holder->deadline_ms,
			 holder->said_boot_s, holder->quiet_ms);

	/* A lock without a note is a lock still. The end is cut last, so that there is a note at every moment. */
	if (len > 0 && pwrite(fd, text, (size_t)len, 0) == len && ftruncate(fd, len))
		return;
}

/* False: there is none, and *ret is all zeros. */
static bool read_note(int fd, struct note *ret)
{
	static const char call[] = "\ncall ";
	char text[NOTE_BYTES];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	int pid, end = 0;

	memset(ret, 0, sizeof(*ret));
	text[len > 0 ? len : 0] = '\0';
	/* Widths keep the numbers within their types. */
	if (sscanf(text, "pid %9d since %19" SCNu64 " boot %39s%n", &pid, &ret->holder.since_boot_s, ret->boot_id,
		   &end) < 3) {
		memset(ret, 0, sizeof(*ret));
		return false;
	}
	ret->holder.pid = pid;
	/* The call may be empty. */
	if (!strncmp(text + end, call, strlen(call))) {
		const char *begin = text + end + strlen(call);
		size_t call_len = strcspn(begin, "\n");

		snprintf(ret->holder.call, sizeof(ret->holder.call), "%.*s", (int)call_len, begin);
		/* What is not there stays 0. */
		if (sscanf(begin + call_len, " deadline_ms %9u said %19" SCNu64 " quiet_ms %9u",
			   &ret->holder.deadline_ms, &ret->holder.said_boot_s, &ret->holder.quiet_ms) < 1)
			ret->holder.deadline_ms = 0;
	}
	return true;
}

/* Of an earlier boot, or of a process that is no more? */
static bool note_is_old(const struct note *note)
{
	char boot_id[BOOT_ID_BYTES];

	read_boot_id(boot_id);
	return strcmp(boot_id, note->boot_id) || note->holder.pid <= 0 ||
	       (kill(note->holder.pid, 0) && errno == ESRCH);
}

/* A name becomes one file name without a folder: "ocl /etc/x.icd" is "ocl__etc_x.icd". */
static int open_lock(const char *folder, const char *name, int flags)
{
	char path[PATH_MAX];
	struct stat st;
	int len = snprintf(path, sizeof(path), "%s/%s", folder, *name ? name : "_");
	int fd, err = 0;

	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	for (char *c = path + strlen(folder) + 1; *c; c++) {
		bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
				strchr(":_-", *c) || (*c == '.' && c[-1] != '/');

		if (!is_plain)
			*c = '_';
	}
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		err = -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int try_flock(int fd, int operation)
{
	while (flock(fd, operation | LOCK_NB))
		if (errno != EINTR)
			return -errno;
	return 0;
}

static void pause_shortly(void)
{
	nanosleep(&(struct timespec){ .tv_sec = 0, .tv_nsec = PAUSE_NS }, NULL);
}

int lock_take(const char *folder, const char *name, unsigned deadline_ms, struct lock_note *holder)
{
	struct note note;
	int err = 0, fd = open_lock(folder, name, O_CREAT);

	if (fd < 0)
		return fd;
	for (unsigned i = 0; i < NR_TRIES; i++) {
		if (i)
			pause_shortly();
		err = try_flock(fd, LOCK_EX);
		if (err != -EWOULDBLOCK)
			break;
	}
	if (err) {
		if (!read_note(fd, &note) || note_is_old(&note))
			memset(&note, 0, sizeof(note));
		if (err == -EWOULDBLOCK && holder)
			*holder = note.holder;
		close(fd);
		return err;
	}
	memset(&note, 0, sizeof(note));
	note.holder.pid = getpid();
	note.holder.since_boot_s = clock_since_boot_s();
	note.holder.deadline_ms = deadline_ms;
	read_boot_id(note.boot_id);
	write_note(fd, &note);
	return fd;
}

bool lock_is_held(const char *folder, const char *name, struct lock_note *holder)
{
	struct note note = { .boot_id = "" };
	bool is_held = false;
	int fd = open_lock(folder, name, 0);

	if (fd < 0)
		return false;
	for (unsigned i = 0; i < NR_TRIES && !is_held; i++) {
		if (i)
			pause_shortly();
		/* Shared, so that two who ask do not take each other for a holder. Closing gives it back. */
		if (try_flock(fd, LOCK_SH) != -EWOULDBLOCK)
			break;
		is_held = !read_note(fd, &note) || !note_is_old(&note);
	}
	close(fd);
	if (is_held && holder)
		*holder = note.holder;
	return is_held;
}

const char *lock_holder_words(const struct lock_note *holder, char *buf, size_t size)
{
	if (holder->pid)
		snprintf(buf, size, "another gpudiag (pid %d)", (int)holder->pid);
	else
		snprintf(buf, size, "another gpudiag, or a process that one left,");
	return buf;
}

void lock_note_call(int fd, const char *call, unsigned quiet_ms)
{
	struct note note;

	if (!read_note(fd, &note))
		return;
	note.holder.said_boot_s = clock_since_boot_s();
	note.holder.quiet_ms = quiet_ms;
	snprintf(note.holder.call, sizeof(note.holder.call), "%s", call);
	for (char *c = note.holder.call; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	write_note(fd, &note);
}
