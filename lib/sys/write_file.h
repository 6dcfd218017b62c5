/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write_file.h - a file is written whole, or it stays as it was.
 *
 * A regular file, or one that does not exist, is written under a temporary
 * name beside it, synced and renamed over it, keeping owner and mode of the
 * old one; a symbolic link is followed, so that the file it leads to is
 * replaced and not the link. Anything else (a terminal, a pipe, /dev/full,
 * /dev/stdout) is written to directly. On failure the old content is
 * untouched and no temporary file is left. Whom it trusts is said below.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/compat.h"

/* ---- write_target.c
 *
 * Where a file is to be written: found once, and held.
 *
 * A path is walked one name after the other, by descriptors, so that nobody
 * can put another folder in the place of one that was looked at. What stands
 * in a folder that others may write (it is theirs, or its mode lets its group
 * or everybody write) may have been put there by them:
 *
 *  - a link of another user in such a folder is not followed: it could lead a
 *    run of root's to any file of the machine;
 *  - a file of another user in such a folder is not replaced, nor written to:
 *    what is written would be given the access that they chose for it.
 *
 * Root's own files and links are trusted by everybody.
 */

struct write_target {
	/* a descriptor of this process (/dev/stdout, /dev/fd/5); -1: a name in a folder */
	int own_fd;
	int folder;			/* held open; -1 with own_fd */
	bool is_for_others;		/* the caller's: a file made anew has mode 0644, whatever the umask */
	char name[NAME_MAX + 1];	/* no link, when it was looked at; it need not exist */
	char refused[128];		/* after -EPERM of ours: what is in the way; else "" */
};

/*
 * Follows the path to its end. 0 or -errno, and then nothing is held: -EPERM with `refused` where what others put there
 * would have to be trusted.
 */
int write_target_find(struct write_target *ret, const char *path) MUST_CHECK;
void write_target_close(struct write_target *target);

/*
 * What is there under its name now: 1 and its stat, 0 nothing, or -errno: -EPERM with `refused` where it is another
 * user's and others may write the folder, -ELOOP where it has become a link, -EISDIR of a folder.
 */
int write_target_look(struct write_target *target, struct stat *ret) MUST_CHECK;

/*
 * Would what is written to one replace what is written to the other, however the two spell it ("a", "./a", a link)?
 * Two names of a terminal or a pipe share it and replace nothing.
 */
bool is_same_file(const char *one, const char *two);

/* ---- write_file.c */

/*
 * Could the target be written? Where it would be replaced a temporary file is made and taken away again, so that a
 * folder that is read-only or full is found before there is anything to lose. 0 or -errno, as write_to() would fail.
 */
int write_try(struct write_target *target) MUST_CHECK;

/* Is it written to directly, so that writing may wait: for a terminal, for whoever is to read a pipe? */
bool write_may_wait(const struct write_target *target);

/* Writes data there. 0 or -errno; -EPERM may have a reason in target->refused. The target stays open. */
int write_to(struct write_target *target, const void *data, size_t len) MUST_CHECK;

/* All at once: finds the target of the path and writes to it. */
int write_file(const char *path, const void *data, size_t len) MUST_CHECK;

/* Writes all of data to an open descriptor, however often it is interrupted. 0 or -errno. */
int write_all(int fd, const void *data, size_t len) MUST_CHECK;
