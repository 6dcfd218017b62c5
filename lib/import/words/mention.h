/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mention.h - errors that a line speaks of: source, patterns and lists of errors, manuals, release notes, questions and
 * advice quote the words of a program that nobody ran. One rule for every reader of such words, by the form of the
 * line.
 */
#pragma once

#include <stddef.h>

enum { MOST_MENTIONS = 16 };	/* in a line that may be as long as a file: what speaks of more says nothing itself */

/*
 * Of the words at `at`, which are so long: NULL where a program said them there. Else the line speaks of them, and so
 * it does of what follows, up to where this is.
 */
const char *past_mention(const char *text, const char *at, size_t len);
