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
#pragma once

#include "format/proc_text.h"
#include "format/text_value.h"
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

/* A file of named values; of one that is long and begins with what is wanted, the first max_bytes (0: all). */
void proc_text_read(struct probe_env *env, struct proc_text *ret, size_t max_bytes, const char *path);

/* Memory it may lock, soft limit; absent where there is no limit, and never because the file could not be read. */
struct val_u64 proc_memlock_limit(struct probe_env *env, struct arena *arena, const char *pid);
