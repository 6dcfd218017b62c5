/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_text.h - files of /proc that hold one named value a line. Pure.
 *
 * "MemTotal:  16 kB", "pswpin 0", "Uid:\t0\t0", "PRETTY_NAME=…": a key, then
 * colons, equals signs or white space, then the value. A file that cannot be
 * read gives its reason to every value asked of it.
 */
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "snapshot/value.h"

struct proc_text {
	struct strbuf text;
	enum val_state state;		/* VAL_OK, or why there is no text */
	const char *why;
	uint32_t from;			/* as that of its values: where it was pasted; 0: not told */
};

#define PROC_TEXT_INIT { .text = STRBUF_INIT, .state = VAL_UNSET, .why = NULL }
#define PROC_TEXT_AUTO __attribute__((cleanup(proc_text_release))) struct proc_text

void proc_text_release(struct proc_text *file);

/* Where the value of the first line of that key begins, or NULL. It ends before the line feed. */
const char *proc_text_value(const char *text, const char *key);

/* The value to the end of its line; a missing line is absent. */
struct val_str proc_text_str(const struct proc_text *file, struct arena *arena, const char *key);
/* Its first word as a number, times the multiplier (1024 for kB). */
struct val_u64 proc_text_u64(const struct proc_text *file, struct arena *arena, const char *key, uint64_t multiplier);

/* Of a table of /proc: the kernel writes white space and backslashes in paths as \040. */
char *unescaped(struct arena *arena, const char *text, size_t len);
