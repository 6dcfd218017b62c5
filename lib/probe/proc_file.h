/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_file.h - the files of /proc that hold one named value a line.
 *
 * "MemTotal:  16 kB", "pswpin 0", "Uid:\t0\t0", "PRETTY_NAME=…": a key, then
 * colons, equals signs or white space, then the value. A file that cannot be
 * read gives its reason to every value asked of it.
 */
#ifndef GPUDIAG_PROBE_PROC_FILE_H
#define GPUDIAG_PROBE_PROC_FILE_H

#include "probe/probe.h"

struct proc_file {
	struct strbuf text;
	enum val_state state;		/* VAL_OK, or why there is no text */
	const char *why;
};

#define PROC_FILE_INIT { .text = STRBUF_INIT, .state = VAL_UNSET, .why = NULL }
#define PROC_FILE_AUTO __attribute__((cleanup(proc_file_release))) struct proc_file

/* Reads the file; of one that is long and begins with what is wanted, the first max_bytes (0: all). */
void proc_file_read(struct probe_env *env, struct proc_file *ret, size_t max_bytes, const char *path);
void proc_file_release(struct proc_file *file);

/* Where the value of the first line of that key begins, or NULL. It ends before the line feed. */
const char *proc_text_value(const char *text, const char *key);

/* The value to the end of its line; a missing line is absent. */
struct val_str proc_file_str(const struct proc_file *file, struct arena *arena, const char *key);
/* Its first word as a number, times the multiplier (1024 for kB). */
struct val_u64 proc_file_u64(const struct proc_file *file, struct arena *arena, const char *key, uint64_t multiplier);

#endif
