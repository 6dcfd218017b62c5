/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.h - files a user hands us. */
#pragma once

#include <stdarg.h>

#include "base/strbuf.h"
#include "import/import.h"
#include "snapshot/snapshot.h"

/*
 * Reads a file, or standard input for "-". what it should be: "a policy".
 * Returns its name for messages; dies with status 64 where it cannot be read.
 */
const char *input_text(const char *path, const char *what, struct strbuf *ret);

/* The same of a dump, or a snapshot: those may be larger. */
#define MAX_DUMP_BYTES ((size_t)512 << 20)
const char *input_dump_text(const char *path, struct strbuf *ret);

/* Dies with status 64: "NAME:LINE: what", or without the line where there is none. */
NORETURN void die_input(const char *name, const struct json_error *error);

/* "3 unknown keys of WHAT ignored by gpudiag 1.0 (first: "x", line 4)", or NULL where there are none. */
const char *input_unknown_words(struct arena *arena, const struct merge_unknown *unknown, const char *what);

/*
 * Says on standard error what was not read, and leaves the same in ret for the report: names of files may be of any
 * bytes, which are made clean.
 */
void input_tell(struct strbuf *ret, const char *format, va_list args) PRINTF_LIKE(2, 0);

/* ---- input_dump.c */

/*
 * Adds what a file, standard input for "-", or a folder holds, unpacked; its name for messages. is_alone: no other is
 * added, and what cannot be read of it ends the program.
 */
const char *input_add(struct import *import, const char *path, bool is_alone);

/*
 * A snapshot of other tools' output in several files or folders, joined; dies with status 64 where nothing in them is
 * known.
 */
void input_dumps(const struct strs *paths, struct snapshot *ret, struct import_account *account);

/*
 * Reads a file, or standard input for "-", or a folder. Of what another tool printed it makes a snapshot; false where
 * the text is to be read as a file of gpudiag's. Dies with status 64 where it is neither.
 */
bool input_dump(const char *path, struct snapshot *ret, struct strbuf *ret_text, const char **ret_name);

/*
 * Loads a snapshot file, or standard input for "-", or makes a snapshot of what another tool printed: which of them it
 * is shows in its content. Dies with status 64, naming file, line and cause.
 */
void input_snapshot(const char *path, struct snapshot *ret, struct merge_unknown *unknown);
