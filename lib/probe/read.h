/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.h - a file of /sys or /proc as a value, with its state where it is none.
 *
 * errno becomes a state in one place: ENOENT and ENOTDIR absent; EACCES and
 * EPERM denied; ENODATA, EOPNOTSUPP, ENXIO unsupported; ENODEV lost; the rest error,
 * with the errno's name as the reason. An empty file is absent ("empty").
 * Text that is not what was asked for is an error that quotes it ("reads
 * \"Unknown\"").
 */
#ifndef GPUDIAG_PROBE_READ_H
#define GPUDIAG_PROBE_READ_H

#include "probe/probe.h"
#include "sys/cached_fd.h"

enum val_state state_of_errno(int negative_errno);
/* "EACCES"; static. */
const char *name_of_errno(int negative_errno);

struct val_u64 read_u64(struct probe_env *env, struct arena *arena, const char *path_format, ...) PRINTF_LIKE(3, 4);
/* The whole text, its white space at the end taken off, bytes that are not UTF-8 replaced. */
struct val_str read_str(struct probe_env *env, struct arena *arena, const char *path_format, ...) PRINTF_LIKE(3, 4);
/* The number in a file that is kept open, by that parser; from least to most, else an error with these words. */
struct val_u64 kept_number(const struct cached_fd *file, int (*parse)(const char *text, uint64_t *ret), uint64_t least,
			   uint64_t most, const char *otherwise);
struct val_u64 kept_u64(const struct cached_fd *file);
/* The last part of a link's target: the driver's name for ".../driver". */
struct val_str read_link_name(struct probe_env *env, struct arena *arena, const char *path_format, ...)
	PRINTF_LIKE(3, 4);

/* Of several words the one in brackets, which is in force: "[none] mq-deadline". One word alone is itself in force. */
struct val_str read_choice(struct probe_env *env, struct arena *arena, const char *path_format, ...) PRINTF_LIKE(3, 4);
/*
 * How long a list is that was made of a folder: nr, whatever became of single
 * entries. error is what listing the folder gave. Of a live kernel that has no
 * such folder the list is empty; of a recording nobody knows what was left out.
 */
struct val_u64 listed_of(struct probe_env *env, uint64_t nr, int error);

/*
 * One line of a file as a value, bytes that are not UTF-8 replaced. One that is
 * longer than any value is an error: it must not cost the worker its frame.
 */
struct val_str text_value(struct arena *arena, const char *text, size_t len);

/* The text itself where it is a list of CPUs or not known, else an error that quotes it. */
struct val_str checked_cpulist(struct arena *arena, struct val_str text);

/*
 * The same where it is a version: of an NVIDIA driver, which is numbers with points ("550.54.14"); of whatever maker, a
 * word with a number in it ("2.13.0g", "6.2.0-66", "96.00.74.00.01").
 */
struct val_str checked_driver_version(struct arena *arena, struct val_str text);
struct val_str checked_version(struct arena *arena, struct val_str text);

#endif
