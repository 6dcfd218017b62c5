/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_kept_text.h - a file that is kept open and read in each tick. One that was not there, or whose device went
 * away and may have come back, is tried again each time.
 */
#pragma once

#include "base/arena.h"
#include "snapshot/value.h"
#include "sys/cached_fd.h"

/* A file and its text of this tick. */
struct kept_text {
	struct cached_fd file;
	struct strbuf text;
	int error;			/* of reading it, or 0 */
};
#define KEPT_TEXT_INIT { .file = CACHED_FD_NONE, .text = STRBUF_INIT, .error = -ENOENT }

void kept_text_read(struct kept_text *file, const struct root *root, const char *path, size_t max_bytes);
void kept_text_release(struct kept_text *file);

/* The number behind a key of such a file, times the multiplier, or why there is none. Texts are static or the arena's. */
struct val_u64 kept_text_u64(const struct kept_text *file, struct arena *arena, const char *key, uint64_t multiplier);
