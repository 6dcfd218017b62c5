/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storage.h - what the checks of --storage share: which paths were measured, and why one was not. */
#pragma once

#include "eval/judge/check.h"

/*
 * The next path of the request, as the next question. False: none is left; then what was not measured, and why, is said
 * of the check. *ret is NULL for a path that was not measured. Begin with a struct of zeros.
 */
struct storage_walk {
	size_t at;
	const char *not_measured;	/* "/mnt (no such file or folder), …"; NULL: all were */
};
bool storage_next(struct judgement *j, struct storage_walk *walk, const struct storage_path **ret);

/* Why there is no path to look at, as a reason to skip; NULL: there is one. Where jobs read from is told, if known. */
const char *no_storage(struct judgement *j);

/* Why nothing was measured there, in words; NULL: something was. */
const char *storage_why_not(struct arena *arena, const struct storage_path *path);

/* "ext4 on /dev/nvme0n1p2", "nfs4 on server:/export". */
const char *storage_place(struct arena *arena, const struct storage_path *path);

/* Did so much of it come from the page cache, or is it memory altogether, that nothing is said of a disk or server? */
bool storage_is_memory(const struct storage_path *path);

/*
 * A GPU that is held and does next to nothing, while a task of its process sleeps in the kernel, where that process has
 * files of this file system open; NULL: none.
 */
const struct gpu *storage_waiting_gpu(const struct judgement *j, const struct storage_path *path);
