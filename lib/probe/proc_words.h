/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_words.h - the files of /proc that hold a table: lines of words, with white space in names escaped. */
#ifndef GPUDIAG_PROBE_PROC_WORDS_H
#define GPUDIAG_PROBE_PROC_WORDS_H

#include "base/arena.h"

/* The next word of a line, its length in *ret_len; 0 at the end of the line. *at goes on after it. */
const char *next_word(const char **at, size_t *ret_len);

/* The kernel writes white space and backslashes in paths as \040. */
char *unescaped(struct arena *arena, const char *text, size_t len);

#endif
