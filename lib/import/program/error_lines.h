/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_lines.h - lines of errors that no reader took, out of all parts of a dump: told in a note by the one of them
 * that says most, where the dump tells of nothing better.
 */
#pragma once

#include "import/dump/dump.h"

/*
 * Moves the lines of ret->file, or if that is NULL of the first file that has such, as is_one() tells, to a part of
 * that kind, which is the caller's to add. false: there are none, or the dump is a report of a whole machine, in which
 * programs complain of much that they do without. may_say(): where the first of them says little, a line just above it
 * that may say more is told; NULL: none.
 */
bool error_lines_part(struct arena *arena, struct dump_parts *parts, enum dump_kind kind,
		      bool (*is_one)(const struct dump_part *part, size_t at), bool (*may_say)(const char *text),
		      struct dump_part *ret);

/* Puts them as one error of a program, of that key. */
void error_lines_read(struct reading *reading, const char *key, const char *words);
